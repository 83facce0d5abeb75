/* loads - counts the bodies that are loaded from memory for all pairs, for several orders of the pairs.
 *
 *   loads [--bodies N] [--group G] [--seed S] [--rounds R]
 *
 * A group of threads takes G pairs (16) of the N (N - 1) / 2 pairs (of 16 bodies) at a time, and loads each body of
 * these pairs once. Prints the loads of textbook orders, with tiles of G pairs, and the smallest number of loads that
 * simulated annealing finds (Kirkpatrick, Gelatt & Vecchi 1983, Science 220, 671) in R rounds (4) of five million
 * exchanges each from seed S (1). This number is an upper bound for the best order; its groups are printed too. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES_MAX 256
#define EXCHANGES  5000000
#define WARM       0.3 /* temperatures, in loads: warmer there is no order, colder nothing moves */
#define COLD       0.08

struct pair {
    int i, j; /* bodies; -1: a place that is free */
};

struct pairs {
    int bodies, group, count;
    struct pair *pair; /* room for whole groups */
};

static void *room(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fprintf(stderr, "loads: no memory\n");
        exit(1);
    }
    return p;
}

static int groups_of(const struct pairs *p)
{
    return (p->count + p->group - 1) / p->group;
}

static void take(struct pairs *p, int i, int j)
{
    p->pair[p->count++] = (struct pair){i, j};
}

/* Pairs from here on begin a group: places are left free. */
static void begin_group(struct pairs *p)
{
    while (p->count % p->group)
        take(p, -1, -1);
}

static int count_group(const struct pairs *p, int first)
{
    bool seen[BODIES_MAX] = {false};
    int loads = 0;
    for (int k = first; k < first + p->group && k < p->count; k++) {
        const int body[2] = {p->pair[k].i, p->pair[k].j};
        for (int side = 0; side < 2 && body[0] >= 0; side++)
            if (!seen[body[side]]) {
                seen[body[side]] = true;
                loads++;
            }
    }
    return loads;
}

static int count_loads(const struct pairs *p)
{
    int loads = 0;
    for (int first = 0; first < p->count; first += p->group)
        loads += count_group(p, first);
    return loads;
}

/* ---- orders of textbooks ---- */

static void rows(struct pairs *p)
{
    for (int i = 0; i < p->bodies; i++)
        for (int j = i + 1; j < p->bodies; j++)
            take(p, i, j);
}

/* Pairs of two runs of bodies, or of one with itself. */
static void tile(struct pairs *p, int side, int i0, int j0)
{
    for (int i = i0; i < i0 + side && i < p->bodies; i++)
        for (int j = j0 > i ? j0 : i + 1; j < j0 + side && j < p->bodies; j++)
            take(p, i, j);
}

static int side_of(const struct pairs *p)
{
    return (int)sqrt((double)p->group);
}

static void rows_of_tiles(struct pairs *p)
{
    const int side = side_of(p);
    for (int i = 0; i < p->bodies; i += side)
        for (int j = i; j < p->bodies; j += side)
            tile(p, side, i, j);
}

static void whole_tiles(struct pairs *p)
{
    const int side = side_of(p);
    for (int i = 0; i < p->bodies; i += side)
        for (int j = i + side; j < p->bodies; j += side)
            tile(p, side, i, j);
}

static void triangles_last(struct pairs *p)
{
    const int side = side_of(p);
    whole_tiles(p);
    for (int i = 0; i < p->bodies; i += side)
        tile(p, side, i, i);
}

static void triangles_alone(struct pairs *p)
{
    const int side = side_of(p);
    whole_tiles(p);
    for (int i = 0; i < p->bodies; i += side) {
        begin_group(p);
        tile(p, side, i, i);
    }
}

/* ---- the search ---- */

struct search {
    struct pairs pairs;
    int *touched; /* groups x bodies: pairs of the group with the body */
    int loads;
    uint64_t state;
};

static uint64_t draw(uint64_t *state) /* splitmix64 (Steele, Lea & Flood 2014, OOPSLA, 453) */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double draw01(uint64_t *state)
{
    return (double)(draw(state) >> 11) * 0x1p-53;
}

/* Adds a pair to a group (by 1) or removes it (by -1). Returns the change of the group's loads. */
static int put(struct search *s, int group, struct pair pair, int by)
{
    int *touched = s->touched + group * s->pairs.bodies, more = 0;
    if (pair.i < 0)
        return 0;
    const int body[2] = {pair.i, pair.j};
    for (int side = 0; side < 2; side++) {
        const int before = touched[body[side]];
        touched[body[side]] += by;
        more += (before + by > 0) - (before > 0);
    }
    return more;
}

