/* contact_law.h - the contact law (contact.h) for two disks, for C and CUDA. Include this file once for each
 * floating-point type. Define these macros before:
 *
 *   CONTACT_CALL    specifiers with which functions are declared
 *   REAL            the type
 *   CONTACT(word)   name of a function or struct for this type
 *   CONTACT_SQRT    square root
 *   CONTACT_RINT    nearest integer
 *   CONTACT_EXPM1   exp(x) - 1
 *
 * At the end of this file, all of them except CONTACT_CALL are undefined.
 *
 * The forces of two disks on each other are bitwise opposite.
 *
 * Damping in a step: a contact may last only 25 steps, so the dashpot's force changes during a step. For a kick of
 * duration h (nb_sources.kick), the mean force during the kick is used:
 *
 *   F = -(1 - exp(-W D)) (v + s / 2) mu / h
 *   v    speed at which the disks separate before the kick
 *   s    = k o h / mu, the speed that the spring adds in the kick; k: stiffness, o: overlap, mu: reduced mass
 *   D    = (c h / mu) (1 + k h^2 / (24 mu)), c: damping. Leapfrog steps shorten a contact by the second factor
 *   W    weight: the part of the contact's duration that is attributed to this kick, in units of h
 *
 * W depends on p. For approaching disks, p h is the time since the contact began: p = o / (h |v|). For separating
 * disks, p h is the time until the contact ends: p = o (1 + 3 D / 2) / (h (v + s)).
 *
 *   W = 3 p / 2 for p <= 1,   2 - p / 2 for 1 < p <= 2,   1 for p > 2
 *
 * If the first kick of a contact is at p in (0, 1], the second kick is at p + 1, and their weights add up to p + 3/2.
 * In units of h, this is the time from the beginning of the contact until half a step after the second kick. W is
 * continuous, so a small error of p changes W only a little. With 25 steps per contact, the restitution agrees with
 * exp(-b t) (contact.h) within 0.5 % for restitutions of 0.2 and above, for any position of the contact's beginning in
 * a step. With F = -c v, the error is up to 5 % for a restitution of 0.5. */

struct CONTACT(law) {
    REAL stiffness, damping;
    REAL reach;                        /* 2 r, the contact distance if all disks have the header's radius */
    REAL length[2], inverse_length[2]; /* length of the box along each axis, and 1 / length; both 0 if not periodic */
    REAL kick;                         /* duration of the kick (nb_sources.kick); 0: no kick */
};

struct CONTACT(sum) { /* force on a disk */
    REAL force[2];    /* x and y components */
    REAL energy;      /* m phi: the disk's mass times its potential */
    REAL push;        /* sum of the |F| of all contacts */
};

/* Returns the coordinate difference d of two points along an axis, replaced by the difference from the nearest periodic
 * image. */
CONTACT_CALL REAL CONTACT(shortest)(const struct CONTACT(law) * law, int axis, REAL d)
{
    return d - law->length[axis] * CONTACT_RINT(d * law->inverse_length[axis]);
}

/* Returns whether two disks touch: d2 is the squared distance of their centres, reach the sum of their radii. False for
 * NaN. */
CONTACT_CALL int CONTACT(touch)(REAL reach, REAL d2)
{
    return d2 < reach * reach;
}

/* Returns the attractive force of the dashpot between two disks, or a disk and a wall. `overlap` is > 0, `apart` is the
 * speed of separation before the kick, `inverse_mass` is 1 / mu. If law->kick > 0, the mean force over the kick is
 * returned (see "Damping in a step" above). */
CONTACT_CALL REAL CONTACT(pull)(const struct CONTACT(law) * law, REAL inverse_mass, REAL overlap, REAL apart)
{
    const REAL h = law->kick;
    if (!(h > 0))
        return law->damping * apart;
    const REAL rate2 = law->stiffness * inverse_mass; /* w_0^2, where w_0 is the angular frequency without damping */
    const REAL spring = rate2 * overlap * h;          /* speed added by the spring */
    const REAL decay = law->damping * inverse_mass * h * (1 + rate2 * h * h / 24);
    const REAL speed = apart < 0 ? -apart : (apart + spring) / (1 + (REAL)1.5 * decay);
    const REAL steps = overlap / (h * speed); /* p of "Damping in a step": a number of steps */
    const REAL weight = steps < 1 ? (REAL)1.5 * steps : steps < 2 ? 2 - steps / 2 : 1;
    return -CONTACT_EXPM1(-weight * decay) * (apart + spring / 2) / (h * inverse_mass);
}

/* Adds the force of disk j on disk i to *sum. The disks must touch. reach: sum of their radii; dx, dy: x_i - x_j and
 * y_i - y_j for the nearest image; d2: squared distance of the centres; first: whether i < j; damped: whether
 * law->damping > 0. The relative velocity dvx, dvy (v_i - v_j) and inverse_mass (1 / m_i + 1 / m_j) are read only if
 * `damped` is true. */
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
