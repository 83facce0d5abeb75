#!/usr/bin/env python3
"""Makes the site: static HTML of the documents, manual pages, pictures and Python reference, with a search.

usage, in the root of the repository: docs/site/site.py MAN OUT VERSION

MAN has the manual pages that `make docs' writes, OUT is new or an earlier site. The first page is welcome.md, and links
lead to all others: a Markdown file, a manual page or a folder becomes a page at the same path, a picture is copied, any
other text becomes a listing. A link to what does not exist is an error.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from glob import glob
from html import escape, unescape
from html.parser import HTMLParser
from string import Template

import reference

HERE = "docs/site"
WELCOME = f"{HERE}/welcome.md"
REFERENCE = "python/nbstream"  # a link to the package leads to its reference
COPIED = (".png", ".jpg", ".webp", ".gif", ".apng", ".svg", ".mp4", ".webm", ".ipynb", ".nbs")

# A table of Markdown without a head, whose first cells are pictures.
FIGURES = (
    r"<table>\n<thead>\n<tr>\n<th></th>\n<th></th>\n</tr>\n</thead>\n<tbody>(\n<tr>\n<td><img .*?)</tbody>\n</table>"
)
# Options, and numbers such as 1e-3, in which no line shall end; not in tags.
UNBROKEN = r"(?<![\w-])(--[a-z][\w-]*|\d[\d.]*e-\d+)(?![^<]*>)"


def target(source):
    """Returns the path in the site of a file or folder of the repository."""
    if source == WELCOME:
        return "index.html"
    if source == REFERENCE:
        return "python/reference.html"
    if os.path.isdir(source):
        return f"{source}/index.html"
    if source.endswith(COPIED):
        return source
    return re.sub(r"(\.md|(\.\d)(\.in)?)?$", r"\2.html", source, count=1)


def manual_name(source):
    """Returns NAME.SECTION of a manual page's source, else None."""
    match = re.fullmatch(r"man/([\w-]+\.\d)(\.in)?", source)
    return match and match[1]


def run(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout


# ---- from Markdown and roff to HTML ----


def commands(script):
    """Returns what an example's script runs by default, as one would type it: without the variables that change it."""
    with open(script, encoding="utf-8") as file:
        lines = file.read().split("\n")
    begin = next(k for k, line in enumerate(lines) if line and not re.match(r"#|set |\. ", line))
    text = "\n".join(lines[begin:]).strip()
    text = re.sub(r'"?\$\{\w+:-([^}]*)\}"?', r"\1", text)  # "${N:-50k}": 50k
    text = re.sub(r'"\$out/([\w.-]+)"', r"\1", text).replace("$out/", "").replace('cd "$out"\n', "")
    look = re.search(r"^look=\((.*)\)\n+", text, re.M)
    return text.replace(look[0], "").replace('"${look[@]}"', look[1]) if look else text


def figures(match, folder):
    """Returns such a table as figures, with the commands of the script that a caption begins with."""
    out = []
    for picture, caption in re.findall(r"<td>(.*?)</td>\n<td>(.*?)</td>", match[1], re.S):
        source = re.search(r'src="([^"]*)"', picture)
        if not source:  # a row of text
            out.append(f"<figure>{picture}<figcaption>{caption}</figcaption></figure>")
            continue
        script = re.match(r'<a href="([^"]*\.sh)">', caption)
        if script:
            made = escape(commands(os.path.join(folder, script[1])))
            caption += f"<details><summary>Commands</summary><pre><code>{made}</code></pre></details>"
        out.append(f'<figure><a href="{source[1]}">{picture}</a><figcaption>{caption}</figcaption></figure>')
    return '<div class="figures">\n' + "\n".join(out) + "\n</div>"


def tutorials(folder):
    """Returns a list of links to the documents of docs, docs/tutorial.md first."""
    links = []
    for path in sorted(glob("docs/*.md"), key=lambda path: (path != "docs/tutorial.md", path)):
        with open(path, encoding="utf-8") as file:
            title = file.readline().lstrip("#").strip()
        links.append(f"- [{title}]({os.path.relpath(path, folder)})\n")
    return "".join(links)


def markdown(text, folder):
    """Returns the HTML of Markdown in this folder; headings have the ids that GitHub gives them."""
    html = run("cmark-gfm", "--unsafe", "-e", "table", text=text.replace("<!-- tutorials -->\n", tutorials(folder)))
    html = re.sub(FIGURES, lambda match: figures(match, folder), html, flags=re.S)
    html = re.sub(r'<p>(<img src="(.*?)" .*?>)</p>', r'<p class="picture"><a href="\2">\1</a></p>', html)
    used = {}

    def heading(match):
        slug = re.sub(r"[^\w\- ]", "", unescape(re.sub(r"<.*?>", "", match[2])).lower()).replace(" ", "-")
        used[slug] = used.get(slug, -1) + 1
        slug += f"-{used[slug]}" if used[slug] else ""
        return f'<h{match[1]} id="{slug}"><a class="permalink" href="#{slug}">{match[2]}</a></h{match[1]}>'

    return re.sub(r"<h([1-4])>(.*?)</h\1>", heading, html, flags=re.S)


def manual(page):
    """Returns the HTML of a manual page; names of other pages are links."""
    html = run("mandoc", "-T", "html", "-O", "fragment", page)
    html = re.sub(r'<table class="(head|foot)">.*?</table>', "", html, flags=re.S)
    html = re.sub(r"(</?)h2\b", r"\1h3", html)
    html = re.sub(r"(</?)h1\b", r"\1h2", html)
    name, section = os.path.basename(page).split(".")

    def link(match):
        path = f"man/{match[1]}.{match[2]}"
        other = next((path + end for end in ("", ".in") if os.path.exists(path + end)), None)
        return f'<a href="{os.path.basename(other)}">{match[0]}</a>' if other and match[1] != name else match[0]

    return f"<h1>{name}({section})</h1>\n" + re.sub(r"<b>([\w-]+)</b>\((\d)\)", link, html)


def listing(source):
    with open(source, encoding="utf-8") as file:
        return f"<h1>{source}</h1>\n<pre><code>{escape(file.read())}</code></pre>"


def folder_listing(source):
    names = (name + "/" * os.path.isdir(f"{source}/{name}") for name in sorted(os.listdir(source)))
    return f"<h1>{source}</h1>\n<ul>" + "".join(f"<li>{escape(name)}</li>" for name in names) + "</ul>"


# ---- what the table of contents and the search have of a page ----


TITLE, TEXT = 2, 3


class Outline(HTMLParser):
    """Divides a page at its headings and defined terms: `parts` has [tag, id, title, text] of each."""

    def __init__(self, html):
        super().__init__()
        self.parts = [["h1", "", "", ""]]
        self.part, self.before, self.into = self.parts[0], [], TEXT
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        at = dict(attributes).get("id")
        if tag == "dl":
            self.before.append(self.part)
        if tag == "h1":
            self.into = TITLE
        elif tag in ("h2", "h3", "h4", "dt") and at:
            self.part = [tag, at, "", ""]
            self.parts.append(self.part)
            self.into = TITLE

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "h3", "h4", "dt"):
            self.into = TEXT
        if tag == "dl":  # the section goes on
            self.part = self.before.pop()
        if tag in ("p", "li", "td", "th", "dd", "pre"):
            self.part[TEXT] += " "

    def handle_data(self, data):
        self.part[self.into] += data

    def words(self):
        return [[tag, at, " ".join(title.split()), " ".join(text.split())] for tag, at, title, text in self.parts]


