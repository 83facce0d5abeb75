"""Runs the programs, connected by pipes, from Python."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import warnings
from typing import Any, BinaryIO, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from .errors import ToolError, ToolWarning
from .frame import Frame
from .incoming import frames
from .programs import find, has_progress
from .progress import Display, display, parse_progress
from .reader import Stream
from .reader import open as open_stream
from .shown import Picture
from .table import Table, parse_json_lines
from .words import option_words, parse_pipeline
from .writer import Writer, check_absent

Path = Union[str, "os.PathLike[str]"]
PATIENCE_S = 10.0  # a program must end within this time after a signal


@contextlib.contextmanager
def _interrupt_later() -> Iterator[None]:
    """Delays an interrupt to the end of this block, so that every started program is known."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield
        return
    late: List[Any] = []
    signal.signal(signal.SIGINT, lambda *told: late.append(told))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if late:
            previous(*late[0])


class _Stage:
    """A running program. A thread reads its messages."""

    def __init__(self, words: Sequence[str], stdin: Any, stdout: Any, shown: Display) -> None:
        self.words, self.shown = list(words), shown
        self.said: List[str] = []
        progress = ["--progress=json"] if has_progress(words[0]) else []
        # A separate process group: only Python gets an interrupt, and passes it on once.
        self.process = subprocess.Popen(
            [find(words[0]), *words[1:], *progress],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as said:
            for line in said:
                text = line.decode("utf-8", "replace").rstrip("\n")
                progress = parse_progress(text)
                if progress:
                    self.shown.show(progress)
                elif text:
                    self.said.append(text)

    def wait(self, timeout: Optional[float] = None) -> int:
        code = self.process.wait(timeout)
        self.thread.join()
        return code

    @property
    def failed(self) -> bool:
        """Returns whether the program failed, and did not end because its reader stopped."""
        code = self.process.returncode
        return code not in (0, -signal.SIGPIPE, 128 + signal.SIGPIPE)

    def error(self) -> ToolError:
        code, name = self.process.returncode, self.words[0]
        own = [line for line in self.said if line.startswith(name + ":")]
        lines = own or self.said
        if len(own) > 1 and " keeps the " in own[-1]:  # the error is before the line about kept output
            lines = [f"{own[-2]}; {own[-1][len(name) + 2 :]}"]
        text = lines[-1] if lines else f"{name}: ended by signal {-code}" if code < 0 else f"{name}: exit status {code}"
        return ToolError(text, self.words, code, "\n".join(self.said))


class _Run:
    """The running stages of a pipeline. Leaving the block always ends them all."""

    def __init__(self, progress: Optional[bool]) -> None:
        self.stages: List[_Stage] = []
        self.feeder: Optional[threading.Thread] = None
        self.feed_error: Optional[BaseException] = None
        self.shown = display(progress)

    def start(self, stages: Sequence[Sequence[str]], source: Optional[Iterable[Frame]], stdout: Any) -> None:
        """Starts all stages. Must be called within the block."""
        before: Any = subprocess.DEVNULL if source is None else subprocess.PIPE
        for k, words in enumerate(stages):
            last = k == len(stages) - 1
            with _interrupt_later():
                self.stages.append(_Stage(words, before, stdout if last else subprocess.PIPE, self.shown))
            if k > 0:
                before.close()  # so that a program learns when its reader ends
            before = self.stages[-1].process.stdout
        if source is not None:
            sink = self.stages[0].process.stdin
            assert sink is not None
            self.feeder = threading.Thread(target=self._feed, args=(source, sink), daemon=True)
            self.feeder.start()

    def _feed(self, source: Iterable[Frame], sink: Any) -> None:
        try:
            with contextlib.suppress(BrokenPipeError), contextlib.closing(sink):
                with Writer(sink, history=False) as out:
                    for frame in source:
                        out.write(frame)
        except BaseException as error:  # raised by the waiting thread
            self.feed_error = error

    @property
    def output(self) -> BinaryIO:
        out = self.stages[-1].process.stdout
        assert out is not None
        return out  # type: ignore[return-value]

    def finish(self) -> None:
        """Waits for all stages. Raises the error of the first that failed."""
        for stage in self.stages:
            stage.wait()
        if self.feeder:
            self.feeder.join()
        self.shown.close()
        if self.feed_error:
            raise self.feed_error
        for stage in self.stages:
            if stage.failed:
                raise stage.error()
        for stage in self.stages:
            for line in stage.said:
                if "warning" in line:
                    warnings.warn(line, ToolWarning, stacklevel=4)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, kind: Any, error: Any, where: Any) -> None:
        self._end(signal.SIGINT if kind is not None and issubclass(kind, KeyboardInterrupt) else signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        """Asks running programs to end, and kills those that do not end."""
        running = [stage for stage in self.stages if stage.process.poll() is None]
        for stage in running:
            stage.process.send_signal(how)
        for stage in self.stages:
            if stage.process.stdout:
                stage.process.stdout.close()
        for stage in running:
            try:
                stage.wait(PATIENCE_S)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                stage.process.kill()
                stage.wait()
        # Only now: the thread that feeds them may have been in the middle of writing.
        if self.feeder:
            self.feeder.join(PATIENCE_S)
        elif self.stages and self.stages[0].process.stdin:
            self.stages[0].process.stdin.close()
        self.shown.close()


class Pipeline:
    """Programs connected by pipes. They run when you ask for a result.

    ``nbstream.gen("plummer", n=1000).sim(until=1, every=0.1)`` is a pipeline; ``frames()``, ``save()``, ``read()``,
    ``stat()`` and ``text()`` run it. Options are keywords: see ``nbstream.words.option_words``. If a program fails,
    ToolError has its message.
    """

    def __init__(
        self,
        stages: Sequence[Sequence[str]] = (),
        source: Optional[Iterable[Frame]] = None,
        progress: Optional[bool] = None,
    ) -> None:
        self._stages: Tuple[Tuple[str, ...], ...] = tuple(map(tuple, stages))
        self._source = source
        self._progress = progress
        self._file: Optional[str] = None  # the first program's operand

    @classmethod
    def of_file(cls, path: Path) -> Pipeline:
        """Returns a pipeline whose first program reads a file of snapshots."""
        pipeline = cls()
        pipeline._file = os.fspath(path)
        return pipeline

    @classmethod
    def of_frames(cls, source: Iterable[Frame]) -> Pipeline:
        """Returns a pipeline that writes frames into its first program."""
        return cls((), source)

    def _then(self, name: str, options: Dict[str, Any], *words: str) -> Pipeline:
        stage = (name, *words, *option_words(options.items()), *([self._file] if self._file else []))
        return Pipeline((*self._stages, stage), self._source, self._progress)

    def __repr__(self) -> str:
        import shlex

        return (
            "<Pipeline: "
            + " | ".join(["FRAMES"] * (self._source is not None) + [shlex.join(s) for s in self._stages])
            + ">"
        )

    def progress(self, shown: Optional[bool] = True) -> Pipeline:
        """Returns the pipeline with progress on or off. By default it is shown on a terminal and in a notebook."""
        pipeline = Pipeline(self._stages, self._source, shown)
        pipeline._file = self._file
        return pipeline

    # ---- further programs ----

    def sim(self, **options: Any) -> Pipeline:
        """nbsim: ``sim(until=1, every=0.1)``."""
        return self._then("nbsim", options)

    def edit(self, **options: Any) -> Pipeline:
        """nbedit: ``edit(select="component == disk")``."""
        return self._then("nbedit", options)

    def then(self, program: str, *words: str, **options: Any) -> Pipeline:
        """Adds any program, with words passed unchanged and options."""
        return self._then(program, options, *map(str, words))

    # ---- results ----

    @contextlib.contextmanager
    def _running(self, stdout: Any) -> Iterator[_Run]:
        if not self._stages:
            raise ValueError("a pipeline without programs")
        with _Run(self._progress) as run:
            run.start(self._stages, self._source, stdout)
            yield run

    def _own_frames(self) -> Iterable[Frame]:
        """Returns the frames that the pipeline begins with."""
        return frames(self._file) if self._file else self._source or ()

    def run(self) -> None:
        """Runs the pipeline without reading its output, for programs that write files."""
        with self._running(subprocess.DEVNULL) as run:
            run.finish()

    def frames(self, *, verify: bool = True) -> Iterator[Frame]:
        """Yields the frames as the last program writes them; leaving the loop early ends the programs."""
        if not self._stages:
            yield from self._own_frames()
            return
        with self._running(subprocess.PIPE) as run:
            try:
                yield from frames(run.output, verify=verify)
            except (ValueError, OSError) as error:
                run.output.close()
                run.finish()  # the program's own line says more
                raise error
            run.finish()

    def save(self, path: Path, *, overwrite: bool = False) -> Stream:
        """Runs it with ``-o path`` for its last program, and opens the result. FileExistsError if the file exists."""
        check_absent(os.fspath(path), overwrite)
        if not self._stages:
            with Writer(path, overwrite=overwrite, history=False) as out:
                for frame in self._own_frames():
                    out.write(frame)
            return open_stream(path)
        name, *words = self._stages[-1]
        last = (name, *words, "-o", os.fspath(path), *(["-f"] if overwrite else []))
        Pipeline((*self._stages[:-1], last), self._source, self._progress).run()
        return open_stream(path)

    def read(self) -> Stream:
        """Runs it and opens its frames, which are kept in a temporary file without a name."""
        import mmap

        from .reader import stream_of

        with tempfile.TemporaryFile() as kept:
            if self._stages:
                with self._running(kept) as run:
                    run.finish()
            else:
                with Writer(kept, history=False) as out:
                    for frame in self._own_frames():
                        out.write(frame)
            size = os.fstat(kept.fileno()).st_size
            if size == 0:
                raise ValueError(f"{self!r} wrote no frames")
            return stream_of(repr(self), mmap.mmap(kept.fileno(), size, access=mmap.ACCESS_READ), size, False, False)

    def text(self) -> str:
        """Runs it and returns what its last program prints."""
        with self._running(subprocess.PIPE) as run:
            data = run.output.read()
            run.finish()
        return data.decode("utf-8")

    def stat(self, **options: Any) -> Table:
        """Returns nbstat's table with a row for each frame: ``stat(lagrange=(10, 50, 90))``. ``to_pandas()`` makes a
        DataFrame of it."""
        return parse_json_lines(self._then("nbstat", {"json": True, **options}).text())

    def render(self, path: Optional[Path] = None, **options: Any) -> Picture:
        """Draws a picture or a film into a file by nbrender, and returns its path. Without a path it draws the last
        frame. A notebook shows the result."""
        if path is None:
            with tempfile.TemporaryDirectory() as folder:
                which = {} if {"frame", "times"} & options.keys() else {"frame": "last"}
                made = self.render(os.path.join(folder, "picture.png"), **which, **options)
                with open(made, "rb") as file:
                    return Picture("", file.read())
        self._then("nbrender", {"o": path, **options}).run()
        return Picture(os.fspath(path))


def stat(*files: Path, **options: Any) -> Table:
    """Returns nbstat's table of all frames of these files, named in ``file``: ``stat(*glob("run_*.nbs"))``."""
    if not files:
        raise ValueError("stat needs files")
    words = [os.fspath(file) for file in files]
    return parse_json_lines(Pipeline().then("nbstat", *words, json=True, **options).text())


def gen(model: str, *words: str, **options: Any) -> Pipeline:
    """nbgen: ``gen("plummer", n=1000, seed=1)``, the beginning of a pipeline."""
    return Pipeline().then("nbgen", model, *words, **options)


def pipe(text: str) -> Pipeline:
    """Returns a pipeline from text: ``pipe("nbgen plummer -n 1k | nbsim --until 1")``. No shell runs it."""
    return Pipeline(parse_pipeline(text))


def run(text: str) -> Any:
    """Runs such a pipeline. Returns a Stream of its frames, a Table if nbstat is last, or the text that is printed."""
    pipeline = pipe(text)
    last = pipeline._stages[-1]
    if any(word == "-o" or word.startswith(("-o", "--output")) for word in last):
        return pipeline.run()
    if last[0] == "nbstat" and not {"--info", "--check", "--csv", "--no-header", "--json"} & set(last):
        return parse_json_lines(Pipeline((*pipeline._stages[:-1], (*last, "--json"))).text())
    if last[0] == "nbstat" or (last[0] == "nbconv" and any(word.startswith("--to") for word in last)):
        return pipeline.text()
    return pipeline.read()
