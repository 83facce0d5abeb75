#!/usr/bin/env bats
# nbrender's output files: other programs read each format, ffprobe reads the films; dither, provenance.
bats_require_minimum_version 1.5.0
load ../common/common


setup_file() {
    cd "$BATS_FILE_TMPDIR"
    nbgen disk -n 3000 --seed 3 | nbsim -q --device cpu --precision single --until 0.1 --every 0.05 -o d.nbs
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
rng = np.random.default_rng(1)
pos = rng.normal(size=(500, 3))
write("long.nbs", *(frame(np.ones(500), pos + [0.02 * k, 0, 0], pos[:, [1, 2, 0]], time=k / 4) for k in range(65)))
P
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    d=$BATS_FILE_TMPDIR/d.nbs long=$BATS_FILE_TMPDIR/long.nbs
}

look=(-q --size 160x90 --extent 4 --center 0,0,0)

# probe FILE: codec, pixel format, rate, number of frames; the numbers of its keyframes, at 20 pictures a second, are in keys
probe() {
    ffprobe -v error -count_frames -select_streams v:0 -of csv \
        -show_entries stream=codec_name,pix_fmt,r_frame_rate,nb_read_frames:packet=pts_time,flags "$1" | tr -d '\r' >probed
    sed -n 's/^stream,//p' probed
    awk -F, '$1 == "packet" && $3 ~ /K/ { printf " %.0f ", 20 * $2 }' probed >keys
}

# ---- pictures ----

@test "PNG of 8 and 16 bits: the same picture, sRGB, and where it comes from, without a date" {
    nbrender "${look[@]}" --frame 1 --no-dither -o 8.png "$d"
    nbrender "${look[@]}" --frame 1 --depth 16 -o 16.png "$d"
    python - <<'P'
import numpy as np
from picture import png, png_chunks, png_text
p, q = png("8.png").astype(float), png("16.png").astype(float)
assert q.max() > 30000 and len(np.unique(q)) > 1000 and abs(p - q / 257).max() <= 0.5
chunks = [kind for kind, _ in png_chunks("16.png")]
assert dict(png_chunks("16.png"))["sRGB"] == b"\0" and "tIME" not in chunks
text = png_text("16.png")
assert text["Software"].startswith("nbrender ")
lines = text["History"].split("\n")
assert len(lines) == 3 and [line.split()[2] for line in lines] == ["nbgen", "nbsim", "nbrender"], lines
assert lines[2].endswith("nbrender --size=160x90 --center=0,0,0 --extent=4 --depth=16 --frame=1"), lines[2]
P
}

@test "--alpha: no light is transparent, and over black it is the picture without it, in 8 and 16 bits" {
    for options in "--depth 8 --no-dither" "--depth 16"; do
        depth=${options:8:2} depth=${depth% }
        # shellcheck disable=SC2086
        nbrender "${look[@]}" $options -o "plain$depth.png" "$d"
        # shellcheck disable=SC2086
        nbrender "${look[@]}" $options --alpha -o "alpha$depth.png" "$d"
    done
    python - <<'P'
import numpy as np
from picture import png
for depth in 8, 16:
    p, q = png(f"plain{depth}.png").astype(float), png(f"alpha{depth}.png").astype(float)
    full = 2**depth - 1
    assert p.max() < 256 if depth == 8 else p.max() > 256
    assert (q[..., 3] == p.max(axis=2)).all() and (q[..., 3] == 0).any()
    lit = q[..., 3] > 0
    assert (q[lit][:, :3].max(axis=1) == full).all()
    # of 8 bits alpha, colour and the plain picture are rounded each
    assert abs(q[..., :3] * q[..., 3:] / full - p).max() <= (1.5 if full == 255 else 0.51)
P
}

# has KIND: whether nbrender writes such files; a build without the library says so in a line, and leaves nothing
has() {
    local status=0
    nbrender -q --size 8x8 -f -o "has.$1" "$d" 2>said || status=$?
    [ "$status" = 0 ] && return
    [ "$status" = 1 ] && [ -z "$(ls has.* 2>/dev/null)" ] || { cat said >&2; exit 1; }
    library=lib${1/jpg/jpeg}
    [ "$(cat said)" = "nbrender: -o has.$1: this nbrender was built without $library, which writes such files (on Debian install $library-dev and build again)" ] ||
        { cat said >&2; exit 1; }
    return 1
}

