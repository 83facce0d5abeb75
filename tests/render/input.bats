#!/usr/bin/env bats
# nbrender with damaged inputs and with signals: the files that remain.
bats_require_minimum_version 1.5.0
load ../common/common
load nbrender

# ---- inputs ----

@test "a cut or damaged input: FILE.part has the film of the whole frames before, exit 1; nothing where there is none" {
    frames 6 > f.nbs
    frame=$(($(stat -c %s f.nbs) / 6))
    head -c $((4 * frame)) f.nbs > cut.nbs # a little more: the trailer counts as well
    for input in "cut.nbs" "- < <(cat cut.nbs)"; do
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -f -o cut.mp4 $input"
        [[ "$stderr" == *"last whole frame is 3"*"cut.mp4.part ends there, with 4 frames" ]]
        [ "$(wc -l <<< "$stderr")" -eq 1 ]
        [ "$(probe cut.mp4.part)" = "h264,160,90,30/1,4" ]
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -f -o cut.y4m $input"
        [ "$(probe cut.y4m.part)" = "rawvideo,160,90,30/1,4" ]
        [ ! -e cut.mp4 ]
        [ ! -e cut.y4m ]
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -f --keep-partial -o named.mp4 $input"
        [[ "$stderr" == *"last whole frame is 3"*"named.mp4 ends there, with 4 frames" ]]
        [ "$(probe named.mp4)" = "h264,160,90,30/1,4" ]
        [ ! -e named.mp4.part ]
        run -1 --separate-stderr bash -c "nbrender ${small[*]} -o cut.png $input"
        [[ "$stderr" == *"last whole frame is 3"* ]]
        [ ! -e cut.png ]
    done
    nbrender "${small[@]}" --salvage -o saved.mp4 cut.nbs
    [ "$(probe saved.mp4)" = "h264,160,90,30/1,4" ]
    head -c 300 f.nbs > stub.nbs
    run -1 --separate-stderr nbrender "${small[@]}" -o stub.mp4 stub.nbs
    [ "$(wc -l <<< "$stderr")" -eq 1 ]
    [ ! -e stub.mp4 ]
    [ ! -e stub.mp4.part ]
    run -1 --separate-stderr bash -c "nbrender ${small[*]} -o stub.mp4 < /dev/null"
    [[ "$stderr" == "nbrender: stdin: "* ]]
    [ ! -e stub.mp4 ]
    [ ! -e stub.mp4.part ]
}

@test "a frame that is asked for and is damaged, with --salvage: one line that says so, exit 1" {
    frames 3 > f.nbs
    frame=$(($(stat -c %s f.nbs) / 3))
    { head -c 200 f.nbs; printf x; tail -c +202 f.nbs; } > bad.nbs
    for input in bad.nbs "- < <(cat bad.nbs)"; do
        run -1 --separate-stderr bash -c "nbrender ${small[*]} --salvage --frame 0 -o x.png $input"
        [[ "${stderr_lines[-1]}" == "nbrender: "*": frame 0 is damaged" && "${#stderr_lines[@]}" = 2 ]]
        [ ! -e x.png ]
    done
    { head -c $((frame + 200)) f.nbs; printf x; tail -c +$((frame + 202)) f.nbs; } > bad.nbs
    run -1 --separate-stderr nbrender "${small[@]}" --salvage --frame 1 -o x.png bad.nbs
    [[ "${stderr_lines[-1]}" == "nbrender: bad.nbs: frame 1 is damaged" ]]
    [ ! -e x.png ]
    nbrender "${small[@]}" --salvage --frame 2 -o x.png bad.nbs
}

@test "a frame with a NaN ends the film before it" {
    frames 6 4 > f.nbs
    run -1 --separate-stderr nbrender "${small[@]}" -o f.mp4 f.nbs
    [[ "$stderr" == "nbrender: f.nbs: frame 4: body 0: pos is not a finite number; f.mp4.part ends there, with 4 frames" ]]
    [ "$(probe f.mp4.part)" = "h264,160,90,30/1,4" ]
    frames 1 0 > bad.nbs
    run -1 --separate-stderr nbrender "${small[@]}" -o bad.mp4 bad.nbs
    [[ "$stderr" == "nbrender: bad.nbs: frame 0: body 0: pos is not a finite number" ]]
    [ ! -e bad.mp4 ]
    [ ! -e bad.mp4.part ]
}

@test "places, speeds and masses at the ends of their range are drawn, or refused in one line" {
    printf '1 1e308 0 0 1e308 0 0\n1 -1e308 1e308 1e308 0 0 0\n1 0 0 0 1 0 0\n' | bodies huge.nbs
    printf '1 1e-310 0 0 1e-310 0 0\n1 0 0 0 0 0 0\n' | bodies tiny.nbs
    printf '0 1 0 0 0 0 0\n0 0 1 0 0 0 0\n' | bodies massless.nbs
    printf '1e308 1 0 0 0 0 0\n1e308 0 1 0 0 0 0\n' | bodies heavy.nbs
    printf '1 5 5 5 0 0 0\n1 5 5 5 0 0 0\n' | bodies same.nbs
    for k in huge tiny massless heavy same; do
        for options in "" "--fov 60" "--spin 10" "--extent 1e-300" "--extent 1e300" "--color-range 0,1e300"; do
            # shellcheck disable=SC2086
            run --separate-stderr nbrender -qf --size 64x36 $options -o $k.png $k.nbs
            [ "$status" -eq 0 ] || { [ "$status" -eq 1 ] && [ "$(wc -l <<< "$stderr")" -eq 1 ]; }
        done
    done
    nbrender -qf --size 320x180 -o same.png same.nbs
    python -c 'from picture import *
x, y = middle(png("same.png")); assert abs(x - 160) < 0.1 and abs(y - 90) < 0.1'
}

