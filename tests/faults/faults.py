#!/usr/bin/env python3
"""Makes one call after the other fail in every tool (fault.h), and holds each run to what is promised of a failure.

usage: faults.py [--sample N] [--leaks | --cuda] [--only WORD] [-v] BUILD

A run that met its fault ends in one of two ways. It has worked around the fault: exit 0 and every byte written is that
of a run without one. Or it has failed: exit 1 (ended by SIGPIPE where its reader has gone), exactly one line of its own
on stderr, and no output under its name that differs from a whole one; what went to stdout is the beginning of a whole
one, or whole frames of it and a trailer. --sample N takes about N points of all; --leaks
takes BUILD for one of the address sanitizer, and allocations only; --cuda takes its tools for those of
`make faults-cuda', and calls of CUDA only. The last line has the result."""
import argparse
import concurrent.futures
import errno
import io
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
import nbs_reader  # noqa: E402

LIMIT_S = 60

# ---- what fails, and how ----

MOVING = [("EIO", "once"), ("EIO", "on"), ("EINTR", "burst"), ("EAGAIN", "burst"), ("short", "once"), ("short", "burst")]
WRITING = [("ENOSPC", "once"), ("ENOSPC", "on"), ("EPIPE", "on")] + MOVING
ERRORS = {
    "malloc": [("ENOMEM", "once"), ("ENOMEM", "on")],
    "read": MOVING, "pread": MOVING, "write": WRITING, "writev": WRITING, "pwrite": WRITING,
    "open": [("EMFILE", "once"), ("EACCES", "on"), ("EINTR", "once")],
    "close": [("EIO", "once"), ("ENOSPC", "on"), ("EINTR", "once")],
    "fsync": [("EIO", "once"), ("ENOSPC", "on"), ("EINTR", "once")],
    "fcntl": [("EPERM", "once"), ("EPERM", "on")],
    "waitpid": [("EINTR", "burst"), ("ECHILD", "once")],
    "poll": [("EINTR", "burst"), ("ENOMEM", "on")],
    "rename": [("EIO", "once"), ("EIO", "on")],
    "renameat2": [("EIO", "once"), ("EINVAL", "on"), ("ENOSYS", "on"), ("EEXIST", "on")],
    "link": [("EIO", "once"), ("EPERM", "on"), ("EEXIST", "on")],
    "pthread_create": [("EAGAIN", "once"), ("EAGAIN", "on")],
    "posix_spawnp": [("ENOMEM", "once")],
}
OTHERS = [("EIO", "once"), ("EIO", "on")]

# As numbers of cudaError_t: 2 out of memory, 719 a failed launch, which is what a lost GPU says from then on.
CUDA_ERRORS = {"cudaMalloc": [("2", "once"), ("2", "on")], "cuda": [("719", "on")]}
CUDA_OTHERS = [("719", "once")]

# ---- what is run ----

