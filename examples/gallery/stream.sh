#!/usr/bin/env bash
# A stellar stream: a star cluster dissolves on its orbit through the Milky Way, with a bar that turns and the Large Magellanic
# Cloud that falls in. The stars are tracers: they feel disk, bulge, bar, halo, Cloud, and what is left of the cluster, whose
# mass falls to 0 within 1.5 units of time (kpc over km/s, 0.98 Gyr). The Galaxy itself stays where it is.
#
# usage: stream.sh [OUT-DIRECTORY]     stream.mp4 and .png, and the orbits as streams
# N, UNTIL, SIZE and FRAME (of the picture) in the environment change what is made.
set -euo pipefail
. "$(dirname "$0")/../tools.sh"
cd "$out"
begin=-4 until=${UNTIL:-0} # today is 0
# shellcheck disable=SC2054 # the commas are of the fields
galaxy=(
    --force external:miyamoto-nagai,mass=8,a=6.5,b=0.26 --force external:hernquist,mass=1,scale=0.7
    --force external:bar,mass=1.8,a=3.5,b=0.5,c=0.6,omega=-40,angle=-27 --force external:logarithmic,speed=175,core=12,q=0.95)
run=(-q --integrator ias15 --max-de inf -f)

point() { # point TIME X Y Z VX VY VZ: one body without mass
    printf '# m x y z vx vy vz\n0 %s %s %s %s %s %s\n' "${@:2}" | nbconv -q --from text --units galactic | nbedit -q --time "$1"
}

# Back from where the Cloud is today, and from there its orbit. (kpc, km/s and 10^10 solar masses)
point 0 -1 -41 -28 -57 -226 221 | nbsim "${run[@]}" "${galaxy[@]}" --dt -0.01 --until $begin -o cloud-begin.nbs
nbsim "${run[@]}" --until 0 --every 0.01 -o cloud.nbs cloud-begin.nbs
# shellcheck disable=SC2054
galaxy+=(--force external:hernquist,mass=12,scale=15,center=cloud.nbs)

# The cluster as a point, then its stars in equilibrium in its field.
start="18 0 0 30 -60 175" # x y z vx vy vz
# shellcheck disable=SC2086
point $begin $start | nbsim "${run[@]}" "${galaxy[@]}" --until 0 --every 0.005 -o cluster.nbs
printf '# t mass\n-4 4e-4\n-3.5 3e-4\n-3 1e-4\n-2.5 0\n0 0\n' >mass.txt
# shellcheck disable=SC2086
set -- $start
nbgen plummer -q -n "${N:-30k}" --units galactic --mass 4e-4 --radius 0.04 |
    nbedit -q --shift "$1,$2,$3" --boost "$4,$5,$6" --set 'mass = 0' --time $begin |
    nbsim "${galaxy[@]}" --force external:plummer,scale=0.04,center=cluster.nbs,table=mass.txt \
        --integrator leapfrog --dt 0.001 --until "$until" --every 0.04 --store f32 -f -o stream.nbs
look=(--size "${SIZE:-1600x1000}" --view 30,20 --center 0,0,-4 --extent 34 --exposure 150)
nbrender -f "${look[@]}" -o stream.mp4 stream.nbs
nbrender -q -f "${look[@]}" --overlay scale --frame "${FRAME:-95}" -o stream.png stream.nbs
