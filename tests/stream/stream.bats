#!/usr/bin/env bats
# The snapshot stream for users: the reader in the manual page, head, cat, truncated and damaged files, salvage.
bats_require_minimum_version 1.5.0
load ../common/common

# A stream of $1 frames of three bodies, at times 0, 0.5, 1 ...; every value tells frame, body and field apart.
stream() {
    awk -v frames="$1" 'BEGIN {
        for (k = 0; k < frames; k++) {
            print "# frame " k " time " k / 2
            print "# id m x y z vx vy vz"
            for (i = 0; i < 3; i++)
                print 10 + i, i + 1, 100 * k + i, 0.1 * i, -k, i / 3, 1e-300 * k, 1e300
        }
    }' | nbconv --from text
}

# The program that stands in nbs(5).
reader() {
    sed -n '/BEGIN READER/,/END READER/ { /^\.\\"/d; s/\\-/-/g; p }' "$root/man/nbs.5" >reader.py
    [ "$(wc -l <reader.py)" -le 53 ]
}

# Byte $2 of file $1 becomes another one.
damage() {
    python - "$1" "$2" <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2]))
    byte = f.read(1)[0]
    f.seek(int(sys.argv[2]))
    f.write(bytes([byte ^ 16]))
END
}

@test "a header is read with head" {
    stream 2 >s.nbs
    head -n 14 s.nbs | diff - <(cat <<'END'
nbs 1 frame
n 3
time 0
step 0
G 1
softening 0
dt 0
units code
length_cgs 0
mass_cgs 0
time_cgs 0
column id u64 1 -
column mass f64 1 M
column pos f64 3 L
END
    )
}

@test "the reader of the manual page reads a file and a pipe" {
    reader
    stream 3 >s.nbs
    python reader.py s.nbs >file.txt
    python reader.py /dev/stdin < <(cat s.nbs) >pipe.txt
    diff file.txt - <<'END'
time 0.0 bodies 3 mass 6.0 farthest 2.0
time 0.5 bodies 3 mass 6.0 farthest 102.0
time 1.0 bodies 3 mass 6.0 farthest 202.0
END
    diff file.txt pipe.txt
    # A cut anywhere: in a text block, a column, padding, the trailer or the close line, or between two of them.
    size=$(stat -c %s s.nbs)
    for end in $(seq 33 $((size / 40)) "$size") $((size / 2 / 64 * 64)) $((size - 64)) $((size - 1)); do
        head -c "$end" s.nbs >cut.nbs
        run -1 python reader.py cut.nbs
        [[ $output == *"EOFError: the stream is truncated" ]] || { echo "$end: $output" >&2; return 1; }
    done
    python - <<'END'
s = open("s.nbs", "rb").read()
frame = s.index(b"nbs 1 frame", 1)
open("swapped.nbs", "wb").write(s[frame : 2 * frame] + s[:frame] + s[2 * frame :])
header = s.index(b"checksum") + 26 + 63 & ~63
open("header.nbs", "wb").write(s[frame : frame + header] + s[header:])
END
    run -1 python reader.py swapped.nbs
    [[ $output == *"no trailer of these frames" ]]
    run -1 python reader.py header.nbs
    [[ $output == *"no footer of this header" ]]
}

@test "frames that are exchanged are noticed" {
    stream 4 >s.nbs
    python - <<'END'
s = open("s.nbs", "rb").read()
size = s.index(b"nbs 1 frame", 1)
frames = [s[k * size : (k + 1) * size] for k in range(4)]
open("swapped.nbs", "wb").write(b"".join([frames[0], frames[2], frames[1]]) + s[3 * size :])
open("copy.nbs", "wb").write(b"".join([frames[0], frames[1], frames[1]]) + s[3 * size :])
header = frames[0].index(b"checksum") + 26 + 63 & ~63
open("header.nbs", "wb").write(s[:size] + frames[3][:header] + s[size + header :])
END
    run -1 --separate-stderr nbstat --check swapped.nbs
    [ "$stderr" = "nbstat: swapped.nbs: frame 1 is not the frame that the trailer of the stream lists" ]
    run -1 --separate-stderr bash -c 'nbstat --check <swapped.nbs'
    run -1 --separate-stderr bash -c 'cat swapped.nbs | nbconv --to text --frame all'
    [ "$stderr" = "nbconv: stdin: frame 1 is not the frame that the trailer of the stream lists" ]
    run -1 nbstat --check copy.nbs
    [[ $output == *"copy.nbs: frame 2 is not the frame that the trailer of the stream lists"* ]]
    run -1 nbconv --to text --frame 2 copy.nbs
    run -0 nbconv --to text --frame 1 copy.nbs
    run -1 nbstat --check header.nbs
    [[ $output == *"header.nbs: frame 1: the footer belongs to another header; the last whole frame is 0 (time 0)"* ]]
    run -0 --separate-stderr nbconv --to text --salvage --frame all swapped.nbs
    [ "$stderr" = "nbconv: warning: swapped.nbs: frame 1 is not the frame that the trailer of the stream lists" ]
    run -0 --separate-stderr nbconv --to text --salvage --frame all header.nbs
    [ "$(grep -c '^# frame' <<<"$output")" = 3 ]
}

