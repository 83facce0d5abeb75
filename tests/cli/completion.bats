#!/usr/bin/env bats
# Completion on the command line: the words that the tools offer, and the completions of bash, zsh and fish.
bats_require_minimum_version 1.5.0
load ../common/common

bats_tools=$(basename -a "$NB_BUILD"/bin/nb*)

# The scripts as they are installed, in ./comp
scripts() {
    mkdir -p comp
    for tool in $bats_tools; do
        for shell in bash/$tool zsh/_$tool fish/$tool.fish; do
            mkdir -p "comp/${shell%/*}"
            sed "s/@TOOL@/$tool/g" "$root/tools/completion/${shell%%/*}.in" >"comp/$shell"
        done
    done
}

# Candidates, a line each, of the words behind the tool: offers TOOL WORD...
offers() {
    "$1" --print-completions "${@:2}" | sed -n 's/^[wp]//p' | cut -f1
}

offered() { # offered "A B..." TOOL WORD...: these and no others, in this order
    local found
    found=$(offers "${@:2}" | paste -sd ' ')
    [ "$found" = "$1" ] || { echo "${*:2}: $found" >&2; return 1; }
}

@test "the tool: every option is offered by its name, with = where it takes a value" {
    for tool in nbsim nbrender nbstat nbconv nbedit nbbench "nbgen plummer" "nbgen galaxy"; do
        # shellcheck disable=SC2086 # words
        diff <($tool --print-options=words) <(offers $tool -)
        # shellcheck disable=SC2086
        diff <($tool --print-options=words) <(offers $tool --)
    done
    offered "--until=" nbsim --unt
    offered "" nbsim --until=8 --unt      # it is there already
    offered "" nbsim --until 8 --unt
    offered "--force=" nbsim --force=tree --forc # this one may be there twice
    offered "" nbsim -- --unt
    offered "--quiet" nbsim --until 8 --qui
}

@test "the tool: values come from its own lists" {
    offered "auto $(nbsim --list-integrators | sed 1d | cut -f1 | paste -sd ' ')" nbsim --integrator=
    offered "leapfrog leapfrog-dkd leapfrog-block" nbsim --integrator le
    for force in auto contact $(nbsim --list-forces | awk -F'\t' 'NF >= 5 && !/^#/ { print $1 }' | sort -u); do
        offers nbsim --force= | grep -qx "$force:\?" || { echo "no $force" >&2; return 1; }
    done
    offered "external:" nbsim --force=ext
    offered "nfw," nbsim --force=external:n
    offered "mass= scale= x= y= z= center= table=" nbsim --force external:nfw,
    offered "scale=" nbsim --force external:nfw,mass=3,sc
    [[ " $(offers nbsim --force=tree: | paste -sd ' ') " == *" theta= "* ]]
    offered "" nbsim --force=nothing:
    offered "auto cpu cuda opencl" nbsim --device=
    offered "single mixed double quad" nbsim --precision=
    offered "energy_error" nbstat --columns time,energy,en
    offered "phi pressure step" nbsim --write=acc,
    offered "last all" nbstat --frame=
    offered "last" nbsim --frame=
    offered "code galactic solar gauss" nbgen plummer --units=
    offered "galactic solar gauss" nbgen solar --units=
    offered "auto bar lines json off" nbconv --progress=
    offered "auto speed density component" nbrender --color=
    offered "density speed potential acceleration" nbrender --map=
    offered "scale colorbar title energy box n step dp dl" nbrender --overlay=time,
    [[ " $(offers nbconv --to= | paste -sd ' ') " == *" text "* ]]
    offered "420 444" nbrender --chroma=
}

@test "the tool: what it offers as a whole value it takes" {
    for option in --progress --precision --store --integrator; do
        for value in $(offers nbsim "$option="); do
            run nbsim "$option=$value" --until 1 --every 1 nothing.nbs
            [[ "$output" == *"nothing.nbs: "* ]] || { echo "$option=$value: $output" >&2; return 1; }
        done
    done
    for command in "nbgen disk --profile" "nbgen uniform --shape" "nbgen plummer --units" "nbgen plummer --imf" "nbgen galaxy --preset" \
        "nbgen windtunnel --sides" "nbgen galaxy --halo-profile"; do
        read -r tool model option <<<"$command"
        [ "$(offers "$tool" "$model" "$option=" | wc -l)" -ge 2 ]
        for value in $(offers "$tool" "$model" "$option="); do
            # a galaxy takes half a second to make: it is refused for its number of bodies, once its options are read
            run nbgen "$model" "$option=$value" $([ "$model" != galaxy ] || echo --bodies=5) -o missing/folder.nbs
            [[ "$output" == *"missing/folder.nbs"* || "$output" == *"GNU Scientific"* || "$output" == *"galaxy needs at least 100"* ]] || { echo "$command=$value: $output" >&2; return 1; }
        done
    done
}