# ---- signals ----

@test "SIGINT while reading a pipe: the stream is drawn to its end, the film is whole; exit 130" {
    frames 8 > f.nbs
    frame=$(($(stat -c %s f.nbs) / 8))
    mkfifo pipe
    env --default-signal=INT nbrender "${small[@]}" -o film.mp4 < pipe & renderer=$!
    exec 9> pipe
    head -c $((3 * frame)) f.nbs >&9
    await $renderer test -e film.mp4.part
    sleep 0.5
    kill -INT $renderer
    sleep 0.3
    kill -0 $renderer # it waits for the rest
    tail -c +$((3 * frame + 1)) f.nbs >&9
    exec 9>&-
    status=0
    wait $renderer || status=$?
    [ $status -eq 130 ]
    [ "$(probe film.mp4)" = "h264,160,90,30/1,8" ]
}

@test "a second signal while ffmpeg is stuck ends both at once, and leaves nothing" {
    [ "${NB_SANITIZER:-}" != thread ] || skip "the thread sanitizer holds signals back while it waits for a process"
    frames 1 > f.nbs
    mkdir bin
    printf '#!/bin/sh\necho $$ > ffmpeg.pid\nexec sleep 1000\n' > bin/ffmpeg
    chmod +x bin/ffmpeg
    PATH="$PWD/bin:$PATH" nbrender "${small[@]}" -o stuck.mp4 f.nbs & renderer=$!
    await $renderer test -s ffmpeg.pid
    kill -TERM $renderer
    sleep 0.1
    kill -0 $renderer # it waits for its film
    kill -HUP $renderer
    status=0
    wait $renderer || status=$?
    [ $status -eq 129 ] || [ $status -eq 143 ] # on a busy machine they may come in the other order
    [ ! -e stuck.mp4 ]
    [ ! -e stuck.mp4.part ]
    await $$ ended "$(cat ffmpeg.pid)"
}

# ---- large frames ----

@test "a large frame of a file is not copied and its bodies are shaded in pieces; its picture is that of a pipe" {
    [ -z "${NB_SANITIZER:-}" ] || skip "sanitizers need memory of their own"
    local draw="nbrender -q --device cpu --threads 2 --size 320x180 --weight id"
    nbgen uniform -n 4M --store f32 -o u.nbs # 148 MB; light and steps of all bodies would be 24 MB
    $draw -o piped.png < <(cat u.nbs)
    bash -c "ulimit -d 75000; $draw -o file.png u.nbs"
    cmp piped.png file.png
    run -1 --separate-stderr bash -c "ulimit -d 75000; $draw -o copied.png < <(cat u.nbs)"
    [[ "$stderr" == *"no memory"* ]]
}

@test "a file that is truncated while its frames are drawn: one line, exit 1" {
    nbgen uniform -n 2M --store f32 -o one.nbs
    cat one.nbs one.nbs > two.nbs
    mkfifo film.y4m
    nbrender -q --device cpu --threads 2 --size 1280x720 --interpolate 50 -o film.y4m two.nbs 2> said & renderer=$!
    exec {film}< film.y4m
    head -c 100 <&$film | grep -q YUV4MPEG2 # the first picture is written, and the pipe is full
    truncate -s 4096 two.nbs
    cat <&$film > rest
    status=0
    wait $renderer || status=$?
    [ $status -eq 1 ]
    [ "$(< said)" = "nbrender: two.nbs: the file was truncated while it was in use, or its disk failed" ]
}

@test "SIGTERM while drawing a file: the film ends at that frame and plays; exit 143" {
    frames 20 > few.nbs
    for k in $(seq 50); do cat few.nbs; done > many.nbs
    nbrender -q --size 1280x720 -o film.mp4 many.nbs & renderer=$!
    await $renderer test -e film.mp4.part
    sleep 0.5
    kill -TERM $renderer
    status=0
    wait $renderer || status=$?
    [ $status -eq 143 ]
    count=$(probe film.mp4)
    count=${count##*,}
    [ "$count" -ge 1 ]
    [ "$count" -lt 1000 ]
    [ ! -e film.mp4.part ]
}

@test "Ctrl-C on nbsim | nbrender leaves a whole stream and a film of all its frames" {
    nbgen plummer -n 300 -o p.nbs
    python - <<'P'
import os, signal, subprocess, time
shell = subprocess.Popen(["bash", "-c", """nbsim -q --device cpu --dt 0.01 --until 10000 --every 0.01 p.nbs |
    tee -i run.nbs | nbrender -q --size 160x90 -o film.mp4"""], start_new_session=True)
while not os.path.exists("run.nbs") or os.path.getsize("run.nbs") < 3e5:
    time.sleep(0.05)
os.killpg(shell.pid, signal.SIGINT)
shell.wait()
for _ in range(200):  # the shell does not wait for its pipeline
    if os.path.exists("film.mp4"):
        break
    time.sleep(0.1)
P
    nbstat --check run.nbs
    [ "$(probe film.mp4)" = "h264,160,90,30/1,$(nbstat --json run.nbs | wc -l)" ]
}
