#!/usr/bin/env bats
# nbstat --columns, the line of the largest errors, and rejected combinations of the options on structure.
bats_require_minimum_version 1.5.0
load ../common/common
load nbstat

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    make_galaxies
}

@test "--columns: those alone, in that order, as in the whole table; what is not needed is not computed" {
    cp "$BATS_FILE_TMPDIR/galaxies.nbs" g.nbs
    nbstat -q g.nbs > table
    nbstat -q --columns time,lz,energy_error,file,com,n,pz g.nbs > chosen
    [ "$(head -n 1 chosen)" = $'# time\tlz\tenergy_error\tfile\tcomx\tcomy\tcomz\tn\tpz' ]
    for name in time lz energy_error file comx comy comz n pz; do
        [ "$(column $name < chosen)" = "$(column $name < table)" ]
    done
    nbstat -q --json --columns pz,com,frame g.nbs | head -n 1 | grep -qx '{"pz": [-0-9.e]*, "com": \[.*, .*, .*\], "frame": 0}'
    [ -z "$(nbstat -v --columns time,mass,half_mass_radius g.nbs 2>&1 >/dev/null)" ]
    nbstat -v --columns virial g.nbs 2>&1 >/dev/null | grep -q 'by direct summation'
    [ "$(nbstat --columns virial g.nbs 2>/dev/null)" = "$(cut -f 10 table | sed '1s/^/# /')" ]
    run -2 --separate-stderr nbstat --columns time, g.nbs
    run -2 --separate-stderr nbstat --modes --distance --columns a2,distance_1_0 g.nbs
    [[ "${stderr_lines[0]}" == *" a1 a2 a3 a4 phase1 phase2 phase3 phase4 distance_0_1 speed_0_1 and so on; "* ]]
    run -2 --separate-stderr nbstat --columns time,q g.nbs
    [ "${stderr_lines[0]}" = "nbstat: --columns: unknown column 'q'; columns: file frame time n mass kinetic potential energy energy_error virial momentum angular_momentum momentum_error angular_momentum_error com com_velocity half_mass_radius external centre core_radius segregation relaxation_time binaries hard_binaries binary_share binary_axis binary_energy; --lagrange, --modes, --escaped, --distance, --binaries and --radial bring others" ]
    run -2 --separate-stderr nbstat --radial spherical --columns q g.nbs
    [[ "${stderr_lines[0]}" == "nbstat: --columns: unknown column 'q'; columns: file frame time bin inner outer radius n mass within density v_r "*" beta v_c" ]]
}

@test "--lagrange: what looks like shares gets a warning, percentages do not" {
    cp "$BATS_FILE_TMPDIR/galaxies.nbs" g.nbs
    run -0 --separate-stderr nbstat -q --lagrange 0.5 --columns time,r0.5 g.nbs
    [ "$stderr" = "nbstat: warning: --lagrange 0.5: interpreted as 0.5 percent of the mass (for the fraction 0.5 give 50)" ]
    [ "${lines[0]}" = $'# time\tr0.5' ]
    run -0 --separate-stderr nbstat -q --lagrange 0.9,0.1,1 g.nbs
    [ "$stderr" = "nbstat: warning: --lagrange 0.1: interpreted as 0.1 percent of the mass (for the fraction 0.1 give 10)" ]
    for list in 1 50 0.1,10,50; do
        run -0 --separate-stderr nbstat -q --lagrange $list g.nbs
        [ -z "$stderr" ]
    done
}

