#!/usr/bin/env bats
# nbrender's pictures of a dome and of all directions.
bats_require_minimum_version 1.5.0
load ../common/common
load nbrender

@test "dome and 360: bodies at known directions are where they should be, as bright in solid angle, and round the seam" {
    python - <<'P'
import numpy as np
from nbs_writer import frame, write
def around(angles):
    phi, lam = np.radians(angles).T
    return np.stack([np.cos(phi) * np.cos(lam), -np.cos(phi) * np.sin(lam), np.sin(phi)], axis=1)  # z up, -y to the right
angles = np.array([(0, 0), (20, 70), (38, -100), (45, 10), (-45, 150), (62, -30), (-80, 100), (89.5, 45), (-90, 0), (0, 180), (-30, 179.6)])
places = around(angles)
np.save("places.npy", places)
# each at the camera's distance from the centre, and the second one also twice as far away
write("b.nbs", *(frame([1.0], [p], [[0.0, 0, 0]], time=float(k)) for k, p in enumerate([*places, 2 * places[1]])))
P
    echo "0  0 0 0  1 0 0  0 0 1  50" > ahead.txt
    echo "0  0 0 0  0 0 1  0 1 0  50" > above.txt
    look=(-q --device cpu --smooth fixed --bloom 0)
    nbrender "${look[@]}" --projection 360 --size 512x256 --camera ahead.txt -o 's%02d.npy' b.nbs
    nbrender "${look[@]}" --projection dome --size 300x300 --camera above.txt -o 'd%02d.npy' b.nbs
    nbrender "${look[@]}" --projection 360 --size 512x256 --camera ahead.txt --threads 1 --frame 4 -o 't%02d.npy' b.nbs
    cmp s04.npy t04.npy
    python - <<'P'
import numpy as np
places = np.load("places.npy")
count = len(places)
phi = (np.pi / 2 - (np.arange(256) + 0.5) * np.pi / 256)[:, None]
lam = ((np.arange(512) + 0.5 - 256) * np.pi / 256)[None, :]
way = np.stack([np.cos(phi) * np.cos(lam), -np.cos(phi) * np.sin(lam), np.sin(phi) + 0 * lam], axis=2)
y, x = np.mgrid[:300, :300] + 0.5 - 150
theta = np.hypot(x, y) / 150 * np.pi / 2
across = np.sin(theta) / np.hypot(x, y)
up = np.stack([-x * across, -y * across, np.cos(theta)], axis=2)  # z is in the middle, y upwards, and so x to the left
def seen(name, way, solid):
    light = np.load(name).astype(float).sum(axis=2) * solid
    at = (light[..., None] * way).sum(axis=(0, 1))
    return light.sum(), at / np.linalg.norm(at)
def degrees(a, b):
    return np.degrees(2 * np.arcsin(np.linalg.norm(a - b) / 2))
for k, place in enumerate(places):
    light, at = seen(f"s{k:02}.npy", way, np.cos(phi) * np.pi / 256)
    one = light if k == 0 else one
    assert degrees(at, place) < 0.1 and abs(light / one - 1) < 0.03, (k, degrees(at, place), light / one)
    light, at = seen(f"d{k:02}.npy", up, np.sin(theta) / theta * (np.pi / 256) * (256 / 300) ** 2)
    if place[2] < -0.1:
        assert light == 0
    elif place[2] > 0.1:
        first = light if k == 1 else first
        assert degrees(at, place) < 0.1 and abs(light / first - 1) < 0.02, (k, degrees(at, place), light / first)
edge = np.load("s09.npy").sum(axis=(0, 2))
assert abs(edge[:256].sum() / edge.sum() - 0.5) < 1e-3 and edge[5:-5].sum() == 0
far, _ = seen(f"s{count:02}.npy", way, np.cos(phi) * np.pi / 256)
assert abs(4 * far / one - 1) < 0.03, far / one
P
}

@test "dome and 360 by default: the camera stands at half the extent; sizes; black outside of the circle" {
    printf '1 2 0 0 0 0 0\n' | bodies one.nbs
    look=(-q --device cpu --smooth fixed --bloom 0 --extent 4 --center 0,0,0 --depth 16)
    nbrender "${look[@]}" --projection dome --size 200x200 -o dome.png one.nbs # at (0, 0, 2), looking down
    nbrender "${look[@]}" --projection 360 --size 400x200 --view -90,0 -o all.png one.nbs # at (0, -2, 0), looking along y
    nbgen plummer -n 2k -q --seed 3 -o p.nbs
    nbrender -q --projection dome --extent 0.5 --exposure 30 --size 200x200 -o full.png p.nbs
    nbrender -q --device cpu --projection dome --select "mass > 9" -o large.png one.nbs # nothing is in it
    python - <<'P'
import struct
import numpy as np
from picture import png, png_chunks, middle
x, y = middle(png("dome.png"))
assert abs(x - 150) < 0.1 and abs(y - 100) < 0.1, (x, y)
x, y = middle(png("all.png"))
assert abs(x - 250) < 0.1 and abs(y - 100) < 0.1, (x, y)
p = png("full.png")
y, x = np.mgrid[:200, :200] + 0.5 - 100
assert (p[np.hypot(x, y) > 100] == 0).all() and (p[np.hypot(x, y) < 99].max(axis=1) > 20).all()
assert struct.unpack(">II", png_chunks("large.png")[0][1][:8]) == (4096, 4096)
P
}

