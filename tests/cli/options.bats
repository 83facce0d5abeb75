#!/usr/bin/env bats
# The command line, with the same rules in every tool: exact names, values, one-letter options, rejected combinations,
# help, lists.
bats_require_minimum_version 1.5.0
load ../common/common

recorded() { # recorded ARGUMENTS...: the command line in the header
    nbgen "$@" | head -n 40 | sed -n 's/^history 1 - nbgen [^ ]* [^ ]* //p'
}

@test "names are exact: what begins like an option is none" {
    refused 2 "nbgen: --semi: no such option; write --semi-major in full" nbgen kepler --semi 3
    refused 2 "nbgen: --semi: no such option; write --semi-major in full" nbgen kepler --semi=3
    refused 2 "nbsim: --unti: no such option; write --until in full" nbsim --unti 3
    refused 2 "nbstat: --jsonl: no such option (did you mean --json?)" nbstat --jsonl
    refused 2 "nbrender: -z: no such option" nbrender -z
    refused 2 "nbconv: -z: no such option" nbconv -qz
    refused 2 "nbedit: --sel: no such option; write --select in full" nbedit --sel all
}

# bats test_tags=long
@test "no option of any tool or model may lose its last letter" {
    local tried=0 models options
    models=$(nbgen --help | sed -n '/^The models:/,/^`nbgen/s/^  \([a-z0-9-]*\)  .*/nbgen:\1/p')
    [[ "$models" == *nbgen:kepler* ]]
    for command in nbsim nbrender nbstat nbconv nbedit nbbench $models; do
        options=" $(${command/:/ } --print-options=words | sed 's/=$//' | tr '\n' ' ')"
        [[ "$options" == *" --output "* || $command == nb@(stat|bench) ]]
        for option in $options; do
            [[ "$option" == --??* && "$options" != *" ${option%?} "* ]] || continue
            tried=$((tried + 1))
            run -2 --separate-stderr ${command/:/ } "${option%?}" 1 </dev/null
            [[ "${stderr_lines[0]}" == "nb"*": ${option%?}: no such option"* ]] ||
                { echo "$command ${option%?}: $stderr" >&2; return 1; }
        done
    done
    echo "# $tried options" >&3
    [ "$tried" -gt 200 ]
}

@test "the hint names the model" {
    run -2 --separate-stderr nbgen kepler --nonsense
    [ "${stderr_lines[1]}" = "Try \`nbgen kepler --help' for more information." ]
}

@test "a value follows = or a blank, or its letter; the last one counts" {
    for form in "-n 10" -n10 "--bodies 10" --bodies=10 "--bodies=20 -n 10" "-qn10" "-qn 10" "-qfn10"; do
        # shellcheck disable=SC2086 # words
        [ "$(recorded plummer $form)" = "nbgen plummer --bodies=10" ]
    done
    nbgen kepler -o a.nbs
    nbsim --until 0.01 -- a.nbs >b.nbs
    cp a.nbs ./--until
    nbsim --until 0.01 -- --until | cmp - b.nbs
    nbsim a.nbs --dt -0.001 --until -0.01 -o c.nbs # a number after its option, though it begins with -
    refused 2 "nbsim: --dt needs a value: H" nbsim --dt
    refused 2 "nbgen: -n needs a value: N" nbgen plummer -qn
    refused 2 "nbsim: --quiet takes no value" nbsim --quiet=1
    refused 2 "nbgen: --bodies needs a value: N" nbgen plummer --bodies=
    refused 2 "nbgen: --output needs a value: FILE" nbgen plummer -o ''
    refused 2 "nbgen: --bodies 0x10: expected a count (1 to 10^15; suffixes k M G, Ki Mi Gi)" nbgen plummer -n 0x10
}

@test "operands that nobody wants are refused" {
    refused 2 "nbgen: more: unexpected argument (not an option)" nbgen kepler more
    refused 2 "nbsim: b: only one input is allowed, and a was given already" nbsim a b
}

@test "the command line that is recorded is canonical: the table's order, nothing that changes no result" {
    [ "$(recorded plummer --seed 3 -q --threads 1 -n 10 --store=f32)" = "nbgen plummer --bodies=10 --seed=3 --store=f32" ]
    nbgen kepler | nbsim -q --dt 0.005 --until 0.01 --force 'external:point,mass=1' --force direct --device cpu |
        head -n 40 | grep -x 'history .* nbsim --until=0.01 --dt=0.005 --force=external:point,mass=1 --force=direct'
}

@test "lists that stdout does not take: one line, exit 1" {
    for command in "nbsim --list-forces" "nbsim --list-integrators" \
        {"nbgen kepler",nbgen,nbsim,nbrender,nbstat,nbconv,nbedit,nbbench}" "{--help,--usage,--version}; do
        # shellcheck disable=SC2086 # words
        run -1 --separate-stderr bash -c "$command >/dev/full"
        [[ "$stderr" == "nb"*": stdout: cannot be written: No space left on device" ]]
        run -1 --separate-stderr bash -c "$command >&-"
        [[ "$stderr" == "nb"*": stdout: cannot be written: Bad file descriptor" ]]
    done
}