RENDER = ["nbrender", "--device", "cpu", "--size", "16x16"]
SIM = ["nbsim", "--device", "cpu"]
COMMANDS = {  # name: arguments; IN/ stands for the folder of inputs, "<" for what comes on stdin
    "gen": ["nbgen", "plummer", "-n", "20", "-o", "a.nbs"],
    "gen-pipe": ["nbgen", "collision", "-n", "40"],
    "gen-replace": ["nbgen", "kepler", "-f", "-o", "old.nbs"],
    "gen-merge": ["nbgen", "merge", "IN/a.nbs", "IN/a.nbs", "--pericenter", "1", "--separation", "5"],
    "gen-disks": ["nbgen", "windtunnel", "-n", "20", "--fraction", "0.05", "--airfoil", "IN/profile.dat", "-o", "a.nbs"],
    "sim": SIM + ["--steps", "2", "--dt", ".01", "--write", "acc,phi", "-o", "a.nbs", "IN/a.nbs"],
    "sim-pipe": SIM + ["--until", ".1", "--every", ".05", "--store", "f32", "<", "IN/a.nbs"],
    "sim-hermite": SIM + ["--integrator", "hermite4", "--steps", "2", "-o", "a.nbs", "IN/a.nbs"],
    "sim-hermite6": SIM + ["--integrator", "hermite6", "--tolerance", "1e-4", "--until", ".01", "-o", "a.nbs",
                           "IN/a.nbs"],
    "sim-multistep": SIM + ["--integrator", "ab4", "--steps", "5", "-o", "a.nbs", "IN/a.nbs"],
    "sim-extrapolation": SIM + ["--integrator", "bulirsch-stoer", "--until", ".01", "-o", "a.nbs", "IN/a.nbs"],
    "sim-implicit": SIM + ["--integrator", "gauss6", "--steps", "2", "-o", "a.nbs", "IN/a.nbs"],
    "sim-quad": SIM + ["--precision", "quad", "--steps", "1", "-o", "a.nbs", "IN/a.nbs"],
    "sim-tree": SIM + ["--force", "tree", "--steps", "2", "-o", "a.nbs", "IN/many.nbs"],
    "sim-external": SIM + ["--force", "auto", "--force", "external:nfw,mass=10,scale=3", "--steps", "2",
                           "--write", "phi", "-o", "a.nbs", "IN/a.nbs"],
    "sim-checkpoint": SIM + ["--steps", "8", "--dt", ".01", "--every", ".02", "--checkpoint", "ck", "--checkpoint-every",
                             "0", "-o", "a.nbs", "IN/a.nbs"],
    "sim-resume": ["nbsim", "--resume", "ck", "--checkpoint-every", "0"],
    "sim-log": SIM + ["--steps", "3", "--every", ".01", "--dt", ".01", "--log", "/dev/null", "-o", "a.nbs", "IN/a.nbs"],  # its rates differ
    "sim-append": SIM + ["--append", "--until", ".4", "--every", ".1", "-o", "old.nbs", "IN/a.nbs"],
    "sim-salvage": SIM + ["--salvage", "--steps", "2", "-o", "a.nbs", "IN/cut.nbs"],
    "stat": ["nbstat", "--device", "cpu", "-o", "a.tsv", "IN/run.nbs"],
    "stat-pipe": ["nbstat", "--device", "cpu", "--json", "--max-de", "1", "<", "IN/run.nbs"],
    "stat-tree": ["nbstat", "--device", "cpu", "--potential", "tree", "IN/many.nbs"],
    "stat-frame": ["nbstat", "--device", "cpu", "--frame", "1", "IN/run.nbs"],
    "stat-select": ["nbstat", "--device", "cpu", "--frame", "1:-1", "--select", "id < 5 && !(speed > 9)", "IN/run.nbs"],
    "stat-structure": ["nbstat", "--device", "cpu", "--lagrange", "10,50", "--modes", "--escaped", "--distance",
                       "--columns", "time,r50,a2,escaped,distance_0_1", "--select", "id < 30", "IN/pair.nbs"],
    "stat-radial": ["nbstat", "--device", "cpu", "--radial", "cylindrical", "--bins", "3", "IN/run.nbs"],
    "stat-external": ["nbstat", "--device", "cpu", "IN/external.nbs"],
    "check": ["nbstat", "--check", "IN/run.nbs"],
    "info": ["nbstat", "--info", "-o", "a.txt", "IN/run.nbs"],
    "info-pipe": ["nbstat", "--info", "<", "IN/run.nbs"],
    "to-text": ["nbconv", "--to", "text", "--frame", "all", "-o", "a.txt", "IN/run.nbs"],
    "to-columns": ["nbconv", "--to", "text", "--columns", "id,mass,pos,component", "IN/run.nbs"],
    "from-text": ["nbconv", "--from", "text", "-o", "a.nbs", "IN/run.txt"],
    "from-text-pipe": ["nbconv", "--from", "text", "<", "IN/run.txt"],
    "from-quad": ["nbconv", "--from", "text", "--store", "quad", "-o", "a.nbs", "IN/run.txt"],
    "from-rosetta": ["nbconv", "--from", "rosetta", "-o", "a.nbs", "IN/rosetta.txt"],
    "edit": ["nbedit", "--select", "id < 6", "--sample", "1/2", "--set", "heat = mass * speed^2 / 2 if r < 9", "--sort", "-r",
             "--center", "densest", "--rotate", "z:30", "--columns=-component", "-o", "a.nbs", "IN/run.nbs"],
    "edit-pipe": ["nbedit", "--resize", "length=2", "--frame", "1:-1", "<", "IN/run.nbs"],
    "edit-stack": ["nbedit", "--shift", "1,0,0", "--stack", "--sort", "id", "--time", "1", "-o", "a.nbs", "IN/run.nbs", "IN/run.nbs"],
    "png": RENDER + ["-o", "a.png", "IN/run.nbs"],
    "png-pipe": RENDER + ["--frame", "1", "-o", "a.png", "<", "IN/run.nbs"],
    "png-all": RENDER + ["-o", "a-%d.png", "IN/run.nbs"],
    "png-select": RENDER + ["--frame", "1:-1", "--select", "star,disk", "-o", "a-%d.png", "IN/run.nbs"],
    "png-select-none": RENDER + ["--frame", "0,1", "--select", "hole", "-o", "a-%d.png", "<", "IN/run.nbs"],
    "to-list": ["nbconv", "--to", "text", "--frame", "0,1:-1:2", "IN/run.nbs"],
    "png-salvage": RENDER + ["--salvage", "-o", "a-%d.png", "IN/cut.nbs"],
    "png-16": RENDER + ["--depth", "16", "--alpha", "--threads", "4", "-o", "a-%d.png", "<", "IN/run.nbs"],
    "jpg": RENDER + ["-o", "a-%d.jpg", "IN/run.nbs"],
    "webp": RENDER + ["-o", "a-%d.webp", "IN/run.nbs"],
    "fits": RENDER + ["-o", "a-%d.fits", "IN/run.nbs"],
    "exr": RENDER + ["-o", "a-%d.exr", "IN/run.nbs"],
    "npy": RENDER + ["-o", "a.npy", "IN/run.nbs"],
    "y4m": RENDER + ["--threads", "1", "-o", "a.y4m", "IN/run.nbs"],
    "y4m-pipe": RENDER + ["--view", "0,30", "--spin", "2", "--fov", "50", "<", "IN/run.nbs"],
    "motion": RENDER + ["--interpolate", "2", "--style", "light", "-o", "a-%d.png", "IN/run.nbs"],
    "camera": RENDER + ["--camera", "IN/camera.txt", "--follow", "id < 3", "-o", "a-%d.png", "IN/run.nbs"],
    "stereo": RENDER + ["--follow", "densest", "--stereo", "anaglyph", "--orbit", "1", "-o", "a-%d.png", "IN/run.nbs"],
    "film": RENDER + ["-o", "a.mp4", "IN/run.nbs"],
    "film-alpha": RENDER + ["--alpha", "-o", "a.mov", "IN/run.nbs"],
    "film-hdr": RENDER + ["--hdr", "-o", "a.mp4", "IN/run.nbs"],
    "gif": RENDER + ["-o", "a.gif", "IN/run.nbs"],
    "apng": RENDER + ["-o", "a.apng", "<", "IN/run.nbs"],
}
SETUP = {  # files that are there before: their name, and that of the input
    "gen-replace": {"old.nbs": "a.nbs"},
    "sim-append": {"old.nbs": "run.nbs"},
}
PREPARE = {  # what is run before: here a run that is killed when all but the name of its output is done
    "sim-resume": "FAULT_CALL=renameat2 FAULT_AT=1 FAULT_ERROR=kill nbsim -q --device cpu --steps 8 --dt .01 --every .02 "
                  "--checkpoint ck --checkpoint-every 0 -o a.nbs ../in/a.nbs",
}

