/* weight.h - computes a factor w for a pair of bodies: the acceleration is w times the difference of the positions.
 * Included once for each precision. The including file first defines PRECISION (name of the precision), PAIR (type of
 * the arithmetic), pair_vec (vector of PAIR), ESTIMATE (estimate of 1/sqrt, vectors.h) and TERMS (number of terms that
 * correct the estimate). */

/* Computes *w = m * r2^(-3/2) and, if want_phi is true, *p = m * r2^(-1/2), from an estimate y of r2^(-1/2) and this
 * number of terms of the series. r2: squared distance plus squared softening length; m: mass, or 1 if the caller
 * multiplies by the masses. */
INLINE void NAME(weight_from)(pair_vec y, int terms, pair_vec r2, pair_vec m, pair_vec *w, pair_vec *p, bool want_phi)
{
    const pair_vec y2 = y * y, e = (PAIR)1 - r2 * y2;
    const pair_vec c1 = (PAIR)1.5 * m, c2 = (PAIR)1.875 * m, c3 = (PAIR)2.1875 * m, c4 = (PAIR)2.4609375 * m;
    pair_vec series = m;
    if (terms == 1)
        series = e * c1 + m;
    else if (terms == 2)
        series = e * (e * c2 + c1) + m;
    else if (terms == 3)
        series = e * (e * (e * c3 + c2) + c1) + m;
    else if (terms == 4)
        series = e * (e * (e * (e * c4 + c3) + c2) + c1) + m;
    /* y^3 can overflow in PAIR, so y is first multiplied by `series`, which contains the factor m. */
    *w = y * series * y2;
    if (want_phi) {
        pair_vec root = (pair_vec){0} + (PAIR)1;
        if (terms == 4)
            root = e * (e * (e * (e * (PAIR)0.2734375 + (PAIR)0.3125) + (PAIR)0.375) + (PAIR)0.5) + (PAIR)1;
        else if (terms > 0)
            root = e * (e * (e * (PAIR)0.3125 + (PAIR)0.375) + (PAIR)0.5) + (PAIR)1;
        *p = m * y * root;
    }
}

/* Works as weight_from, with y = ESTIMATE(r2) and TERMS terms, which depend on the instruction set (vectors.h). */
INLINE void NAME(pair_weight)(pair_vec r2, pair_vec m, pair_vec *w, pair_vec *p, bool want_phi)
{
    NAME(weight_from)(ESTIMATE(r2), TERMS, r2, m, w, p, want_phi);
}
