"""Pictures, films and streams as notebooks show them."""

from __future__ import annotations

import base64
import html
import os
from typing import TYPE_CHECKING, Dict, Optional

from .errors import ToolError

if TYPE_CHECKING:
    from .frame import Frame
    from .reader import Stream

_PICTURES = {".png": "image/png", ".apng": "image/apng", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}
_FILMS = {".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime"}
_SHOWN_MOST = 32 << 20  # bytes: a notebook keeps what it shows
_BODIES_MOST = 2000000  # limit for a frame that is drawn automatically
_ROWS = 10


class Picture(str):
    """The path of a picture or film, which a notebook shows. Without a file: "", with the bytes in ``data``."""

    data: Optional[bytes]

    def __new__(cls, path: str = "", data: Optional[bytes] = None) -> Picture:
        made = super().__new__(cls, path)
        made.data = data
        return made

    def _repr_html_(self) -> str:
        ending = os.path.splitext(self)[1].lower() if self.data is None else ".png"
        kind = _PICTURES.get(ending) or _FILMS.get(ending)
        name = html.escape(str(self))
        if kind is None or (self.data is None and (not os.path.exists(self) or os.path.getsize(self) > _SHOWN_MOST)):
            return f"<code>{name}</code>"
        data = self.data
        if data is None:
            with open(self, "rb") as file:
                data = file.read()
        source = f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
        if ending in _FILMS:
            return f'<video controls loop src="{source}" style="max-width: 100%"></video>'
        return f'<img src="{source}" alt="{name}" style="max-width: 100%">'


def _rows(stream: Stream) -> Dict[int, Optional[Frame]]:
    """Returns the frames of a table by number. None stands for omitted frames."""
    n = len(stream)
    numbers = list(range(n)) if n <= _ROWS else [*range(_ROWS // 2), -1, *range(n - _ROWS // 2, n)]
    return {k: stream[k] if k >= 0 else None for k in numbers}


def stream_html(stream: Stream) -> str:
    """Returns a table of the frames, and a picture of the last, if nbrender is found and the frame not too large."""
    lines = [f"<b>{html.escape(stream.name)}</b>: {len(stream)} frame{'s' if len(stream) != 1 else ''}"]
    lines.append("<table><tr><th>frame</th><th>time</th><th>bodies</th></tr>")
    for k, frame in _rows(stream).items():
        cells = ("...", "...", "...") if frame is None else (str(k), f"{frame.time:.6g}", str(frame.n))
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    lines.append("</table>")
    return "\n".join(lines) + (_still(stream[-1]) if len(stream) else "")


def frame_html(frame: Frame) -> str:
    """Returns a description of the frame, and a picture."""
    return f"<code>{html.escape(repr(frame))}</code>{_still(frame)}"


def _still(frame: Frame) -> str:
    """Returns a picture, if nbrender is found and the frame is not too large."""
    if not 0 < frame.n <= _BODIES_MOST:
        return ""
    try:
        return "<br>" + frame.pipe().progress(False).render(size="480x270")._repr_html_()
    except (ToolError, OSError):
        return ""
