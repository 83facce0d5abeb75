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
 * At the end of this file, all these macros except CONTACT_CALL are undefined.
 *
 * The forces of two disks on each other are bitwise opposite.
 *
 * Damping in a step: a contact may last only 25 steps, so the damping force changes during a step. For a kick of
 * duration h (nb_sources.kick), the mean damping force F during the kick is used:
 *
 *   F = -(1 - exp(-W D)) (v + s / 2) mu / h
 *   v    speed at which the disks separate before the kick
 *   s    = k o h / mu, the speed that the spring adds in the kick; k: stiffness, o: overlap, mu: reduced mass
 *   D    = (c h / mu) (1 + k h^2 / (24 mu)), c: damping. With leapfrog, contacts are shorter by the second factor
 *   W    weight of this kick: the time during which its damping acts, divided by h
 *
 * W depends on p, a time divided by h:
 *   approaching disks: time since the contact began,    p = o / (h |v|)
 *   separating disks:  time until the contact will end, p = o (1 + 3 D / 2) / (h (v + s))
 *
 *   W = 3 p / 2 for p <= 1,   2 - p / 2 for 1 < p <= 2,   1 for p > 2
 *
 * Reason: the first kick of a contact is at some p in (0, 1], and the second kick is at p + 1. Their weights add up to
 * p + 3/2. This is the number of steps from the beginning of the contact until half a step after the second kick. W is
 * continuous, so a small error of p changes W only a little.
 *
 * Accuracy: with 25 steps per contact, restitutions of 0.2 and above agree with exp(-b t) (contact.h) within 0.5 %,
 * wherever in a step the contact begins. With the force F = -c v, the error is up to 5 % for a restitution of 0.5. */

struct CONTACT(law) {
    REAL stiffness, damping;
    REAL reach;                        /* distance at which two disks touch if all disks have the header's radius */
    REAL length[2], inverse_length[2]; /* length of the box along each axis, and 1 / length; both 0 if not periodic */
    REAL kick;                         /* duration of the kick (nb_sources.kick); 0: no kick */
};

struct CONTACT(sum) { /* force on a disk */
    REAL force[2];    /* x and y components */
    REAL energy;      /* m phi: the disk's mass times its potential */
    REAL push;        /* sum of |F| over all contacts of the disk */
};

/* d: coordinate difference of two points along an axis. Returns this difference for the nearest periodic image of the
 * second point. If the axis is not periodic, returns d. */
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

/* Returns the damping force between two disks, or between a disk and a wall. A positive force attracts. If law->kick is
 * positive, returns the mean force during the kick (see "Damping in a step" above).
 * - overlap: depth of the contact, > 0.
 * - apart: speed at which the disks, or the disk and the wall, separate before the kick; negative if they approach.
 * - inverse_mass: 1 / mu, where mu is the reduced mass. */
CONTACT_CALL REAL CONTACT(pull)(const struct CONTACT(law) * law, REAL inverse_mass, REAL overlap, REAL apart)
{
    const REAL h = law->kick;
    if (!(h > 0))
        return law->damping * apart;
    const REAL rate2 = law->stiffness * inverse_mass; /* w_0^2, where w_0 is the angular frequency without damping */
    const REAL spring = rate2 * overlap * h;          /* speed added by the spring */
    const REAL decay = law->damping * inverse_mass * h * (1 + rate2 * h * h / 24);
    const REAL speed = apart < 0 ? -apart : (apart + spring) / (1 + (REAL)1.5 * decay);
    const REAL steps = overlap / (h * speed); /* p of "Damping in a step" above, a time in steps */
    const REAL weight = steps < 1 ? (REAL)1.5 * steps : steps < 2 ? 2 - steps / 2 : 1;
    return -CONTACT_EXPM1(-weight * decay) * (apart + spring / 2) / (h * inverse_mass);
}

/* Adds the force of disk j on disk i to *sum. The disks must touch.
 * reach: sum of the radii; dx, dy: x_i - x_j and y_i - y_j for the nearest image; d2: dx^2 + dy^2
 * first: 1 if i < j, otherwise 0; sets the direction of the force if both centres are at the same point
 * damped: 1 if law->damping > 0; only then the next two arguments are read
 * dvx, dvy: v_i - v_j; inverse_mass: 1 / m_i + 1 / m_j */
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