@test "JPEG and WebP: the picture of a PNG by ffmpeg's decoders, better with --quality; where it comes from" {
    see=(-q --size 320x180 --extent 4 --center 0,0,0 --frame 1)
    nbrender "${see[@]}" -o true.png "$d"
    nbrender "${see[@]}" --alpha -o clear.png "$d"
    grep -a '^history ' "$d" | cut -d' ' -f2- | head -n 2 >history
    for kind in jpg webp; do
        has $kind || continue
        for quality in draft good best; do nbrender "${see[@]}" --quality $quality -o $quality.$kind "$d"; done
        nbrender "${see[@]}" -o default.${kind^^} "$d"
        nbrender "${see[@]}" --no-dither -o plain.$kind "$d"
    done
    if has webp; then
        nbrender "${see[@]}" --alpha -o clear.webp "$d"
        nbrender "${see[@]}" --alpha --quality best -o clearest.webp "$d"
    fi
    if has jpg; then
        nbrender "${see[@]}" --chroma 420 -o half.jpg "$d"
        [ "$(ffprobe -v error -show_entries stream=codec_name,pix_fmt -of csv=p=0 half.jpg)" = mjpeg,yuvj420p ]
        [ "$(ffprobe -v error -show_entries stream=codec_name,pix_fmt -of csv=p=0 good.jpg)" = mjpeg,yuvj444p ]
    fi
    for file in *.jpg *.JPG *.webp *.WEBP; do
        case $file in \** | has.*) continue ;; esac
        ffmpeg -v error -i "$file" -sws_flags accurate_rnd+full_chroma_int -f rawvideo -pix_fmt rgba "$file.raw"
    done
    python - <<'P'
import os
import numpy as np
from picture import exif, png
def black(pixels): # over black
    pixels = pixels.astype(float)
    return pixels[..., :3] * pixels[..., 3:] / 255 if pixels.shape[2] == 4 else pixels
true, clear = black(png("true.png")), black(png("clear.png"))
def psnr(name, wanted=true): # dB
    pixels = black(np.fromfile(name + ".raw", np.uint8).reshape(180, 320, 4))
    return 10 * np.log10(255**2 / max(((pixels - wanted) ** 2).mean(), 1e-9))
assert true.std() > 20, "nothing to be seen"
for kind in "jpg", "webp":
    if not os.path.exists("good." + kind):
        continue
    draft, good, best = (psnr(f"{quality}.{kind}") for quality in ("draft", "good", "best"))
    assert draft > 35 and good > draft + 1.5 and best > good + 1.5, (kind, draft, good, best)
    assert psnr("default." + kind.upper()) == good and psnr("plain." + kind) > 38
    sizes = [os.path.getsize(f"{name}.{end}") for name, end in (("draft", kind), ("good", kind), ("true", "png"))]
    assert sizes[0] < sizes[1] < sizes[2] / 2, sizes
    notes = exif("good." + kind)
    lines = notes[0x10e].split("\n")
    assert sorted(notes) == [0x10e, 0x131] and notes[0x131].startswith("nbrender ")
    assert lines[:2] == open("history").read().splitlines() and len(lines) == 3, lines
    assert lines[2].endswith("--quality=good --frame=1"), lines
if os.path.exists("good.webp"):
    assert psnr("best.webp") == psnr("clearest.webp", clear) == 10 * np.log10(255**2 / 1e-9) # nothing is lost
    assert psnr("clear.webp", clear) > 38
P
}

@test "JPEG has the last lines of a provenance that is longer than its place, WebP all" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
write("long.nbs", frame(np.ones(3), np.eye(3), np.zeros((3, 3)), history=[f"{k + 1} {k or '-'} x 1 - " + "y" * 30000 for k in range(4)]))
P
    for kind in jpg webp; do
        has $kind || continue
        nbrender -q --size 64x36 -o "a.$kind" long.nbs
        python - "a.$kind" <<'P'
import sys
from picture import exif
lines = exif(sys.argv[1])[0x10e].split("\n")
wanted = [3, 4, 5] if sys.argv[1] == "a.jpg" else [1, 2, 3, 4, 5]
assert [int(line.split()[0]) for line in lines] == wanted and "nbrender" in lines[-1]
assert all(line.endswith(" " + "y" * 30000) for line in lines[:-1])
P
        ffmpeg -v error -i "a.$kind" -f null -
    done
}

@test "a disk that is full ends JPEG and WebP as it does PNG" {
    for kind in jpg webp; do
        has $kind || continue
        ln -s /dev/full full.$kind
        refused 1 "full.$kind: cannot be written: No space left on device" nbrender -q --size 640x360 -o full.$kind "$d"
        [ -L full.$kind ]
        [ "$NB_SANITIZER" != thread ] || continue # it needs files larger than the limit
        # the limit holds for stderr too where that is a file
        run -1 bash -c "set -o pipefail; trap '' XFSZ; { ulimit -f 4; nbrender -q --size 640x360 -o big.$kind '$d'; } 2>&1 | cat"
        [ "$output" = "nbrender: big.$kind: cannot be written: File too large" ] || { echo "$output" >&2; return 1; }
        [ -z "$(ls big.* 2>/dev/null)" ]
    done
}