@test "--columns: of a column that an option brings, the option is named, and brings it" {
    cp "$BATS_FILE_TMPDIR/galaxies.nbs" g.nbs
    while IFS='|' read -r given column missing; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbstat $given --columns "time,$column" g.nbs
        [ "${stderr_lines[0]}" = "nbstat: --columns: column $column exists only with $missing" ]
        [ "${#stderr_lines[@]}" = 2 ]
        [ -z "$output" ]
        # shellcheck disable=SC2086
        [ "$(nbstat -q ${missing%,*} --columns "time,$column" g.nbs | head -n 1)" = $'# time\t'"$column" ]
    done <<'L'
|r50|--lagrange 50
--lagrange 1|r0.1|--lagrange 0.1
|a2|--modes
|phase4|--modes
--lagrange 50|escaped_number|--escaped
|distance_0_2|--distance
|speed_0_2|--distance
|v_phi|--radial spherical
|surface_density|--radial cylindrical
--radial spherical|v_R|--radial cylindrical
--radial cylindrical|sigma_theta|--radial spherical
--radial spherical|r50|--lagrange 50, without --radial
--radial spherical|a1|--modes, without --radial
L
    for column in lz cx kinetic; do
        run -2 --separate-stderr nbstat --radial spherical --columns $column g.nbs
        [ "${stderr_lines[0]}" = "nbstat: --columns: column $column exists only without --radial" ]
    done
    for column in r r0 r101 r50.0 r1e1 rx distance_2_0 distance_0_16 a5 radius_but_one_of_a_very_long_name; do
        run -2 --separate-stderr nbstat --columns $column g.nbs
        [[ "${stderr_lines[0]}" == "nbstat: --columns: unknown column '$column'; columns: file "* ]]
    done
}

@test "the last line: the largest errors and their frames" {
    python - <<'P'
from nbs_writer import frame, write
for name, speeds in ("few", (1, 1.1, 1.3, 1.2)), ("more", (1, 0.5)):
    write(name + ".nbs", *(frame([1, 1], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, v, 0]], time=k) for k, v in enumerate(speeds)))
P
    # About the centre of mass E = v^2 / 4 - 1, of 0.75; P = v, of v; but more.nbs: -0.1875 of 0.75, 0.5 of 0.5; of the second
    # body only v^2 / 2 - 0.5, of 0.01 (0.5 + 0.5)
    [ "$(nbstat few.nbs 2>&1 >/dev/null)" = "nbstat: largest errors: energy 0.23 (frame 2), momentum 0.231 (frame 2), angular momentum 0.231 (frame 2)" ]
    [ "$(nbstat --json few.nbs more.nbs 2>&1 >/dev/null)" = "nbstat: largest errors: energy -0.25 (more.nbs, frame 1), momentum 1 (more.nbs, frame 1), angular momentum 1 (more.nbs, frame 1)" ]
    [ "$(nbstat --potential none few.nbs 2>&1 >/dev/null)" = "nbstat: largest errors: momentum 0.231 (frame 2), angular momentum 0.231 (frame 2)" ]
    [ "$(nbstat --select 'x > 0' --frame 1,3 few.nbs 2>&1 >/dev/null)" = "nbstat: largest changes: energy 22 of 0.01 (K0 + |W0 + X0|) (frame 3), momentum 0.167 (frame 3), angular momentum 0.167 (frame 3)" ]
    for options in -q "--columns time" "--frame 0" "--radial spherical"; do
        [ -z "$(nbstat $options few.nbs 2>&1 >/dev/null)" ]
    done
}

@test "usage errors: exit 2, one line and the hint" {
    cp "$BATS_FILE_TMPDIR/galaxies.nbs" g.nbs
    while read -r options; do
        # shellcheck disable=SC2086
        run -2 --separate-stderr nbstat $options g.nbs
        [ -z "$output" ] && [ "${#stderr_lines[@]}" = 2 ] || { echo "$options: $stderr"; false; }
    done <<'L'
--lagrange 0
--lagrange 10,,50
--lagrange 10,50,101
--lagrange 10,nan
--lagrange 50,50
--lagrange x
--lagrange 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33
--within 2
--modes --within 0
--modes --within -1
--modes --axis 0,0,0
--modes --axis 1,2
--modes --axis 1,2,3,4
--modes --axis up
--axis z
--about hole
--radial round
--radial spherical --bins 0
--radial spherical --bins 1001
--radial spherical --range 2,1
--radial spherical --range -1,1
--radial spherical --range 1
--bins 5
--range 0,1
--radial spherical --modes
--radial cylindrical --lagrange 50
--radial spherical --max-de 1
--escaped --potential none
--info --modes
--check --lagrange 50
--info --radial spherical
--check --columns time
L
}
