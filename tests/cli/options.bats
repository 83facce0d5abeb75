#!/usr/bin/env bats
# The command line, the same in every tool: exact names, values, letters, lists that cannot be printed.
bats_require_minimum_version 1.5.0
load ../common/common

recorded() { # recorded ARGUMENTS...: the command line in the header
    nbgen "$@" | head -n 40 | sed -n 's/^history 1 - nbgen [^ ]* [^ ]* //p'
}

@test "names are exact: what begins like an option is none" {
    refused 2 "nbgen: --semi: no such option; --semi-major is written out" nbgen kepler --semi 3
    refused 2 "nbgen: --semi: no such option; --semi-major is written out" nbgen kepler --semi=3
    refused 2 "nbsim: --unti: no such option; --until is written out" nbsim --unti 3
    refused 2 "nbstat: --jsonl: no such option (did you mean --json?)" nbstat --jsonl
    refused 2 "nbrender: -z: no such option" nbrender -z
    refused 2 "nbconv: -z: no such option" nbconv -qz
    refused 2 "nbedit: --sel: no such option; --select is written out" nbedit --sel all
}

# bats test_tags=long
@test "no option of any tool or model may lose its last letter" {
    local tried=0 models options
    models=$(nbgen --help | sed -n '/^The models:/,/^`nbgen/s/^  \([a-z0-9-]*\)  .*/nbgen:\1/p')
    [[ "$models" == *nbgen:kepler* ]]
    for command in nbsim nbrender nbstat nbconv nbedit nbbench $models; do
        options=" $(${command/:/ } --print-options=words | sed 's/=$//' | tr '\n' ' ')"
        [[ "$options" == *" --output "* || $command = nbstat ]]
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
    refused 2 "nbsim: --dt: H is missing" nbsim --dt
    refused 2 "nbgen: -n: N is missing" nbgen plummer -qn
    refused 2 "nbsim: --quiet takes no value" nbsim --quiet=1
    refused 2 "nbgen: --bodies: N is missing" nbgen plummer --bodies=
    refused 2 "nbgen: --output: FILE is missing" nbgen plummer -o ''
    refused 2 "nbgen: --bodies 0x10: not a count (1 to 10^15; suffixes k M G, Ki Mi Gi)" nbgen plummer -n 0x10
}

@test "operands that nobody wants are refused" {
    refused 2 "nbgen: more: this is no option, and nothing else is wanted" nbgen kepler more
    refused 2 "nbsim: b: one input is enough, a was given already" nbsim a b
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
        for list in --help --usage; do
            # shellcheck disable=SC2086 # words
            $command $list >text
            run ! grep -E '.{80}' text
            run ! grep ' $' text
        done
    done
}
