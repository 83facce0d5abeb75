#!/usr/bin/env bats
# GIF and APNG, which nbrender encodes: other programs decode them, and the frames are compared with PNG files.
bats_require_minimum_version 1.5.0
load ../common/common

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
pos, vel = rng.normal(size=(2, 300, 3))
pos[:, :2] *= 0.7
write("f.nbs", *(frame(np.ones(300), pos + 0.05 * k * vel, vel, time=k / 10) for k in range(4)))
P
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR/f.nbs
}

look=(-q --size 160x90 --extent 4 --center 0,0,0 --color speed)

@test "APNG: the pixels of PNG files, one picture after the other; numbers, checksums and times" {
    nbrender "${look[@]}" --fps 24 -o a.apng "$f"
    nbrender "${look[@]}" --fps 123.457 --depth 16 --alpha --threads 1 -o b.apng "$f"
    nbrender "${look[@]}" --fps 123.457 --depth 16 --alpha --threads 4 -o c.APNG "$f"
    nbrender "${look[@]}" -o a-%d.png "$f"
    nbrender "${look[@]}" --depth 16 --alpha -o b-%d.png "$f"
    cmp b.apng c.APNG
    python - <<'P'
from picture import apng, png, png_text
for name, fps in ("a", 24), ("b", 123.457):
    pictures, delays = apng(name + ".apng")
    assert len(pictures) == 4 and all(abs(d * fps - 1) < 1e-3 for d in delays)
    assert all((p == png(f"{name}-{k}.png")).all() for k, p in enumerate(pictures))
    assert (png(name + ".apng") == pictures[0]).all()  # for readers that know no APNG
assert "nbrender --size=160x90" in png_text("a.apng")["History"]
P
}

@test "an APNG that was never finished is none: its number of pictures is 0" {
    mkfifo in
    nbrender "${look[@]}" -o a.apng in & renderer=$!
    exec 7>in
    head -c $(($(stat -c %s "$f") / 2)) "$f" >&7
    for ((k = 0; k < 100; k++)); do [ "$(stat -c %s a.apng.part 2>/dev/null || echo 0)" -lt 3000 ] || break; sleep 0.05; done
    [ "$(od -An -tu1 -j 41 -N 4 a.apng.part | tr -d ' ')" = 0000 ]
    exec 7>&-
    code=0
    wait $renderer || code=$?
    [ $code -eq 1 ]
    [ ! -e a.apng ]
    [ "$(od -An -tu1 -j 41 -N 4 a.apng.part | tr -d ' ')" != 0000 ] # that ends early, but has an end
}

@test "GIF: within a few levels of the picture everywhere, of a fraction in the mean; black is black; time and repeats" {
    command -v ffmpeg >/dev/null || skip "ffmpeg decodes it: not installed"
    nbrender "${look[@]}" --fps 30 -o a.gif "$f"
    nbrender "${look[@]}" --fps 30 --threads 1 -o b.gif "$f"
    cmp a.gif b.gif
    nbrender "${look[@]}" --depth 16 -o a-%d.png "$f"
    ffmpeg -v error -i a.gif -pix_fmt rgb24 -fps_mode passthrough -f rawvideo a.rgb
    [ "$(ffprobe -v error -select_streams v -of csv=p=0 -show_entries packet=pts a.gif | tr '\n' ' ')" = "0 3 7 10 " ]
    grep -q 'NETSCAPE2.0' a.gif
    python - <<'P'
import numpy as np
from picture import png
film = np.fromfile("a.rgb", np.uint8).reshape(4, 90, 160, 3).astype(float)
for k in range(4):
    true = png(f"a-{k}.png") / 257
    error = film[k] - true
    blocks = error.reshape(18, 5, 32, 5, 3).mean(axis=(1, 3))
    assert (film[k][true.max(axis=2) < 0.5] == 0).all() and true.max() > 200
    rms, rms_blocks = np.sqrt((error ** 2).mean()), np.sqrt((blocks ** 2).mean())
    assert rms < 4 and rms_blocks < 1 and abs(error.mean()) < 0.1, (rms, rms_blocks, error.mean())
P
}

@test "GIF: films without light, of one pixel" {
    command -v ffmpeg >/dev/null || skip "ffmpeg decodes it: not installed"
    nbrender "${look[@]}" --select "x > 1e9" -o none.gif "$f" 2>/dev/null
    nbrender -q --size 1x1 -o one.gif "$f"
    for name in none one; do
        ffmpeg -v error -xerror -i $name.gif -pix_fmt rgb24 -f rawvideo $name.rgb
    done
    [ "$(stat -c %s none.rgb)" -eq $((4 * 160 * 90 * 3)) ]
    [ "$(tr -d '\0' <none.rgb | wc -c)" -eq 0 ]
    [ "$(stat -c %s one.rgb)" -eq 12 ]
}
