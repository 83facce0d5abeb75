"""Pipelines of the C tools from Python: results, errors, and that nothing is left running."""

import base64
import glob
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import nbstream
from nbstream.progress import LineDisplay, Progress, parse_progress
from nbstream.words import option_words, parse_pipeline

pytestmark = pytest.mark.usefixtures("tools")


def children():
    """Returns (number, state, name) of each process that this one started and that is there, zombies too."""
    found = []
    for file in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(file) as stat:
                number, name, state, parent = re.match(r"(\d+) \((.*)\) (\S) (\d+)", stat.read(), re.S).groups()
        except OSError:  # it has ended since
            continue
        if int(parent) == os.getpid():
            found.append((number, state, name))
    return found


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert not [name for _, state, name in children() if "nb" in name or state == "Z"], children()


def test_save_and_read_and_stream_agree(tmp_path):
    run = nbstream.gen("plummer", n=50, seed=3).sim(until=0.4, every=0.1)
    saved = run.save(tmp_path / "run.nbs")
    assert len(saved) == 5 and saved[-1].time == 0.4
    kept = run.read()
    for a, b, c in zip(saved, kept, run.frames()):
        assert np.array_equal(a.pos, b.pos) and np.array_equal(a.pos, c.pos)
        assert a.header == b.header == c.header
    for made in (run, saved.pipe()):
        with pytest.raises(FileExistsError, match=r"run.nbs: exists already \(overwrite=True replaces it\)"):
            made.save(tmp_path / "run.nbs")
    run.save(tmp_path / "run.nbs", overwrite=True)
    assert os.listdir(tmp_path) == ["run.nbs"]


def test_text_of_a_pipeline():
    run = nbstream.run("nbgen plummer -n 50 --seed 3 | nbsim --until 0.2 --every '0.1'")
    assert isinstance(run, nbstream.Stream) and len(run) == 3
    table = nbstream.run("nbgen plummer -n 50 | nbstat --lagrange 10,50")
    assert isinstance(table, nbstream.Table) and table.r10[0] < table.r50[0] == table.half_mass_radius[0]
    assert nbstream.run("nbgen kepler | nbconv --to text --columns mass").split()[-1]
    assert "units code" in nbstream.run("nbgen kepler | nbstat --info")


def test_energies_are_those_of_numpy():
    frame = nbstream.gen("plummer", n=40, seed=2).read()[0]
    row = frame.stat()[0]
    d = frame.pos[:, None] - frame.pos
    r = np.sqrt((d**2).sum(-1) + frame.softening**2)
    np.fill_diagonal(r, np.inf)
    potential = -0.5 * frame.G * (frame.mass[:, None] * frame.mass / r).sum()
    np.testing.assert_allclose(row.potential, potential, rtol=1e-13)
    np.testing.assert_allclose(row.kinetic, frame.kinetic_energy(), rtol=1e-14)
    np.testing.assert_allclose(row.com, frame.center_of_mass(), atol=1e-15)
    np.testing.assert_allclose(row.com_velocity, frame.mean_velocity(), atol=1e-15)
    assert row.n == 40 and row.frame == 0


def test_frames_of_python_go_through_tools():
    made = nbstream.Frame([1, 1], [[-1, 0, 0], [1, 0, 0]], [[0, -0.5, 0], [0, 0.5, 0]])
    last = made.pipe().sim(until=4 * np.pi, integrator="yoshida8", dt=0.05).read()[-1]
    np.testing.assert_allclose(last.pos, made.pos, atol=1e-6)  # a circle of radius 1 and period 4 pi
    several = nbstream.Pipeline.of_frames(made.replace(time=t) for t in range(4))
    assert several.stat().time.tolist() == [0, 1, 2, 3]


def test_a_loop_that_is_left_ends_the_programs():
    begin = time.monotonic()
    for frame in nbstream.gen("plummer", n=500).sim(until=1e6, every=0.01).frames():
        assert frame.time == 0
        break
    frames = nbstream.gen("plummer", n=500).sim(until=1e6, every=0.01).frames()
    next(frames), next(frames)
    frames.close()
    assert time.monotonic() - begin < 60


def test_a_failure_is_told_in_the_tools_words():
    with pytest.raises(nbstream.ToolError, match="^nbgen: unknown model 'plumer'") as error:
        nbstream.gen("plumer", n=5).sim(until=1).read()
    assert error.value.returncode == 2 and error.value.command == ["nbgen", "plumer", "-n", "5"]
    with pytest.raises(nbstream.ToolError, match="^nbsim: .*untl"):
        nbstream.gen("plummer", n=5).sim(untl=1).read()
    with pytest.raises(nbstream.ToolError) as error:
        list(nbstream.gen("plummer", n=50).sim(until=1, every=0.5, dt=0.25, max_de=1e-12).frames())
    assert error.value.returncode == 3 and "energy" in str(error.value)
    with pytest.raises(nbstream.ToolError, match="nbsim"):
        nbstream.Frame([], [], []).pipe().sim(until=1).read()