/* Returns the change of the loads if the pairs at two positions are exchanged. */
static int exchange(struct search *s, int a, int b)
{
    struct pair *p = s->pairs.pair;
    const int ga = a / s->pairs.group, gb = b / s->pairs.group;
    const struct pair pa = p[a], pb = p[b];
    p[a] = pb, p[b] = pa;
    return put(s, ga, pa, -1) + put(s, ga, pb, 1) + put(s, gb, pb, -1) + put(s, gb, pa, 1);
}

/* Runs one round of annealing from warm to cold. The result is in s->pairs. */
static void anneal(struct search *s)
{
    const uint64_t places = (uint64_t)s->pairs.count;
    for (int step = 0; step < EXCHANGES; step++) {
        const double heat = WARM * pow(COLD / WARM, (double)step / EXCHANGES);
        const int a = (int)(draw(&s->state) % places), b = (int)(draw(&s->state) % places);
        if (a / s->pairs.group == b / s->pairs.group)
            continue;
        const int more = exchange(s, a, b);
        if (more > 0 && draw01(&s->state) >= exp(-more / heat))
            exchange(s, a, b);
        else
            s->loads += more;
    }
}

static void print_groups(const struct pairs *p)
{
    for (int first = 0; first < p->count; first += p->group) {
        printf("group\t%d", count_group(p, first));
        for (int k = first; k < first + p->group; k++)
            if (p->pair[k].i >= 0)
                printf("\t%d-%d", p->pair[k].i, p->pair[k].j);
        printf("\n");
    }
}

/* The best that rounds of annealing come to, each from where the last one was left: into best, with room for whole
 * groups, from an order that is there. */
static void search(struct pairs *best, uint64_t seed, int rounds)
{
    begin_group(best);
    const size_t places = (size_t)best->count;
    struct search s = {.pairs = *best, .state = seed, .loads = count_loads(best)};
    int least = s.loads;
    s.pairs.pair = room(places, sizeof *s.pairs.pair);
    s.touched = room((size_t)(groups_of(best) * best->bodies), sizeof *s.touched);
    memcpy(s.pairs.pair, best->pair, places * sizeof *best->pair);
    for (int k = 0; k < best->count; k++)
        put(&s, k / best->group, best->pair[k], 1);
    for (int round = 0; round < rounds; round++) {
        anneal(&s);
        if (s.loads >= least)
            continue;
        least = s.loads;
        memcpy(best->pair, s.pairs.pair, places * sizeof *best->pair);
    }
    free(s.pairs.pair);
    free(s.touched);
}

static const struct {
    const char *name;
    void (*fill)(struct pairs *p);
} orders[] = {{"rows", rows},
              {"rows of tiles", rows_of_tiles},
              {"tiles, triangles last", triangles_last},
              {"tiles, triangles alone", triangles_alone}};
#define ORDERS (sizeof orders / sizeof *orders)

/* Room for any of the orders; the caller frees p->pair. */
static void begin(struct pairs *p, int bodies, int group)
{
    *p = (struct pairs){.bodies = bodies, .group = group};
    p->pair = room((size_t)(bodies * (bodies - 1) / 2 + (bodies + 1) * group), sizeof *p->pair);
}

static int number(const char *text, long least, long most)
{
    char *end;
    const long value = strtol(text, &end, 10);
    if (*end || end == text || value < least || value > most) {
        fprintf(stderr, "loads: %s is not a number from %ld to %ld\n", text, least, most);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    struct pairs p;
    int bodies = 16, group = 16, seed = 1, rounds = 4;
    for (int k = 1; k < argc; k += 2) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--bodies") == 0)
            bodies = number(value, 2, BODIES_MAX);
        else if (strcmp(argv[k], "--group") == 0)
            group = number(value, 1, 65536);
        else if (strcmp(argv[k], "--seed") == 0)
            seed = number(value, 0, INT32_MAX);
        else if (strcmp(argv[k], "--rounds") == 0)
            rounds = number(value, 0, 1000000);
        else {
            fprintf(stderr, "usage: loads [--bodies N] [--group G] [--seed S] [--rounds R]\n");
            return 2;
        }
    }
    begin(&p, bodies, group);
    printf("# %d bodies, %d pairs, %d a group\n# order\tgroups\tloads\n", bodies, bodies * (bodies - 1) / 2, group);
    for (size_t k = 0; k < ORDERS; k++) {
        p.count = 0;
        orders[k].fill(&p);
        printf("%s\t%d\t%d\n", orders[k].name, groups_of(&p), count_loads(&p));
    }
    p.count = 0;
    triangles_last(&p);
    search(&p, (uint64_t)seed, rounds);
    printf("annealing\t%d\t%d\n", groups_of(&p), count_loads(&p));
    print_groups(&p);
    free(p.pair);
    return 0;
}
