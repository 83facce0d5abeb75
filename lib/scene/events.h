/* events.h - lines of a frame's header about events since the last frame: stars that merged or escaped, and binaries
 * that formed or changed. The line `booked` has the mass, energy and momenta that all mergers
 * and escapes of the run have removed.
 *
 * Lines, described in nbs(5), in the frame's units:
 *
 *   event merge TIME ID OTHER MASS OTHER_MASS ENERGY X Y Z VX VY VZ   two stars merged. The new star has the id ID.
 *                                        MASS, OTHER_MASS: masses before the merger. X to VZ: position and
 *                                        velocity of the new star
 *   event escape TIME ID MASS ENERGY X Y Z VX VY VZ                   a star escaped
 *   event form TIME ID OTHER MASS OTHER_MASS ENERGY X Y Z VX VY VZ    two stars became a binary. ENERGY is its
 *                                        binding energy. X to VZ: position and velocity of its centre of mass
 *   event dissolve TIME ID OTHER MASS OTHER_MASS ENERGY X Y Z VX VY VZ  a binary was dissolved. ENERGY is its last
 *                                        binding energy
 *   event exchange TIME ID OTHER FORMER MASS OTHER_MASS ENERGY X Y Z VX VY VZ  OTHER replaced FORMER as the companion
 *   event merges COUNT ENERGY            replaces all lines `event merge` if a header has too many lines: number of
 *                                        mergers, sum of their ENERGY. Lines of the same form exist for
 *                                        escapes, forms, dissolves and exchanges
 *   booked MERGED ESCAPED MASS ENERGY PX PY PZ LX LY LZ               totals since the beginning of the run: number of
 *                                        stars that merged, number of stars that escaped, and the mass, energy,
 *                                        momentum and angular momentum about the origin that were removed with them
 *
 * ENERGY of mergers and escapes is the loss of kinetic plus potential energy. To compare the energies of two frames,
 * add the ENERGY of the events between them to the energy of the later frame. */
#pragma once

#include "base/bodies.h"
#include "base/extern_c.h"

NB_C_BEGIN

/* maximum number of bytes of all event lines of a frame: half of the maximum size of a frame's header */
#define NB_EVENT_LINES_MAX ((size_t)1 << 19)
#define NB_EVENT_LINE      512 /* maximum bytes of one event line, including NUL */

enum nb_event_kind { /* MERGE to EXCHANGE: one event; MERGES to EXCHANGES: the sum of several events */
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
    uint64_t count; /* number of events: 1, or more for a sum of events. A sum uses only `kind`, `count` and `energy` */
    double time;
    /* `other` and `other_mass` are not used for escapes. `former` is used only for exchanges: the star that `other`
     * replaced */
    uint64_t id, other, former;
    double mass, other_mass, energy, x[3], v[3];
};

struct nb_booked {
    uint64_t merged, escaped;
    double mass, energy, momentum[3], angular_momentum[3];
};

/* Returns the second word of the lines for this type of event, for example "merge". */
const char *nb_event_name(enum nb_event_kind kind);
/* Returns how many ids of stars a header line of this type of event contains: 0 to 3 (0 for sums). */
int nb_event_stars(enum nb_event_kind kind);
/* Appends the events in the header to the array *events, which has *count elements, and updates *count. The array is
 * reallocated. The caller sets *events to NULL and *count to 0 before the first call, and frees *events, even if the
 * function fails. Returns 0, or -1 after nb_fail, whose message contains the invalid line. */
int nb_events_read(const struct nb_meta *meta, struct nb_event **events, size_t *count);
/* Reads the header's line `booked`. Sets all members to 0 if there is no such line. Returns 0, or -1 after nb_fail. */
int nb_booked_read(const struct nb_meta *meta, struct nb_booked *booked);
/* Writes an event's line without newline. */
void nb_event_print(const struct nb_event *e, char line[NB_EVENT_LINE]);
/* Parses one event line. Returns 0, or -1 after nb_fail if it is invalid. */
int nb_event_parse(const char *line, struct nb_event *e);
/* Replaces all events of the header by `events`. If their lines exceed NB_EVENT_LINES_MAX bytes, writes one line for
 * each type of event, with the number of events and the sum of their energies. Returns -1 if there is no memory. */
int nb_events_write(struct nb_meta *meta, const struct nb_event *events, size_t count);
/* Writes the line `booked`, replacing an older one. Returns -1 if there is no memory. */
int nb_booked_write(struct nb_meta *meta, const struct nb_booked *booked);
/* nb_events_drop removes the lines of events. If its second parameter is true, it also removes the line `booked`.
 * nb_booked_drop removes only the line `booked`. Both return whether they removed a line. */
bool nb_events_drop(struct nb_meta *meta, bool booked);
bool nb_booked_drop(struct nb_meta *meta);

NB_C_END
