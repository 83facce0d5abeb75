/* Fuzz target: conditions as users write them, applied to a few bodies. An accepted condition gives the same result
 * for other numbers of bodies, and its negation selects the other bodies. */
#include "base/error.h"
#include "select/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_select: does not hold: %s: '%s' (%s)\n", what, text, nb_error());
    abort();
}

static void make_bodies(struct nb_bodies *b)
{
    static const double values[] = {0, 1, -1, 0.1, 1e300, -1e-300, NAN, INFINITY};
    nb_bodies_init(b);
    b->n = BODIES;
    if (nb_bodies_add_known(b, "mass", NB_F64) || nb_bodies_add_known(b, "pos", NB_F64) ||
        nb_bodies_add_known(b, "vel", NB_F32) || nb_bodies_add_known(b, "id", NB_F64) ||
        nb_bodies_add_known(b, "component", NB_F64) || nb_bodies_alloc(b))
        abort();
    for (int k = 0; k < 3 * BODIES; k++) {
        ((double *)b->columns[0].data)[k / 3] = values[k / 3 % 8];
        ((double *)b->columns[1].data)[k] = values[k % 7];
        ((float *)b->columns[2].data)[k] = (float)values[k % 5];
        ((uint64_t *)b->columns[3].data)[k / 3] = k % 2 ? UINT64_MAX - (uint64_t)k : (uint64_t)k;
        ((uint8_t *)b->columns[4].data)[k / 3] = (uint8_t)(k % 11);
    }
}

/* The mask of what holds for the first n bodies; false where the columns do not serve. */
static bool apply(const struct nb_select *s, struct nb_bodies *b, uint64_t n, const char *text, unsigned char *mask)
{
    uint64_t count = BODIES + 1, found = 0;
    b->n = n;
    memset(mask, 9, BODIES);
    int status = nb_select_apply(s, b, mask, &count);
    b->n = BODIES;
    require(status == 0 || *nb_error(), "a refusal has a message", text);
    for (uint64_t i = 0; status == 0 && i < BODIES; i++) {
        require(i < n ? mask[i] <= 1 : mask[i] == 9, "the mask has 0 and 1, and no more of them than bodies", text);
        found += i < n && mask[i];
    }
    require(status || found == count, "the count is that of the mask", text);
    return status == 0;
}

static void check(const struct nb_select *s, struct nb_bodies *b, const char *text)
{
    unsigned char mask[BODIES], few[BODIES], others[BODIES];
    char *opposite = NULL;
    if (!apply(s, b, BODIES, text, mask))
        return;
    require(apply(s, b, 7, text, few) && memcmp(mask, few, 7) == 0, "a body's answer is its own", text);
    if (asprintf(&opposite, "!(%s)", text) < 0)
        abort();
    struct nb_select *negated = nb_select_parse(opposite); /* which may be too deep or too long */
    if (negated && apply(negated, b, BODIES, opposite, others))
        for (int i = 0; i < BODIES; i++)
            require(mask[i] != others[i], "the negation holds for the others", text);
    nb_select_free(negated);
    free(opposite);
}

/* As a number, perhaps with a condition: each body's is its own. */
static void check_number(struct nb_bodies *b, const char *text)
{
    double value[BODIES], few[BODIES];
    bool negative;
    struct nb_select *condition, *s = nb_select_parse_number(text, 0, &condition);
    require(s || (!condition && *nb_error()), "a refusal has a message", text);
    if (s && nb_select_compute(s, b, value) == 0) {
        b->n = 7;
        require(nb_select_compute(s, b, few) == 0 && memcmp(value, few, 7 * sizeof *few) == 0,
                "a body's number is its own", text);
        b->n = BODIES;
        const struct nb_column *whole = nb_select_whole(s, b, &negative);
        require(!whole || whole->type == NB_U64, "a whole column is one of u64", text);
    }
    nb_select_free(s);
    nb_select_free(condition);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct nb_bodies b;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    make_bodies(&b);
    struct nb_select *s = nb_select_parse(text);
    if (s)
        check(s, &b, text);
    else
        require(strncmp(nb_error(), "character ", 10) == 0 || strncmp(nb_error(), "more than ", 10) == 0,
                "a refusal names the place", text);
    check_number(&b, text);
    nb_bodies_free(&b);
    nb_select_free(s);
    free(text);
    return 0;
}
