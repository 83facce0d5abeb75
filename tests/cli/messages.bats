#!/usr/bin/env bats
# Messages for new users: the help in all its forms, and errors that suggest the intended name.
bats_require_minimum_version 1.5.0
load ../common/common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    PATH=$NB_BUILD/bin:$PATH nbgen plummer -q -n 10 -o a.nbs
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "-h, -? and the word help are --help, with and without a model" {
    for tool in nbsim nbrender nbstat nbconv nbgen "nbgen plummer" "nbgen merge"; do
        # shellcheck disable=SC2086 # words
        $tool --help >wanted
        for word in -h -? help; do
            # shellcheck disable=SC2086
            $tool $word | diff wanted -
        done
    done
    nbgen plummer --help >wanted
    nbgen help plummer | diff wanted -
    nbgen --help plummer | diff wanted -
    run -2 --separate-stderr nbgen help plumer
    cp a.nbs help # a file of that name is a file
    nbstat help | grep -q '^help	0	'
    rm help
}

@test "an option that is nearly one is guessed" {
    refused 2 "nbsim: --untill: no such option (did you mean --until?)" nbsim --untill 3
    refused 2 "nbgen: --n: no such option (did you mean -n, --bodies?)" nbgen plummer --n 100
    refused 2 "nbsim: --o: no such option (did you mean -o, --output?)" nbsim --o=x.nbs
    refused 2 "nbrender: --cmap: no such option (did you mean --colormap?)" nbrender --cmap jet
    refused 2 "nbgen: --eps: no such option (did you mean --softening?)" nbgen plummer --eps 0.1
    refused 2 "nbstat: --cmap: no such option" nbstat --cmap jet
    refused 2 "nbsim: --utnil: no such option (did you mean --until?)" nbsim --utnil=3
    refused 2 "nbgen: --sed: no such option (did you mean --seed?)" nbgen kepler --sed 3
    refused 2 "nbsim: --xyz: no such option" nbsim --xyz
    refused 2 "nbsim: --x: no such option" nbsim --x
    run -2 --separate-stderr nbgen UINFROM # exchanged letters count once in capitals too
    [[ "$stderr" == *"(did you mean uniform?)"* ]]
    run -2 --separate-stderr nbsim "--$(printf 'a%.0s' {1..500})"
    run -2 --separate-stderr nbgen "$(printf 'a%.0s' {1..500})"
}

@test "a foreign file is named by its first bytes, with the command that reads it" {
    local not="not a snapshot stream but"
    printf '\211HDF\r\n\032\n%056d' 0 >snap.hdf5
    cp snap.hdf5 snap.h5
    local sizes="--length-unit 1kpc --mass-unit 1e10Msun"
    nbconv -q --to tipsy $sizes -o snap.std a.nbs
    nbconv -q --to tipsy $sizes --endian little -o snap.out a.nbs
    nbconv -q --to nemo -o snap.nemo a.nbs
    nbconv -q --to text -o snap.txt a.nbs
    printf '\0\1\0\0%060d' 0 >snapshot_000 # GADGET's two binary formats
    printf '\10\0\0\0HEAD%056d' 0 >snapshot_001
    while IFS='|' read -r tool file message; do
        run -1 --separate-stderr $tool $file
        [ "$stderr" = "${tool%% *}: $file: $message" ] || { echo "$tool $file: $stderr" >&2; false; }
    done <<END
nbrender|snap.hdf5|$not HDF5 (nbconv snap.hdf5 | nbrender)
nbstat|snap.h5|$not HDF5 (nbconv --from gadget snap.h5 | nbstat)
nbsim --steps 1 --dt 1|snap.std|$not TIPSY's binary format (nbconv snap.std | nbsim)
nbedit|snap.out|$not TIPSY's binary format (nbconv --from tipsy snap.out | nbedit)
nbrender|snap.nemo|$not NEMO's binary format (nbconv snap.nemo | nbrender)
nbstat|snap.txt|$not text (nbconv snap.txt | nbstat)
nbstat|snapshot_000|$not GADGET's binary format (nbconv --from gadget2 snapshot_000 | nbstat)
nbstat|snapshot_001|$not GADGET's binary format (nbconv --from gadget2 snapshot_001 | nbstat)
END
    for file in snap.std snap.out snap.nemo snap.txt; do # the command that is named works
        run -1 --separate-stderr nbstat $file
        eval "$(sed 's/.*(//; s/)$//' <<<"$stderr")" | grep -q '^stdin'
    done
    run -1 --separate-stderr bash -c 'nbstat <snap.nemo'
    [ "$stderr" = "nbstat: stdin: $not NEMO's binary format (nbconv --from nemo FILE | nbstat)" ]
}

