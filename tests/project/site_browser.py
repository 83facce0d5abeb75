#!/usr/bin/env python3
"""Looks at the site in headless Chromium, as wide as a phone and as a desk: site_browser.py SITE

Every page has to load without a script error, a request that is not a file of the site, a picture that fails, or text
that is wider than the window. The search has to find options and words, and its links have to lead to them.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = {"narrow": 390, "wide": 1400}
SEARCHES = {  # words: how the address of the first answer ends, and the text there
    "--theta": ("man/nbsim.1.html#theta", "--theta=X"),
    "softening": ("man/nbgen.1.html#SOFTENING_AND_TIME_STEP", "SOFTENING AND TIME STEP"),
    "frame select": ("python/reference.html#frameselect", "Frame.select"),
}
LOOK = """({
    pictures: [...document.images].filter((each) => !each.complete || each.naturalWidth === 0).map((each) => each.src),
    count: document.images.length,
    width: document.documentElement.scrollWidth,
    over: [...document.querySelectorAll("main *")].filter((each) => !each.closest("pre, .wide") &&
        each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 80)).slice(0, 3),
    text: document.querySelector("main").innerText.length,
})"""


class Browser:
    """Chromium by its DevTools protocol: messages in JSON, each ended by a zero byte, through two pipes."""

    def __init__(self, folder):
        down, self.send_fd = os.pipe()
        self.receive_fd, up = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        script = f'exec chromium "$@" 3<&{down} 4>&{up}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *flags],
            pass_fds=(down, up),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(down)
        os.close(up)
        self.numbers, self.buffer, self.events, self.loads, self.session = itertools.count(1), b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            data = os.read(self.receive_fd, 1 << 20)
            if not data:
                sys.exit("chromium has ended")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        number = next(self.numbers)
        request = {"id": number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.send_fd, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.take(answer)

    def take(self, event):
        self.events.append(event)
        self.loads += event.get("method") == "Page.loadEventFired"

    def go(self, address):
        self.loads = 0
        self.call("Page.navigate", url=address)
        while self.loads == 0:
            self.take(self.message())

    def open(self, address, width):
        """Opens a page anew, also where only the place in the page differs."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        self.go("about:blank")
        self.go(address)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def troubles(self, root):
        """Returns errors and foreign requests since the last call."""
        found = []
        for event in self.events:
            method, of = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("{text} {url}:{lineNumber}".format_map({"url": "", **of["exceptionDetails"]}))
            elif method == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
                found.append(of["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning"):
                found.append(str(of["args"]))
            elif method == "Network.loadingFailed":
                found.append(of["errorText"])
            elif method == "Network.requestWillBeSent" and not of["request"]["url"].startswith(
                (root, "data:", "about:blank")
            ):
                found.append("asks for " + of["request"]["url"])
        self.events.clear()
        return found

    def close(self):
        self.call("Browser.close")
        self.process.wait(20)


def main():
    site = Path(sys.argv[1]).resolve()
    root = site.as_uri() + "/"
    pages = sorted(str(page.relative_to(site)) for page in site.rglob("*.html"))
    assert len(pages) > 40, pages
    wrong, pictures = [], 0
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder)
        for name, width in WIDTHS.items():
            for page in pages:
                browser.open(root + page, width)
                look = browser.value(LOOK)
                pictures += look["count"]
                found = browser.troubles(root) + [f"does not load {each}" for each in look["pictures"]]
                found += [f"is wider than the window: {look['over']}"] * (look["width"] > width)
                found += ["is empty"] * (look["text"] < 20)
                wrong += [f"{page}, {name}: {each}" for each in found]
            for words, (ending, text) in SEARCHES.items():
                browser.open(root + "examples/gallery/README.html", width)
                first = browser.value(f"""new Promise((done) => {{
                    const input = document.querySelector("input");
                    input.focus();
                    input.value = {json.dumps(words)};
                    input.dispatchEvent(new Event("input"));
                    const look = () => {{
                        const link = document.querySelector("#found a");
                        if (link) done(link.href);
                        else setTimeout(look, 20);
                    }};
                    setTimeout(() => done("nothing"), 5000);
                    look();
                }})""")
                if not first.endswith(ending):
                    wrong.append(f"search for {words}, {name}: {first}, not {ending}")
                    continue
                browser.open(first, width)
                at = json.dumps(first.partition("#")[2])
                if text not in (browser.value(f"document.getElementById({at})?.innerText") or ""):
                    wrong.append(f"search for {words}, {name}: no {text} at {first}")
                wrong += [f"search for {words}, {name}: {each}" for each in browser.troubles(root)]
        browser.close()
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(
        f"{len(pages)} pages, {pictures} pictures, {len(SEARCHES)} searches, {len(WIDTHS)} widths: {len(wrong)} faults"
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
