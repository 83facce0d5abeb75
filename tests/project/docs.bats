#!/usr/bin/env bats
# The documents: help, manual pages, the README and its commands.
bats_require_minimum_version 1.5.0
load ../common/common

tools="nbgen nbsim nbrender nbstat nbconv nbedit nbbench"

# Puts what `make docs` makes into ./built, with the tools under test in place of ones that make would build. It is made
# once for all tests, but for one that sets SOURCE_DATE_EPOCH.
make_docs() {
    local keep= made=$BATS_FILE_TMPDIR/made
    [ -n "${SOURCE_DATE_EPOCH:-}" ] || [ ! -e "$made" ] || { ln -s "$made" built; return; }
    mkdir built
    cp -r "$NB_BUILD/bin" built/bin
    for tool in $tools; do
        keep="$keep -o $PWD/built/bin/$tool"
    done
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL make -s -C "$root" BUILD="$PWD/built" CUDA=0 $keep docs
    [ -n "${SOURCE_DATE_EPOCH:-}" ] || cp -r built "$made"
}

# all_stand_in COMMAND[:MODEL]: all its options are among the words of stdin, a line each.
all_stand_in() {
    local missing
    missing=$(comm -23 <(options ${1/:/ } | sort -u) <(sort -u))
    [ -z "$missing" ] || { echo "$1: no $missing" >&2; return 1; }
}

models() {
    nbgen --help | sed -n '/^The models:/,/^`nbgen/s/^  \([a-z0-9-]*\)  .*/\1/p'
}

# Options of a command line as the tool tells them, a line each: --name
options() { # options COMMAND...
    "$@" --print-options=words | sed 's/=$//'
}

@test "each tool answers --help and --version on stdout, with exit 0" {
    for tool in $tools; do
        run -0 --separate-stderr $tool --help
        [[ "$output" == "Usage: $tool "* ]]
        [ -z "$stderr" ]
        run -0 --separate-stderr $tool --version
        [[ "${lines[0]}" =~ ^"$tool (nbtools) "[0-9]+\.[0-9]+\.[0-9]+$ ]]
        [ -z "$stderr" ]
    done
}

@test "no heading of the help is without options" {
    for command in $tools $(models | sed 's/^/nbgen:/'); do
        ${command/:/ } --help=all >help
        # A heading, of one or more lines, is indented by one blank, an option by at least two.
        awk '/^ [^ ]/ { heading = $0; next } /^$/ && heading { print heading; bad = 1 } { heading = "" } END { exit bad }' help ||
            { echo "$command: a heading without options" >&2; return 1; }
    done
}

@test "each model answers --help" {
    [ "$(models | wc -l)" -ge 10 ]
    for model in $(models); do
        run -0 --separate-stderr nbgen "$model" --help
        [[ "$output" == "Usage: nbgen $model "* ]]
        [ -z "$stderr" ]
    done
}

@test "every option is in the help" {
    for command in nbsim nbrender nbstat nbconv nbedit nbbench $(models | sed 's/^/nbgen:/'); do
        all_stand_in "$command" < <(${command/:/ } --help=all | grep -oE -e '--[a-zA-Z0-9-]+')
    done
}

@test "every option is in the manual page, nothing is left of the templates" {
    make_docs
    for page in built/man/nb*.[1357]; do
        run ! grep -e '^@' "$page"
    done
    for command in nbsim nbrender nbstat nbconv nbedit nbbench $(models | sed 's/^/nbgen:/'); do
        all_stand_in "$command" < <(sed 's/\\-/-/g' "built/man/${command%:*}.1" | grep -oE -e '--[a-zA-Z0-9-]+\\fR' |
            sed 's/.fR$//')
    done
}

