/* The worker of interface.py: AMUSE's functions of gravitational dynamics, by libnbtools. They return 0, or a negative
 * code. The index of a particle in AMUSE is the id of its body. New and deleted particles wait until a function needs
 * the bodies, because each nbt_add and nbt_remove copies all columns. */
#include "worker_code.h"

#include <math.h>
#include <nbtools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_FOUND = -1, NOT_SUPPORTED = -2, FAILED = -3 }; /* FAILED: nbt_error() says why */
enum { NEW = -1, LEAVES = -2, GONE = -3 };                /* instead of a row */

struct particle {
    int64_t row;
    double mass, pos[3], vel[3]; /* until the body is added */
    double radius;               /* kept here: the library has none */
};

static struct {
    struct nbt_system *system;
    struct nbt_frame *frame;
    uint64_t n; /* bodies */
    double *mass, *pos, *vel;
    struct particle *known; /* by index */
    int used, added;        /* indices below these were given, and added to the system */
    bool stale;             /* the members above and the rows are out of date */
    bool touched;           /* values in the frame were changed, and nbt_changed not called yet */
    bool moved;             /* steps were taken */
    double begin, eps2, dt;
} code;

/* ---- bodies that come and go ---- */

static int add_new(void)
{
    const size_t most = (size_t)(code.used - code.added);
    double *values = malloc(7 * sizeof *values * most + 1), *pos = values + most, *vel = pos + 3 * most;
    uint64_t *id = malloc(sizeof *id * most + 1);
    uint64_t n = 0;
    for (int i = code.added; i < code.used && values && id; i++) {
        const struct particle *p = &code.known[i];
        if (p->row != NEW)
            continue;
        values[n] = p->mass;
        memcpy(pos + 3 * n, p->pos, sizeof p->pos);
        memcpy(vel + 3 * n, p->vel, sizeof p->vel);
        id[n++] = (uint64_t)i;
    }
    const int status = !values || !id || (n > 0 && nbt_add(code.system, n, values, pos, vel, id)) ? FAILED : 0;
    free(values);
    free(id);
    if (!status)
        code.added = code.used;
    return status;
}

static int remove_left(void)
{
    uint64_t *id = malloc(sizeof *id * (size_t)code.used + 1), n = 0;
    for (int i = 0; i < code.used && id; i++)
        if (code.known[i].row == LEAVES)
            id[n++] = (uint64_t)i;
    const int status = !id || (n > 0 && nbt_remove(code.system, n, id)) ? FAILED : 0;
    for (uint64_t k = 0; k < n && !status; k++)
        code.known[id[k]].row = GONE;
    free(id);
    return status;
}

/* Brings the system's bodies up to date: adds and removes those that wait, and fetches columns and rows. */
static int see(void)
{
    if (!code.system)
        return FAILED;
    if (!code.stale)
        return 0;
    if (remove_left() || add_new() || !(code.frame = nbt_system_frame(code.system)))
        return FAILED;
    code.n = nbt_frame_bodies(code.frame);
    code.mass = nbt_column_get(code.frame, "mass", NULL, NULL);
    code.pos = nbt_column_get(code.frame, "pos", NULL, NULL);
    code.vel = nbt_column_get(code.frame, "vel", NULL, NULL);
    const uint64_t *id = nbt_column_get(code.frame, "id", NULL, NULL);
    for (uint64_t k = 0; k < code.n; k++)
        code.known[id[k]].row = (int64_t)k;
    code.stale = false;
    return 0;
}

/* Tells the library what was set. Called before it computes, or before bodies come and go. */
static int tell(void)
{
    if (see() || (code.touched && nbt_changed(code.system)))
        return FAILED;
    code.touched = false;
    return 0;
}

static int64_t find(int i)
{
    return see() ? FAILED : i < 0 || i >= code.used || code.known[i].row < 0 ? NOT_FOUND : code.known[i].row;
}

int new_particle(int *i, double mass, double x, double y, double z, double vx, double vy, double vz, double radius)
{
    if (code.touched && tell())
        return FAILED;
    if ((code.used & (code.used - 1)) == 0) { /* room for twice as many */
        struct particle *more = realloc(code.known, sizeof *more * 2 * (size_t)(code.used + 1));
        if (!more)
            return FAILED;
        code.known = more;
    }
    *i = code.used++;
    code.known[*i] = (struct particle){NEW, mass, {x, y, z}, {vx, vy, vz}, radius};
    code.stale = true;
    return 0;
}

int delete_particle(int i)
{
    if (code.touched && tell())
        return FAILED;
    if (i < 0 || i >= code.used || code.known[i].row < NEW)
        return NOT_FOUND;
    code.known[i].row = i < code.added ? LEAVES : GONE;
    code.stale = true;
    return 0;
}

