/* force.c - chooses the entry of the table of forces for a method, a device and a precision. Declared in force.h. */
#include "force/force.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* NB_AUTO_DIRECT_BODIES is 16384 on every device, so that `--force auto` chooses the same method on every device. Up to
 * this number of bodies it chooses direct summation, which is exact. On a GPU the tree becomes faster between 16000
 * and 27000 bodies, depending on the model, on a CPU at about 5000 bodies (bench/README.md). The help and the manual
 * pages also state the number. */

/* The method that "contact" stands for. For disks of equal size it is faster on every device than contact-bvh, the
 * method with a tree of boxes (bench/contact.sh). */
#define CONTACT_METHOD "contact-grid"

const char *nb_force_row_name(const char *method)
{
    return strcmp(method, "contact") == 0 ? CONTACT_METHOD : method;
}

const struct nb_force *nb_force_find(const char *method, const char *device)
{
    for (const struct nb_force *const *f = nb_forces; *f; f++)
        if (strcmp(method, (*f)->method) == 0 && (!device || strcmp(device, (*f)->device) == 0))
            return *f;
    return NULL;
}

/* Writes a message for the user into `text`: the entry does not offer the wanted precision, but only the listed ones.
 * Returns `text`. */
static const char *other_precisions(const struct nb_force *f, char *text, size_t size)
{
    int used = snprintf(text, size, "it does not offer this precision (--precision");
    for (int p = 0, count = 0; p < NB_PRECISIONS; p++)
        if (f->tolerance[p] > 0)
            used += snprintf(text + used, size - (size_t)used, "%s %s", count++ ? "," : "",
                             nb_precision_name((enum nb_precision)p));
    snprintf(text + used, size - (size_t)used, ")");
    return text;
}

/* Returns the first entry of this method that supports the device, the precision and the results in `want`. If there is
 * no such entry, calls nb_fail with the reason for the last entry tried, and returns NULL. */
static const struct nb_force *find_entry(const char *method, const struct nb_device *device,
                                         enum nb_precision precision, unsigned want)
{
    char text[128];
    nb_fail("force %s does not run on device %s", method, device->name);
    for (const struct nb_force *const *f = nb_forces; *f; f++) {
        if (strcmp(method, (*f)->method) != 0 || strcmp(device->name, (*f)->device) != 0)
            continue;
        const char *refusal = (*f)->refuse ? (*f)->refuse(precision, want) : NULL;
        if (!refusal && (*f)->tolerance[precision] == 0)
            refusal = other_precisions(*f, text, sizeof text);
        if (!refusal)
            return *f;
        nb_fail("force %s on device %s in %s precision: %s", method, device->name, nb_precision_name(precision),
                refusal);
    }
    return NULL;
}

const struct nb_force *nb_force_choose(const char *method, const struct nb_device *device, enum nb_precision precision,
                                       unsigned want, uint64_t n)
{
    if (strcmp(method, "auto") == 0 && n > NB_AUTO_DIRECT_BODIES && !nb_force_find("tree", device->name)) {
        nb_fail("force auto uses the tree for more than %d bodies, and the tree does not run on device %s (--force "
                "direct runs there, or choose another --device)",
                NB_AUTO_DIRECT_BODIES, device->name);
        return NULL;
    }
    if (strcmp(method, "auto") == 0) {
        const bool many = n > NB_AUTO_DIRECT_BODIES || want & NB_WANT_FAR;
        const struct nb_force *tree = many ? find_entry("tree", device, precision, want) : NULL;
        return tree ? tree : find_entry("direct", device, precision, want);
    }
    if (nb_force_find(nb_force_row_name(method), NULL))
        return find_entry(nb_force_row_name(method), device, precision, want);
    nb_fail("unknown force '%.60s' (--list-forces lists all)", method);
    return NULL;
}