@test "nbtools(7) names every program, and only options and models that are there" {
    for tool in $tools; do
        grep -q "^.BR $tool (1)\$" "$root/man/nbtools.7"
    done
    sed 's/\\-/-/g; s/--[a-z0-9-]*/\n&\n/g' "$root/man/nbtools.7" | grep -xe '--[a-z].*' | sort -u >named
    [ "$(wc -l <named)" -gt 15 ]
    { for tool in ${tools#nbgen }; do options $tool; done
        for model in $(models); do options nbgen "$model"; done; } | sort -u >known
    run -0 comm -23 named known
    [ -z "$output" ]
    for model in $(grep -o 'nbgen [a-z]*' "$root/man/nbtools.7" | cut -d' ' -f2 | sort -u); do
        models | grep -qx "$model"
    done
}

@test "every model has its section in nbgen(1)" {
    for model in $(models); do
        sed 's/\\-/-/g' "$root/man/nbgen.1.in" | grep -qx ".SS $model"
    done
}

@test "nbgen(1): the default numbers of bodies are those of the models" {
    nbgen --list-models --json >models.json
    python3 - "$root/man/nbgen.1.in" <<'P'
import json, re, sys
text = " ".join(open(sys.argv[1]).read().split())
said = re.search(r"The default of \\fB\\-\\-bodies\\fR is (.*?)\. Models", text)[1]
defaults = {name: int(number) * 1000 for number, names in re.findall(r"(\d+)k for (.*?)(?=,? (?:and )?\d+k|$)", said)
            for name in re.split(r", | and ", names)}
models = [json.loads(line) for line in open("models.json")]
random = {m["name"]: m["bodies"] for m in models if m["random"]}
assert len(random) > 10 and defaults == {m: n for m, n in random.items() if n != 10000}, (defaults, random)
P
}

@test "nbtools-integrators(7): symplectic and reversible integrators are those of nbsim's list" {
    nbsim --list-integrators >list
    python3 - "$root/man/nbtools-integrators.7" <<'P'
import re, sys
text = open(sys.argv[1]).read().replace("\\-", "-").split(".SH PROPERTIES")[1].split(".TE")[0]
rows = re.findall(r"^(?:T\{\n)?([^\n\t]+)(?:\nT\})?\t(yes|no)\t(yes|no)\t", text, re.M)
said = {}
for names, *traits in rows:
    names = names.replace("yoshida4 to yoshida8", "yoshida4, yoshida6, yoshida8").split(": ")[-1]
    names = names.replace("whfast and its variants", "whfast, whfast17, whfast-jacobi, whfast17-jacobi")
    said.update({name: traits for name in names.split(", ")})
others, checked = said.pop("all others"), 0
for line in open("list"):
    name, _, _, *traits = line.split("\t")[:5]
    if not name.startswith("#"):
        checked += 1
        assert said.pop(name, others) == traits, name
assert checked > 30 and not said, said
P
}

@test "nbconv: the help of --from names the formats that it reads, that of --to all" {
    nbconv --help=all | tr -s ' \n' '  ' >help
    sed 's/.* --from=FORMAT read FORMAT[^:]*:\([^-]*\)-.*/\1/; s/[, ]\+/\n/g' help | grep . | sort >from
    sed 's/.* --to=FORMAT read a stream[^:]*:\([^-]*\)-.*/\1/; s/[, ]\+/\n/g' help | grep . | sort >to
    nbconv --list-formats | grep -v '^#' | cut -f 1 | sort | diff to -
    for format in $(cat to); do
        run nbconv --from "$format" /nowhere
        [[ "$output" == *"can only be written"* ]] || echo "$format"
    done | diff from -
}

@test "the manual pages have their sections and render without a warning" {
    command -v man >/dev/null && command -v groff >/dev/null || skip "no man and groff"
    make_docs
    for page in built/man/nb*.[1357]; do
        warnings=$(LC_ALL=C.UTF-8 MANWIDTH=80 timeout 20 man --warnings -l "$page" 2>&1 >text)
        [ -z "$warnings" ] || { echo "$page: $warnings" >&2; return 1; }
        for section in NAME DESCRIPTION "SEE ALSO"; do
            grep -qx "$section" text
        done
    done
    for tool in $tools; do
        grep -qx '.SH EXIT STATUS' built/man/$tool.1
        grep -qx '.SH EXAMPLES' built/man/$tool.1
    done
}

@test "the manual pages have short sentences" {
    make_docs
    [ "$(ls built/man/nbtools-*.7 | wc -l)" = 3 ]
    [ "$(ls built/man/nb*.[1357] | wc -l)" = "$(ls "$root"/man/*.[1357] "$root"/man/*.[1357].in | wc -l)" ]
    python3 "$root/tests/project/sentences.py" --bound built/man/nb*.[1357]
    # The bound is one: a page of long sentences is refused.
    { printf '.TH LONG 1\n.SH DESCRIPTION\n'; printf 'word %.0s' {1..40}; echo 'end.'; } >long.1
    run -1 python3 "$root/tests/project/sentences.py" --bound long.1
}

@test "sections and pages that a manual page names are there" {
    make_docs
    python3 - built/man/nb*.[1357] <<'P'
import pathlib, re, sys
pages = {pathlib.Path(p).name: pathlib.Path(p).read_text().replace("\\-", "-") for p in sys.argv[1:]}
sections = {n: {s.strip('"') for s in re.findall(r"^\.S[HS] (.*)$", t, re.M)} for n, t in pages.items()}
named = missing = 0
for name, text in pages.items():
    for page, number in re.findall(r"^\.[BI]R (nb[a-z-]*) \(([1357])\)", text, re.M):
        if f"{page}.{number}" not in pages:
            missing = print(f"{name}: there is no page {page}({number})") or 1
    # Words after a reference on its line would be arguments of the macro, and set without spaces.
    for line in re.findall(r"^\.[BI]R \S+ \(\d\)\S* .*", text, re.M):
        missing = print(f"{name}: words after a reference: {line}") or 1
    text = re.sub(r"\s+", " ", text)
    for list_, page, number in re.findall(r"((?:[A-Z]{3,}[A-Z ]*(?:, | and )?)+) in \.BR (nb[a-z-]+) \((\d)\)", text):
        for section in re.split(", | and ", list_):
            named += 1
            if section not in sections.get(f"{page}.{number}", ()):
                missing = print(f"{name}: {page}({number}) has no section {section}") or 1
sys.exit(missing or named < 8)
P
}

@test "the manual pages: title with date and version, nothing to say for mandoc or groff, no option broken at a hyphen" {
    SOURCE_DATE_EPOCH=951782400 make_docs
    for page in built/man/nb*.[1357]; do
        grep -qE '^\.TH NB[A-Z-]+ [1357] "2000-02-29" "nbtools [0-9.]+" "' "$page"
        if command -v man >/dev/null && command -v groff >/dev/null; then
            LC_ALL=C.UTF-8 MANWIDTH=60 timeout 20 man -l "$page" 2>/dev/null >text
            [ -s text ]
            run ! grep -nE -- '-[a-z-]*(-|‐)$' text
        fi
        if command -v mandoc >/dev/null; then
            mandoc -Tlint -W all "$page" >lint || { cat lint >&2; return 1; }
            [ ! -s lint ]
        fi
    done
    command -v mandoc >/dev/null || skip "no mandoc: what it says of the pages was not asked"
}

@test "every function of nbtools.h is in nbtools(3), and there are at most 30" {
    sed -n 's/^NBT_API .*[ *]\(nbt_[a-z_]*\)(.*/\1/p' "$root/libnbtools/nbtools.h" | sort >functions
    grep -o '\bnbt_[a-z_]*(' "$root/man/nbtools.3" | tr -d '(' | sort -u | diff functions -
    [ "$(wc -l <functions)" -le 30 ]
    [ "$(wc -l <functions)" -ge 25 ]
}

@test "the date of the pages is that of the commit, or of the tarball" {
    [ -e "$root/.git" ] || skip "no clone"
    make_docs
    grep -q "^.TH NBSIM 1 \"$(TZ=UTC git -C "$root" log -1 --date=format-local:%F --format=%cd)\"" built/man/nbsim.1
    git -C "$root" archive HEAD man/DATE .gitattributes | tar x
    git -C "$root" log -1 --format=%ct | cmp - man/DATE
}

# The command lines under the Kth mark, with fewer bodies.
pipeline() { # pipeline K
    awk -v k="$1" '/^<!-- pipeline -->/ { count++; next }
        count == k && /^    / { print; begun = 1; next }
        begun && NF { exit }' "$root/examples/README.md" | sed 's/-n [0-9]*k/-n 200/; s/--size 640x360/--size 320x180/'
}

run_pipeline() { # run_pipeline K
    pipeline "$1" >pipeline.sh
    [ -s pipeline.sh ]
    bash -euo pipefail pipeline.sh
}

@test "README: its first commands run, with few bodies" {
    sed -n 's/^    \(nbgen .*[^ ]\)  *# .*/\1/p' "$root/README.md" |
        sed 's/-n [0-9]*k/-n 200/; s/--until 8/--until 1/; s/nbrender/nbrender --size 320x180/' >first.sh
    [ "$(wc -l <first.sh)" = 3 ]
    bash -euo pipefail first.sh >table
    ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 merger.mp4 | grep -x 21
    awk -F'\t' 'NF > 20 && !/^#/ { frames++; if ($9 ^ 2 > 1e-12) exit 1 } END { exit frames != 11 }' table # energy_error
    [ "$(awk 'NF == 9 && !/^#/' table | wc -l)" = 10 ]
}

@test "messages: no more than today are without a test that names them" {
    [ -e "$root/.git" ] || skip "no clone"
    (cd "$root" && python3 tests/project/messages.py --most 160) >unnamed || { tail -n 3 unnamed >&2; return 1; }
    [ "$(sed -n '$s/ messages, of which .*//p' unnamed)" -gt 1000 ]
    # A new message without a test is counted.
    run -1 bash -c "cd '$root' && python3 tests/project/messages.py --most 100"
}

@test "README and CHANGELOG stay short" {
    [ "$(wc -l <"$root/README.md")" -le 150 ]
    [ "$(wc -l <"$root/CHANGELOG.md")" -le 60 ]
}

@test "examples/README: there are seven pipelines" {
    [ "$(grep -c '^<!-- pipeline -->' "$root/examples/README.md")" = 7 ]
}

@test "examples/README: the cluster's energy holds" {
    run_pipeline 1
    nbstat --check run.nbs
    [ "$(grep -vc '^#' energy.tsv)" = 21 ]
}

@test "examples/README: pictures of a collapse" {
    run_pipeline 2
    [ "$(ls frame-*.png | wc -l)" = 15 ]
    ffprobe -v error -show_entries stream=width,height -of csv=p=0 frame-00014.png | grep -x 1920,1080
    python - <<'P'
import numpy as np
density = np.load("density.npy")
assert density.shape == (1080, 1920) and (density >= 0).all() and density.max() > 1, (density.shape, density.max())
P
    [ -s density.png ]
}

@test "examples/README: two galaxies meet" {
    gsl
    run_pipeline 3 >distance.tsv
    ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 meet.mp4 | grep -x 97
    # From 20 they come in, and do not part again. The few of the test have centres that are known to some units.
    awk '!/^#/ { d[k++] = $2 } END { exit !(k == 97 && d[0] > 14 && d[0] < 26 && d[k - 1] < 12) }' distance.tsv
}

@test "examples/README: a film through YUV4MPEG2" {
    run_pipeline 4
    ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 around.mkv | grep -x 320,180,61
}

@test "examples/README: a sweep of virial ratios" {
    run_pipeline 5
    [ "$(head -n 1 virial.tsv)" = "$(printf '# nbgen.virial\ttime\tvirial\thalf_mass_radius')" ]
    [ "$(grep -vc '^#' virial.tsv)" = 20 ]
    # What each begins with is what was asked for, within the scatter of 200 bodies and their softening.
    awk -F'\t' '$2 == 0 { print $1, $3 }' virial.tsv >begin
    [ "$(wc -l <begin)" = 4 ]
    while read -r asked found; do
        close "$found" "$asked" "$(awk "BEGIN { print 0.15 * $asked }")"
    done <begin
}

@test "nbsim(1): the commands of a large run, with 20000 bodies" {
    sed -n '/^\.SH LARGE RUNS/,/^\.SH EXIT/p' "$root/man/nbsim.1.in" | sed -n '/^\.EX/,/^\.EE/p' | sed '/^\./d; s/\\-/-/g' >page
    [ "$(grep -c '^nb' page)" = 5 ]
    sed 's/-n 100M/-n 20k/; s/--until 10 --every 1/--until 0.04 --every 0.02/; s/nbrender/nbrender --size 160x90/' page >page.sh
    [ "$(grep -c -e 20k -e 0.04 -e 160x90 page.sh)" = 3 ]
    bash -euo pipefail page.sh >table
    film run.mp4 160,90 3
    [ "$(grep -vc '^#' table)" = 3 ]
    nbstat --check run.nbs thin.nbs
    # 200 of 20000, within five standard deviations, with the mass of all.
    nbstat -q --no-header --potential none --columns n,mass thin.nbs | awk '$1 < 130 || $1 > 270 || ($2 - $1 / 200) ^ 2 > 1e-6 { exit 1 }'
    [ "$(nbstat -q --no-header --potential none --columns n thin.nbs | sort -u | wc -l)" = 1 ]
}

@test "nbsim(1): a frame of plummer is as large on the disk as it says" {
    while read -r store bytes; do
        nbgen plummer -q -n 10k --store "$store" -o "$store.nbs"
        size=$(stat -c %s "$store.nbs")
        close "$(awk "BEGIN { print $size / 10000 }")" "$bytes" 0.2 # the header and the footer
    done < <(sed -n 's/^a frame on the disk\t\([0-9]*\)\t.*/f64 \1/p; s/^the same with .*store f32.*R\t\([0-9]*\)\t.*/f32 \1/p' "$root/man/nbsim.1.in")
    [ -s f32.nbs ]
    [ -s f64.nbs ]
}

@test "examples/README: a wing in a wind tunnel" {
    run_pipeline 6 >forces
    ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 wing.mp4 | grep -x 121
    # 60 frames of the second half. What it holds off it feels, drag above all.
    awk -F'\t' 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } NR == 2 { exit !($at["frames"] == 60 && $at["body.cd"] > 0 && $at["body.cd"] < 2) }' forces
}