@test "help fits a terminal of 80 columns" {
    for command in "nbgen kepler" "nbgen collision" nbgen nbsim nbrender nbstat nbconv nbedit nbbench; do
        for list in --help --help=all --usage; do
            # shellcheck disable=SC2086 # words
            $command $list >text
            run ! grep -E '.{80}' text
            run ! grep ' $' text
        done
    done
}

@test "options that need or exclude others, and options without effect, are refused in the same words" {
    nbgen plummer -n 10 -q -o p.nbs
    while IFS='|' read -r said command; do
        # shellcheck disable=SC2086 # words
        refused 2 "$said" $command
    done <<'L'
nbstat: --mean needs --walls|nbstat --mean p.nbs
nbstat: --axis needs --modes or --radial|nbstat --axis x p.nbs
nbstat: --json and --csv: give only one of them|nbstat --csv --json p.nbs
nbstat: --check and --select: give only one of them|nbstat --select all --check p.nbs
nbsim: --steps and --until: give only one of them|nbsim --until 1 --steps 2 p.nbs
nbsim: --checkpoint-every needs --checkpoint or --resume|nbsim --until 1 --checkpoint-every 1m p.nbs
nbsim: --append needs --output|nbsim --until 1 --append p.nbs
nbsim: --theta needs --force tree or auto|nbsim --until 1 --force direct --theta 0.5 p.nbs
nbsim: --rebuild needs --force tree or auto|nbsim --until 1 --force direct --rebuild 2 p.nbs
nbrender: --theta needs --force tree or auto|nbrender --map potential --force direct --theta 0.5 -o q.png p.nbs
nbsim: --json needs --list-forces or --list-integrators|nbsim --until 1 --json p.nbs
nbconv: --json needs --list-formats|nbconv --to csv --json p.nbs
nbconv: --from and --to: give only one of them|nbconv --from csv --to csv p.nbs
nbrender: --fps: q.png is a single picture|nbrender --fps 60 -o q.png p.nbs
L
    # Where auto has chosen, a note: scripts change the number of bodies.
    run -0 --separate-stderr nbsim --steps 1 --theta 0.5 p.nbs -o o.nbs
    [[ $stderr == *"note: --theta has no effect, because this run does not use the tree force"* ]]
}

@test "lists are tables, and with --json arrays of objects with the same entries" {
    for command in "nbsim --list-integrators" "nbsim --list-forces" "nbconv --list-formats"; do
        $command >table
        $command --json >object
        python - <<'P'
import json
lines = [line for line in open("table").read().splitlines() if line]
rows = [line for line in lines if not line.startswith("# ")]
found = json.load(open("object"))
assert isinstance(found, list) and len(found) == len(rows) > 2, (len(found), len(rows))
names = lines[0][2:].split("\t")
assert list(found[0]) == names, (found[0], names)
assert [str(value) for value in found[0].values()] == rows[0].split("\t"), (found[0], rows[0])
P
    done
}

@test "the help of every tool begins with the options that most people use" {
    for tool in nbsim nbrender nbstat nbconv nbedit nbbench "nbgen plummer" "nbgen galaxy"; do
        $tool --help >help
        # Up to five, before all groups; each is described once.
        awk '/^ [A-Z]/ { groups++ } groups == 1 && /^  (-.,|   ) --/ { n++ } /^ Most used:/ { first = groups == 1 } END { exit !(first && n >= 2 && n <= 5) }' help
        $tool --help=all >all
        [ -z "$(grep -oE '^  (-.,|   ) --[a-z-]+' all | sort | uniq -d)" ]
        [ "$(grep -cE '^  (-.,|   ) --' all)" -ge "$(grep -cE '^  (-.,|   ) --' help)" ]
    done
}

@test "of a tool with very many options help shows the most used and the names of the other groups" {
    for tool in nbsim nbrender; do
        $tool --help >help
        $tool --help=all >all
        [ "$(wc -l <help)" -lt 45 ]
        count=$(grep -cE '^  (-.,|   ) --' all)
        grep -qxF " \`$tool --help=all' shows all $count, the manual page $tool(1) explains them." help
        tr -s '\n ' '  ' <help >words
        sed -n 's/^ \([A-Z][a-z ]*\):$/\1/p' all | grep -v '^Most used$' >groups
        [ "$(wc -l <groups)" -gt 3 ]
        while read -r group; do grep -qE "Further options: .*\b$group\b" words; done <groups
    done
    nbstat --help | diff - <(nbstat --help=all)
    run -2 --separate-stderr nbsim --help=none
}