# ---- pages ----


class Site:
    def __init__(self, man, out, version):
        self.man, self.made, self.version = man, out.rstrip("/"), version
        self.out = f"{self.made}.part"
        self.wanted = [WELCOME]
        self.index = []  # of the search: page, section, address, text

    def link(self, match, source):
        """Returns the attribute with the address in the site of the file that it names."""
        name, address = match[1], unescape(match[2])
        if re.match(r"[a-z]+:|#", address):
            return match[0]
        path, _, at = address.partition("#")
        wanted = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if wanted != REFERENCE and os.path.exists(f"{wanted}/README.md"):
            wanted += "/README.md"
        if not os.path.exists(wanted):
            sys.exit(f"site.py: {source}: no {wanted}")
        if wanted not in self.wanted:
            self.wanted.append(wanted)
        address = os.path.relpath(target(wanted), os.path.dirname(target(source))) + (f"#{at}" if at else "")
        return f'{name}="{escape(address)}"'

    def body(self, source):
        if source == REFERENCE:
            return markdown(reference.markdown(source), source)
        if os.path.isdir(source):
            return folder_listing(source)
        if source.endswith(".md"):
            with open(source, encoding="utf-8") as file:
                return markdown(file.read(), os.path.dirname(source))
        return manual(f"{self.man}/{manual_name(source)}") if manual_name(source) else listing(source)

    def write(self, source):
        path = f"{self.out}/{target(source)}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if source.endswith(COPIED):
            shutil.copyfile(source, path)
            return
        body = re.sub(r'\b(href|src)="([^"]*)"', lambda match: self.link(match, source), self.body(source))
        body = re.sub(r"(<table.*?</table>)", r'<div class="wide">\1</div>', body, flags=re.S)
        body = re.sub(UNBROKEN, r'<span class="unbroken">\1</span>', body)
        parts = Outline(body).words()
        title = parts[0][TITLE]
        if os.path.isdir(source) or source.endswith(".md") or manual_name(source):
            for _, at, name, text in parts:
                self.index.append([title, name if at else "", target(source) + (f"#{at}" if at else ""), text])
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page(target(source), title, body, parts))

    def page(self, path, title, body, parts):
        heads = [part for part in parts if part[0] in ("h2", "h3")]
        links = "".join(f'<a class="{tag}" href="#{at}">{escape(name)}</a>' for tag, at, name, _ in heads)
        contents = f"<aside><details><summary>On this page</summary><nav>{links}</nav></details></aside>"
        first = path == "index.html"
        with open(f"{HERE}/page.html", encoding="utf-8") as file:
            return Template(file.read()).substitute(
                title=escape(title) if first else f"{escape(title)} - nbtools",
                root=os.path.relpath(".", os.path.dirname(path)) + "/",
                kind="welcome" if first else "inner",
                contents=contents if len(heads) > 3 and not first else "",
                body=body,
                version=self.version,
            )

    def make(self):
        if os.path.exists(self.made) and not os.path.exists(f"{self.made}/search-index.js"):
            sys.exit(f"site.py: {self.made} exists and is no site: not replaced")
        shutil.rmtree(self.out, ignore_errors=True)
        for source in self.wanted:  # grows
            self.write(source)
        for name in ("style.css", "search.js"):
            shutil.copyfile(f"{HERE}/{name}", f"{self.out}/{name}")
        with open(f"{self.out}/search-index.js", "w", encoding="utf-8") as file:
            file.write("const pages = " + json.dumps(self.index, ensure_ascii=False, separators=(",", ":")) + ";\n")
        shutil.rmtree(self.made, ignore_errors=True)
        os.rename(self.out, self.made)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: site.py MAN OUT VERSION")
    Site(*sys.argv[1:]).make()
