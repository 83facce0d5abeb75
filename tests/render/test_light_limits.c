/* Pictures on every available device in limiting cases: no light, at the right and lower edge, little memory. */
#include "light_pictures.h"

/* A picture without light is black and has no sums. */
static void nothing(void **state)
{
    (void)state;
    struct nb_device *device = need_device();
    struct nb_light_style style = {.width = 64, .height = 36, .smooth = 12, .bloom = 0.1};
    const struct scenario s = {.style = {.width = 64, .height = 36}, .n = 100, .place = groups};
    struct nb_light *l = nb_light_open(device, &style);
    struct bodies own = place_bodies(&s, NULL);
    struct nb_light_bodies b = {.pos = &own.pos, .light = own.light, .step = own.step, .ramp = ramp, .share = 1};
    struct nb_light_histogram h = {0};
    struct nb_light_sums sums;
    struct nb_view view = make_view(&s, 0);
    float *pixels = array(64 * 36, 16);
    assert_non_null(l);
    memset(own.light, 0, 400);
    assert_int_equal(nb_light_clear(l), 0);
    for (b.n = 0; b.n <= 100; b.n += 100)
        assert_int_equal(nb_light_put(l, &view, &b), 0);
    assert_int_equal(nb_light_finish(l), 0);
    assert_int_equal(nb_light_fetch(l, pixels), 0);
    assert_int_equal(nb_light_sums(l, &sums), 0);
    assert_int_equal(nb_light_measure(l, &h), 0);
    assert_true(sums.put == 0 && sums.picture == 0 && sums.margins == 0 && h.total == 0);
    for (int i = 0; i < 4 * 64 * 36; i++)
        assert_true(pixels[i] == 0);
    free(pixels);
    free_bodies(&own);
    nb_light_close(l);
}

/* ---- on every device, the CPU too: at the right and lower edge, where cells are not whole ---- */

/* One body at each of n places in pixels, of light 1. */
static struct nb_light *draw_places(struct nb_device *device, uint64_t n, double (*place)[3])
{
    const struct nb_light_style style = {.width = 641, .height = 359, .smooth = 2};
    const struct nb_view view = {.right = {1, 0, 0}, .up = {0, -1, 0}, .back = {0, 0, 1}, .scale = 1};
    struct nb_column pos = {.width = 3, .type = NB_F64, .data = place};
    const uint16_t step[100] = {0};
    const struct nb_light_bodies b = {.n = n, .pos = &pos, .step = step, .ramp = ramp, .share = 1};
    struct nb_light *l = nb_light_open(device, &style);
    assert_true(l && n <= 100);
    assert_int_equal(nb_light_clear(l), 0);
    assert_int_equal(nb_light_put(l, &view, &b), 0);
    assert_int_equal(nb_light_finish(l), 0);
    return l;
}

static const double most_level = 5.487840034; /* log2(359 / 8) */

/* Where no cell holds K a body in the last cell of the margin of level 6 has the share that goes there. */
static void check_last_cells(struct nb_device *device)
{
    double places[2][3] = {{831.9, 100.1, 0}, {200.2, 511.9, 0}};
    for (int k = 0; k < 2; k++) {
        struct nb_light_sums sums;
        struct nb_light *l = draw_places(device, 1, &places[k]);
        assert_int_equal(nb_light_sums(l, &sums), 0);
        assert_true(fabs(sums.put - (1 - (6 - most_level))) < 1e-5);
        nb_light_close(l);
    }
}

/* A body at the right edge, where there is no other, is as wide as the map says, whatever is at the left edge: a crowd
 * that takes the level there to 0. Its light is highest at 9/16 over a cell of its level. */
static void check_edge_of_map(struct nb_device *device)
{
    double places[100][3] = {{640.5, 161, 0}};
    float *pixels = array(641 * 359, 16), most = 0;
    for (int k = 1; k < 100; k++) { /* at nodes of the map */
        places[k][0] = -0.5 * NB_LIGHT_NODE;
        places[k][1] = (38 + k % 11 - 0.5) * NB_LIGHT_NODE;
    }
    struct nb_light *l = draw_places(device, 100, places);
    assert_int_equal(nb_light_fetch(l, pixels), 0);
    for (size_t y = 0; y < 359; y++)
        for (size_t x = 400; x < 641; x++)
            most = fmaxf(most, pixels[4 * (641 * y + x) + 3]);
    assert_true(most > 0.2f * exp2f(-2 * (float)most_level) && most < 1.2f * exp2f(-2 * (float)most_level));
    free(pixels);
    nb_light_close(l);
}

static void edges_are_whole(void **state)
{
    (void)state;
    check_last_cells(device_of("cpu"));
    check_edge_of_map(device_of("cpu"));
    if (other_device()) {
        check_last_cells(other_device());
        check_edge_of_map(other_device());
    }
}

static int memory_of_20_mb(struct nb_device *d, double *free_bytes, double *total_bytes)
{
    (void)d;
    *free_bytes = 20e6;
    *total_bytes = 1e9;
    return 0;
}

/* Light and steps that are computed as the bodies are drawn give the picture of arrays, with several chunks of bodies
 * and a last piece that is not whole. */
static void check_filled(struct nb_device *device)
{
    for (int way = 0; way < 16; way++) {
        struct scenario s = {
            "computed light", {160, 90, .smooth = way & 8 ? 12 : 0, .radius = 2}, 70003, groups, .puts = 1};
        struct result arrays, filled;
        s.light = way & 1;
        s.steps = way & 2;
        s.level_steps = !s.steps;
        s.inverse_distance = way & 4 ? 1 / 1500. : 0;
        draw(device, &s, NULL, NULL, &arrays);
        s.fills = true;
        draw(device, &s, NULL, NULL, &filled);
        check_equal(&s, "a picture of computed light", &filled, &arrays);
        free_result(&arrays);
        free_result(&filled);
    }
}

static void light_is_computed(void **state)
{
    (void)state;
    check_filled(device_of("cpu"));
    if (other_device())
        check_filled(other_device());
}

/* Bodies that do not all fit into the device's memory (30 bytes each, and 16 while they are drawn) are drawn in parts,
 * to the same bytes, also if their light is computed. */
static void little_memory(void **state)
{
    (void)state;
    struct scenario s = {"little memory", {64, 36, .smooth = 12}, 1000003,  groups,
                         .steps = true,   .light = true,          .puts = 1};
    struct nb_device *device = need_device();
    const struct nb_device_kind *kind = device->kind;
    struct nb_device_kind little = *kind;
    struct result all, parts;
    draw(device, &s, NULL, NULL, &all);
    little.memory = memory_of_20_mb;
    device->kind = &little;
    draw(device, &s, NULL, NULL, &parts);
    check_equal(&s, "a picture drawn with little memory", &parts, &all);
    free_result(&parts);
    s.fills = true;
    draw(device, &s, NULL, NULL, &parts);
    device->kind = kind;
    check_equal(&s, "a picture of computed light with little memory", &parts, &all);
    free_result(&all);
    free_result(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(edges_are_whole),
        cmocka_unit_test(light_is_computed),
        cmocka_unit_test(little_memory),
    };
    return cmocka_run_group_tests_name("light_limits", tests, fill_tables_once, NULL);
}