GPU = ["nbsim", "--device", "cuda"]
CUDA_COMMANDS = {
    "gpu": GPU + ["--steps", "2", "--dt", ".01", "--write", "acc,phi", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-single": GPU + ["--precision", "single", "--until", ".1", "--every", ".05", "<", "IN/many.nbs"],
    "gpu-double": GPU + ["--precision", "double", "--store", "f32", "--steps", "1", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-tensor": GPU + ["--precision", "mixed", "--steps", "1", "-o", "a.nbs", "IN/crowd.nbs"],
    "gpu-tree": GPU + ["--force", "tree", "--steps", "2", "--dt", ".01", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-hermite": GPU + ["--integrator", "hermite4", "--steps", "2", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-multistep": GPU + ["--integrator", "ab4", "--steps", "5", "--dt", ".01", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-adaptive": GPU + ["--integrator", "bulirsch-stoer", "--until", ".01", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-external": GPU + ["--force", "auto", "--force", "external:nfw,mass=10,scale=3", "--steps", "1",
                           "--write", "phi", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-checkpoint": GPU + ["--steps", "4", "--dt", ".01", "--integrator", "ab3", "--checkpoint", "ck",
                             "--checkpoint-every", "0", "-o", "a.nbs", "IN/many.nbs"],
    "gpu-render": ["nbrender", "--device", "cuda", "--size", "64x36", "-o", "a.png", "IN/many.nbs"],
    "gpu-render-pipe": ["nbrender", "--device", "cuda", "--size", "320x180", "--fov", "60", "--bloom", "0.1", "<",
                        "IN/many.nbs"],
    "gpu-stat": ["nbstat", "--device", "cuda", "-o", "a.tsv", "IN/many.nbs"],
    "gpu-stat-tree": ["nbstat", "--device", "cuda", "--potential", "tree", "IN/many.nbs"],
}


def make_folder():
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where syncing is quick
    return pathlib.Path(tempfile.mkdtemp(prefix="faults", dir=memory))


def jobs_of(cuda):
    """How many runs go at once: as many as there are cores, but 8 at most on GPUs, whose driver starts one after the other."""
    return min(os.cpu_count(), 8) if cuda else os.cpu_count()


def make_inputs(folder, cuda):
    """The streams and texts that the commands read: small, so that a run takes milliseconds."""
    folder.mkdir()
    def run(line):
        subprocess.run(["bash", "-c", "set -e -o pipefail; " + line], cwd=folder, check=True,
                       stdin=subprocess.DEVNULL)
    run("nbgen plummer -n 8 -q -o a.nbs; nbgen plummer -n 600 -q -o many.nbs; nbgen collision -n 40 -q -o pair.nbs")
    if cuda:
        run("nbgen plummer -n 70k -q -o crowd.nbs")
        return
    run("nbsim -q --device cpu --until .2 --every .1 -o run.nbs a.nbs")
    run("nbsim -q --device cpu --force auto --force external:nfw,mass=10,scale=3 --steps 1 -o external.nbs a.nbs")
    run("nbconv --to text --frame all run.nbs >run.txt; head -c -200 run.nbs >cut.nbs")
    (folder / "rosetta.txt").write_text("1 2 10\n1\n0 0 0\n0 0 0\n1e-3\n1 0 0\n0 1 0\n")
    (folder / "camera.txt").write_text("0 5 0 0 0 0 0 0 0 1 60\n.1 0 5 1 0 0 0 0 0 1 50\n")
    (folder / "profile.dat").write_text("A PROFILE\n1 0\n.5 .1\n0 0\n.5 -.05\n1 0\n")
    fake = folder / "ffmpeg"  # what it was fed, as the media data of an MP4 file; of encoders it tells nothing
    fake.write_text("""#!/bin/sh
for file do :; done
[ "$file" != -encoders ] || exit 0
exec 2>/dev/null
file=${file#file:}
{ printf '\\0\\0\\0\\10ftyp\\0\\0\\0\\10moov....mdat'; cat; } >"$file"
n=$(($(stat -c %s "$file") - 16))
exec 3<>"$file"
head -c 16 <&3 >/dev/null # not dd, which fails with the address sanitizer
printf "$(printf '\\%03o' $((n >> 24)) $((n >> 16 & 255)) $((n >> 8 & 255)) $((n & 255)))" >&3
""")
    fake.chmod(0o755)


class Command:
    def __init__(self, name, words, base):
        inputs = str(base / "in") + "/"
        words = [w.replace("IN/", inputs) for w in words]
        self.name, self.stdin = name, None
        if "<" in words:
            self.stdin = words[-1]
            words = words[:-2]
        self.argv = words + ["-q"]
        self.threads = "2" if name != "y4m" else "1"
        self.tool = words[0]


def is_ended_early(data, whole):
    """Is it a stream with some of the frames of the whole one, and a trailer? So nbsim leaves a run that fails."""
    at = data.rfind(b"nbs 1 trailer\n")
    try:
        return at > 0 and whole.startswith(data[:at]) and bool(nbs_reader.read(io.BytesIO(data)))
    except (AssertionError, ValueError, KeyError):
        return False


class Result:
    pass


def remove(folder):
    """An ffmpeg whose nbrender was killed may still be writing there."""
    for _ in range(100):
        try:
            return shutil.rmtree(folder)
        except OSError:
            time.sleep(0.1)
    shutil.rmtree(folder)


class Campaign:
    def __init__(self, base, build, leaks, cuda, verbose):
        self.base, self.build, self.cuda, self.verbose = base, build, cuda, verbose
        os.environ["PATH"] = f"{build / 'bin'}:{os.environ['PATH']}"  # of make_inputs
        self.shim = str(build / "tests/faults/fail.so")
        self.env = {"PATH": f"{base / 'in'}:{build / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C",
                    "OMP_WAIT_POLICY": "passive", "HOME": "/nonexistent"}
        self.preload = "" if cuda else self.shim
        self.leaks = leaks
        if leaks:
            asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
            self.preload += ":" + os.path.realpath(asan.stdout.strip())
            self.env["ASAN_OPTIONS"] = ("detect_leaks=1:allocator_may_return_null=1:verify_asan_link_order=0:"
                                        "exitcode=99")
            self.env["UBSAN_OPTIONS"] = "halt_on_error=1:exitcode=99"
            known = pathlib.Path(__file__).resolve().parent.parent / "lsan.supp"
            self.env["LSAN_OPTIONS"] = f"print_suppressions=0:suppressions={known}"
        self.count = {"points": 0, "worked around": 0, "silent": 0, "crashed": 0, "leaked": 0, "hung": 0,
                      "badly said": 0, "half outputs": 0}
        self.lock = threading.Lock()

    def run(self, command, call=None, at=0, mode="once", error="ENOMEM", after=None):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        log = folder.with_suffix(".log")
        for name, source in SETUP.get(command.name, {}).items():
            shutil.copy(self.base / "in" / source, folder / name)
        if command.name in PREPARE:
            subprocess.run(["sh", "-c", "exec 2>/dev/null; LD_PRELOAD=$SHIM " + PREPARE[command.name]], cwd=folder,
                           env=dict(self.env, SHIM=self.preload), check=False)
        env = dict(self.env, LD_PRELOAD=self.preload, FAULT_CALL=call or "none", FAULT_AT=str(at), FAULT_MODE=mode,
                   FAULT_ERROR=str(getattr(errno, error)) if error[0] == "E" else error, FAULT_LOG=str(log),
                   OMP_NUM_THREADS=command.threads)
        r = Result()
        with open(command.stdin or os.devnull, "rb") as stdin:
            p = subprocess.Popen(command.argv, cwd=folder, env=env, stdin=stdin, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, executable=str(self.build / "bin" / command.tool))
            try:
                r.stdout, r.stderr = p.communicate(timeout=LIMIT_S)
                r.status = p.returncode
            except subprocess.TimeoutExpired:
                p.kill()
                p.communicate()
                r.status, r.stdout, r.stderr = None, b"", b""
        if after:
            after(folder, self.env)
        r.files = {f.name: f.read_bytes() for f in folder.iterdir()}
        r.log = log.read_text() if log.exists() else ""
        log.unlink(missing_ok=True)
        remove(folder)
        return r

    def judge(self, command, whole, r):
        """None when the run is as promised, or (kind, why)."""
        lines = r.stderr.decode(errors="replace").splitlines()
        warnings = [w for w in lines if w.startswith(command.tool + ": warning: ")]
        kept = [w for w in lines if w.endswith(("written so far", "(read it with --salvage)", " to what it held"))]
        own = [w for w in lines if w not in warnings and w not in kept]
        if r.status is None:
            return "hung", f"no end within {LIMIT_S} s"
        if b"LeakSanitizer" in r.stderr:
            return "leaked", next((w.strip() for w in lines if "/tools/" in w or "/lib/" in w), "")
        if r.status == 99 or (r.status < 0 and r.status != -signal.SIGPIPE) or r.status > 100:
            return "crashed", f"exit {r.status}"
        if r.status == whole.status == 0 or r.status == 0:
            files = {n: content for n, content in r.files.items() if not (n.startswith("ck.") and warnings)}
            if r.stdout != whole.stdout or files != whole.files:
                return "silent", "exit 0 and another output"
            return ("badly said", "exit 0 and an error") if own else None
        if r.status not in (1, -signal.SIGPIPE):
            return "badly said", f"exit {r.status}"
        before = SETUP.get(command.name, {})
        for name, content in r.files.items():
            was = (self.base / "in" / before[name]).read_bytes() if name in before else None
            if not name.endswith(".part") and not name.startswith("ck.") and content not in (whole.files.get(name), was):
                return "half outputs", name
        if any(name not in r.files for name in before if name == "old.nbs"):
            return "half outputs", "what was there is lost"
        if not whole.stdout.startswith(r.stdout) and not is_ended_early(r.stdout, whole.stdout):
            return "half outputs", "stdout is not the beginning of a whole one"
        if r.status == 1 and (len(own) != 1 or not own[0].startswith(command.tool + ": ")):
            return "badly said", f"{len(own)} lines"
        return ("badly said", "a line and SIGPIPE") if r.status < 0 and own else None

    def point(self, command, whole, call, at, error, mode):
        r = self.run(command, call, at, mode, error)
        if "hit" not in r.log or b"AddressSanitizer: CHECK failed" in r.stderr:
            return  # or what failed was the sanitizer's own
        verdict = self.judge(command, whole, r)
        with self.lock:
            self.count["points"] += 1
            self.count["worked around"] += r.status == 0 and not verdict
            if verdict:
                self.count[verdict[0]] += 1
            if verdict or self.verbose:
                said = r.stderr.decode(errors="replace").strip().replace("\n", " | ")[:300]
                print(f"{command.name}: {call} {at} {error} {mode}: {verdict or 'fine'}: exit {r.status}: {said}",
                      flush=True)

    def points_of(self, command):
        """(command, whole, call, at, error, mode) of all its points, from a run without a fault."""
        whole = self.run(command)
        if whole.status != 0:
            sys.exit(f"{command.name}: fails without a fault: {whole.status} {whole.stderr.decode()}")
        for line in whole.log.splitlines():
            call, count = line.split()
            if self.leaks and call != "malloc":
                continue
            errors = CUDA_ERRORS.get(call, CUDA_OTHERS) if self.cuda else ERRORS.get(call, OTHERS)
            for error, mode in errors:
                if error == "EPIPE" and "-o" in command.argv:
                    continue
                for at in range(1, int(count) + 1):
                    yield command, whole, call, at, error, mode


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sample", type=int)
    p.add_argument("--leaks", action="store_true")
    p.add_argument("--cuda", action="store_true")
    p.add_argument("--only")
    p.add_argument("-v", action="store_true")
    p.add_argument("build", type=pathlib.Path)
    o = p.parse_args()
    if o.cuda and subprocess.run(["bash", "-c", "nvidia-smi -L | grep -q GPU"], stderr=subprocess.DEVNULL).returncode:
        print("faults: those of CUDA skipped, there is no GPU")
        return
    base = make_folder()
    try:
        c = Campaign(base, o.build.resolve(), o.leaks, o.cuda, o.v)
        make_inputs(base / "in", o.cuda)
        commands = [Command(name, words, base) for name, words in (CUDA_COMMANDS if o.cuda else COMMANDS).items()
                    if not o.only or o.only in name]
        with concurrent.futures.ThreadPoolExecutor(jobs_of(o.cuda)) as pool:
            points = [point for of in pool.map(lambda k: list(c.points_of(k)), commands) for point in of]
            if o.sample and o.sample < len(points):
                points = random.Random(1).sample(points, o.sample)
            list(pool.map(lambda point: c.point(*point), points))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(", ".join(f"{name} {n}" for name, n in c.count.items()))
    bad = sum(n for name, n in c.count.items() if name not in ("points", "worked around"))
    sys.exit(1 if bad or not c.count["points"] else 0)


if __name__ == "__main__":
    main()