@test "360: films in MP4 and MOV say that they are spherical; they are whole, and the others are told of" {
    nbgen plummer -n 2k -q --seed 3 -o p.nbs
    cat p.nbs p.nbs p.nbs > three.nbs
    nbrender -q --device cpu --projection 360 --size 320x160 --quality 0 --extent 1 -o f.mp4 three.nbs
    nbrender -q --device cpu --projection 360 --size 64x32 -o f.mov three.nbs
    for film in f.mp4 f.mov; do
        ffprobe -v error -show_streams $film > streams
        [ "$(grep -A1 'side_data_type=Spherical Mapping' streams | tail -1)" = projection=equirectangular ]
        [ "$(grep -A1 'side_data_type=Stereo 3D' streams | tail -1)" = type=2D ]
    done
    ffmpeg -v error -xerror -i f.mp4 -f null - 2> said
    [ ! -s said ]
    [ "$(probe f.mp4 | head -1)" = "h264,320,160,30/1,3," ]
    python - <<'P'
import struct
data = open("f.mp4", "rb").read()
def boxes(begin, end):
    while begin < end:
        size, name = struct.unpack(">I4s", data[begin : begin + 8])
        assert 8 <= size <= end - begin, (name, size)
        yield name.decode(), begin, begin + size
        begin += size
    assert begin == end
def find(way, begin=0, end=len(data), skip=0):
    for name, at, until in boxes(begin + skip, end):
        if name == way[0]:
            return (at, until) if len(way) == 1 else find(way[1:], at + 8, until, {"stsd": 8, "avc1": 78, "sv3d": 0}.get(name, 0))
entry = ["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"]
assert find(entry + ["avcC"]) and find(entry + ["colr"])
at, end = find(entry + ["st3d"])
assert data[at + 8 : end] == bytes(5)
at, end = find(entry + ["sv3d"])
inside = [(name, a, b) for name, a, b in boxes(at + 8, end)]
assert [name for name, *_ in inside] == ["svhd", "proj"]
assert data[inside[0][1] + 12 : inside[0][2]] == b"nbrender\0"
inside = [(name, b - a - 12) for name, a, b in boxes(inside[1][1] + 8, inside[1][2])]
assert inside == [("prhd", 12), ("equi", 16)]
moov, mdat = find(["moov"]), find(["mdat"])
assert moov[1] <= mdat[0] and mdat[1] - mdat[0] > 1 << 14  # it begins with what players ask first, and was moved in pieces
stco = find(entry[:5] + ["stco"])[0]
chunks = struct.unpack(f">{struct.unpack('>I', data[stco + 12 : stco + 16])[0]}I", data[stco + 16 : find(entry[:5] + ["stco"])[1]])
assert chunks[0] == mdat[0] + 8
P
    nbrender --projection 360 --size 64x32 --device cpu -o f.gif three.nbs 2> said
    grep -q "warning: f.gif: this format cannot mark the film as spherical" said
}

@test "dome and 360: what they do not have is refused" {
    echo "1 1 2 3 0 0 0" | bodies one.nbs
    while read -r wanted options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbrender $options -o a.png one.nbs
        [[ "$stderr" == *"${wanted//_/ }"* ]] || { echo "$options: $stderr"; return 1; }
    done <<'L'
flat,_dome_or_360 --projection fisheye
needs_a_square --projection dome --size 100x50
twice_as_many --projection 360 --size 100x100
--layout_quad_works_for_flat --projection dome --layout quad
--fov_works_for_flat --projection 360 --fov 90
--stereo_works_for_flat --projection 360 --stereo anaglyph
--map_works_for_flat --projection dome --map density
--style_discs_works_for_flat --projection dome --style discs
--trails_works_for_flat --projection 360 --trails 2
--labels_works_for_flat --projection dome --labels id
--overlay_scale_works_for_flat --projection dome --overlay time,scale
--overlay_box_works_for_flat --projection dome --overlay box
--slice_works_for_flat --projection dome --slice 0,1
--dust_works_for_flat --projection 360 --dust 0.5
--arrows_works_for_flat --projection dome --arrows 9
L
    [ -z "$(ls a* 2>/dev/null)" ]
}