/* ---- what a particle has ---- */

/* Define get_NAME and set_NAME of particle i, whose body is in that row. */
#define SCALAR(name, value, changes)   \
    int get_##name(int i, double *x)   \
    {                                  \
        const int64_t row = find(i);   \
        if (row >= 0)                  \
            *x = value;                \
        return row < 0 ? (int)row : 0; \
    }                                  \
    int set_##name(int i, double x)    \
    {                                  \
        const int64_t row = find(i);   \
        if (row >= 0)                  \
            value = x, changes;        \
        return row < 0 ? (int)row : 0; \
    }

#define VECTOR(name, column)                                                                            \
    int get_##name(int i, double *x, double *y, double *z)                                              \
    {                                                                                                   \
        const int64_t row = find(i);                                                                    \
        if (row >= 0)                                                                                   \
            *x = column[3 * row], *y = column[3 * row + 1], *z = column[3 * row + 2];                   \
        return row < 0 ? (int)row : 0;                                                                  \
    }                                                                                                   \
    int set_##name(int i, double x, double y, double z)                                                 \
    {                                                                                                   \
        const int64_t row = find(i);                                                                    \
        if (row >= 0)                                                                                   \
            column[3 * row] = x, column[3 * row + 1] = y, column[3 * row + 2] = z, code.touched = true; \
        return row < 0 ? (int)row : 0;                                                                  \
    }

SCALAR(mass, code.mass[row], code.touched = true)
SCALAR(radius, code.known[i].radius, (void)0)
VECTOR(position, code.pos)
VECTOR(velocity, code.vel)

int get_state(int i, double *mass, double *x, double *y, double *z, double *vx, double *vy, double *vz, double *radius)
{
    const int status = get_mass(i, mass);
    return status ? status : get_position(i, x, y, z) || get_velocity(i, vx, vy, vz) || get_radius(i, radius);
}

int set_state(int i, double mass, double x, double y, double z, double vx, double vy, double vz, double radius)
{
    const int status = set_mass(i, mass);
    return status ? status : set_position(i, x, y, z) || set_velocity(i, vx, vy, vz) || set_radius(i, radius);
}

/* The library computes acceleration and potential at points that are none of the bodies. */
int get_acceleration(int i, double *ax, double *ay, double *az)
{
    (void)i, (void)ax, (void)ay, (void)az;
    return NOT_SUPPORTED;
}

int get_potential(int i, double *potential)
{
    (void)i, (void)potential;
    return NOT_SUPPORTED;
}

static int next(int i, int *found)
{
    while (i < code.used && code.known[i].row < 0)
        i++;
    *found = i;
    return i == code.used;
}

int get_index_of_first_particle(int *i)
{
    return see() ? FAILED : next(0, i);
}

int get_index_of_next_particle(int i, int *after)
{
    const int64_t row = find(i);
    return row < 0 ? (int)row : next(i + 1, after);
}

/* ---- all bodies ---- */

int get_number_of_particles(int *n)
{
    if (see())
        return FAILED;
    *n = (int)code.n;
    return 0;
}

/* Computes the total mass, and the mean of a column of vectors, weighted by mass. */
static int centre(double *const *column, double *mass, double *x, double *y, double *z)
{
    if (see())
        return FAILED;
    *mass = *x = *y = *z = 0;
    for (uint64_t k = 0; k < code.n; k++) {
        const double m = code.mass[k], *v = *column + 3 * k;
        *mass += m, *x += m * v[0], *y += m * v[1], *z += m * v[2];
    }
    *x /= *mass, *y /= *mass, *z /= *mass;
    return 0;
}

int get_total_mass(double *mass)
{
    double x, y, z;
    return centre(&code.pos, mass, &x, &y, &z);
}

int get_center_of_mass_position(double *x, double *y, double *z)
{
    double mass;
    return centre(&code.pos, &mass, x, y, z);
}

int get_center_of_mass_velocity(double *vx, double *vy, double *vz)
{
    double mass;
    return centre(&code.vel, &mass, vx, vy, vz);
}

int get_total_radius(double *radius)
{
    double mass, x, y, z;
    const int status = centre(&code.pos, &mass, &x, &y, &z);
    *radius = 0;
    for (uint64_t k = 0; !status && k < code.n; k++)
        *radius = fmax(*radius, hypot(hypot(code.pos[3 * k] - x, code.pos[3 * k + 1] - y), code.pos[3 * k + 2] - z));
    return status;
}

/* Computes the kinetic energy, or the potential energy with that in external fields. */
static int energy(bool kinetic, double *energy)
{
    double e[3] = {0};
    const int status = tell() || (code.n > 0 && nbt_energies(code.system, e)) ? FAILED : 0;
    *energy = kinetic ? e[0] : e[1] + e[2];
    return status;
}