@test "the tool: nbconv offers the options of the format that is named, and of its direction" {
    for format in $(nbconv --list-formats | grep -v '^#' | cut -f 1); do
        for direction in --from --to; do
            for option in $(offers nbconv "$direction=$format" -- | grep =); do
                # What goes with others is refused as a usage that names them; a value may be none.
                run nbconv "$direction=$format" "${option}1" nothing
                [[ "$output" != *" works only with --"* ]] || { echo "$direction $format $option: $output" >&2; return 1; }
            done
        done
    done
    offered "--columns=" nbconv --to csv --col
    offered "" nbconv --from csv --col
    offered "--fields=" nbconv --from csv --fi
    offered "" nbconv --from gadget --fi
    offered "code galactic solar gauss" nbconv --from text --units=
    offered "f32 f64 quad" nbconv --from text --store=
}

@test "the tool: nbedit offers what its values begin with, and takes it" {
    nbgen disk -q -n 100 -o g.nbs
    offered "com densest" nbedit --center=
    offered "x: y: z:" nbedit --rotate x:90,
    offered "length= mass= velocity=" nbedit --resize=
    offered "keep scale" nbedit --sample-mass=
    offered "disk" nbedit --select=halo,di
    offered "all" nbstat --select=al
    for axis in $(offers nbedit --rotate=); do nbedit -q --rotate="${axis}30" g.nbs >x.nbs; done
    for key in $(offers nbedit --resize=); do nbedit -q --resize="${key}2" g.nbs >x.nbs; done
    for where in $(offers nbedit --center=); do nbedit -q --center="$where" g.nbs >x.nbs; done
    for how in $(offers nbedit --sample-mass=); do nbedit -q --sample 1/2 --sample-mass "$how" g.nbs >x.nbs; done
    for what in all $(offers nbedit --select=); do nbedit -q --select "$what" g.nbs >x.nbs; done
    for column in r speed mass id component; do
        offers nbedit --sort= | grep -qx $column
        nbedit -q --sort $column g.nbs >x.nbs
    done
    for column in $(offers nbedit --set= | grep -v _id); do
        nbedit -q --set "${column}1" g.nbs >x.nbs
    done
    for column in id component; do
        offers nbedit --columns= | grep -qx $column
        nbedit -q --columns $column g.nbs >x.nbs
    done
}