@test "dither: the mean of a region is kept, black stays black, whole levels stay, and the errors are no pattern" {
    nbrender -q --size 640x360 --depth 16 --frame 0 -o 16.png "$d"
    nbrender -q --size 640x360 --frame 0 --no-dither -o plain.png "$d"
    nbrender -q --size 640x360 --frame 0 -o dither.png "$d"
    python - <<'P'
import numpy as np
from picture import png
true, plain, dither = png("16.png") / 257, png("plain.png").astype(float), png("dither.png").astype(float)
assert (dither[true == 0] == 0).all() and abs(dither - true).max() < 1 and (dither != plain).any()
faint = (true > 0.02) & (true < 0.48)  # where rounding loses all
assert faint.sum() > 2000 and plain[faint].max() == 0
assert abs(dither[faint].mean() / true[faint].mean() - 1) < 0.05
whole = true == np.round(true)
assert (dither[whole] == true[whole]).all()
# errors: about 1/12 of a level squared where nothing is black, and no period stands out
lit = true.min(axis=2) > 0.5
error = (dither - true)[lit]
assert abs((error ** 2).mean() - 1 / 6) < 0.03, (error ** 2).mean()
assert abs(np.corrcoef(error[:, 0], error[:, 1])[0, 1]) < 0.15  # channels do not share theirs
P
}

@test "PNG is dithered by default: dark gradients have no bands" {
    nbrender "${look[@]}" --size 640x360 --frame 0 -o dither.png "$d"
    nbrender "${look[@]}" --size 640x360 --frame 0 --no-dither -o plain.png "$d"
    python - <<'P'
import numpy as np
from picture import png
def longest(name): # run of equal pixels in a row that are not black
    rows = png(name).astype(int) @ [1, 256, 65536]
    runs = (run for row in rows for run in np.split(row, np.flatnonzero(np.diff(row)) + 1))
    return max(len(run) for run in runs if run[0])
plain, dither = longest("plain.png"), longest("dither.png")
assert plain > 20 and dither < plain / 2, (plain, dither)
P
}

@test "light before the tone curve: PFM, NPY and FITS hold the same numbers; they add up over sizes" {
    for kind in pfm npy fits; do nbrender "${look[@]}" --frame 1 -o "a.$kind" "$d"; done
    nbrender -q --size 320x180 --extent 4 --center 0,0,0 --frame 1 -o b.npy "$d"
    python - <<'P'
import numpy as np
from picture import fits, pfm
a, (cards, f) = np.load("a.npy"), fits("a.fits")
assert a.shape == (90, 160, 3) and a.dtype == "<f4" and a.max() > 0 and a.min() >= 0
assert (pfm("a.pfm") == a).all() and f.shape == (3, 90, 160)
assert (np.moveaxis(f, 0, 2)[::-1] == a).all()
b = np.load("b.npy")
assert abs(b.sum() / a.sum() - 1) < 0.01
P
}

@test "EXR: the light of other files in half floats, faint light as bright as in PNG; a map's values in floats" {
    nbrender "${look[@]}" --frame 1 --bloom 0 -o a.exr "$d"
    nbrender "${look[@]}" --frame 1 --bloom 0 --exposure 2 -o b.exr "$d"
    nbrender "${look[@]}" --frame 1 --bloom 0 -o a.npy "$d"
    nbrender "${look[@]}" --frame 1 --bloom 0 --depth 16 -o a.png "$d"
    for kind in npy exr; do nbrender "${look[@]}" --frame 1 --map speed -o "m.$kind" "$d"; done
    nbrender -q --size 3x1 --extent 4 --center 0,0,0 -o small.exr "$d" # not smaller when it is packed
    python - <<'P'
import struct
import numpy as np
from picture import exr, png
attributes, c = exr("a.exr")
assert list(c) == ["B", "G", "R"] and all(a.dtype == "<f2" for a in c.values())
assert np.allclose(struct.unpack("<8f", attributes["chromaticities"][1]), [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329])
assert b"nbgen" in attributes["history"][1] and struct.unpack("<f", attributes["whiteLuminance"][1]) == (203,)
light, linear = np.stack([c["R"], c["G"], c["B"]], axis=2).astype(float), np.load("a.npy").astype(float)
scale = light.sum() / linear.sum()
normal = light > 2.0 ** -14
error = abs(light / np.maximum(scale * linear, 1e-30) - 1)[normal].max()
assert normal.sum() > 5000 and error < 0.52 / 1024, (normal.sum(), error)
assert abs(light - scale * linear)[~normal].max() < 0.52 * 2.0 ** -24 or not (~normal).any()
double = exr("b.exr")[1]
assert abs(double["G"].astype(float) / c["G"] - 2)[c["G"] > 0.001].max() < 0.003
level = png("a.png").max(axis=2) / 65535
square = ((level + np.sqrt(level ** 2 + 4 * 0.03 * level)) / 2) ** 2  # before the toe of tone_curve.h, about linear where it is faint
faint = (square > 0.002) & (square < 0.04)
assert faint.sum() > 200 and abs(np.median(light.max(axis=2)[faint] / square[faint]) - 1) < 0.03
assert list(exr("small.exr")[1]) == ["B", "G", "R"]
map_exr, map_npy = exr("m.exr")[1], np.load("m.npy")
assert list(map_exr) == ["Y"] and map_exr["Y"].dtype == "<f4"
assert np.array_equal(map_exr["Y"], map_npy.reshape(map_exr["Y"].shape), equal_nan=True)
P
}