@test "streams from before the first release are refused in a sentence" {
    python - <<'END'
from nbs_writer import *
new = frame([1.0], [[0.0, 0, 0]], [[0.0, 0, 0]])
at = new.index(b"nbs 1 footer")
lines = new[at:].decode().split("\n")
old = new[:at] + text_block(lines[0], *lines[2:-2])
trailer = text_block("nbs 1 trailer", "frames 1", "offset 0")
close = b"nbs 1 close %017d %016d " % (len(old + trailer) + 64, len(trailer))
open("old.nbs", "wb").write(old + trailer + close + checksum(close).encode() + b"\n")
END
    for command in "nbconv --to text" "nbconv --to text --frame 0" "nbstat --check"; do
        run -1 --separate-stderr $command old.nbs
        [ "$stderr" = "${command%% *}: old.nbs: frame 0: written by a development version whose footers do not name their header; create the stream again" ]
    done
}

@test "columns stand on 64 bytes, padded with zeros, at the offsets of the trailer" {
    stream 3 >s.nbs
    python - <<'END'
import re, struct
s = open("s.nbs", "rb").read()
assert len(s) % 64 == 0
marks = re.findall(rb"\nframe (\d+) ([0-9a-f]{16})", s)
offsets = [int(offset) for offset, _ in marks]
assert offsets == [m.start() for m in re.finditer(rb"nbs 1 frame\n", s)] and len(offsets) == 3
headers = re.findall(rb"nbs 1 frame\n.*?checksum ([0-9a-f]{16})\n", s, re.S)
footers = re.findall(rb"nbs 1 footer\nheader ([0-9a-f]{16})\n.*?checksum ([0-9a-f]{16})\n", s, re.S)
assert footers == [(header, footer) for header, (_, footer) in zip(headers, marks)] and len(footers) == 3
close = s[-64:].split()
assert close[:3] == [b"nbs", b"1", b"close"] and int(close[3]) == len(s) and s.endswith(b"\n")
assert s[len(s) - 64 - int(close[4]):].startswith(b"nbs 1 trailer\nframes 3\n")
end = s.index(b"\nchecksum ", offsets[1]) + 27
at = (end + 63) // 64 * 64
assert set(s[end:at]) <= {0}
assert struct.unpack("<3Q", s[at:at + 24]) == (10, 11, 12) and not any(s[at + 24:at + 64])
assert struct.unpack("<3d", s[at + 64:at + 88]) == (1, 2, 3)
assert struct.unpack("<9d", s[at + 128:at + 200]) == (100, 0, -1, 101, 0.1, -1, 102, 0.2, -1)
END
}

@test "a pipe and a file hold the same bytes, equal commands give equal bytes" {
    stream 3 >a.nbs
    stream 3 | cat | cat >b.nbs
    cmp a.nbs b.nbs
}

@test "cat of streams is a stream, its frames numbered through" {
    stream 3 >a.nbs
    stream 2 >b.nbs
    cat a.nbs b.nbs >c.nbs
    [ "$(nbconv --to text --frame all c.nbs | grep -c '^# frame')" = 5 ]
    cat a.nbs b.nbs | nbconv --to text --frame all | cmp - <(nbconv --to text --frame all c.nbs)
    diff <(nbconv --to text --frame 4 c.nbs) <(nbconv --to text b.nbs)
    diff <(cat c.nbs | nbconv --to text --frame 2) <(nbconv --to text a.nbs)
    run -1 nbconv --to text --frame 5 c.nbs
    [ "$output" = "nbconv: c.nbs: no frame 5: there are 5 (0 to 4)" ]
}

@test "unknown columns and keys go through a tool" {
    printf '# m x y z vx vy vz charm spin_x spin_y spin_z\n1 0 0 0 0 0 0 3.25 1 2 3\n2 1 0 0 0 1 0 1e-9 4 5 6\n' |
        nbconv --from text | nbsim --steps 3 --dt 0.01 --device cpu -q >out.nbs
    diff <(nbconv --to text --columns charm,spin out.nbs) - <<'END'
# charm spin_x spin_y spin_z
3.25 1 2 3
1e-9 4 5 6
END
    # Keys that are not known may be repeated, and keep their order.
    python - <<'END'
from nbs_writer import *
write("keys.nbs", frame([1.0], [[0.0, 0, 0]], [[0.0, 0, 0]], note=["z first", "a second", "a second"], key="b"))
END
    diff <(nbsim --steps 1 --dt 0.01 --device cpu -q keys.nbs | grep -aE '^(note|key) ' | head -n 4) - <<'END'
note z first
note a second
note a second
key b
END
    nbconv --from rosetta "$data/rosetta.txt" -q | nbsim --steps 1 --dt 0.01 --device cpu -q | grep -a '^steps 20$'
}

