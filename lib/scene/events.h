/* events.h - what a frame's header says of stars that merged or left since the frame before, of what left the sums with
 * them, and of binaries.
 *
 * Lines of keys that nbs(5) describes, in the frame's units:
 *
 *   event merge TIME ID OTHER MASS OTHER_MASS ENERGY X Y Z VX VY VZ   two stars became one with the id of the first:
 *                                        their masses before, place and velocity of the new one
 *   event escape TIME ID MASS ENERGY X Y Z VX VY VZ                   a star left
 *   event form TIME ID OTHER MASS OTHER_MASS ENERGY X Y Z VX VY VZ    two stars are a binary now: their binding energy,
 *                                        place and velocity of their centre of mass
 *   event dissolve TIME ID OTHER MASS OTHER_MASS ENERGY X Y Z VX VY VZ  they are no binary any more: the binding energy
 *                                        that they had
 *   event exchange TIME ID OTHER FORMER MASS OTHER_MASS ENERGY X Y Z VX VY VZ  the first is now one with OTHER, which
 *                                        took the place of FORMER
 *   event merges COUNT ENERGY            in place of the lines of all mergers, where there are too many for a header
 *   event escapes COUNT ENERGY           the same of stars that left; also forms, dissolves and exchanges
 *   booked MERGED ESCAPED MASS ENERGY PX PY PZ LX LY LZ               all since a run began to book: numbers, and the
 *                                        mass, energy, momentum and angular momentum about the origin that are gone
 *
 * ENERGY of mergers and escapes is what the sum of kinetic and potential energy has lost: with it, the sums of two
 * frames can be compared. */
#pragma once

#include "base/bodies.h"
#include "base/extern_c.h"

NB_C_BEGIN

#define NB_EVENT_LINES_MAX ((size_t)1 << 19) /* bytes of a frame's event lines: half of a header */
#define NB_EVENT_LINE      512               /* bytes of such a line with its NUL, at most */

enum nb_event_kind { /* of stars, then of as many kinds of sums in the same order */
                     NB_EVENT_MERGE,
                     NB_EVENT_ESCAPE,
                     NB_EVENT_FORM,
                     NB_EVENT_DISSOLVE,
                     NB_EVENT_EXCHANGE,
                     NB_EVENT_KINDS,
                     NB_EVENT_MERGES = NB_EVENT_KINDS,
                     NB_EVENT_ESCAPES,
                     NB_EVENT_FORMS,
                     NB_EVENT_DISSOLVES,
                     NB_EVENT_EXCHANGES
};

struct nb_event {
    enum nb_event_kind kind;
    uint64_t count; /* 1, or of sums, which have an energy and nothing else */
    double time;
    uint64_t id, other, former; /* other: not of stars that left, as is other_mass; former: of exchanges */
    double mass, other_mass, energy, x[3], v[3];
};

struct nb_booked {
    uint64_t merged, escaped;
    double mass, energy, momentum[3], angular_momentum[3];
};

const char *nb_event_name(enum nb_event_kind kind);
/* How many stars it names: 0 to 3. */
int nb_event_stars(enum nb_event_kind kind);
/* Appends the header's events to an array that grows, at first NULL and 0; to be freed also after -1 (nb_fail with the
 * line that is wrong). */
int nb_events_read(const struct nb_meta *meta, struct nb_event **events, size_t *count);
/* What the header's line booked says; all 0 without one. -1 after nb_fail. */
int nb_booked_read(const struct nb_meta *meta, struct nb_booked *booked);
/* Writes an event's line, without a newline. */
void nb_event_print(const struct nb_event *e, char line[NB_EVENT_LINE]);
/* Reads such a line. -1 after nb_fail: it is not one. */
int nb_event_parse(const char *line, struct nb_event *e);
/* Puts these lines in the place of all events of the header; where they are larger than NB_EVENT_LINES_MAX, their
 * numbers and energies. -1: no memory. */
int nb_events_write(struct nb_meta *meta, const struct nb_event *events, size_t count);
/* Puts the line booked in the place of the older one. -1: no memory. */
int nb_booked_write(struct nb_meta *meta, const struct nb_booked *booked);
/* Takes the lines of events out of the header, and booked too if that is asked for; booked only. Return whether there
 * were any. */
bool nb_events_drop(struct nb_meta *meta, bool booked);
bool nb_booked_drop(struct nb_meta *meta);

NB_C_END
