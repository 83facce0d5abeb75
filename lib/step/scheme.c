/* scheme.c - properties of schemes and the conditions under which they are refused. Declared in step.h. */
#include "step/scheme.h"

#include "device/group.h"

bool nb_scheme_carries(const struct nb_scheme *scheme)
{
    return scheme->family->carry != NULL;
}

bool nb_scheme_ends_fresh(const struct nb_scheme *scheme)
{
    const struct nb_splitting *table = scheme->table;
    return scheme->family == &nb_family_splitting && (table->kick[table->stages] != 0 || table->kick[0] != 0);
}

double nb_scheme_pack_bytes(const struct nb_scheme *scheme, enum nb_precision precision, uint64_t n)
{
    return nb_state_bytes(precision, 3 * scheme->family->carried, n);
}

int nb_scheme_vectors(const struct nb_scheme *scheme, bool adaptive, bool velocity)
{
    return scheme->family->vectors ? scheme->family->vectors(scheme, adaptive, velocity) : 0;
}

bool nb_scheme_looks(const struct nb_scheme *scheme)
{
    return scheme->family->looks;
}

const char *nb_scheme_refuse(const struct nb_scheme *scheme, unsigned force_flags)
{
    if ((force_flags & NB_NEEDS_VELOCITY) && (scheme->traits & NB_NO_VELOCITY))
        return "a force needs velocities, which this integrator lacks when it evaluates forces";
    const bool between = force_flags & NB_BETWEEN && !(scheme->traits & NB_REGULARISED);
    if (between && scheme->want & (NB_WANT_JERK | NB_WANT_SNAP))
        return "post-Newtonian terms have no jerk (--integrator ias15 needs none, hermite4-groups has them in groups)";
    if (between && (scheme->family->kicks || scheme->traits & NB_OWN_STEPS))
        return "post-Newtonian terms need velocities and positions at the same time (--integrator ias15)";
    if ((force_flags & NB_MOVES) && !scheme->family->kicks)
        return "a force moves bodies between steps, which only splitting schemes support (--integrator leapfrog)";
    if ((force_flags & NB_ALL_BODIES) && (scheme->traits & NB_OWN_STEPS))
        return "it needs forces on some of the bodies, which only direct and tree compute";
    if ((force_flags & (NB_EXTERNAL | NB_CONTACT)) && (scheme->traits & NB_PLANETARY))
        return "it supports self-gravity only, no external fields and no contacts";
    if (!(force_flags & NB_NEAR_AND_FAR) && (scheme->traits & NB_NEIGHBOURS))
        return "it needs direct summation on the CPU or a CUDA device (--force direct)";
    if (!(force_flags & NB_FAR_PART) && (scheme->traits & NB_SPLIT))
        return "it needs the tree in mixed or double precision (--force tree)";
    if ((force_flags & (NB_BETWEEN | NB_CONTACT)) && (scheme->traits & NB_SPLIT))
        return "it splits self-gravity and supports no other force between bodies";
    if (!(force_flags & NB_EXACT) && (scheme->traits & NB_PLANETARY))
        return "it needs direct summation (--force direct)";
    return NULL;
}

const char *nb_scheme_refuse_state(const struct nb_scheme *scheme, const struct nb_device *device,
                                   enum nb_precision precision, double softening)
{
    const unsigned own = scheme->traits & (NB_OWN_STEPS | NB_ADAPTIVE);
    if (own == (NB_OWN_STEPS | NB_ADAPTIVE) && precision != NB_DOUBLE)
        return "it needs double precision: its steps depend on derivatives that single precision cannot resolve";
    if (own == NB_OWN_STEPS && softening <= 0)
        return "its steps depend on the softening length, which is 0 (--softening L)";
    if (scheme->traits & NB_SPLIT && precision != NB_DOUBLE && precision != NB_MIXED)
        return "it needs positions in double precision (--precision mixed or double)";
    if (scheme->traits & NB_REGULARISED && softening > 0)
        return "it regularises orbits of point masses, but the bodies are softened (--softening 0)";
    if (scheme->traits & (NB_REGULARISED | NB_NEIGHBOURS | NB_SPLIT) && device && nb_device_is_group(device))
        return "it runs on one device (--device cpu, or cuda:0)";
    if (!(scheme->traits & NB_PLANETARY))
        return NULL;
    if (!nb_device_is_host(device))
        return "it runs on the CPU only, which is faster for few bodies (--device cpu)";
    if (precision != NB_DOUBLE)
        return "it supports double precision only";
    if (softening > 0)
        return "its Kepler motion has no softening, but the bodies have (--softening 0)";
    return NULL;
}