@test "FITS: a body stands where its coordinates say, in every view; units, time, provenance" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
write("two.nbs", frame([1.0, 1.0], [[1, 2, 3], [1, 2, 3]], [[0, 0, 1.0]] * 2, time=2.5))
P
    nbgen kepler --units solar | nbrender -q --size 32x32 -o s.fits
    for view in z x y; do
        nbrender -q --size 200x100 --extent 8 --center 0.5,0.5,0.5 --view $view --smooth fixed -o $view.fits two.nbs
    done
    python - <<'P'
import numpy as np
from picture import fits
for name, right, up, x, y in ("z", "X", "Y", 1, 2), ("x", "Y", "Z", 2, 3), ("y", "X", "Z", 1, 3):
    cards, data = fits(name + ".fits")
    assert (cards["CTYPE1"], cards["CTYPE2"]) == (right, up) and cards["TIME"] == 2.5 and "CUNIT1" not in cards
    light = data.sum(axis=0)
    row, column = np.mgrid[1 : light.shape[0] + 1, 1 : light.shape[1] + 1]  # pixels count from 1
    for k, pixel, expected in (1, column, x), (2, row, y):
        middle = (light * pixel).sum() / light.sum()
        at = cards[f"CRVAL{k}"] + (middle - cards[f"CRPIX{k}"]) * cards[f"CDELT{k}"]
        assert abs(at - expected) < 0.01, (name, k, at)
    assert cards["HISTORY"][-1].endswith("two.nbs") or "nbrender" in " ".join(cards["HISTORY"])
cards = fits("s.fits")[0]
assert (cards["CUNIT1"], cards["CUNIT2"], cards["UNITS"]) == ("AU", "AU", "solar") and abs(cards["LENGTH"] / 1.495978707e13 - 1) < 1e-9
history = " ".join(cards["HISTORY"])
assert "nbgen kepler" in history and "nbrender" in history
P
}

@test "FITS: values of a map in the stream's units, as FITS writes these; frames without a body are 0" {
    nbgen plummer -n 100 --units galactic --mass 2 --radius 3 -o g.nbs
    nbgen kepler --units solar -o s.nbs
    cat >units <<'L'
g.nbs density density 10**10_solMass_kpc**-2
g.nbs speed speed km_s**-1
g.nbs potential potential km**2_s**-2
g.nbs acceleration acceleration kpc**-1_km**2_s**-2
s.nbs density density solMass_AU**-2
s.nbs speed speed AU_yr**-1
L
    while read -r input what _; do
        nbrender -q --size 32x18 --map "$what" -o "$input-$what.fits" "$input"
    done <units
    nbrender "${look[@]}" --select gas -o none.npy "$d" 2> /dev/null
    python - <<'P'
import numpy as np
from picture import fits
lines = [line.split() for line in open("units")]
assert len(lines) == 6
for stream, what, kind, unit in lines:
    cards = fits(f"{stream}-{what}.fits")[0]
    assert (cards["BTYPE"], cards["BUNIT"]) == (kind.replace("_", " "), unit.replace("_", " ")), (cards["BTYPE"], cards["BUNIT"])
a = np.load("none.npy")
assert a.shape == (90, 160, 3) and not a.any()
P
}

@test "numbered files of every kind, and the same bytes for any number of threads" {
    for kind in png jpg webp fits pfm npy exr; do
        case $kind in jpg | webp) has $kind || continue ;; esac
        nbrender "${look[@]}" --threads 1 -o "a-%02d.$kind" "$d"
        nbrender "${look[@]}" --threads 4 -o "b-%02d.$kind" "$d"
        [ "$(ls a-0[0-2]."$kind" | wc -l)" -eq 3 ]
        for k in 0 1 2; do cmp a-0$k."$kind" b-0$k."$kind"; done
    done
    nbrender "${look[@]}" --threads 1 --depth 16 --alpha -o "a16-%d.png" "$d"
    nbrender "${look[@]}" --threads 4 --depth 16 --alpha -o "b16-%d.png" "$d"
    for k in 0 1 2; do cmp a16-$k.png b16-$k.png; done
}