@test "an ending that nbconv does not know is named, with the formats" {
    refused 2 "nbconv: x.xlsx: unknown ending .xlsx: give --to FORMAT, one of text csv g1 si adk zeno rosetta gadget swift gadget2 gadget1 tipsy nemo vtk ply" nbconv a.nbs -o x.xlsx
    refused 2 "nbconv: x.xlsx: unknown ending .xlsx: give --from FORMAT, one of text csv g1 si adk zeno rosetta gadget swift gadget2 gadget1 tipsy nemo vtk ply" nbconv x.xlsx -o b.nbs
    refused 2 "nbconv: give exactly one of --from and --to" nbconv a.nbs
}

@test "so are models, words, integrators, forces, columns and formats" {
    run -2 --separate-stderr nbgen plumer
    [[ "${stderr_lines[0]}" == "nbgen: unknown model 'plumer' (did you mean plummer?); models: plummer, "* ]]
    run -2 --separate-stderr nbgen Nothing
    [[ "${stderr_lines[0]}" == "nbgen: unknown model 'Nothing'; models: plummer, "* ]]
    refused 2 "nbsim: --precision duoble: expected single, mixed, double or quad (did you mean double?)" nbsim --precision duoble
    refused 2 "nbrender: --style disks: expected auto, light or discs (did you mean discs?)" nbrender --style disks
    refused 2 "nbgen: --shape box: expected sphere or cube" nbgen uniform --shape box
    run -2 --separate-stderr nbsim --integrator leapfog --until 1 a.nbs
    [[ "$stderr" == *"unknown integrator 'leapfog'"*"(did you mean leapfrog?)"* ]]
    run -2 --separate-stderr nbsim --force tre --until 1 a.nbs
    [[ "$stderr" == *"unknown force 'tre'"*"(did you mean tree?)"* ]]
    run -2 --separate-stderr nbsim --force tree:thta=1 --until 1 a.nbs
    [[ "$stderr" == *"unknown parameter 'thta'"* && "$stderr" != *"did you mean"* ]]
    run -2 --separate-stderr nbstat --columns time,enrgy a.nbs
    [[ "$stderr" == *"unknown column 'enrgy' (did you mean energy?); columns:"* ]]
    run -2 --separate-stderr nbconv --to txt a.nbs
    [[ "$stderr" == *"--to txt: expected one of "*" (did you mean text?)"* ]]
}

@test "--device names what there is" {
    for tool in nbsim nbstat; do
        refused 2 "$tool: --device gpu: expected auto, cpu[:A-B], cuda[:N|:A-B|:all] or opencl[:N]" $tool --device gpu
        refused 2 "$tool: --device CPU: expected auto, cpu[:A-B], cuda[:N|:A-B|:all] or opencl[:N] (did you mean cpu?)" $tool --device=CPU
        run -2 --separate-stderr $tool --device cuda:x a.nbs
        run -2 --separate-stderr $tool --device cudax a.nbs
    done
    refused 2 "nbrender: --device opencl: expected auto, cpu or cuda[:N]" nbrender --device opencl
}

@test "a picture that is too large: the limit, whatever the number of digits" {
    for size in 100000x100000 16385x1 1x16385 99999999999999999999999999x1 1x0; do
        refused 2 "nbrender: --size $size: width and height must be from 1 to 16384" nbrender --size $size -o x.png a.nbs
    done
    for size in 100 x 100x 1x2x3 -1x5 ' 1x1' +1x1 1X1 0x10x10; do
        refused 2 "nbrender: --size $size: expected WxH, such as 1920x1080" nbrender "--size=$size" -o x.png a.nbs
    done
}

