"""A terminal for tests: runs a shell command on a pseudoterminal and follows what it draws.

terminal.py COLUMNS COMMAND prints, as JSON, the exit status; `moments`, what stood on the screen after each piece of
output that moved the cursor up or to a line's begin; and `screen`, its lines in the end.
"""
import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios

TOKEN = re.compile(r"\x1b\[(\d*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n])", re.S)


class Screen:
    """Without an end below, so that nothing scrolls; text beyond the last column goes on in the next line."""

    def __init__(self, columns):
        self.columns, self.lines, self.x, self.y = columns, [[]], 0, 0
        self.moments = []

    def line(self):
        while self.y >= len(self.lines):
            self.lines.append([])
        return self.lines[self.y]

    def put(self, sign):
        if self.x == self.columns:
            self.x, self.y = 0, self.y + 1
        line = self.line()
        line.extend(" " * (self.x + 1 - len(line)))
        line[self.x] = sign
        self.x += 1

    def text(self):
        return ["".join(line).rstrip() for line in self.lines]

    def control(self, number, letter):
        if letter == "A":
            self.y = max(self.y - (number or 1), 0)
        elif letter == "K":
            del self.line()[self.x:]
        elif letter == "J":
            del self.line()[self.x:], self.lines[self.y + 1:]
        else:
            raise ValueError("unknown control %s" % letter)

    def feed(self, text):
        for number, letter, back, down, sign in TOKEN.findall(text):
            if letter:
                self.control(int(number or 0), letter)
            elif back:
                self.moments.append(self.text())
                self.x = 0
            elif down:
                self.y += 1
                self.line()
            else:
                self.put(sign)


def run(columns, command):
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execvp("bash", ["bash", "-c", command])
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    screen = Screen(columns)
    screen.feed(shown.decode("utf-8"))  # strict: no sign is ever cut
    return {"status": status, "moments": screen.moments, "screen": screen.text()}


if __name__ == "__main__":
    json.dump(run(int(sys.argv[1]), sys.argv[2]), sys.stdout)
