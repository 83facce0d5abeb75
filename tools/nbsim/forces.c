/* forces.c - describes the forces of a run, prints the list of all forces, and opens the forces again after the number
 * of bodies has changed. */
#include "run.h"

#include "common/tool_json.h"

#include "simd/simd.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sim_forces_describe(const struct nb_force_set *set, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int k = 0; k < set->count && used < size; k++) {
        const struct nb_opened_force *f = &set->force[k];
        const double theta = nb_force_value(&f->spec, "theta"), lambda = nb_force_value(&f->spec, "lambda");
        char how[NB_FORCE_TEXT_BYTES] = "";
        if (f->flags & NB_EXTERNAL)
            nb_force_print(&f->spec, how, sizeof how);
        else if (f->flags & NB_READS_RADIUS)
            snprintf(how, sizeof how, "%s force (radii of the column)", f->entry->method);
        else if (f->flags & NB_EXACT || (isnan(theta) && isnan(lambda)))
            snprintf(how, sizeof how, "%s force", f->entry->method);
        else
            snprintf(how, sizeof how, "%s force (%s %g)", f->entry->method, isnan(theta) ? "lambda" : "theta",
                     isnan(theta) ? lambda : theta);
        used += (size_t)snprintf(text + used, size - used, "%s%s", k == 0 ? "" : " and ", how);
    }
}

static void list_parameters(FILE *rows, const struct nb_force_kind *kind, const char *method)
{
    fprintf(rows, "%s%s%s", method, *kind->name ? ":" : "", kind->name);
    for (const struct nb_parameter *p = kind->parameters; p && p->name; p++) {
        char usual[32] = "needed";
        if (!isnan(p->usual))
            snprintf(usual, sizeof usual, "default %g", p->usual);
        if (p->words)
            snprintf(usual, sizeof usual, "default %s", p->words[(int)p->usual]);
        if (p->file)
            snprintf(usual, sizeof usual, "default none");
        fprintf(rows, "%s%s=(%s; %s)", p == kind->parameters ? "\t" : " ", p->name, p->about, usual);
    }
    fprintf(rows, "\t%s\n", kind->about);
}

/* Returns whether nb_forces has an earlier entry for the method of *f (on another type of device). Entries for the same
 * method have the same pointer `kinds`. */
static bool shown_before(const struct nb_force *const *f)
{
    for (const struct nb_force *const *g = nb_forces; g < f; g++)
        if ((*g)->kinds == (*f)->kinds)
            return true;
    return false;
}

noreturn void sim_forces_list(bool json)
{
    FILE *rows = tool_rows_begin(json);
    fprintf(rows, "# method\tdevice\tprecision\ttolerance\tabout\n");
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        for (int p = 0; p < NB_PRECISIONS; p++)
            if ((*f)->tolerance[p] > 0)
                fprintf(rows, "%s\t%s\t%s\t%g\t%s\n", (*f)->method, (*f)->device,
                        nb_precision_name((enum nb_precision)p), (*f)->tolerance[p], (*f)->about);
    fprintf(rows, "# force\tparameters\tabout\n");
    fprintf(rows,
            "auto\t\tdirect for up to 16384 bodies and where the tree does not serve, tree for more; its parameters; "
            "contact where the header has that line, with radius=column where the disks' radii differ\n");
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        for (const struct nb_force_kind *k = (*f)->kinds; k && k->name && !shown_before(f); k++)
            list_parameters(rows, k, (*f)->method);
    fprintf(rows, "# kernel\ton this processor\n");
    for (int set = 0; set < NB_SIMD_SETS; set++)
        fprintf(rows, "%s\t%s\n", nb_simd_name((enum nb_simd)set),
                nb_simd_here((enum nb_simd)set) ? "yes" : "not on this processor");
    tool_rows_end(rows);
}

void sim_forces_reopen(struct run *r, enum nb_precision precision)
{
    struct nb_force_set *set = &r->forces;
    struct nb_force_spec spec[NB_FORCES_MAX];
    const int count = set->count;
    for (int k = 0; k < count; k++)
        spec[k] = set->force[k].spec;
    nb_force_set_close(set);
    for (int k = 0; k < count; k++)
        sim_check(nb_force_set_add(set, &spec[k], precision, r->want, r->bodies.n, &r->bodies.meta));
}