@test "history grows a line with each tool" {
    stream 1 | nbsim --steps 1 --dt 0.25 --max-de inf --device cpu -q >out.nbs
    version=$(nbconv --version | awk 'NR == 1 { print $3 }')
    diff <(grep -a '^history' out.nbs | head -n 2 | sed 's/ --.*//') - <<END
history 1 - nbconv $version - nbconv
history 2 1 nbsim $version - nbsim
END
    grep -a '^history 1 - .* nbconv --from=text$' out.nbs
    grep -a '^history 2 1 .* --dt=0.25' out.nbs
    run ! grep -a '^history.*device' out.nbs
}

@test "a cut stream names the last whole frame, on a file and on a pipe" {
    stream 5 >s.nbs
    frame=$(($(grep -abo 'nbs 1 frame' s.nbs | sed -n 2p | cut -d: -f1)))
    for size in $((3 * frame + 1)) $((3 * frame + 100)) $((4 * frame - 1)); do
        head -c $size s.nbs >cut.nbs
        run -1 --separate-stderr nbconv --to text cut.nbs
        [ "$stderr" = "nbconv: cut.nbs: the stream is truncated $([ $size = $((3 * frame + 1)) ] && echo after a frame || echo in frame 3); the last whole frame is 2 (time 1)" ]
        [ -z "$output" ]
        run -1 --separate-stderr bash -c "head -c $size s.nbs | nbconv --to text --frame all"
        [[ $stderr == *"; the last whole frame is 2 (time 1)" ]]
    done
    head -c $((3 * frame)) s.nbs >cut.nbs
    run -1 --separate-stderr nbconv --to text cut.nbs
    [ "$stderr" = "nbconv: cut.nbs: the stream is not finished: it ends after frame 2 (time 1) without the trailer (interrupted run? --salvage accepts it)" ]
    head -c -1 s.nbs >cut.nbs
    run -1 --separate-stderr nbconv --to text cut.nbs
    [ "$stderr" = "nbconv: cut.nbs: the stream is truncated in its trailer; the last whole frame is 4 (time 2)" ]
    head -c 100 s.nbs >cut.nbs
    run -1 --separate-stderr nbconv --to text cut.nbs
    [ "$stderr" = "nbconv: cut.nbs: the stream is truncated in frame 0; no whole frame" ]
}

@test "damage names frame, column and block; salvage gives the other frames" {
    stream 5 >s.nbs
    cp s.nbs bad.nbs
    pos=$(python -c 'print(open("s.nbs", "rb").read().index(bytes.fromhex("0000000000c07240")))') # 300., x of frame 3
    damage bad.nbs "$pos"
    run -1 --separate-stderr nbconv --to text bad.nbs
    [ "$stderr" = "nbconv: bad.nbs: frame 3: column 'pos' is damaged: the checksum of block 0 is wrong; the last whole frame is 2 (time 1)" ]
    run -1 --separate-stderr bash -c "nbconv --to text --salvage --frame 3 - <bad.nbs"
    [[ $stderr == *"stdin: frame 3 is damaged" ]]
    for input in "bad.nbs" "- <bad.nbs" "< <(cat bad.nbs)"; do
        run -0 --separate-stderr bash -c "nbconv --to text --salvage --frame all $input"
        [ "$(grep -c '^# frame' <<<"$output")" = 4 ]
        [ "$(grep '^# frame' <<<"$output" | tail -n 1)" = "# frame 4 time 2" ]
        [[ $stderr == "nbconv: warning: "*"skipped: frame 3: column 'pos' is damaged: the checksum of block 0 is wrong" ]]
    done
}

@test "salvage of a stream without its end" {
    stream 5 | head -c -700 >cut.nbs
    run -0 --separate-stderr nbconv --to text --salvage cut.nbs
    [[ $(grep -v '^#' <<<"$output" | head -n 1) == "10 1 300 0 -3 0 "* ]]
    [[ $stderr == "nbconv: warning: cut.nbs: skipped: the stream is truncated in frame 4"* ]]
    head -c 300 cut.nbs >none.nbs
    run -1 nbconv --to text --salvage none.nbs
    [[ $output == *"none.nbs: no whole frame" ]]
}

