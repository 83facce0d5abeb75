#!/usr/bin/env bats
# The site: HTML of the documents, made by `make site'.
bats_require_minimum_version 1.5.0
load ../common/common

# Makes the site, once for all tests, with the tools under test.
setup_file() {
    command -v cmark-gfm >/dev/null && command -v mandoc >/dev/null || return 0
    cd "$BATS_FILE_TMPDIR" || exit 1
    mkdir built
    cp -r "$NB_BUILD/bin" "$NB_BUILD/library" built
    site_make site
}

setup() {
    [ -e "$BATS_FILE_TMPDIR/site" ] || skip "no cmark-gfm or no mandoc: the site was not made"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# make in the tree with the tools and the library under test, which are not made again: what they are made of is not there.
site_make() {
    local keep=
    for made in "$BATS_FILE_TMPDIR"/built/{bin,library}/*; do
        keep="$keep -o $made"
    done
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL make -s -C "$root" BUILD="$BATS_FILE_TMPDIR/built" \
        SITE="$BATS_FILE_TMPDIR/site" CUDA=0 $keep "$@"
}

links() { # links SITE
    /usr/bin/python3 "$BATS_TEST_DIRNAME/site_links.py" "$(realpath "$1")" "$root" "$BATS_FILE_TMPDIR/built/man"
}

@test "the site: every link leads somewhere, nothing is loaded from elsewhere, the search has every page" {
    links "$BATS_FILE_TMPDIR/site"
}

@test "the site: the test of links notices a lost page, a lost picture, a lost place and a picture from elsewhere" {
    cp -r "$BATS_FILE_TMPDIR/site" site
    rm site/man/nbsim.1.html site/examples/gallery/spiral.jpg
    sed -i 's/id="seven-pipelines"//' site/examples/README.html
    sed -i 's|src="examples/gallery/whirlpool.jpg"|src="https://example.org/a.jpg"|' site/README.html
    run -1 links site
    for word in 'README.html: no man/nbsim.1.html' 'no spiral.jpg' 'no place #seven-pipelines' 'loads https://example.org/a.jpg'; do
        [[ "$output" == *"$word"* ]] || { echo "not noticed: $word"; return 1; }
    done
}

@test "the site: the commands below the pictures of the gallery run as they stand there" {
    /usr/bin/python3 "$BATS_TEST_DIRNAME/site_commands.py" "$BATS_FILE_TMPDIR/site" "$root/examples/gallery" .
    [ "$(ls ./*.sh | wc -l)" -ge 15 ]
    for script in ./*.sh; do bash -n "$script"; done
    sed 's/20k/500/; s/1920x1080/160x90/' cluster.sh >small
    bash -euo pipefail small
    ffprobe -v error -show_entries stream=width,height -of csv=p=0 cluster.png | grep -x 160,90
    sed 's/30k/500/; s/14/0.4/; /^nbrender/d' spiral.sh >small
    bash -euo pipefail small
    nbstat --check spiral.nbs
}

@test "the site: a link to what does not exist is refused in one line, and so is a folder that is no site" {
    mkdir -p docs/site
    cp "$root"/docs/site/*.{py,css,js} docs/site
    echo 'See [this](../../missing.md).' >docs/site/welcome.md
    run -1 /usr/bin/python3 docs/site/site.py man out 1
    [ "$output" = "site.py: docs/site/welcome.md: no missing.md" ]
    mkdir full && touch full/mine
    run -1 /usr/bin/python3 docs/site/site.py man full 1
    [ "$output" = "site.py: full exists and is no site: not replaced" ]
    [ -e full/mine ]
}

@test "the site: equal bytes when it is made again; install takes it along, uninstall removes it" {
    cp -r "$BATS_FILE_TMPDIR/site" first
    site_make site
    diff -r first "$BATS_FILE_TMPDIR/site"
    site_make DESTDIR="$PWD/root" PREFIX=/usr install
    diff -r first root/usr/share/doc/nbtools/html
    site_make DESTDIR="$PWD/root" PREFIX=/usr uninstall
    [ -z "$(find root -type f)" ]
}

# bats test_tags=long
@test "the site in headless Chromium, narrow and wide: no script error, all pictures load, nothing is too wide, the search finds" {
    command -v chromium >/dev/null || skip "no chromium: the site was not looked at"
    /usr/bin/python3 "$BATS_TEST_DIRNAME/site_browser.py" "$BATS_FILE_TMPDIR/site"
    # What this notices: an error in the script, what is too wide, a picture that is none, and a word that the search has lost.
    cp -r "$BATS_FILE_TMPDIR/site" site
    echo 'lost();' >>site/search.js
    echo 'h1 { width: 1500px; }' >>site/style.css
    echo >site/examples/gallery/spiral.jpg
    sed -i 's/theta/beta/g' site/search-index.js
    run -1 /usr/bin/python3 "$BATS_TEST_DIRNAME/site_browser.py" site
    for word in 'lost is not defined' 'is wider than the window' 'does not load .*spiral.jpg' 'search for --theta'; do
        grep -q "$word" <<<"$output" || { echo "not noticed: $word"; return 1; }
    done
}