@test "many frames on their way at once: the same pictures in the same order from a file and from a slow pipe" {
    nbrender "${look[@]}" --size 32x18 --exposure adapt --threads 1 -o 'a-%02d.png' "$long"
    nbrender "${look[@]}" --size 32x18 --exposure adapt --threads 8 -o 'b-%02d.png' "$long"
    size=$(($(stat -c %s "$long") / 5))
    for k in 0 1 2 3 4; do
        tail -c +$((k * size + 1)) "$long" | if [ $k -lt 4 ]; then head -c $size; else cat; fi
        sleep 0.1
    done | nbrender "${look[@]}" --size 32x18 --exposure adapt --threads 3 -o 'c-%02d.png'
    for k in $(seq -w 0 64); do cmp "a-$k.png" "b-$k.png" && cmp "a-$k.png" "c-$k.png" || return 1; done
    [ "$(ls [abc]-*.png | wc -l)" -eq 195 ]
    [ "$(md5sum a-*.png | cut -d' ' -f1 | sort -u | wc -l)" -eq 65 ]
}

@test "damage is told in the order of the frames, however far they are read ahead" {
    python - "$long" <<'P'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
size = data.index(b"nbs 1 frame", 100)
for k in 3, 20, 40:
    data[k * size + size // 2] ^= 1
open("bad.nbs", "wb").write(data)
P
    frames=(3 20 40)
    for input in bad.nbs "- < <(cat bad.nbs)"; do
        run -0 --separate-stderr bash -c "nbrender ${look[*]} --size 32x18 --salvage --threads 4 -f -o p-%02d.png $input"
        [ "${#stderr_lines[@]}" -eq 3 ] || { echo "$stderr"; return 1; }
        for k in 0 1 2; do [[ "${stderr_lines[k]}" == *"frame ${frames[k]}"* ]] || { echo "$stderr"; return 1; }; done
        [ ! -e p-03.png ]
        [ ! -e p-20.png ]
        [ ! -e p-40.png ]
        [ "$(ls p-*.png | wc -l)" -eq 62 ]
    done
}

# ---- YUV4MPEG2 ----

@test "YUV4MPEG2 of 8 and 10 bits, 4:2:0 and 4:4:4: BT.709 in limited range, within a level; the mean is kept" {
    nbrender "${look[@]}" --color speed --colormap spectrum --size 200x100 --frame 0 --depth 16 -o p.png "$d"
    for depth in 8 10; do
        for chroma in 420 444; do
            nbrender "${look[@]}" --color speed --colormap spectrum --size 200x100 --frame 0 --fps 29.97 --depth $depth --chroma $chroma -o $depth-$chroma.y4m "$d"
            nbrender "${look[@]}" --threads 1 --color speed --colormap spectrum --size 200x100 --frame 0 --fps 29.97 --depth $depth --chroma $chroma "$d" |
                cmp - $depth-$chroma.y4m
        done
    done
    python - <<'P'
import numpy as np
from picture import png, y4m
r, g, b = np.moveaxis(png("p.png") / 65535, 2, 0)
luma = 0.2126 * r + 0.7152 * g + 0.0722 * b
for depth in 8, 10:
    for chroma, word in (420, {8: "420mpeg2", 10: "420p10"}), (444, {8: "444", 10: "444p10"}):
        magic, fields, frames = y4m(f"{depth}-{chroma}.y4m")
        assert magic == "YUV4MPEG2" and fields["F"] == "2997:100" and fields["C"] == word[depth] and fields["I"] == "p"
        assert fields["XCOLORRANGE=LIMITED"] and len(frames) == 1
        y, cb, cr = (a.astype(float) for a in frames[0])
        unit, most = (1, 1) if depth == 8 else (4, 0.501)  # 8 bits are dithered, 10 are rounded
        expected = 16 + 219 * luma
        error = y / unit - expected
        assert abs(error).max() < most / unit and abs(error.mean()) < 0.01, (depth, abs(error).max(), error.mean())
        assert (y[luma == 0] == 16 * unit).all() and y.max() > 100 * unit
        for plane, difference in (cb, (b - luma) / 1.8556), (cr, (r - luma) / 1.5748):
            if chroma == 420:  # sited at even columns and between two rows
                rows = (difference[0::2] + difference[1::2]) / 2
                padded = np.pad(rows, ((0, 0), (1, 1)), mode="edge")
                difference = ((padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]) / 4)[:, ::2]
            error = plane / unit - (128 + 224 * difference)
            assert abs(error).max() < most / unit + 0.001 and abs(error.mean()) < 0.01
            assert (plane[difference == 0] == 128 * unit).all() and abs(plane / unit - 128).max() > 20
P
}

