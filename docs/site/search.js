// The search. Its index is a script, since pages that are opened from a disk may not fetch files. It is loaded when it is
// first needed and sets `pages`: [page, section, address, text] of every section and option.
"use strict";

const root = document.currentScript.src.replace(/search\.js$/, "");
const form = document.querySelector("header form");
const input = form.querySelector("input");
const found = document.querySelector("#found");
const most = 30;

function load() {
    if (document.querySelector("#search-index")) return;
    const script = document.createElement("script");
    script.id = "search-index";
    script.src = root + "search-index.js";
    script.onload = search;
    document.head.append(script);
}

// Returns how well a section answers, 0 if a word is missing. A word in its name counts most; leading dashes do not count.
// A word in its text counts by its share of the text.
function score(words, [page, section, , text]) {
    const title = (section || page).toLowerCase().replace(/^-+/, "");
    const names = title.split(/[^\w-]+/);
    const all = `${page} ${section} ${text}`.toLowerCase();
    let sum = 0;
    for (const word of words) {
        if (!all.includes(word)) return 0;
        const bare = word.replace(/^-+/, "");
        if (names[0] === bare) sum += 100;
        else if (names.includes(bare)) sum += 90;
        else if (title.includes(bare)) sum += 30;
        else {
            const count = all.split(word).length - 1;
            sum += (10 * count) / (count + all.length / 300);
        }
    }
    return sum;
}

// Returns a paragraph with the text around the first of the words that it has, which is marked.
function excerpt(words, text) {
    const line = document.createElement("p");
    const lower = text.toLowerCase();
    const word = words.find((each) => lower.includes(each)) ?? "";
    const at = lower.indexOf(word);
    let before = text.slice(0, at);
    let after = text.slice(at + word.length);
    if (before.length > 70) before = before.slice(-70).replace(/^\S* /, "... ");
    if (after.length > 100) after = after.slice(0, 100).replace(/ \S*$/, " ...");
    const mark = document.createElement("mark");
    mark.append(text.slice(at, at + word.length));
    line.append(before, mark, after);
    return line;
}

function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word);
    found.hidden = words.length === 0;
    if (found.hidden || typeof pages === "undefined") return;
    const hits = pages.map((entry) => [score(words, entry), entry]).filter(([points]) => points > 0);
    hits.sort((a, b) => b[0] - a[0]);
    found.replaceChildren(...hits.slice(0, most).map(([, [page, section, address, text]]) => {
        const link = document.createElement("a");
        const name = document.createElement("b");
        link.href = root + address;
        name.append(section || page);
        link.append(name, section ? ` ${page}` : "", excerpt(words, text));
        return link;
    }));
    if (hits.length === 0) found.append(`Nothing has ${words.join(" and ")}.`);
    if (hits.length > most) found.append(`${hits.length - most} more: add a word.`);
}

form.hidden = false;
input.addEventListener("focus", load);
input.addEventListener("input", () => { load(); search(); });
form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
});
found.addEventListener("click", () => { found.hidden = true; });
document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
        event.preventDefault();
        input.focus();
    }
    if (event.key === "Escape") found.hidden = true;
});

// The list of sections is open where it stands beside the page.
const sections = document.querySelector("aside details");
if (sections) sections.open = matchMedia("(min-width: 70rem)").matches;