@test "examples/README: ten years of the solar system" {
    run_pipeline 7 >last
    ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 solar.mp4 | grep -x 101
    # The Earth after ten Julian years is 0.98 to 1.02 AU from the Sun, and Jupiter (11.86 years) not yet where it began.
    awk '$1 == 0 && !/^#/ { x = $3; y = $4; z = $5 } $1 == 3 { print sqrt(($3 - x)^2 + ($4 - y)^2 + ($5 - z)^2) }' last >earth
    close "$(cat earth)" 1 0.02
    [ "$(nbstat --potential none solar.nbs | grep -vc '^#')" = 101 ]
}

@test "nbs(5): the example of a header is what nbgen writes" {
    sed -n '/^nbs 1 frame/,/^checksum/p' "$root/man/nbs.5" | sed 's/\\-/-/g' >shown
    nbgen plummer -n 1k | head -n 19 >made
    # The digits may differ on another machine; the lines may not.
    diff <(grep -v -e '^softening' -e '^dt' -e '^dynamical' -e '^checksum' shown) <(grep -v -e '^softening' -e '^dt' -e '^dynamical' -e '^checksum' made)
    [ "$(wc -l <shown)" = 19 ]
    for key in softening dt dynamical_time; do
        close "$(awk "\$1 == \"$key\" { print \$2 }" shown)" "$(awk "\$1 == \"$key\" { print \$2 }" made)" 1e-12
    done
}

