"""Reads a buffer of streams frame by frame, if the index is unusable or everything must be verified."""

from __future__ import annotations

from typing import Any, List, Optional

from . import layout
from .errors import DamagedError, StreamError
from .layout import CLOSE_SIZE, MAGIC_FRAME, MAGIC_TRAILER, Cut, Mark, Trouble
from .parsed import DataTrouble, Entry, HeaderWhole, parse_frame, verify_columns


class Walk:
    """All frames one after the other, with every checksum verified, or with damage skipped."""

    def __init__(self, buffer: Any, size: int, verify: bool, salvage: bool) -> None:
        self.buffer, self.size, self.verify, self.salvage = buffer, size, verify, salvage
        self.at = self.number = self.begin = 0
        self.marks: List[Mark] = []
        self.entries: List[Entry] = []
        self.damage: List[str] = []
        self.lost = self.done = False

    def run(self) -> List[Entry]:
        while not self.done:
            try:
                self.step()
            except Trouble as trouble:
                if not self.salvage:
                    raise DamagedError(
                        f"{trouble}{self.last()}", self.entries[-1].number if self.entries else None
                    ) from None
                self.damage.append(str(trouble))
                self.resume(trouble)
        if not self.entries:
            raise DamagedError("no whole frame") if self.salvage else StreamError("the stream contains no frame")
        return self.entries

    def last(self) -> str:
        if not self.entries:
            return "; no whole frame"
        entry = self.entries[-1]
        time = parse_frame(self.buffer, entry.begin, entry.end).header.time
        return f"; the last whole frame is {entry.number} (time {time:.10g})"

    def step(self) -> None:
        begins = self.buffer[self.at : self.at + layout.ALIGN]
        self.data: Optional[int] = None
        if begins.startswith(MAGIC_FRAME):
            self.take_frame()
        elif begins.startswith(MAGIC_TRAILER):
            self.take_trailer()
        elif self.at == self.size and self.at == self.begin:
            self.done = True
        elif self.at == self.size:
            raise Cut("the stream ends without its trailer")
        elif MAGIC_FRAME.startswith(begins) or MAGIC_TRAILER.startswith(begins):
            raise Cut(f"the stream is truncated in frame {self.number}")
        else:
            raise Trouble("expected a frame or a trailer")

    def take_frame(self) -> None:
        try:
            try:
                frame = parse_frame(self.buffer, self.at, self.size)
            except HeaderWhole as behind:
                self.data = behind.data_begin
                raise behind.trouble from None
            if self.verify:
                verify_columns(self.buffer, frame)
        except Cut:
            raise Cut(f"the stream is truncated in frame {self.number}") from None
        except Trouble as trouble:
            self.data = trouble.end if isinstance(trouble, DataTrouble) else self.data
            raise Trouble(f"frame {self.number}: {trouble}") from None
        self.entries.append(Entry(self.number, self.at, frame.end, frame.checksum))
        self.marks.append(Mark(self.at - self.begin, frame.checksum))
        self.number, self.at = self.number + 1, frame.end

    def take_trailer(self) -> None:
        try:
            end = layout.find_end(self.buffer, self.at, self.size, "trailer")
            if end + CLOSE_SIZE > self.size:
                raise Cut
        except Cut:
            raise Cut("the stream is truncated in its trailer") from None
        marks = layout.parse_trailer(layout.read_block(self.buffer[self.at : end], "trailer")[0])
        sizes = layout.parse_close(self.buffer[end : end + CLOSE_SIZE])
        if not sizes or sizes[1] != end - self.at or (not self.lost and sizes[0] != end + CLOSE_SIZE - self.begin):
            raise Trouble("the last line of the stream is damaged")
        self.compare(marks, end + CLOSE_SIZE - sizes[0])
        self.at = self.begin = end + CLOSE_SIZE
        self.marks, self.lost = [], False

    def compare(self, marks: List[Mark], begin: int) -> None:
        """Compares the trailer's frames with those read; in a salvaged stream, with those at the same offsets."""
        if not self.lost and marks != self.marks:
            places = [m.offset for m in marks] == [m.offset for m in self.marks]
            wrong = next((k for k, (a, b) in enumerate(zip(marks, self.marks)) if a != b), 0)
            number = self.number - len(self.marks) + wrong
            text = f"frame {number} is not the frame that the trailer of the stream lists"
            self.trailer_differs(text if places else "the trailer does not match the frames before it")
        named = {begin + m.offset: m.checksum for m in marks}
        for entry in self.entries if self.lost else ():
            if entry.begin in named and named[entry.begin] != entry.checksum:
                self.trailer_differs(f"frame {entry.number} is not the frame that the trailer of the stream lists")

    def trailer_differs(self, text: str) -> None:
        if not self.salvage:
            raise Trouble(text)
        self.damage.append(text)

    def resume(self, trouble: Trouble) -> None:
        """Continues after damage: at the offset that the sizes give if it is valid, else at the next magic line."""
        in_trailer = self.buffer[self.at : self.at + len(MAGIC_TRAILER)] == MAGIC_TRAILER
        self.lost = True
        if not in_trailer and self.at < self.size:
            self.number += 1
        start = self.at + 1 if self.data is None else self.data
        found = [k for k in (self.buffer.find(magic, start) for magic in (MAGIC_FRAME, MAGIC_TRAILER)) if k >= 0]
        if not found:
            self.done = True
        else:
            self.at = min(found)