@test "an option in the place of a value: the value is missing; who looks for -f finds it" {
    refused 2 "nbsim: --force needs a value: NAME[:key=value,...] (-o is the next option); -f overwrites an output" nbsim --force -o x.nbs a.nbs
    refused 2 "nbsim: --force needs a value: NAME[:key=value,...]; -f overwrites an output" nbsim a.nbs --force
    refused 2 "nbgen: --force: no such option; -f overwrites an output" nbgen kepler --force -o x.nbs
    refused 2 "nbsim: --until needs a value: T (--every is the next option)" nbsim --until --every 1 a.nbs
    refused 2 "nbsim: -o needs a value: FILE (--until is the next option)" nbsim a.nbs -o --until=1
    nbsim -q a.nbs --dt -0.01 --until -0.02 >/dev/null # a number is none
    nbgen kepler -q -o=--until && [ -s =--until ] # behind a letter = is the value's own
    nbgen kepler -q --output=-q # behind = it is a value
    rm -- -q
}

@test "one is not several" {
    nbsim --device cpu --steps 1 -f -o x.nbs a.nbs 2>text
    grep -q 'in 1 step, 2 frames$' text
    grep -q '^nbsim: 1 step, [0-9]* force evaluations\? in ' text
    nbsim --device cpu --steps 0 -f -o x.nbs a.nbs 2>text
    grep -q '^nbsim: 1 frame, about ' text
    grep -q 'in 0 steps, 1 frame$' text
    run ! grep -wE '1 (steps|frames|bodies|force evaluations)' text
    run -1 --separate-stderr nbrender --size 32x18 --style light --labels id -f -o x.png a.nbs
    [[ "$stderr" == *"10 bodies are drawn as light"* ]]
}

@test "a disk moves at random in one way" {
    for model in disk collision; do
        for options in "--toomre 1 --dispersion 0.1" "--dispersion 0.1 --toomre 1"; do
            # shellcheck disable=SC2086 # words
            refused 2 "nbgen: --toomre and --dispersion both set the random motions: give only one" nbgen $model -n 100 $options
        done
    done
}

@test "the input as output is named so, and kept" {
    cp a.nbs b.nbs
    for command in "nbsim -q --until 1" "nbconv --to text"; do
        # shellcheck disable=SC2086 # words
        run -1 --separate-stderr $command b.nbs -o b.nbs
        [ "$stderr" = "${command%% *}: b.nbs: exists already, and is the input (-f replaces it)" ]
    done
    cmp a.nbs b.nbs
    run -1 --separate-stderr nbsim -q --until 1 a.nbs -o b.nbs
    [ "$stderr" = "nbsim: b.nbs: exists already (-f replaces it)" ]
}