@test "what the documents point to is there" {
    for document in README.md CHANGELOG.md examples/README.md $(cd "$root" && ls docs/*.md examples/*/README.md); do
        for link in $(grep -o ']([^)]*)' "$root/$document" | sed 's/^](//; s/)$//' | grep -v '^http'); do
            [ -e "$root/$(dirname "$document")/$link" ] || { echo "$document: no $link" >&2; return 1; }
        done
    done
    for file in $(grep -o '`tests/[^`]*`' "$root/README.md" | tr -d '`'); do
        compgen -G "$root/$file" >/dev/null || { echo "README.md: no $file" >&2; return 1; }
    done
    for script in "$root"/examples/*.sh; do
        name=$(basename "$script" .sh)
        [ "$name" != tools ] || continue
        [ -s "$root/examples/$name.png" ]
        grep -q "($name.sh)" "$root/examples/README.md"
    done
}

@test "libraries that a build does without are named with their packages, which README's table has" {
    cd "$root"
    CC=gcc CUDA=0 PKG_CONFIG=false packaging/packages.sh name build 2>"$BATS_TEST_TMPDIR/said" || true
    for note in "no FreeType with fontconfig: *(apt install libfreetype-dev libfontconfig-dev)" \
        "no libjpeg: *(apt install libjpeg-dev)" "no libwebp: *(apt install libwebp-dev)" "no GSL: *(apt install libgsl-dev)" "no HDF5: *(apt install libhdf5-dev)"; do
        grep -qx "note: ${note/\*/.*}" "$BATS_TEST_TMPDIR/said" || { cat "$BATS_TEST_TMPDIR/said" >&2; false; }
    done
    run ! grep 'make packages' "$BATS_TEST_TMPDIR/said"
    sed -n '/^| for | packages |/,/^$/p' README.md >"$BATS_TEST_TMPDIR/table"
    for package in $(sed -n 's/.*(apt install \(.*\))/\1/p' "$BATS_TEST_TMPDIR/said"); do
        grep -q "\b$package\b" "$BATS_TEST_TMPDIR/table" || { echo "README.md's table has no $package" >&2; false; }
    done
}