@test "the tool: a model first, then its options; files where files are meant" {
    diff <(nbgen --help | sed -n '/^The models:/,/^`nbgen/s/^  \([a-z0-9-]*\)  .*/\1/p') <(offers nbgen '')
    offered plummer nbgen plu
    offered plummer nbgen help plu
    offered "--eccentricity=" nbgen kepler --ecc
    offered "" nbgen plummer --ecc
    offered "" nbgen nonsense --
    diff <(offers nbgen '') <(offers nbgen -q -n 10 '')
    offered plummer nbgen -n 10 plu
    offered "--eccentricity=" nbgen -q kepler --ecc
    offered "--list-models" nbgen --lis
    [[ " $(offers nbgen kepler '' | paste -sd ' ') " == *" --bodies= "* ]] # it reads no files
    for command in "nbsim " "nbstat " "nbrender " "nbconv " "nbgen merge "; do
        # shellcheck disable=SC2086
        ${command% } --print-completions ${command#* } '' >lines
        grep -qx 'f.nbs\|f' lines
    done
    for words in "nbsim -o" "nbsim -qo" "nbsim --log" "nbrender --camera" "nbgen kepler --output"; do
        # shellcheck disable=SC2086
        set -- $words
        [ "$("$1" --print-completions "${@:2}" '' | paste -sd ' ')" = "= f" ]
    done
}

# Of bash's function, as bash calls it: the line with | where the cursor is; candidates between brackets
in_bash() { # in_bash [-b WORDBREAKS] 'LINE|'
    timeout 20 bash --norc --noprofile -c '
        [ "$1" != -b ] || { COMP_WORDBREAKS=$2; shift 2; }
        COMP_LINE=${1/|/} COMP_POINT=${1%%|*} COMP_POINT=${#COMP_POINT} COMP_WORDS=() COMP_CWORD=-1
        rest=$COMP_LINE
        while [ -n "$rest" ]; do # as readline does it: at blanks, and before and behind = and :
            trimmed=${rest#"${rest%%[! ]*}"}
            seen=$((${#COMP_LINE} - ${#trimmed}))
            word=${trimmed%%[ =:]*}
            [ "$COMP_WORDBREAKS" != " " ] || word=${trimmed%% *}
            [ -n "$word" ] || { word=${trimmed%%[! =:]*}; word=${trimmed%%[!=:]*}; }
            [ "$seen" -gt "$COMP_POINT" ] || COMP_CWORD=${#COMP_WORDS[@]}
            COMP_WORDS+=("$word")
            rest=${trimmed#"$word"}
        done
        . "comp/bash/${COMP_WORDS[0]##*/}"
        _nbtools
        printf "[%s]" "${COMPREPLY[@]}"' _ "$@" 2>&1
}

completed() { # completed EXPECTED in_bash-arguments...
    local found
    found=$(in_bash "${@:2}")
    [ "$found" = "$1" ] || { echo "${*:2}: $found" >&2; return 1; }
}

@test "bash: words are put together, cut where bash replaces, with a blank where one belongs" {
    scripts
    for tool in $bats_tools; do
        bash -n "comp/bash/$tool"
    done
    completed '[--until=]' 'nbsim --unt|'
    completed '[--until=]' 'nbsim --unt|8'
    completed '[--quiet ]' 'nbsim --qui|'
    completed '[ias15 ]' 'nbsim --integrator=ias|'
    completed '[ias15 ]' 'nbsim --until 8 --integrator=ias| --every 1'
    completed '[ias15 ]' 'nbsim --integrator ias|'
    completed '[--integrator=ias15 ]' -b ' ' 'nbsim --integrator=ias|'
    completed '[leapfrog ][leapfrog-dkd ][leapfrog-block ]' 'nbsim --integrator=leap|'
    completed '[spherical ][cylindrical ]' 'nbstat --radial=|'
    completed '[nfw,]' 'nbsim --force=external:n|'
    completed '[external:nfw,]' -b '=' 'nbsim --force=external:n|'
    completed '[scale=]' 'nbsim --force=external:nfw,mass=3,sc|' || completed '[3,scale=]' 'nbsim --force=external:nfw,mass=3,sc|'
    completed '[time,energy_error]' 'nbstat --columns=time,energy_|'
    completed '[plummer ]' 'nbgen plum|'
    completed '[--truncation=]' 'nbgen plummer --trunc|'
    completed '[--until=]' "$NB_BUILD/bin/nbsim --unt|"
}

@test "bash: files that end with .nbs, folders, else what readline finds" {
    scripts
    mkdir folder
    touch a.nbs 'b c.nbs' other.txt
    completed '[a.nbs][b c.nbs][comp][folder]' 'nbsim |'
    completed '[b c.nbs]' 'nbsim b|'
    completed '[]' 'nbsim other|'
    completed '[]' 'nbsim -o |'
}

@test "fish: candidates with what they are" {
    command -v fish >/dev/null || skip "no fish"
    scripts
    touch 'b c.nbs' other.txt
    fish_completes() { # fish_completes EXPECTED LINE
        HOME=$PWD timeout 20 fish --no-config -c 'for f in comp/fish/*.fish; source $f; end; complete -C $argv[1]' "$2" >found 2>&1 || true
        [ "$(cut -f1 found | paste -sd ' ')" = "$1" ] || { echo "$2:" >&2; cat found >&2; return 1; }
    }
    fish_completes "--until=" "nbsim --unt"
    grep -q "$(printf '^--until=\trun to time T')" found
    fish_completes "--integrator=ias15" "nbsim --integrator=ias"
    fish_completes "ias15" "nbsim --integrator ias"
    fish_completes "--force=external:nfw," "nbsim --force=external:n"
    fish_completes "--columns=time,energy_error" "nbstat --columns=time,energy_"
    fish_completes "plummer" "nbgen plum"
    fish_completes "--truncation=" "nbgen plummer --trunc"
    fish_completes "b c.nbs" "nbsim b"
    fish_completes "--log=other.txt" "nbsim --log=o"
}

@test "zsh: a line that is completed" {
    command -v zsh >/dev/null || skip "no zsh"
    scripts
    touch 'b c.nbs'
    cat >ask.zsh <<'Z'
zmodload zsh/zpty
zpty z zsh -f -i
await() { # output up to this text
    local piece
    heard=
    while [[ $heard != *"$1"* ]]; do zpty -r z piece || return 1; heard+=$piece; done
}
zpty -w z "PROMPT= RPROMPT= ; stty columns 200; fpath=($PWD/comp/zsh \$fpath); autoload -U compinit; compinit -u -D; bindkey '^I' complete-word; unsetopt beep zle_bracketed_paste"
zpty -w z "show() { print -r -- \"<<<\$BUFFER|>>>\"; zle kill-whole-line }; zle -N show; bindkey '^O' show; print ready''now"
await readynow
for line in "$@"; do
    zpty -w -n z "$line"$'\t\x0f'
    await '|>>>' && print -r -- "${${heard##*<<<}%%|>>>*}"
done
zpty -d z
Z
    HOME=$PWD PATH=$PATH timeout 60 zsh -f ask.zsh 'nbsim --unt' 'nbsim --qui' 'nbsim --integrator=ias' 'nbsim --integrator leapfrog-d' \
        'nbsim --force=external:n' 'nbgen plum' 'nbgen plummer --trunc' 'nbstat --columns=time,energy_' 'nbsim b' >found 2>&1 || { cat found >&2; return 1; }
    diff found - <<'F'
nbsim --until=
nbsim --quiet 
nbsim --integrator=ias15 
nbsim --integrator leapfrog-dkd 
nbsim --force=external:nfw,
nbgen plummer 
nbgen plummer --truncation=
nbstat --columns=time,energy_error
nbsim b\ c.nbs 
F
}
