"""Follows every link of the site, without a browser: site_links.py SITE REPOSITORY MAN

Each address leads to a file of the site, and to a place in it where it names one. Nothing is loaded from elsewhere. All
manual pages, tutorials and pictures of the gallery are there, and the search has every page.
"""

import ast
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.ids += [of["id"]] if "id" in of else []
        self.links += [of[name] for name in ("href", "src") if name in of]
        self.loaded += [of["src"]] if "src" in of else [of["href"]] if tag == "link" else []


def main():
    site, repository, man = map(Path, sys.argv[1:])
    pages = {path: Page(path) for path in site.rglob("*.html")}
    wrong, followed = [], 0
    for path, page in pages.items():
        name = path.relative_to(site)
        wrong += [f"{name}: loads {address}" for address in page.loaded if re.match(r"(?!data:)[a-z]+:|//", address)]
        wrong += [f"{name}: two of the id {each}" for each in set(page.ids) if page.ids.count(each) > 1]
        for address in page.links:
            if re.match(r"[a-z]+:", address):
                continue
            followed += 1
            file, _, place = unquote(address).partition("#")
            other = (path.parent / file).resolve() if file else path
            if not other.is_file() or site not in other.parents:
                wrong.append(f"{name}: no {file}")
            elif place and other in pages and place not in pages[other].ids:
                wrong.append(f"{name}: no place #{place} in {other.relative_to(site)}")

    expected = {f"man/{page.name}.html" for page in man.iterdir()}
    expected |= {f"docs/{page.stem}.html" for page in (repository / "docs").glob("*.md")}
    expected |= {f"examples/gallery/{picture.name}" for picture in (repository / "examples/gallery").glob("*.jpg")}
    expected |= {f"{name}.html" for name in ("index", "README", "CONTRIBUTING", "bench/README", "python/reference")}
    wrong += [f"no {name}" for name in sorted(expected) if not (site / name).is_file()]
    package = ast.parse((repository / "python/nbstream/__init__.py").read_text(encoding="utf-8"))
    (names,) = (each.value for each in package.body if isinstance(each, ast.Assign) and each.targets[0].id == "__all__")
    for name in set(ast.literal_eval(names)) - {"__version__"}:
        if name.lower() not in pages[site / "python/reference.html"].ids:
            wrong.append(f"the reference has no {name}")

    text = (site / "search-index.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("const pages = ").removesuffix(";\n"))
    for _, section, address, _ in index:
        file, _, place = address.partition("#")
        if site / file not in pages or (place and place not in pages[site / file].ids):
            wrong.append(f"the search leads to {address} ({section})")
    searched = {entry[2].partition("#")[0] for entry in index}
    wrong += [f"the search has no {name}" for name in expected - searched if name.endswith(".html")]
    for word in ("--theta", "softening", "Frame.select", "Antennae"):
        if not any(word in entry[1] or word in entry[3] for entry in index):
            wrong.append(f"the search has no {word}")
    print(*wrong, f"{len(pages)} pages, {followed} links, {len(index)} entries of the search", sep="\n")
    sys.exit(bool(wrong) or len(pages) < 40 or followed < 1000)


main()
