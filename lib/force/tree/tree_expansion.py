#!/usr/bin/env python3
"""Writes tree_expansion.h: formulas of an expansion of order 5 as C code. Usage: tree_expansion.py > tree_expansion.h

The order P is set only here. All formulas follow from three sums over multi-indices, which the printed comment explains."""
from itertools import product
from math import factorial

P = 5
AXES = "xyz"


def indices(order):
    return [(a, b, order - a - b) for a in range(order, -1, -1) for b in range(order - a, -1, -1)]


def name(n):
    return "".join(axis * k for axis, k in zip(AXES, n))


LOCAL = [n for order in range(P + 1) for n in indices(order)]
MOMENTS = [n for order in range(P) if order != 1 for n in indices(order)]  # no dipole about the centre of mass
NL, NQ = len(LOCAL), len(MOMENTS)
at_local = {n: k for k, n in enumerate(LOCAL)}
at_moment = {n: k for k, n in enumerate(MOMENTS)}


def plus(a, b):
    return tuple(i + j for i, j in zip(a, b))


def minus(a, b):
    return tuple(i - j for i, j in zip(a, b))


def order_of(n):
    return sum(n)


def unit(k):
    return tuple(int(k == j) for j in range(3))


def wrap(head, terms, tail=";", indent=4):
    """Returns head + terms joined by ' + ', wrapped at 120 columns."""
    lines, line = [], " " * indent + head
    for k, term in enumerate(terms):
        piece = (" + " if k else "") + term
        if len(line) + len(piece) + 1 > 118:
            lines.append(line + (" +" if k else ""))
            line = " " * (indent + 4) + term
        else:
            line += piece
    lines.append(line + tail)
    return "\n".join(lines)


def declare(what):
    """Declares REAL constants, several per line."""
    lines, line = [], "    const REAL "
    for k, piece in enumerate(what):
        last = k == len(what) - 1
        if len(line) + len(piece) + 1 > 118:
            lines.append(line.rstrip())
            line = " " * 15
        line += piece + (";" if last else ", ")
    lines.append(line)
    return "\n".join(lines)


def powers(order):
    """Returns p_xxy = x^2 y / (2! 1!) and so on up to an order, each computed from one of lower order."""
    what = []
    for o in range(1, order + 1):
        for n in indices(o):
            k = max(range(3), key=lambda j: n[j])
            below = minus(n, unit(k))
            if o == 1:
                what.append(f"p_{name(n)} = {AXES[k]}")
            elif n[k] == 1:
                what.append(f"p_{name(n)} = p_{name(below)} * {AXES[k]}")
            else:
                what.append(f"p_{name(n)} = p_{name(below)} * {AXES[k]} * SCALAR(1.0 / {n[k]})")
    return declare(what)


def term(a, n):
    return a if order_of(n) == 0 else f"{a} * p_{name(n)}"


def moments_add():
    rows = [wrap(f"q[{at_moment[n]}] += ", [term("m", n)]) for n in MOMENTS]
    return powers(P - 1) + "\n" + "\n".join(rows)


def moments_shift():
    rows = []
    for n in MOMENTS:
        terms = [term(f"q[{at_moment[k]}]", minus(n, k)) for k in MOMENTS if all(i <= j for i, j in zip(k, n))]
        rows.append(wrap(f"to[{at_moment[n]}] += ", terms))
    return powers(P - 1) + "\n" + "\n".join(rows)


def local_shift():
    """Shifts along one axis after the other, in place. A coefficient uses only those of higher order, not yet changed."""
    rows = [f"    REAL m[{NL}];", f"    for (int k = 0; k < {NL}; k++)", "        m[k] = l[k];"]
    what = []
    for axis in AXES:
        for k in range(2, P + 1):
            what.append(f"{axis}{k} = {axis + str(k - 1) if k > 2 else axis} * {axis} * SCALAR(1.0 / {k})")
    rows.append(declare(what))
    for k, axis in enumerate(AXES):
        for n in LOCAL:
            terms = []
            for j in range(1, P - order_of(n) + 1):
                to = n
                for _ in range(j):
                    to = plus(to, unit(k))
                terms.append(f"m[{at_local[to]}] * {axis + str(j) if j > 1 else axis}")
            if terms:
                rows.append(wrap(f"m[{at_local[n]}] += ", terms))
    rows += [f"    for (int k = 0; k < {NL}; k++)", "        to[k] += m[k];"]
    return "\n".join(rows)


def local_gradient():
    rows = []
    for axis in range(3):
        terms = [term(f"l[{at_local[plus(unit(axis), k)]}]", k) for k in LOCAL if order_of(k) < P]
        rows.append(wrap(f"g[{axis}] += ", terms))
    return powers(P - 1) + "\n" + "\n".join(rows)


def local_value():
    terms = [term(f"l[{k}]", n) for n, k in at_local.items()]
    return powers(P) + "\n" + wrap("return ", terms)