@test "a file that is cut before another is appended loses one frame" {
    stream 3 | head -c -700 >a.nbs
    stream 2 >>a.nbs
    run -1 nbconv --to text a.nbs
    run -0 --separate-stderr nbconv --to text --frame all --salvage a.nbs
    [ "$(grep -c '^# frame' <<<"$output")" = 4 ]
}

@test "what is no stream is refused in a word" {
    : >empty
    echo "id m x y z" >text
    gzip -c text >gzip
    stream 1 | sed '1s/nbs 1 frame/nbs 7 frame/' >newer
    mkdir directory
    for tool in "nbconv --to text" "nbsim --steps 1 --dt 1 --device cpu -q"; do
        for case in "empty:empty, no snapshot" "text:not a snapshot stream but text (nbconv --from text text | ${tool%% *})" "gzip:not a snapshot stream" \
            "newer:version 7 of the stream's format; this program reads version 1" "directory:is a directory" \
            "missing:cannot be opened: No such file or directory"; do
            file=${case%%:*}
            run -1 --separate-stderr $tool "$file"
            [ "$stderr" = "${tool%% *}: $file: ${case#*:}" ]
            [ -z "$output" ]
        done
    done
    run -1 --separate-stderr bash -c "nbconv --to text </dev/null"
    [ "$stderr" = "nbconv: stdin: empty, no snapshot" ]
}

@test "output that is full or gone" {
    run -1 --separate-stderr bash -c "printf '1 0 0 0 0 0 0\n' | nbconv -q --from text >/dev/full"
    [ "$stderr" = "nbconv: stdout: cannot be written: No space left on device" ]
    seq 1 200000 | awk '{ print 1, $1, 0, 0, 0, 0, 0 }' >many.txt
    run --separate-stderr bash -c 'nbconv --from text -q many.txt | head -c 1000 >/dev/null; exit ${PIPESTATUS[0]}'
    [ "$status" = 141 ]
    [ -z "$stderr" ]
    run -1 --separate-stderr bash -c "nbconv -q --from text many.txt >/dev/full"
    [ "$stderr" = "nbconv: stdout: cannot be written: No space left on device" ]
}

@test "a frame is there as soon as it is whole" {
    mkfifo in
    (
        printf '# frame 0 time 0\n1 0 0 0 0 0 0\n# frame 1 time 1\n'
        await $$ [ -e seen ]
        printf '1 1 0 0 0 0 0\n'
    ) >in &
    timeout 20 bash -c 'nbconv --from text in | nbconv --to text --frame all | while read -r line; do
        [[ $line == "0 1 0 0 0 0 0 0" ]] && touch seen
        [[ $line == "0 1 1 0 0 0 0 0" ]] && touch both
    done; true'
    wait
    [ -e both ]
}

@test "columns of several blocks: a file that threads read has the numbers of a pipe" {
    nbgen uniform -n 400000 -q -o u.nbs # 9.6 MB of positions in blocks of 4 MiB
    nbstat --check --threads 3 u.nbs
    nbstat --threads 3 --potential none --columns mass,kinetic,com,half_mass_radius --no-header u.nbs >file
    nbstat --threads 1 --potential none --columns mass,kinetic,com,half_mass_radius --no-header <u.nbs | diff - file
}

# 195 MB: positions and velocities have more blocks than a thread reads or writes at a time.
@test "large frames in pipes: equal bytes for any number of threads; cut, damaged and full in a line" {
    nbgen uniform -n 3M -q -o u.nbs
    one=$(nbedit -q --shift 1,0,0 --threads 1 u.nbs | tee >(nbstat --check >&2) | md5sum)
    for threads in 2 3 8; do
        [ "$(cat u.nbs | nbedit -q --shift 1,0,0 --threads $threads | md5sum)" = "$one" ]
    done
    run -1 --separate-stderr bash -c "head -c 100000000 u.nbs | nbedit -q --threads 3"
    [ "$stderr" = "nbedit: stdin: the stream is truncated in frame 0; no whole frame" ]
    [ -z "$output" ]
    run --separate-stderr bash -c 'cat u.nbs | nbedit -q --threads 3 | head -c 90000000 >/dev/null; exit ${PIPESTATUS[1]}'
    [ "$status" = 141 ]
    [ -z "$stderr" ]
    run -1 --separate-stderr bash -c "cat u.nbs | nbedit -q --threads 3 >/dev/full"
    [ "$stderr" = "nbedit: stdout: cannot be written: No space left on device" ]
    damage u.nbs 150000000
    run -1 --separate-stderr bash -c "cat u.nbs | nbedit -q --threads 3"
    [ "$stderr" = "nbedit: stdin: frame 0: column 'vel' is damaged: the checksum of block 6 is wrong; no whole frame" ]
    [ -z "$output" ]
}