def test_what_is_left_of_a_file_is_told(tmp_path, monkeypatch):
    fake = tmp_path / "nbgen"
    fake.write_text(
        "#!/bin/sh\necho 'nbgen: out of luck' >&2; echo 'nbgen: x.part keeps the whole frames' >&2; exit 1\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("NBSTREAM_BIN", str(tmp_path))
    with pytest.raises(nbstream.ToolError, match="^nbgen: out of luck; x.part keeps the whole frames$"):
        nbstream.gen("plummer").run()


def test_a_file_goes_to_the_program_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = nbstream.gen("plummer", n=20).sim(until=0.4, every=0.1).save("run.nbs")
    assert run.pipe().stat().file[0] == str(tmp_path / "run.nbs")
    assert run.pipe().sim(until=0.5).read()[0].time == 0.4
    assert run[1:3].pipe().stat().file[0] == "stdin" and run[1:3].pipe().stat().time.tolist() == [0.1, 0.2]
    assert [f.time for f in run.pipe().frames()] == list(run.times)
    assert len(run[::2].pipe().read()) == 3


def test_progress_leaves_the_file(tmp_path):
    nbstream.gen("plummer", n=5).save(tmp_path / "a.nbs")
    assert nbstream.open(tmp_path / "a.nbs").pipe().progress(False).then("nbedit").read()[0].n == 5


def test_bodies_are_edited():
    try:
        frame = nbstream.gen("galaxy", n=200).read()[0]
    except nbstream.ToolError as error:
        if "built without the GNU Scientific Library" not in str(error):
            raise
        pytest.skip("nbgen was built without GSL")
    disk = frame.pipe().edit(select="component == disk").read()[0]
    assert np.array_equal(disk.pos, frame.select("disk").pos)


def test_an_error_in_python_ends_the_programs():
    def frames():
        yield nbstream.Frame([1], [[0, 0, 0]], [[0, 0, 0]])
        raise ZeroDivisionError("in a generator")

    with pytest.raises(ZeroDivisionError, match="in a generator"):
        nbstream.Pipeline.of_frames(frames()).stat()


@pytest.mark.parametrize("slow", ["", "time.sleep(1)"], ids=["while it runs", "while it starts"])
def test_an_interrupt_ends_a_run_with_its_frames(tmp_path, slow):
    """SIGINT comes to Python alone: nbsim ends with a whole stream, and nothing is left running."""
    script = tmp_path / "go.py"
    script.write_text(
        "import nbstream, signal, subprocess, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a script in the background began this\n"
        "class Slow(subprocess.Popen):\n"
        "    def __init__(self, *words, **options):\n"
        "        super().__init__(*words, **options)\n"
        f"        {slow or 'pass'}\n"
        "subprocess.Popen = Slow\n"
        "try:\n"
        "    nbstream.gen('plummer', n=300).sim(until=1e9, every=0.001, o='run.nbs', no_space_check=True).run()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', len(nbstream.open('run.nbs', verify=True)) > 0)\n"
    )
    folder = os.path.dirname(os.path.dirname(nbstream.__file__))
    go = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, cwd=tmp_path, env={**os.environ, "PYTHONPATH": folder}
    )
    while go.poll() is None and not (tmp_path / "run.nbs.part").exists():
        time.sleep(0.02)
    while go.poll() is None and (tmp_path / "run.nbs.part").stat().st_size == 0:
        time.sleep(0.02)
    go.send_signal(signal.SIGINT)
    assert go.communicate(timeout=60)[0] == b"interrupted True\n"


def test_no_shell_runs_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in (
        "nbgen kepler; touch x",
        "nbgen kepler > x",
        "nbgen kepler && touch x",
        "nbgen kepler | sh",
        "rm x",
        "nbgen kepler |",
        "",
    ):
        with pytest.raises(ValueError, match="^pipeline "):
            nbstream.run(text)
    with pytest.raises(nbstream.ToolError):
        nbstream.run(r"nbgen kepler $\(touch x\) `touch x` $HOME")
    with pytest.raises(nbstream.ToolError):
        nbstream.gen("kepler; touch x").read()
    assert os.listdir(tmp_path) == []


