/* bodies_history.c - provenance lines of frames. Declared in bodies.h. */
#include "base/bodies.h"
#include "base/error.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return nb_fail("no memory for a history line");
}

static int add(struct nb_meta *meta, const char *parents, const char *tool, const char *version, const char *seed,
               const char *command)
{
    char *line;
    if (asprintf(&line, "%d %s %s %s %s %s", meta->history_count + 1, parents, tool, version, seed ? seed : "-",
                 command) < 0)
        return no_memory();
    int status = nb_meta_add_history(meta, line);
    free(line);
    return status;
}

static bool is_before(const int *parents, int k)
{
    for (int j = 0; j < k; j++)
        if (parents[j] == parents[k])
            return true;
    return false;
}

int nb_history_add_joined(struct nb_meta *meta, const int *parents, int count, const char *tool, const char *version,
                          const char *seed, const char *command)
{
    char *text = malloc((size_t)count * 12 + 2), *at = text;
    if (!text)
        return no_memory();
    for (int k = 0; k < count; k++)
        if (parents[k] && !is_before(parents, k))
            at += sprintf(at, "%s%d", at > text ? "," : "", parents[k]);
    if (at == text)
        strcpy(text, "-");
    const int status = add(meta, text, tool, version, seed, command);
    free(text);
    return status;
}

int nb_history_add(struct nb_meta *meta, const char *tool, const char *version, const char *seed, const char *command)
{
    return nb_history_add_joined(meta, &meta->history_count, 1, tool, version, seed, command);
}

/* ---- joining two histories ---- */

/* Reads the line "ID PARENTS REST". PARENTS is a list of ids with commas, or "-". Writes " PARENTS REST" to `out`, with
 * each parent p replaced by ids[p - 1]. Returns false if the line does not have this form or if its ID is not `id`. */
static bool renumber(FILE *out, const char *line, int id, const int *ids)
{
    char *at;
    if (strtol(line, &at, 10) != id || *at != ' ')
        return false;
    putc(' ', out);
    if (at[1] != '-')
        do {
            const char *number = at + 1;
            const long parent = strtol(number, &at, 10);
            if (at == number || parent < 1 || parent >= id)
                return false;
            fprintf(out, "%d%s", ids[parent - 1], *at == ',' ? "," : "");
        } while (*at == ',');
    else
        fputs("-", out), at += 2;
    fputs(at, out);
    return *at == ' ';
}

/* Returns the text that renumber writes; the caller frees it. Returns NULL on failure, and *own tells the reason: false
 * if the line does not have the form that renumber expects, true if there is no memory. The caller must set *own to
 * true before the call. */
static char *renumbered(const char *line, int id, const int *ids, bool *own)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    *own = renumber(out, line, id, ids);
    if (fclose(out) == 0 && *own)
        return text;
    free(text);
    return NULL;
}

/* The lines of a history, in a balanced tree, which is fast for many lines. The tree is ordered by the text after the
 * id. If several lines have the same text, the tree contains only the first one. */
struct line {
    const char *rest;
    int id;
};
struct lines {
    void *tree;
    struct line *all; /* nodes of the tree, allocated for all lines that may be added */
    int count;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct line *)a)->rest, ((const struct line *)b)->rest);
}

/* Adds the line `id` of meta->history to the tree. Returns -1 if there is no memory. */
static int note(struct lines *lines, const struct nb_meta *meta, int id)
{
    const char *line = meta->history[id - 1];
    struct line *own = &lines->all[lines->count++];
    *own = (struct line){line + strcspn(line, " "), id};
    return tsearch(own, &lines->tree, compare) ? 0 : no_memory();
}

/* Returns the id of the line whose text after the id is `rest`, or 0 if there is none. */
static int find(const struct lines *lines, const char *rest)
{
    const struct line wanted = {rest, 0}, *const *found = tfind(&wanted, &lines->tree, compare);
    return found ? (*found)->id : 0;
}

/* If the history of `to` does not contain line k of `from`, appends the line. `lines`: tree of the history of `to`, to
 * which the line is added as well. ids[j]: the id in `to` of line j of `from`, for j < k. Returns the id of line k in
 * `to`, or -1. */
static int join_line(struct nb_meta *to, struct lines *lines, const struct nb_meta *from, int k, const int *ids)
{
    bool own = true;
    char *rest = renumbered(from->history[k], k + 1, ids, &own), *line = NULL;
    if (!rest && own)
        return no_memory();
    int id = rest ? find(lines, rest) : 0, status = 0;
    if (id == 0 && rest)
        status = asprintf(&line, "%d%s", to->history_count + 1, rest) < 0 ? no_memory() : nb_meta_add_history(to, line);
    else if (id == 0)
        status = nb_meta_add_history(to, from->history[k]);
    if (id == 0 && status == 0)
        status = note(lines, to, to->history_count);
    free(line);
    free(rest);
    return status ? -1 : id ? id : to->history_count;
}

int nb_history_join(struct nb_meta *to, const struct nb_meta *from)
{
    const size_t most = (size_t)to->history_count + (size_t)from->history_count;
    int *ids = calloc((size_t)from->history_count + 1, sizeof *ids), id = 0;
    struct lines lines = {.all = calloc(most + 1, sizeof *lines.all)};
    if (!ids || !lines.all)
        id = no_memory();
    for (int k = 1; k <= to->history_count && id == 0; k++)
        id = note(&lines, to, k);
    for (int k = 0; k < from->history_count && id >= 0; k++)
        ids[k] = id = join_line(to, &lines, from, k, ids);
    while (lines.tree)
        tdelete(*(void **)lines.tree, &lines.tree, compare);
    free(lines.all);
    free(ids);
    return id;
}

/* ---- extra header lines ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

int nb_meta_join_extra(struct nb_meta *to, const struct nb_meta *from)
{
    void *known = NULL; /* the header lines of `to`, in a search tree (tsearch), to find equal lines quickly */
    int status = 0;
    for (int k = 0; k < to->extra_count && status == 0; k++)
        status = tsearch(to->extra[k], &known, compare_texts) ? 0 : no_memory();
    for (int k = 0; k < from->extra_count && status == 0; k++) {
        const char *const *first = tsearch(from->extra[k], &known, compare_texts);
        status = !first ? no_memory() : *first == from->extra[k] ? nb_meta_add_extra(to, from->extra[k]) : 0;
    }
    while (known)
        tdelete(*(void **)known, &known, compare_texts);
    return status;
}
