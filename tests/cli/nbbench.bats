#!/usr/bin/env bats
# nbbench: a row for each force and precision, errors within the bounds of the forces, rates that agree with the times.
bats_require_minimum_version 1.5.0
load ../common/common

# A row takes nbbench 0.8 s of each thread. The table has all sizes and forces of a precision, the object all precisions.
@test "the table: a row for each force and size, errors of the precision, rates of the times" {
    nbbench --device cpu --threads 1 --precision mixed -n 17k >table
    python - table <<'END'
import sys
lines = [line.rstrip("\n") for line in open(sys.argv[1])]
facts = dict(line[2:].split(": ", 1) for line in lines if ": " in line)
assert facts["version"].startswith("nbbench (nbtools) ") and facts["device"].startswith("CPU") and facts["commit"], facts
names = next(line for line in lines if line.startswith("# device\t"))[2:].split("\t")
rows = [dict(zip(names, line.split("\t"))) for line in lines if not line.startswith("#")]
have = {(r["force"], r["precision"], int(r["n"])) for r in rows}
# A row that takes too long on this machine has a comment in its place.
slow = {(f, p, int(n)) for f, p, n in (line[2:].split(":")[0].split(" ") for line in lines if ": left out: an " in line)}
assert have | slow == {(f, p, n) for f in ("direct", "tree") for p in ("mixed",)
                       for n in ((4096, 16384) if f == "direct" else (16384,))}, (have, slow)
assert not have & slow and all(n == 16384 and f == "direct" for f, p, n in slow), slow
for r in rows:
    n, force_s, error = int(r["n"]), float(r["force_ms"]) * 1e-3, float(r["error_median"])
    assert force_s > 0 and float(r["step_ms"]) > 0 and 0 < float(r["few_ms"]) * 1e-3 < force_s / 2
    assert abs(float(r["bodies_per_s"]) / (n / force_s) - 1) < 1e-2
    if r["force"] == "direct":
        assert abs(float(r["pairs_per_s"]) / (n * n / force_s) - 1) < 1e-2
        assert 0 < error < 1e-6, r
    else:
        assert r["pairs_per_s"] == "nan" and 1e-6 < error < 2e-3, r
END
}

@test "the object: the same in JSON, a row for each precision with its errors" {
    nbbench --json --device cpu --threads 1 -n 4096 >object
    python - object <<'END'
import json, sys
o = json.load(open(sys.argv[1]))
assert o["version"].startswith("nbbench (nbtools) ") and o["device"].startswith("CPU")
assert [r["precision"] for r in o["rows"]] == ["single", "mixed", "double"], o
for r in o["rows"]:
    assert r["n"] == 4096 and r["force"] == "direct" and 0 < r["few_ms"] < r["force_ms"]
    assert 1e-9 < r["error_median"] < 1e-6 if r["precision"] != "double" else 0 < r["error_median"] < 1e-14, r
END
    nbbench --json --device cpu -n 10 >object 2>said
    grep -q 'too small, the smallest measurement has 4096 bodies' said
    python -c 'import json, sys; assert json.load(open(sys.argv[1]))["rows"] == []' object
}

@test "other options, operands and quad precision are refused" {
    refused 2 "nbbench: --steps: no such option" nbbench --steps 3
    refused 2 "nbbench: run.nbs: unexpected argument" nbbench run.nbs
    refused 2 "nbbench: --precision quad: expected single, mixed or double" nbbench --precision quad
    refused 2 "nbbench: --bodies 0: " nbbench -n 0
    refused 1 "nbbench: device cuda" nbbench --device cuda:99
}
