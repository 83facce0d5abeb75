#!/usr/bin/env python3
"""A model, not a measurement: what an evaluation of all forces would take on more GPUs than were there, from the times of
its stages on one GPU and on two.

usage: groups_model.py [--link GB/s] [--network GB/s] [--host GPUS] [--tree-bytes B] TABLE

TABLE is what bench/groups.sh prints: of its rows `stage GPUS FORCE PRECISION N STAGE MS`, milliseconds a step. For n
bodies on P GPUs, m = n / P to each, a stage s takes

  local     t1(s) m / n1                          what a GPU does with its own bodies; t1, n1: measured on one
  pairs     t1(s) (n / n1)^2 / P                  the direct sum's
  own       t2(s) m / m2                          local too, but only done by several; t2, m2: measured on two
  moved     t2(s) (m (1 - 1/P) L(P)) / (m2 / 2)   bodies that go to another GPU's domain, or fields that come back
  once      t2(s) P / 2                           what is done for all domains together

A local or pairs stage takes longer by the factor t2(s) / (t1(s) m2 / n1), the measured excess of two (domains that are
not equal, work that both do); it stays the same for more, which is an assumption. L(P) is how much longer a byte takes on
average: 1 among the GPUs of a host, LINK / NETWORK for those of P that are on others. The trees of all other domains,
TREE-BYTES a body with its share of the nodes, come while the walk and the sums of the own domain run:

  trees     max(0, (n - m) TREE-BYTES L(P) / LINK - walk) + t2(exchange trees)

and so do positions behind the direct sum over a GPU's own bodies, 1 / P of its pairs:

  positions max(0, (n - m) BYTES L(P) / LINK - pairs / P), of 16 bytes a body, 32 in double and mixed

A tree with domains is on one host: it is not told for more GPUs than one has. The speeds of LINK (a direction of NVLink, a GPU) and NETWORK (a GPU's share) are assumed. So is that nothing else is in
the way; memory is not looked at. The check at the end is of sizes that the model was not made from, where the table has
them, and of two GPUs by the parts of one alone, without excesses."""
import argparse
import collections

COUNTS = (1, 2, 4, 8, 16, 64)
PAIRS = {"pairs", "force", "far pairs", "near pairs"}
MOVED = {"exchange bodies", "return fields", "exchange positions", "exchange fields"}
ONCE = {"top"}
OWN = {"survey", "keys"}
TREES = "exchange trees"
OVERLAP = {"walk", "far", "near"}  # behind which trees are on their way


def read_table(path):
    """{(force, precision): {(gpus, n): {stage: ms}}}"""
    table = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(path) as lines:
        for row in (line.rstrip("\n").split("\t") for line in lines):
            if row[0] == "stage" and len(row) == 7:
                table[row[2], row[3]][int(row[1]), int(row[4])][row[5]] = float(row[6])
    return table


class Model:
    """Of one force in one precision, from stages of n1 bodies on one GPU and of n2 on two."""
    def __init__(self, options, precision, n1, one, n2, two):
        self.o, self.n1, self.one, self.m2, self.two = options, n1, one, n2 / 2, two
        self.position_bytes = 16 if precision == "single" else 32

    def counts(self):
        """Domains are of the GPUs of one host, which reach one another's memory."""
        return [gpus for gpus in COUNTS if gpus <= self.o.host or TREES not in self.two]

    def longer(self, gpus):
        """How much longer a byte takes on average than between GPUs of one host."""
        if gpus <= self.o.host:
            return 1.0
        outside = (gpus - self.o.host) / (gpus - 1)
        return 1 - outside + outside * self.o.link / self.o.network

    def excess(self, stage):
        if stage not in self.two or self.one[stage] == 0:
            return 1.0
        share = (2 * self.m2 / self.n1) ** 2 / 2 if stage in PAIRS else self.m2 / self.n1
        return self.two[stage] / (self.one[stage] * share)

    def stage(self, stage, n, gpus, with_excess):
        m = n / gpus
        if stage in self.one:
            share = (n / self.n1) ** 2 / gpus if stage in PAIRS else m / self.n1
            return self.one[stage] * share * (self.excess(stage) if with_excess and gpus > 1 else 1)
        if gpus == 1:
            return 0.0
        if stage in MOVED:
            return self.two[stage] * m * (1 - 1 / gpus) * self.longer(gpus) / (self.m2 / 2)
        if stage in ONCE:
            return self.two[stage] * gpus / 2
        return self.two[stage] * (m / self.m2 if stage != TREES else 1)

    def time(self, n, gpus, with_excess=True):
        """Milliseconds of an evaluation."""
        stages = {s: self.stage(s, n, gpus, with_excess) for s in {**self.one, **self.two}}
        if gpus == 1:
            return sum(stages.values())
        ms_of_byte = (n - n / gpus) * self.longer(gpus) / (self.o.link * 1e6)
        late = 0.0
        if TREES in stages:
            late += max(0.0, ms_of_byte * self.o.tree_bytes - sum(stages.get(s, 0.0) for s in OVERLAP))
        elif PAIRS & stages.keys():
            late += max(0.0, ms_of_byte * self.position_bytes - sum(stages.get(s, 0.0) for s in PAIRS) / gpus)
        return sum(stages.values()) + late


