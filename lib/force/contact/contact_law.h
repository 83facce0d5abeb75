/* contact_law.h - the law of contact.h for two disks, for C and CUDA, in one type of number. To be included once for
 * each, with CONTACT_CALL (how a function is declared), REAL (the type), CONTACT(word) (what is put to a name),
 * CONTACT_SQRT, CONTACT_RINT and CONTACT_EXPM1 (root, nearest whole number, exp(x) - 1) defined before; they are
 * undefined at its end, but for CONTACT_CALL.
 *
 * What a disk does to another is what the other does to it with the sign turned, to the last bit.
 *
 * Damping in a step: a step is not short compared with a contact, since the bound allows 25 steps a contact. An
 * evaluation for a kick of length h (nb_sources.kick) returns the mean of the dashpot's force over the kick. Let o be
 * the overlap and v the speed before the kick, positive for disks that separate:
 *
 *   F = -(1 - exp(-W D)) (v + s / 2) mu / h,   s = k o h / mu,   D = (c h / mu) (1 + k h^2 / (24 mu))
 *
 * s is the speed that the spring adds in the kick. The bracket of D corrects the duration of contacts, which leapfrog
 * makes shorter by that factor. The weight W stands for the time of a contact that belongs to the kick, in units of h.
 * Let p h be the time since the contact began, o / |v|, or the time until it ends, o (1 + 3 D / 2) / (v + s):
 *
 *   W = 3 p / 2 for p <= 1,   2 - p / 2 for 1 < p <= 2,   1 for p > 2
 *
 * The weights at p and p + 1 add up to p + 3/2, the time from the beginning of the contact to the end of the second
 * kick, for any p in (0, 1]. W has no jump, so that an error of the estimate of p changes little. With 25 steps a
 * contact and restitutions from 0.2 on, the restitution is that of the formula within 0.5 %, for any phase of the
 * step at which the contact begins. With F = -c v the error is up to 5 % at 0.5. */

struct CONTACT(law) {
    REAL stiffness, damping;
    REAL reach;                        /* 2 r, L: of disks that all have the header's radius */
    REAL length[2], inverse_length[2]; /* of the box where it is periodic; else both 0 */
    REAL kick;                         /* time of the kick that the force is for (nb_sources.kick), T; 0: none */
};

struct CONTACT(sum) { /* what a disk feels */
    REAL force[2];    /* M L/T^2 */
    REAL energy;      /* m phi, M L^2/T^2 */
    REAL push;        /* sum of |F| */
};

/* A difference of coordinates to the nearest image. */
CONTACT_CALL REAL CONTACT(shortest)(const struct CONTACT(law) * law, int axis, REAL d)
{
    return d - law->length[axis] * CONTACT_RINT(d * law->inverse_length[axis]);
}

/* Do disks touch whose centres differ by so much, squared, and whose radii have that sum? False where one of them is
 * not a number. */
CONTACT_CALL int CONTACT(touch)(REAL reach, REAL d2)
{
    return d2 < reach * reach;
}

/* Returns the force of the dashpot that pulls two disks together, or a disk to a wall: `overlap` above 0, `apart` the
 * speed at which they separate, `inverse_mass` 1 / mu. For a kick the mean over it, with `apart` the speed before it
 * (Damping in a step, above). */
CONTACT_CALL REAL CONTACT(pull)(const struct CONTACT(law) * law, REAL inverse_mass, REAL overlap, REAL apart)
{
    const REAL h = law->kick;
    if (!(h > 0))
        return law->damping * apart;
    const REAL rate2 = law->stiffness * inverse_mass; /* w_0^2 */
    const REAL spring = rate2 * overlap * h;          /* the speed that the spring adds */
    const REAL decay = law->damping * inverse_mass * h * (1 + rate2 * h * h / 24);
    const REAL speed = apart < 0 ? -apart : (apart + spring) / (1 + (REAL)1.5 * decay);
    const REAL steps = overlap / (h * speed); /* since the contact began, or until it ends */
    const REAL weight = steps < 1 ? (REAL)1.5 * steps : steps < 2 ? 2 - steps / 2 : 1;
    return -CONTACT_EXPM1(-weight * decay) * (apart + spring / 2) / (h * inverse_mass);
}

/* Adds what disk j does to i: reach the sum of their radii, dx, dy and d2 their distance x_i - x_j, by the nearest
 * image, and its square, for which they touch; damped: law->damping is above 0, and then dvx, dvy are the velocities'
 * difference and inverse_mass 1 / m_i + 1 / m_j, else not read; first: i < j. */
CONTACT_CALL void CONTACT(add)(const struct CONTACT(law) * law, REAL reach, REAL dx, REAL dy, REAL d2, int damped,
                               REAL dvx, REAL dvy, REAL inverse_mass, int first, struct CONTACT(sum) * sum)
{
    const REAL d = CONTACT_SQRT(d2), overlap = reach - d, inverse = 1 / d;
    const REAL nx = d > 0 ? dx * inverse : (REAL)(first ? -1 : 1), ny = d > 0 ? dy * inverse : 0;
    REAL f = law->stiffness * overlap;
    if (damped)
        f -= CONTACT(pull)(law, inverse_mass, overlap, dvx * nx + dvy * ny);
    sum->force[0] += f * nx;
    sum->force[1] += f * ny;
    sum->energy += law->stiffness * overlap * overlap / 2;
    sum->push += f < 0 ? -f : f;
}

#undef REAL
#undef CONTACT
#undef CONTACT_SQRT
#undef CONTACT_RINT
#undef CONTACT_EXPM1