@test "YUV4MPEG2 into ffmpeg as the manual has it: red is red" {
    python - <<'P'
from nbs_writer import frame, write
write("red.nbs", frame([1.0] * 3, [[0, 0, 0], [50, 0, 0], [-50, 0, 0]], [[2.0, 0, 0], [0, 0, 0], [0, 0, 0]]))
P
    view=(-q --size 320x180 --extent 1 --center 0,0,0 --exposure 1e6 --color-range 0,2 --colormap spectrum)
    nbrender "${view[@]}" -o red.png red.nbs
    nbrender "${view[@]}" -o - red.nbs | ffmpeg -v error -colorspace bt709 -i - -crf 1 out.mp4
    [ "$(ffprobe -v error -of csv=p=0 -show_entries stream=color_space out.mp4 | tr -d '\r')" = bt709 ]
    ffmpeg -v error -i out.mp4 -pix_fmt rgb24 -f rawvideo out.rgb # as a player: by what the film says of itself
    python - <<'P'
import numpy as np
from picture import png
p, f = png("red.png").astype(int), np.fromfile("out.rgb", np.uint8).reshape(180, 320, 3).astype(int)
assert p[90, 160, 0] > 200 and abs(p[90, 160] - f[90, 160]).max() < 13, (p[90, 160], f[90, 160])
P
}

# ---- films ----

@test "every codec in every container, 8 and 10 bits: as ffprobe sees it, a keyframe a second" {
    n=0
    while read -r file codec format options; do
        # shellcheck disable=SC2086
        nbrender "${look[@]}" --size 64x64 --fps 20 $options -o "$file" "$long"
        [ "$(probe "$file")" = "$codec,$format,20/1,65" ] || { probe "$file"; return 1; }
        has=$(<keys)
        for k in 0 20 40 60; do
            [[ "$has" == *" $k "* ]] || { echo "$file: keyframes$has"; return 1; }
        done
        n=$((n + 1))
    done <<'L'
a.mp4 h264 yuv420p
b.MP4 h264 yuv420p10le --depth 10
c.mov h264 yuv420p
d.Mov hevc yuv420p --codec hevc
e.mp4 hevc yuv420p10le --codec hevc --depth 10
f.mkv h264 yuv444p --chroma 444
g.mkv ffv1 yuv420p --codec ffv1
h.mkv ffv1 yuv444p10le --codec ffv1 --depth 10 --chroma 444
i.webm vp9 yuv420p
j.webm av1 yuv420p10le --codec av1 --depth 10
k.mp4 h264 yuv420p --quality draft
l.mp4 hevc yuv420p10le --quality best
m.webm vp9 yuv420p --quality best
n.mkv hevc yuv420p --quality best --depth 8
L
    [ $n -eq 14 ]
    [ "$(ffprobe -v error -of csv=p=0 -show_entries stream=codec_tag_string,has_b_frames l.mp4 | tr -d '\r')" = hvc1,2 ]
    [ "$(ffprobe -v error -of csv=p=0 -show_entries stream=codec_tag_string,has_b_frames a.mp4 | tr -d '\r')" = avc1,0 ]
    [ -z "$(ls ./*.part 2>/dev/null)" ]
}

@test "--quality: a larger number is smaller; films of 10 bits have the colours of the picture" {
    nbrender "${look[@]}" --size 160x90 -o fine.mp4 --quality 10 "$long"
    nbrender "${look[@]}" --size 160x90 -o coarse.mp4 --quality 40 "$long"
    [ "$(stat -c %s coarse.mp4)" -lt $(($(stat -c %s fine.mp4) / 2)) ]
    nbrender "${look[@]}" --size 320x180 --frame 5 --depth 16 -o p.png "$long"
    k=0
    for options in "mkv --codec ffv1 --chroma 444" "mp4 --quality 4 --chroma 444" "mp4 --codec hevc --quality 4 --chroma 444"; do
        # shellcheck disable=SC2086
        nbrender "${look[@]}" --size 320x180 --frame 5 --depth 10 -f -o f.$options "$long"
        ffmpeg -v error -i "f.${options%% *}" -pix_fmt gbrp16le -f rawvideo $((++k)).raw
    done
    python - <<'P'
import numpy as np
from picture import png
p = png("p.png").astype(float)
for k in 1, 2, 3:
    g, b, r = np.fromfile(f"{k}.raw", "<u2").reshape(3, 180, 320).astype(float)
    error = (np.stack([r, g, b], axis=2) - p) / 257
    assert abs(error).mean() < 1 and abs(error.mean(axis=(0, 1))).max() < 0.6, (k, abs(error).mean(), error.mean(axis=(0, 1)))
P
}