def predict(model, what, n_of):
    """Rows for all counts; n_of: bodies on so many GPUs."""
    alone = model.time(n_of(1), 1)
    for gpus in model.counts():
        n, ms = n_of(gpus), model.time(n_of(gpus), gpus)
        faster = alone / ms * n / n_of(1)
        print(f"model\t{what}\t{gpus}\t{n}\t{ms:.4g}\t{faster:.2f}\t{faster / gpus:.2f}")


def check(model, what, runs, made_of):
    """Against what was measured: two GPUs by the parts of one alone, then sizes that are not in the model."""
    for (gpus, n), stages in sorted(runs.items()):
        measured = sum(stages.values())
        if (gpus, n) == made_of:
            ms, how = model.time(n, gpus, with_excess=False), "by the parts of one alone"
        elif gpus > 1:
            ms, how = model.time(n, gpus), "by the model"
        else:
            continue
        print(f"# check: {what}, {n} bodies on {gpus}: {ms:.4g} ms {how}, {measured:.4g} ms measured ({ms / measured - 1:+.0%})")


def main():
    p = argparse.ArgumentParser(description="a model of more GPUs than were there, from bench/groups.sh's table")
    p.add_argument("--link", type=float, default=350, help="GB/s between GPUs of a host (350, assumed)")
    p.add_argument("--network", type=float, default=45, help="GB/s of a GPU to other hosts (45, assumed)")
    p.add_argument("--host", type=int, default=8, help="GPUs of a host (8)")
    p.add_argument("--tree-bytes", type=float, default=40, help="of a tree with its bodies, a body (40, single)")
    p.add_argument("table")
    o = p.parse_args()
    table = read_table(o.table)
    if not any(gpus == 2 for runs in table.values() for gpus, _ in runs):
        raise SystemExit(f"groups_model.py: {o.table}: no stages of two GPUs in it (bench/groups.sh prints them)")
    print("# A MODEL, not measured: from the stages on one GPU and on two; bench/groups_model.py states the formula.")
    print(f"# Assumed: {o.link:g} GB/s a GPU within a host of {o.host}, {o.network:g} GB/s beyond; trees of {o.tree_bytes:g} bytes a body.")
    print("# model\tforce\tgpus\tn\tforce_ms\ttimes_one\tefficiency")
    for (force, precision), runs in sorted(table.items()):
        same = sorted(n for gpus, n in runs if gpus == 2 and (1, n) in runs)
        if not same:
            continue
        n = same[-1]
        model = Model(o, precision, n, runs[1, n], n, runs[2, n])
        predict(model, f"{force} {precision}", lambda gpus: n)
        alone = [k for gpus, k in runs if gpus == 1 and k != n and (2, 2 * k) in runs]
        if alone:
            predict(model, f"{force} {precision}, as many on each", lambda gpus: gpus * alone[-1])
        check(model, f"{force} {precision}", runs, (2, n))


if __name__ == "__main__":
    main()