@test "options that are not possible together, and wrong values, are refused with the reason" {
    nbgen windtunnel -q -n 200 -o disks.nbs -f
    while IFS='|' read -r command message; do
        # shellcheck disable=SC2086 # words
        refused 2 "${command%% *}: $message" $command
        [ -z "$(find . -name "o.nbs" -o -name "a.png" -o -name "a.mp4")" ]
    done <<'END'
nbrender --color-range 3,1 -o a.png a.nbs|--color-range 3,1: expected A,B with A below B
nbrender --color component --color-range 1,2 -o a.png a.nbs|--color component uses fixed colours, without a colour map, scale or range
nbrender --color density --smooth fixed -o a.png a.nbs|--color density needs --smooth K, not fixed
nbrender --contours 5 -o a.png a.nbs|--contours needs --map
nbrender --map potential --average 3 -o a.mp4 a.nbs|--average works for light and maps of bodies, not for --map potential
nbrender --map Nothing+ -o a.png a.nbs|--map Nothing+: expected density, potential, acceleration, speed or the name of a column
nbrender --hdr -o a.webm a.nbs|--hdr needs hevc of 10 bits in mp4, mov or mkv, not a.webm
nbrender --hdr -o a.png a.nbs|--hdr works only for films without alpha, not for a.png
nbrender --hdr --map density -o a.mp4 a.nbs|--hdr works for light only, not for --map
nbrender --quality best -o a.gif a.nbs|--quality works for films by ffmpeg, JPEG and WebP only, not a.gif
nbrender --alpha -o a.jpg a.nbs|--alpha works for PNG, WebP, APNG and MOV only, not a.jpg
nbrender --alpha --chroma 420 -o a.mov a.nbs|--chroma 420: a film with alpha always has 444
nbrender --no-dither -o a.mp4 a.nbs|--no-dither works for pictures of 8 bits only; films of 8 bits are always dithered
nbrender --chroma 444 -o a.png a.nbs|--chroma 444 works for films, YUV4MPEG2 and JPEG only, not a.png
nbrender --size 101x101 -o a.mp4 a.nbs|--size 101x101: a film needs even numbers (except with --chroma 444)
nbrender --layout quad -o a.exr a.nbs|-o a.exr: this format holds one view: omit --layout quad (or choose another format)
nbrender --stereo anaglyph -o a.exr a.nbs|-o a.exr: this format holds one view: omit --stereo (or choose another format)
nbrender --layout quad --stereo anaglyph -o a.exr a.nbs|-o a.exr: this format holds one view: omit --layout quad and --stereo (or choose another format)
nbrender --style discs -o a.exr a.nbs|-o a.exr: contains light, so discs are not possible
nbrender --keep-partial -o a.png a.nbs|--keep-partial works for films and YUV4MPEG2 only, not a.png
nbrender --overlay nothing -o a.png a.nbs|--overlay nothing: 'nothing': expected time, scale, colorbar, title, energy, box, n, step, dp or dl
nbrender --overlay title -o a.png a.nbs|--overlay title: there is no title (--title TEXT)
nbrender --draw-tree=3 --force direct -o a.png a.nbs|--draw-tree: --force direct has no cells to draw (use octree or kdtree)
nbrender --view q -o a.png a.nbs|--view q: expected x, y, z or AZ,EL in degrees
nbrender --stereo red -o a.png a.nbs|--stereo red: expected anaglyph or anaglyph,BASE
nbrender --slice 3,-1 --map potential -o a.png a.nbs|--slice 3,-1: expected Z,DZ with a thickness DZ above 0
nbrender --projection dome --layout quad -o a.png a.nbs|--layout quad works for flat pictures only, not for --projection dome
nbrender --projection dome --size 100x50 -o a.png a.nbs|--size 100x50: --projection dome needs a square
nbrender --center 0,0,0 --follow com -o a.png a.nbs|--center: --follow sets the centre already
nbsim --dt 0 --until 1 -o o.nbs a.nbs|--dt 0: must not be zero
nbsim -o o.nbs a.nbs|give the end of the run: --until T or --steps N
nbsim --write acc,x --until 1 -o o.nbs a.nbs|--write acc,x: 'x': expected acc, phi, pressure or step
nbsim --until 1 --merge-radius 0.1 -o o.nbs disks.nbs|--merge-radius: not possible with colliding disks
nbstat --max-de 1e-3 --potential none a.nbs|--max-de needs the energy, but --potential none omits it
nbstat --lagrange 120 a.nbs|--lagrange: 120 is above 100 percent
nbstat --escaped --potential none a.nbs|--escaped needs the potential, but --potential none omits it
nbstat --axis 0,0,0 a.nbs|--axis 0,0,0: the direction has length 0
nbstat --params no.such.key+ a.nbs|--params no.such.key+: 'no.such.key+': expected the name of an option, such as theta or nbgen.virial
nbedit --columns pos,-vel -o o.nbs a.nbs|--columns pos,-vel: expected NAME,NAME (columns to keep) or -NAME,-NAME (columns to remove)
nbedit --stack --stack -o o.nbs a.nbs|--stack: give it only once: it combines all inputs
END
}