@test "NOTICES names what is compiled in, and is installed with the programs" {
    cd "$root"
    while read -r name how; do
        # shellcheck disable=SC2086
        grep -rqE "$how" lib mk || { echo "no $name any more: NOTICES need not name it"; return 1; }
        grep -q "^$name (https:" NOTICES || { echo "NOTICES has no $name"; return 1; }
    done <<'END'
xxHash define XXH_INLINE_ALL
Random123 include <Random123/
libgomp print-file-name=libgomp.a
CUB include <cub/
END
    grep -q 'libcudart_static.a' NOTICES
    grep -q 'libcu++' NOTICES
    grep -q 'the GNU$' NOTICES && grep -q 'General Public License' README.md
    [ "$(grep -rl '#include <gsl/' lib tools)" = tools/nbgen/numeric.c ] # nowhere else, so that GSL=0 leaves it out
    other=$(grep -rhoE '#include <[a-zA-Z0-9_]+/' lib tools | sort -u | grep -vE '<(sys|Random123|cub|cuda|fontconfig|gsl|webp)/' || true)
    [ -z "$other" ] || { echo "NOTICES does not speak of $other"; return 1; }
    env -u MAKEFLAGS -u MAKEOVERRIDES -u MAKELEVEL make -n PREFIX=/nowhere BUILD="$NB_BUILD" install | grep -E "install .*NOTICES .*'/nowhere/share/doc/nbtools'"
}