def test_words():
    assert parse_pipeline("nbstat --select 'component == disk && r < 5' a.nbs") == [
        ["nbstat", "--select", "component == disk && r < 5", "a.nbs"]
    ]
    options = {"until": 1, "every": 0.1, "quiet": True, "log": None, "verbose": False, "from_": "text", "n": 5, "G": 1}
    assert option_words(options.items()) == ["--until=1", "--every=0.1", "--quiet", "--from=text", "-n", "5", "--G=1"]
    assert option_words({"lagrange": (10, 50), "dt": np.float64(1e-3), "force": ["auto", "x"]}.items()) == [
        "--lagrange=10,50", "--dt=0.001", "--force=auto", "--force=x",
    ]  # fmt: skip


def test_tables(tmp_path):
    table = nbstream.gen("plummer", n=20).sim(until=0.2, every=0.1).stat()
    assert table.time.tolist() == [0, 0.1, 0.2] and table.momentum.shape == (3, 3)
    assert table.dtype["n"] == np.int64 and table.dtype["mass"] == np.float64
    assert nbstream.gen("kepler").stat(potential="none").dtype["mass"] == np.float64
    nothing = nbstream.gen("plummer", n=20).stat(columns="time,n")
    assert nothing.dtype.names == ("time", "n")


def test_progress_is_understood():
    line = '{"tool": "nbsim", "what": "step", "fraction": 0.5, "eta_s": 12.5, "time": 1, "end": false}'
    assert parse_progress(line) == Progress("nbsim", "step", 0.5, 12.5, 1, False)
    assert (
        parse_progress("nbsim: 5 bodies") is None and parse_progress("{broken") is None and parse_progress("{}") is None
    )


def test_progress_on_a_terminal():
    import io

    file = io.StringIO()
    quick = LineDisplay(file, delay_s=1e9)
    quick.show(Progress("nbgen", "body", 1.0, 0.0, None, True))
    quick.close()
    assert file.getvalue() == ""
    shown = LineDisplay(file, delay_s=0)
    shown.show(Progress("nbgen", "body", 1.0, 0.0, None, True))
    shown.show(Progress("nbsim", "step", 0.5, 12.0, 1.0, False))
    assert file.getvalue().endswith("\rnbgen 100 % | nbsim 50 %, 12 s left")
    shown.close()
    assert file.getvalue().endswith(" \r")


def test_warnings_of_the_tools_are_warnings():
    with pytest.warns(nbstream.ToolWarning) as caught:
        nbstream.gen("disk", n=50, toomre=5).read()
    assert str(caught[0].message).startswith("nbgen: warning: --toomre 5: Q is smaller")


def test_pictures_in_a_notebook(tools, tmp_path, monkeypatch):
    run = nbstream.gen("plummer", n=100).sim(until=1, every=0.05).save(tmp_path / "run.nbs")
    small = dict(size="64x36")
    made = nbstream.Pipeline().then("nbedit", str(tmp_path / "run.nbs")).render(tmp_path / "a.png", **small)
    assert made == str(tmp_path / "a.png") and os.path.exists(made)
    last = run[-1].pipe().render(**small)
    assert last == "" and last.data.startswith(b"\x89PNG")
    for picture, data in (made, open(made, "rb").read()), (last, last.data):
        source = re.fullmatch(r'<img src="data:image/png;base64,(.*)" alt="[^"]*" style="max-width: 100%">', picture._repr_html_())
        assert base64.b64decode(source[1]) == data
    gif = run[:2][0].pipe().render(tmp_path / "b.gif", **small)
    assert 'src="data:image/gif;base64,' in gif._repr_html_()
    for ending, kind in ("jpg", "jpeg"), ("webp", "webp"):
        (tmp_path / f"c.{ending}").write_bytes(b"any")
        assert f'src="data:image/{kind};base64,YW55"' in nbstream.Picture(str(tmp_path / f"c.{ending}"))._repr_html_()
    assert nbstream.Picture("a<b.txt")._repr_html_() == "<code>a&lt;b.txt</code>"
    shown = run._repr_html_()
    assert "21 frames" in shown and shown.count("<tr>") == 12 and "<td>20</td><td>1</td><td>100</td>" in shown and "image/png" in shown
    assert "n=100" in run[0]._repr_html_() and "image/png" in run[0]._repr_html_()
    monkeypatch.setenv("NBSTREAM_BIN", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "21 frames" in run._repr_html_() and "image/png" not in run._repr_html_()


def test_a_table_of_several_files(tools, tmp_path):
    for seed in (1, 2):
        nbstream.gen("plummer", n=50, seed=seed).sim(until=0.2, every=0.1).save(tmp_path / f"{seed}.nbs")
    table = nbstream.stat(tmp_path / "1.nbs", tmp_path / "2.nbs", lagrange=50)
    assert len(table) == 6 and [os.path.basename(name) for name in table.file] == ["1.nbs"] * 3 + ["2.nbs"] * 3
    assert table.energy[0] != table.energy[3] and (table.r50 > 0).all()
    with pytest.raises(ValueError, match="needs files"):
        nbstream.stat()
