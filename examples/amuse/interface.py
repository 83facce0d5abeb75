"""libnbtools as a code of AMUSE: Nbtools() is a GravitationalDynamics with fields. README.md says how to build it."""

from amuse.community.interface.gd import (
    GravitationalDynamics,
    GravitationalDynamicsInterface,
    GravityFieldCode,
    GravityFieldInterface,
)
from amuse.rfi.core import CodeInterface, remote_function
from amuse.units import nbody_system

# Parameters with the names and the strings of nbsim's options, in N-body units. "" is nbsim's default.
OPTIONS = {
    "integrator": "integrator: auto, ias15, hermite4, leapfrog ...",
    "force": "forces: auto, direct, tree, external:..., separated by spaces",
    "device": "device: cpu, cuda, cuda:1 ...",
    "precision": "precision of the forces: double, mixed, quad ...",
    "theta": "opening criterion of the tree",
    "tolerance": "error of an adaptive step",
    "eta": "accuracy of steps that differ from body to body",
    "pn": "post-Newtonian terms: 1, 2, 2.5",
}


class NbtoolsInterface(CodeInterface, GravitationalDynamicsInterface, GravityFieldInterface):
    include_headers = ["worker_code.h"]

    def __init__(self, **options):
        CodeInterface.__init__(self, name_of_the_worker="nbtools_worker", **options)

    @remote_function
    def set_time_step(time_step="d" | nbody_system.time):
        returns()

    @remote_function
    def set_option(option="s", value="s"):
        returns()

    @remote_function
    def get_option(option="s"):
        returns(value="s")

    @remote_function
    def get_error():
        returns(text="s")


class Reason:
    """What the library said of its last failure, asked for when AMUSE writes its message."""

    def __init__(self, interface):
        self.interface = interface

    def __str__(self):
        return self.interface.get_error()["text"]


class Nbtools(GravitationalDynamics, GravityFieldCode):
    def __init__(self, convert_nbody=None, **options):
        self.legacy = NbtoolsInterface(**options)
        GravitationalDynamics.__init__(self, self.legacy, convert_nbody, **options)

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)

    def define_errorcodes(self, handler):
        handler.add_errorcode(-1, "there is no such particle")
        handler.add_errorcode(-2, "not supported")
        handler.add_errorcode(-3, Reason(self.legacy))

    def define_parameters(self, handler):
        time, length = nbody_system.time, nbody_system.length
        add = handler.add_method_parameter
        add("get_begin_time", "set_begin_time", "begin_time", "model time at the start", 0 | time)
        add("get_time_step", "set_time_step", "timestep", "step size; 0: the library chooses", 0 | time)
        add("get_eps2", "set_eps2", "epsilon_squared", "softening length, squared", 0 | length**2)
        for name, description in OPTIONS.items():
            add(None, "set_" + name, name, description, "auto" if name == "force" else "", must_set_before_get=True)

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        error, none = handler.ERROR_CODE, handler.NO_UNIT
        handler.add_method("get_eps2", (), (nbody_system.length**2, error))
        handler.add_method("set_eps2", (nbody_system.length**2,), (error,))
        handler.add_method("set_time_step", (nbody_system.time,), (error,))
        handler.add_method("set_option", (none, none), (error,))
        handler.add_method("get_option", (none,), (none, error))


for _name in OPTIONS:
    setattr(Nbtools, "set_" + _name, lambda self, value, name=_name: self.set_option(name, value))