def derivatives(order):
    """Returns d_n, the derivative of 1/rho, with terms grouped by the function g_k that multiplies them."""
    what = [f"{a}{a} = {a} * {a}" for a in AXES]
    what += ["xy = x * y", "xz = x * z", "yz = y * z"]
    out = [declare(what)]
    for o in range(1, order + 1):
        what = []
        for n in indices(o):
            odd = [a for a, k in zip(AXES, n) if k % 2]
            factor = {0: "", 1: odd[0] if odd else "", 2: "".join(odd), 3: "xyz_"}[len(odd)]
            if len(odd) == 3:
                factor = "xy * z"
            # product over axes of sum_j c_j x^(k - 2 j), j pairs taken from g's order
            rest = {}
            for js in product(*(range(k // 2 + 1) for k in n)):
                c = 1
                for k, j in zip(n, js):
                    c *= factorial(k) // (2**j * factorial(j) * factorial(k - 2 * j))
                squares = tuple((k - 2 * j) // 2 for k, j in zip(n, js))
                rest.setdefault(sum(js), []).append((c, squares))
            groups = []
            for pairs, members in sorted(rest.items()):
                common = min(c for c, _ in members)
                parts = []
                for c, squares in members:
                    factors = [a + a for a, s in zip(AXES, squares) for _ in range(s)]
                    if c != common:
                        assert c % common == 0
                        factors.append(f"SCALAR({c // common})")
                    parts.append(" * ".join(factors))
                g = f"g{o - pairs}" if common == 1 else f"g{o - pairs}_{common}"
                needed.add((o - pairs, common))
                if parts == [""]:
                    groups.append(g)
                elif len(parts) == 1:
                    groups.append(f"{parts[0]} * {g}")
                else:
                    groups.append(f"({' + '.join(parts)}) * {g}")
            inner = " + ".join(groups)
            if len(groups) > 1 and factor:
                inner = f"({inner})"
            what.append(f"d_{name(n)} = " + (f"{factor} * {inner}" if factor else inner))
        out.append(declare(what))
    return "\n".join(out)


def local_add():
    """The sign of odd moments is contained in q, so that all terms add."""
    rows = []
    for n in LOCAL[1:]:
        terms = []
        for m in MOMENTS:
            if order_of(n) + order_of(m) <= P:
                terms.append(f"q[{at_moment[m]}] * d_{name(plus(n, m))}")
        rows.append(wrap(f"l[{at_local[n]}] += ", terms))
    value = [f"q[{at_moment[m]}] * " + (f"d_{name(m)}" if order_of(m) else "g0") for m in MOMENTS]
    body = derivatives(P)
    multiples = [f"g{o}_{c} = SCALAR({c}) * g{o}" for o, c in sorted(needed) if c != 1]
    radial = ["rinv = RSQRT(x * x + y * y + z * z + eps2)", "s = rinv * rinv", "g0 = rinv"]
    radial += [f"g{k} = SCALAR(-{2 * k - 1}) * s * g{k - 1}" for k in range(1, P + 1)]
    return "\n".join([declare(radial), declare(multiples), body, "    if (want_value)",
                      wrap("l[0] += ", value, indent=8)] + rows)


def function(head, comment, body):
    return f"/* {comment} */\n{head}\n{{\n{body}\n}}\n"


needed = set()
print(f"""/* tree_expansion.h - expansions of the softened potential in Cartesian coordinates to order {P}.
 *
 * Written by tree_expansion.py: change the script, not this file. Included once for each type of number, which may be
 * a compiler's vector type, with these macros defined: REAL, the type; SCALAR(x), a constant; RSQRT(x), 1/sqrt(x);
 * EXPANSION(word), the name of a function; EXPANSION_CALL, the declaration specifiers of functions.
 *
 * psi(y) = sum_j m_j / rho, rho^2 = |y - x_j|^2 + eps^2. The acceleration is G grad psi, the potential -G psi. With
 * multi-indices n = (a, b, c), x^n = x^a y^b z^c, n! = a! b! c!, |n| = a + b + c (Dehnen 2002, J. Comput. Phys. 179,
 * 27, in three dimensions with softening):
 *     moments      q_n = sum_j m_j (c - x_j)^n / n!           about the centre of mass c; |n| = 0, 2, 3, 4
 *     derivatives  d_n = D^n 1/rho                            at the distance s - c
 *     local        l_n = sum_m q_m d_(n + m), |n + m| <= {P}    about s
 *     near s       psi(y) = sum_n l_n (y - s)^n / n!
 * Coefficients are ordered by |n|, then x before y before z: {NQ} moments (1, 6, 10, 15), {NL} local coefficients (1, 3, 6,
 * 10, 15, 21). The derivatives are those of 1/rho, not of 1/r: they are not traceless, and are valid for any eps. */
#ifndef NB_TREE_EXPANSION
#define NB_TREE_EXPANSION
enum {{ NB_MOMENTS = {NQ}, NB_LOCALS = {NL} }};
#endif
""")
print(function("EXPANSION_CALL void EXPANSION(moments_add)(REAL *q, REAL m, REAL x, REAL y, REAL z)",
               "Adds mass m to the moments q[NB_MOMENTS]; (x, y, z) = c - x_j.", moments_add()))
print(function("EXPANSION_CALL void EXPANSION(moments_shift)(REAL *to, const REAL *q, REAL x, REAL y, REAL z)",
               "Adds moments q about c to moments about c + (x, y, z). The total dipole about the centre of mass is 0.",
               moments_shift()))
print(function("EXPANSION_CALL void EXPANSION(local_add)(REAL *l, const REAL *q, REAL x, REAL y, REAL z, REAL eps2, int want_value)",
               "Adds the field of moments q about c to the local expansion l[NB_LOCALS] about s; (x, y, z) = s - c. Computes l[0] only if want_value.", local_add()))
print(function("EXPANSION_CALL void EXPANSION(local_shift)(REAL *to, const REAL *l, REAL x, REAL y, REAL z)",
               "Adds the local expansion l about s to the expansion about s + (x, y, z).", local_shift()))
print(function("EXPANSION_CALL void EXPANSION(local_gradient)(const REAL *l, REAL x, REAL y, REAL z, REAL *g)",
               "Adds grad psi at s + (x, y, z) to g[3], from the local expansion l about s.", local_gradient()))
print(function("EXPANSION_CALL REAL EXPANSION(local_value)(const REAL *l, REAL x, REAL y, REAL z)",
               "Returns psi at s + (x, y, z), from the local expansion l about s.", local_value()).rstrip())