@test "--alpha films: ProRes 4444 and lossless RLE have the pixels of a PNG with alpha" {
    nbrender "${look[@]}" --frame 5 --depth 16 --alpha -o p.png "$long"
    nbrender "${look[@]}" --frame 5 --alpha -o p8.png "$long"
    nbrender "${look[@]}" --frame 5 --alpha -o a.mov "$long"
    nbrender "${look[@]}" --frame 5 --alpha --codec qtrle -o b.mov "$long"
    probe a.mov >is
    probe b.mov >>is
    [[ "$(<is)" =~ ^prores,yuva444p1[02]le,30/1,1.qtrle,argb,30/1,1$ ]] || { cat is; return 1; }
    [ "$(ffprobe -v error -of csv=p=0 -show_entries stream=color_space,color_primaries a.mov | tr -d '\r')" = bt709,bt709 ]
    ffmpeg -v error -i a.mov -pix_fmt gbrap16le -f rawvideo a.raw
    ffmpeg -v error -i b.mov -pix_fmt rgba -f rawvideo b.raw
    python - <<'P'
import numpy as np
from picture import png
p = png("p.png").astype(float) / 257
g, b, r, a = np.fromfile("a.raw", "<u2").reshape(4, 90, 160).astype(float) / 257
alpha = p[..., 3]
assert abs(a - alpha).max() < 0.6 and alpha.max() > 50 and alpha.min() < 10, (abs(a - alpha).max(), alpha.max(), alpha.min())
over = np.stack([r, g, b], axis=2) * a[..., None] / 255  # over black
error = over - p[..., :3] * alpha[..., None] / 255
assert abs(error).max() < 6 and abs(error).mean() < 0.3, (abs(error).max(), abs(error).mean())
assert (np.fromfile("b.raw", np.uint8).reshape(90, 160, 4) == png("p8.png")).all()
P
}

@test "--hdr: PQ of the linear picture, faint light as bright as in other pictures; what a film says of itself" {
    view=(-q --size 160x90 --extent 4 --center 0,0,0 --frame 5 --bloom 0)
    nbrender "${view[@]}" -o a.npy "$long"
    nbrender "${view[@]}" --depth 16 -o a.png "$long"
    mkdir bin
    printf '#!/bin/sh\ncase "$*" in *-encoders*) exec %s "$@" ;; esac\ntee fed.y4m | %s "$@"\n' "$(command -v ffmpeg)" "$(command -v ffmpeg)" >bin/ffmpeg
    chmod +x bin/ffmpeg
    PATH="$PWD/bin:$PATH" nbrender "${view[@]}" --hdr --quality 0 -o a.mp4 "$long"
    nbrender "${view[@]}" --hdr --exposure 40 --quality 0 -o b.mp4 "$long"
    ffprobe -v error -select_streams v -show_frames a.mp4 >says
    for line in pix_fmt=yuv420p10le color_range=tv color_space=bt2020nc color_primaries=bt2020 color_transfer=smpte2084 \
        max_luminance=10000000/10000 min_luminance=1/10000 max_content=1000 max_average=400; do
        grep -qx "$line" says || { echo "no $line"; cat says; return 1; }
    done
    for k in a b; do ffmpeg -v error -i $k.mp4 -pix_fmt yuv420p10le -f rawvideo $k.raw; done
    python - <<'P'
import numpy as np
from picture import png, y4m
def pq(nits):
    y = (nits / 10000) ** (2610 / 16384)
    return ((3424 / 4096 + 2413 / 128 * y) / (1 + 2392 / 128 * y)) ** (2523 / 32)
wide = np.array([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]])
linear = np.load("a.npy").astype(float)
def luma(k): # of k cd/m^2 for a linear value of 1
    light = k * linear @ wide.T
    most = light.max(axis=2, keepdims=True)
    return 64 + 876 * pq(light * np.minimum(1, 1000 / np.maximum(most, 1e-9))) @ [0.2627, 0.6780, 0.0593]
level = png("a.png").max(axis=2) / 65535
square = ((level + np.sqrt(level ** 2 + 4 * 0.03 * level)) / 2) ** 2  # before the toe of tone_curve.h, about linear where it is faint
faint = (square > 0.002) & (square < 0.04)
assert faint.sum() > 200
k = np.median(203 * square[faint] / linear.max(axis=2)[faint])
a, b = (np.fromfile(f + ".raw", "<u2")[: 90 * 160].reshape(90, 160) for f in "ab")
fed = y4m("fed.y4m")[2][0][0].astype(float)  # what ffmpeg encodes
best = min(np.linspace(0.9 * k, 1.1 * k, 401), key=lambda j: abs(fed - luma(j)).mean())
assert abs(best / k - 1) < 0.05, best / k
assert abs(fed - luma(best)).max() < 0.6, abs(fed - luma(best)).max()
assert abs(a - fed).mean() < 1 and abs(b - luma(40 * best)).mean() < 1 and 700 < b.max() < 728, b.max()
P
}

