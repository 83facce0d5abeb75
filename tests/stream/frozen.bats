#!/usr/bin/env bats
# Streams of every version of the format, stored in tests/data, must remain readable: their values are known numbers. A
# later version of the format adds files and tests here; existing ones are never changed (CONTRIBUTING.md).
bats_require_minimum_version 1.5.0
load ../common/common

# values FILE FRAME COLUMNS: what a file and a pipe hold, which agree; the expected numbers come from stdin.
values() {
    nbconv --to text --frame "$2" --columns "$3" "$data/$1" >file.txt
    nbconv --to text --frame "$2" --columns "$3" < <(cat "$data/$1") | cmp - file.txt
    grep -v '^#' file.txt >numbers.txt
    python <(cat <<'P'
import struct, sys
# However many digits a number is written with: 9 of them are one of single precision.
def same(wanted, found):
    if wanted == found or float(wanted) == float(found):
        return True
    digits = sum(c.isdigit() for c in wanted.lstrip("-0.").split("e")[0])
    return digits <= 9 and struct.pack("f", float(wanted)) == struct.pack("f", float(found))
wanted, found = ([line.split() for line in open(name) if line[0] != "#"] for name in sys.argv[1:])
assert len(wanted) == len(found) > 0, (wanted, found)
for a, b in zip(wanted, found):
    assert len(a) == len(b) and all(map(same, a, b)), (a, b)
P
    ) /dev/stdin numbers.txt
}

@test "the frozen streams are those that were frozen, and all are whole" {
    cd "$data"
    sha256sum --quiet -c version*.sha256
    [ "$(cat version*.sha256 | wc -l)" = "$(ls version*.nbs | wc -l)" ]
    run -0 nbstat --check version*.nbs
    diff - <(printf '%s\n' "$output") <<'END'
version1-columns.nbs: ok, 2 frames, 1 to 3 bodies
version1-empty.nbs: ok, 2 frames, 0 to 2 bodies
version1-quad.nbs: ok, 3 frames, 3 bodies
version1-single.nbs: ok, 3 frames, 5 bodies
version1-two.nbs: ok, 3 frames, 1 to 2 bodies
END
}

@test "version 1: columns of every type" {
    values version1-columns.nbs 0 mass,pos,vel <<'END'
1 0 0 0.125 -0 -0 -0.25
1.5 1 -0.25 0.125 -2 0.5 -0.25
2 2 -0.5 0.125 -4 1 -0.25
END
    values version1-columns.nbs 0 id,component,color,header,softening_l,phi,acc <<'END'
18446744073709551615 0 1 2 3 1e-300 0.100000001 -1.5 0.10000000000000001 0.10000000000000001 0.10000000000000001
5 7 4 5 6 -1.0000000000000001e+300 0.200000003 -2.5 0.10000000000000001 0.10000000000000001 0.10000000000000001
9223372036854775808 255 7 8 4294967295 4.9406564584124654e-324 0.300000012 -3.5 0.10000000000000001 0.10000000000000001 0.10000000000000001
END
    values version1-columns.nbs last mass,pos,vel,component <<'END'
1 0.5 0.5 0.125 -1 -1 -0.25 3
END
}

@test "version 1: every key of a header, forces, history, and keys that are not known" {
    nbstat --info "$data/version1-columns.nbs" | grep -v '^  column' | tail -n +2 | diff - <(cat <<'END'
  G 43009.17
  softening 0.05
  dt 0.001
  origin -0.5 every 0.2
  units galactic length_cgs 3.0856775814913673e+21 mass_cgs 1.988409870698051e+43 time_cgs 3.085677581491367e+16
  component other 1
  component gas 1
  component 255 1
  force auto
  force external:point,mass=1
  history 1 - nbgen 0.1.0 1 nbgen plummer --bodies=3
  history 2 1 nbsim 0.1.0 - nbsim --dt=0.001
  other note z comes first
  other note a comes second
  other note a comes second
  other key value with  blanks
  frame 0 time -0.1 step 7 n 3
  from frame 1 on
  G 1
  softening 0
  dt 0 (none)
  units code
  component bulge 1
  frame 1 time 0.1 step 8 n 1
END
    )
}

@test "version 1: single precision" {
    values version1-single.nbs all mass,pos <<'END'
# frame 0 time 0
1 0 0 0.125
1.5 1 -0.25 0.125
2 2 -0.5 0.125
2.5 3 -0.75 0.125
3 4 -1 0.125


# frame 1 time 0.25
1 0.100000001 0.100000001 0.125
1.5 1.10000002 -0.150000006 0.125
2 2.0999999 -0.400000006 0.125
2.5 3.0999999 -0.649999976 0.125
3 4.0999999 -0.899999976 0.125


# frame 2 time 0.5
1 0.200000003 0.200000003 0.125
1.5 1.20000005 -0.0500000007 0.125
2 2.20000005 -0.300000012 0.125
2.5 3.20000005 -0.550000012 0.125
3 4.19999981 -0.800000012 0.125
END
}

@test "version 1: the low parts of quadruple precision, as a run wrote them" {
    values version1-quad.nbs last id,pos,pos_lo,vel_lo <<'END'
0 0.97908810734176166 -0.23438212010708304 0 -4.1269370072265119e-17 8.3415324975567543e-19 0 -2.3980506088979381e-17 -1.9048342342435818e-17 0
1 -0.96043561082778961 0.25167126368062293 0 -3.7315055833159517e-17 9.6552468784423896e-19 0 -1.7915257858329334e-17 2.4889679374756684e-17 0
2 -0.01865249651397197 -0.017289143573539893 0 -1.2128539895084957e-18 1.6697690143536996e-18 0 -1.3615387283949114e-17 4.9669814198936961e-17 0
END
}

@test "version 1: streams one after the other, and a frame without bodies" {
    values version1-two.nbs all mass,pos <<'END'
# frame 0 time 0
1 0 0 0.125
1.5 1 -0.25 0.125


# frame 1 time 1
1 0 0 0.125
1.5 1 -0.25 0.125


# frame 2 time 5
1 0 0 0.125
END
    values version1-empty.nbs 1 mass,vel <<'END'
1 -0 -0 -0.25
1.5 -2 0.5 -0.25
END
    nbstat --info "$data/version1-empty.nbs" | grep -q 'frame 0 time 1 step 0 n 0'
}