int get_kinetic_energy(double *kinetic_energy)
{
    return energy(true, kinetic_energy);
}

int get_potential_energy(double *potential_energy)
{
    return energy(false, potential_energy);
}

/* ---- fields ---- */

/* Computes acceleration (3 n values) and potential (n) at n points. Either result may be NULL. */
static int field(const double *x, const double *y, const double *z, double *acc, double *phi, int n)
{
    double *points = malloc(sizeof *points * 3 * (size_t)n + 1);
    for (int k = 0; k < n && points; k++)
        memcpy(points + 3 * k, (double[]){x[k], y[k], z[k]}, 3 * sizeof *x);
    const int status = !points || tell() || nbt_field(code.system, (uint64_t)n, points, acc, phi) ? FAILED : 0;
    free(points);
    return status;
}

int get_potential_at_point(double *eps, double *x, double *y, double *z, double *phi, int n)
{
    (void)eps;
    return field(x, y, z, NULL, phi, n);
}

int get_gravity_at_point(double *eps, double *x, double *y, double *z, double *ax, double *ay, double *az, int n)
{
    (void)eps;
    double *acc = malloc(sizeof *acc * 3 * (size_t)n + 1);
    const int status = acc ? field(x, y, z, acc, NULL, n) : FAILED;
    for (int k = 0; k < n && !status; k++)
        ax[k] = acc[3 * k], ay[k] = acc[3 * k + 1], az[k] = acc[3 * k + 2];
    free(acc);
    return status;
}

/* ---- time and parameters ---- */

#define GIVES(name, value) \
    int name(double *x)    \
    {                      \
        *x = value;        \
        return 0;          \
    }
GIVES(get_begin_time, code.begin)
GIVES(get_eps2, code.eps2)
GIVES(get_time_step, code.dt)

int get_time(double *time)
{
    return tell() ? FAILED : nbt_value_get(code.frame, "time", time) ? FAILED : 0;
}

int set_begin_time(double time)
{
    if (code.moved)
        return time == code.begin ? 0 : NOT_SUPPORTED;
    if (tell() || nbt_value_set(code.frame, "time", time))
        return FAILED;
    code.begin = time;
    code.touched = true;
    return tell();
}

int evolve_model(double time)
{
    if (tell() || nbt_advance(code.system, time))
        return FAILED;
    code.stale = code.moved = true;
    return 0;
}

/* Sets an option of nbsim, "" its default. Several forces are separated by spaces. */
int set_option(char *option, char *value)
{
    const bool several = strcmp(option, "force") == 0;
    char *copy = strdup(value), *rest = NULL;
    int failed = !copy || tell() || nbt_option_set(code.system, option, NULL);
    for (char *word = copy; word && *word && !failed; word = several ? rest : NULL) {
        rest = several ? strchr(word, ' ') : NULL;
        if (rest)
            *rest++ = '\0';
        failed = *word && nbt_option_set(code.system, option, word);
    }
    free(copy);
    return failed ? FAILED : 0;
}

static int set_number(char *option, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return set_option(option, text);
}

int set_eps2(double epsilon_squared)
{
    const int status = set_number("softening", sqrt(epsilon_squared));
    if (!status)
        code.eps2 = epsilon_squared;
    return status;
}

/* 0: the library chooses. The header then loses the size of earlier steps, which would be the default. */
int set_time_step(double dt)
{
    int status = dt == 0 ? set_option("dt", "") : set_number("dt", dt);
    if (!status && dt == 0) {
        status = nbt_value_set(code.frame, "dt", 0) ? FAILED : 0;
        code.touched = true;
    }
    if (!status)
        code.dt = dt;
    return status;
}

/* Returns the device, force, integrator or precision in use. */
int get_option(char *option, char **value)
{
    *value = tell() ? NULL : (char *)nbt_option_get(code.system, option);
    const int status = *value ? 0 : FAILED;
    if (status)
        *value = "";
    return status;
}

int get_error(char **text)
{
    *text = (char *)nbt_error();
    return 0;
}

/* ---- begin and end ---- */

int cleanup_code(void)
{
    nbt_system_close(code.system);
    free(code.known);
    memset(&code, 0, sizeof code);
    return 0;
}

int initialize_code(void)
{
    cleanup_code();
    code.system = nbt_system_new(0, NULL, NULL, NULL);
    code.stale = true;
    return set_eps2(0);
}

#define TELLS(name)    \
    int name(void)     \
    {                  \
        return tell(); \
    }
TELLS(commit_parameters)
TELLS(recommit_parameters)
TELLS(commit_particles)
TELLS(recommit_particles)
TELLS(synchronize_model)