@test "an encoder that ffmpeg lacks: one line before any work, exit 1, no file" {
    mkdir bin
    cat > bin/ffmpeg <<'S'
#!/bin/sh
case "$*" in *-encoders*) ;; *) touch started ;; esac
printf 'Encoders:\n V..... = Video\n ------\n V....D libx264              H.264\n V..... libx265rgb           H.265\n'
S
    chmod +x bin/ffmpeg
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -1 --separate-stderr env PATH="$PWD/bin:$PATH" nbrender "${look[@]}" $options "$d"
        [ "$stderr" = "nbrender: ${wanted//_/ }" ] || { echo "$stderr"; return 1; }
    done <<'L'
a.mp4:_this_ffmpeg_has_no_encoder_for_hevc:_it_needs_libx265;_choose_another_--codec_or_suffix --codec hevc -o a.mp4
a.mkv:_this_ffmpeg_has_no_encoder_for_av1:_it_needs_libsvtav1_or_libaom-av1;_choose_another_--codec_or_suffix --codec av1 -o a.mkv
a.webm:_this_ffmpeg_has_no_encoder_for_vp9:_it_needs_libvpx-vp9;_choose_another_--codec_or_suffix -o a.webm
a.mkv:_this_ffmpeg_has_no_encoder_for_av1:_it_needs_libaom-av1;_choose_another_--codec_or_suffix --codec av1 --chroma 444 -o a.mkv
L
    [ ! -e started ]
    [ -z "$(ls a.* 2>/dev/null)" ]
}

@test "options that a kind does not have are refused: exit 2" {
    n=0
    mkfifo a.apng
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options "$d"
        [[ "${stderr_lines[0]}" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
        n=$((n + 1))
    done <<'L'
8_or_16_bits --depth 10 -o a.png
8_or_10_bits --depth 16 -o a.mp4
8_or_10_bits --depth 16 -o -
8_bits --depth 10 -o a.gif
8_bits --depth 16 -o a.jpg
PNG,_WebP,_APNG_and_MOV_only --alpha -o a.jpg
accepts_draft,_good_or_best --quality 20 -o a.jpg
for_films --quality best -o a.gif
at_most_16383_pixels --size 16384x9 -o a.webp
for_films,_YUV4MPEG2_and_JPEG --chroma 420 -o a.webp
for_films --codec h264 -o a.webp
32-bit_floats --depth 8 -o a.fits
8,_10_or_16 --depth 12 -o a.png
MOV_only --alpha -o a.mp4
has_444 --alpha --chroma 420 -o a.mov
8_bits --alpha --codec qtrle --depth 10 -o a.mov
takes_prores_qtrle --alpha --codec h264 -o a.mov
takes_h264_hevc --codec prores -o a.mov
for_pictures --no-dither -o a.mp4
for_pictures --no-dither -o a.npy
for_pictures --no-dither --depth 16 -o a.png
takes_h264_hevc_av1 --codec vp9 -o a.mp4
takes_h264_hevc --codec x -o a.mov
for_films --codec h264 -o a.png
for_films --quality 4 -o -
for_films --codec h264 -o a.gif
for_films --chroma 444 -o a.apng
not_a_pipe -o a.apng
one_quality --quality 4 --codec ffv1 -o a.mkv
0.002_to_50 --fps 50.001 -o a.gif
0.002_to_50 --fps 0.001 -o a.gif
for_films --keep-partial -o a%d.png
--overlay:_a.npy_contains_light_or_numbers --overlay time -o a.npy
--title:_a.fits_contains_light_or_numbers --title A -o a.fits
--exposure_cannot_be_used_with_a.pfm --exposure 2 -o a.pfm
--contours_cannot_be_used_with_a.npy --contours 3 --map density -o a.npy
0_to_51 --quality 52 -o a.mp4
0_to_63 --quality 64 -o a.webm
draft,_good,_best --quality better -o a.webm
whole_number --quality 99999999999999999999 -o a.webm
420_or_444 --chroma 422 -o a.mp4
for_films --chroma 444 -o a.png
one_view --layout quad -o a.fits
for_light_only,_not_for_--map --hdr --map density -o a.mp4
hevc_of_10_bits --hdr --codec h264 -o a.mp4
hevc_of_10_bits --hdr --depth 8 -o a.mp4
for_films --hdr -o a.png
hevc_of_10_bits --hdr -o a.webm
light_or_numbers --hdr --overlay time -o a.mp4
even_numbers --size 161x90 -o a.mov
L
    [ $n -eq 50 ]
    [ "$(ls a.*)" = a.apng ]
    nbrender -q --size 161x91 --chroma 444 -o odd.mkv "$d"
    nbrender -q --size 61x31 -o odd.gif "$d"
}
