#!/bin/sh
# Stability of galaxies: bench/galaxy.sh BUILD [AGAMA], as TSV on stdout. Compares the first frame of each preset with
# the last one, after five turns at 2.2 scale lengths, for BODIES (1M) bodies: half-mass radius and rms height of the
# disk (last divided by first), the circular speed in five rings from the acceleration (the ring with the largest
# change), the displacement of the centre of mass, the energy error. With AGAMA, also compares the Milky Way of agama
# with that of nbgen (bench/agama_model.py, some minutes). AGAMA is the folder of agama.so, built from its sources with
# GSL and Eigen for the python3 in PATH, which needs numpy. DEVICE (default auto) is nbsim's.
set -eu
build=${1:?usage: bench/galaxy.sh BUILD [AGAMA]}
agama=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(cd "$build" && pwd)/bin:$PATH
n=${BODIES:-1M} device=${DEVICE:-auto}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ -z "$agama" ] || agama=$(cd "$agama" && pwd)
cd "$folder"

of_disk() { # of_disk COLUMN OPTION...: of the disk
    column=$1
    shift
    nbstat --potential column --select disk --columns "$column" "$@" run.nbs | grep -v '^#'
}

ratio() { # of the last line to the first
    awk 'NR == 1 { first = $1 } END { printf "%.4f", $1 / first }'
}

height() {
    for frame in 0 last; do of_disk height --frame $frame --radial cylindrical --range 0.5,4 --bins 1; done
}

rings() { # rings FRAME
    of_disk v_c --frame "$1" --radial cylindrical --range 0.8,4.5 --bins 5
}

# row NAME FILE OPTION...
row() {
    name=$1 file=$2
    shift 2
    nbsim --device "$device" --force tree --until 70 --every 70 --write acc "$@" -f -o run.nbs "$file" 2>said
    rings 0 >v0
    rings last >v1
    paste v0 v1 | awk '{ c = $2 / $1 - 1; if (c * c > m * m) m = c } END { printf "%.4f\n", 1 + m }' >worst
    nbstat --potential none --columns com run.nbs | awk '!/^#/ {
        if (++k == 1) { x = $1; y = $2; z = $3 }
        d = sqrt(($1 - x) ^ 2 + ($2 - y) ^ 2 + ($3 - z) ^ 2) } END { printf "%.1e\n", d }' >moved
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$n" \
        "$(of_disk r50 --lagrange 50 | ratio)" "$(height | ratio)" \
        "$(cat worst)" "$(cat moved)" "$(sed -n 's/.*energy error //p' said)"
}

printf '# galaxy\tbodies\thalf-mass radius\trms height\tcircular speed\tcentre moved\tenergy error\n'
for preset in milkyway m31 dwarf; do
    nbgen galaxy -q -n "$n" --preset "$preset" --store f32 -f -o galaxy.nbs
    row "$preset" galaxy.nbs
done
if [ -n "$agama" ]; then
    nbgen galaxy -q -n "$n" --store f32 -f -o galaxy.nbs
    nbconv --to text --columns component,mass galaxy.nbs >ours.txt
    PYTHONPATH=$agama python3 "$here/agama_model.py" ours.txt >theirs.txt 2>log || { cat log >&2; exit 1; }
    header() { nbstat --info galaxy.nbs | awk -v key="$1" '$1 == key { print $2 }'; }
    nbconv --from text --store f32 --softening "$(header softening)" -f -o theirs.nbs theirs.txt
    row 'milkyway by AGAMA' theirs.nbs --dt "$(header dt)"
fi
