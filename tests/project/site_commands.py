"""Writes what stands below each picture of the site's gallery into files: site_commands.py SITE GALLERY OUT

It has to be the commands of the script of that name in GALLERY, with the same options, and without its variables.
"""

import html
import re
import sys
from pathlib import Path

site, gallery, out = map(Path, sys.argv[1:])
figures = (site / "examples/gallery/README.html").read_text(encoding="utf-8").split("<figure>")
for script in sorted(gallery.glob("*.sh")):
    (figure,) = (each for each in figures if f'href="{script.name}.html"' in each)
    text = html.unescape(re.sub("<.*?>", "", re.search("<pre>(.*?)</pre>", figure, re.S)[1]))
    code = re.sub("^#.*\n", "", script.read_text(encoding="utf-8"), flags=re.M)
    asked, shown = (sorted(set(re.findall("--[a-z][a-z0-9-]*", each))) for each in (code, text))
    assert asked and asked == shown, (script.name, asked, shown)
    assert not re.search(r"\$out|\blook\b|\{[A-Z]+:-", text), (script.name, text)
    (out / script.name).write_text(text, encoding="utf-8")
