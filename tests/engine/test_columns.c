/* Known columns: the table in the library agrees with nbs(5), and all code uses the table. */
#include "base/bodies.h"
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const kinds[] = {
    [NB_STATE] = "state", [NB_PARAMETER] = "parameter", [NB_LABEL] = "label", [NB_DERIVED] = "derived"};

/* The row of nbs(5) that a known column should have, up to its description. */
static void format_row(const struct nb_known *k, char *row, size_t size)
{
    char types[64] = "";
    for (int t = 0; t < NB_TYPES; t++)
        if (k->types >> t & 1) {
            strcat(types, *types ? " " : "");
            strcat(types, nb_type_name((enum nb_type)t));
        }
    snprintf(row, size, "%s\t%s\t%d\t%s\t%s\tT{\n", k->name, types, k->width, k->unit, kinds[k->role]);
}

static void the_manual_page_has_the_same_table(void **state)
{
    (void)state;
    char line[512], row[256];
    const struct nb_known *k = nb_known_columns;
    FILE *page = fopen("man/nbs.5", "r"); /* from the repository's root, where `make check` runs */
    if (!page)
        skip();
    bool found = false;
    while (!found && fgets(line, sizeof line, page))
        found = strncmp(line, "mass\t", 5) == 0;
    assert_true(found);
    for (; strcmp(line, ".TE\n") != 0; assert_non_null(fgets(line, sizeof line, page))) {
        if (!strstr(line, "\tT{\n"))
            continue;
        assert_non_null(k->name);
        format_row(k, row, sizeof row);
        assert_string_equal(line, row);
        assert_non_null(fgets(line, sizeof line, page));
        assert_int_equal(strstr(line, "required") != NULL, k->required);
        k++;
    }
    assert_null(k->name);
    fclose(page);
}

static void make(struct nb_bodies *b, uint64_t n)
{
    nb_bodies_init(b);
    b->n = n;
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        assert_int_equal(nb_bodies_add_known(b, k->name, NB_F32), 0);
    assert_int_equal(nb_bodies_add(b, "colour", NB_U32, 1, "-"), 0);
    assert_int_equal(nb_bodies_alloc(b), 0);
    for (int k = 0; k < b->column_count; k++)
        memset(b->columns[k].data, 0, nb_column_bytes(&b->columns[k], n));
}

static void a_type_is_the_one_asked_for_where_it_may_be(void **state)
{
    (void)state;
    struct nb_bodies b;
    make(&b, 3);
    assert_int_equal(nb_bodies_check(&b), 0);
    assert_int_equal(nb_bodies_find(&b, "acc")->type, NB_F32);
    assert_int_equal(nb_bodies_find(&b, "pos_lo")->type, NB_F64);
    assert_int_equal(nb_bodies_find(&b, "id")->type, NB_U64);
    assert_int_equal(nb_bodies_find(&b, "component")->type, NB_U8);
    assert_null(nb_column_known("colour"));
    nb_bodies_free(&b);
}

static void what_follows_from_a_state_goes_with_it(void **state)
{
    (void)state;
    static const char *const kept[] = {"mass",   "pos",       "vel",       "id",     "component",
                                       "galaxy", "parent_id", "softening", "radius", "colour"};
    struct nb_bodies b;
    make(&b, 3);
    nb_bodies_drop_derived(&b);
    assert_int_equal(b.column_count, sizeof kept / sizeof *kept);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        assert_non_null(nb_bodies_find(&b, kept[k]));
    nb_bodies_free(&b);
}

static void every_known_column_of_another_shape_is_refused(void **state)
{
    (void)state;
    for (const struct nb_known *k = nb_known_columns; k->name; k++)
        for (int type = 0; type < NB_TYPES; type++)
            for (int width = 1; width <= 3; width += 2) {
                struct nb_bodies b;
                const bool right = width == k->width && k->types >> type & 1;
                make(&b, 1);
                nb_bodies_drop(&b, k->name);
                assert_int_equal(nb_bodies_check(&b), k->required ? -1 : 0);
                assert_int_equal(nb_bodies_add(&b, k->name, (enum nb_type)type, width, k->unit), 0);
                assert_int_equal(nb_bodies_alloc(&b), 0);
                memset(b.columns[b.column_count - 1].data, 0, NB_ALIGN);
                assert_int_equal(nb_bodies_check(&b), right ? 0 : -1);
                assert_true(right || strstr(nb_error(), k->name));
                nb_bodies_free(&b);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_page_has_the_same_table),
        cmocka_unit_test(a_type_is_the_one_asked_for_where_it_may_be),
        cmocka_unit_test(what_follows_from_a_state_goes_with_it),
        cmocka_unit_test(every_known_column_of_another_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
