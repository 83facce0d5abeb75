#!/usr/bin/env python3
"""Puts programs, library and manual pages into a wheel of pure Python, which is then one for this machine.

pack.py PURE.whl OUT-DIRECTORY --programs FILE... --library FILE --pages FILE... --licences FILE... --licence SPDX

pip installs the programs beside the environment's python and the pages where man(1) looks. The library
is in the package, where nbstream.engine looks for it. Equal files give equal bytes.
"""
import argparse
import base64
import hashlib
import os
import re
import sysconfig
import time
import zipfile
from pathlib import Path


def machine_tag(program):
    """The tag of the processor that an ELF file is for, or of this machine."""
    processor = {62: "x86_64", 183: "aarch64"}.get(int.from_bytes(program[18:20], "little"))
    return "py3-none-" + re.sub(r"[-.]", "_", f"linux_{processor}" if processor else sysconfig.get_platform())


def with_wheel_tag(text, tag):
    text = re.sub(r"(?m)^Root-Is-Purelib: .*$", "Root-Is-Purelib: false", text)
    return re.sub(r"(?m)^Tag: .*$", "Tag: " + tag, text)


def with_licence(text, licence, files):
    """Metadata whose licence is that of all files of the wheel, and which names the files with the terms."""
    head, blank, body = text.partition("\n\n")
    lines = [line for line in head.split("\n") if not re.match("License(-Expression)?:", line)]
    known = {line.split(": ")[1] for line in lines if line.startswith("License-File: ")}
    lines += ["License-Expression: " + licence]
    lines += ["License-File: " + name for name in files if name not in known]
    return "\n".join(lines) + blank + body


class Wheel:
    """A wheel that is written: members in the order of their names, all of one date."""

    def __init__(self):
        self.members = {}

    def add(self, name, data, mode=0o644):
        self.members[name] = (data, mode)

    def record(self, info):
        lines = []
        for name, (data, _) in sorted(self.members.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        self.add(info + "/RECORD", ("".join(lines) + f"{info}/RECORD,,\n").encode())

    def write(self, path):
        date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)), 315532800))[:6]  # 1980, as zip has it
        with zipfile.ZipFile(path, "w") as archive:
            for name, (data, mode) in sorted(self.members.items()):
                member = zipfile.ZipInfo(name, date)
                member.external_attr = (0o100000 | mode) << 16
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, data, compresslevel=9)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pure", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--programs", type=Path, nargs="+", required=True)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--pages", type=Path, nargs="*", default=[])
    parser.add_argument("--licences", type=Path, nargs="*", default=[])
    parser.add_argument("--licence", required=True, help="an SPDX expression")
    args = parser.parse_args()

    stem = "-".join(args.pure.name.split("-")[:2])  # nbstream-0.1.0
    info, data, tag = stem + ".dist-info", stem + ".data", machine_tag(args.programs[0].read_bytes())
    wheel = Wheel()
    with zipfile.ZipFile(args.pure) as pure:
        for name in pure.namelist():
            if not name.endswith(("/", "/RECORD")):
                wheel.add(name, pure.read(name))
    wheel.add(info + "/WHEEL", with_wheel_tag(wheel.members[info + "/WHEEL"][0].decode(), tag).encode())
    metadata = wheel.members[info + "/METADATA"][0].decode()
    wheel.add(info + "/METADATA", with_licence(metadata, args.licence, [file.name for file in args.licences]).encode())
    for file in args.programs:
        wheel.add(f"{data}/scripts/{file.name}", file.read_bytes(), 0o755)
    if args.library:
        wheel.add("nbstream/libnbtools.so", args.library.read_bytes(), 0o755)
    for file in args.pages:
        wheel.add(f"{data}/data/share/man/man{file.suffix[1:]}/{file.name}", file.read_bytes())
    for file in args.licences:
        wheel.add(f"{info}/licenses/{file.name}", file.read_bytes())
    wheel.record(info)
    path = args.out / f"{stem}-{tag}.whl"
    wheel.write(path)
    print(path)


if __name__ == "__main__":
    main()
