/* params.c - --params: finds the values of a run's options in the history and header of a frame. */
#include "nbstat.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void stat_params_take(const struct tool_option *option, const char *text)
{
    struct stat_options *o = &stat_given;
    char *list = tool_copy(text), *rest = list; /* never freed, because o->params points into it */
    o->param_count = 0;
    for (char *word; (word = strsep(&rest, ","));) {
        if (o->param_count == STAT_PARAMS_MOST)
            die_usage("--%s: more than %d names", option->name, STAT_PARAMS_MOST);
        if (!*word || strlen(word) + strlen("param_") >= sizeof((struct stat_column *)NULL)->name ||
            strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-._GTL") != strlen(word))
            die_usage("--%s %s: '%s': expected the name of an option, such as theta or nbgen.virial", option->name,
                      text, word);
        for (int k = 0; k < o->param_count; k++)
            if (strcmp(o->params[k], word) == 0)
                die_usage("--%s: %s appears twice", option->name, word);
        o->params[o->param_count++] = word;
    }
}

/* ---- a line of the history: ID PARENTS TOOL VERSION SEED COMMAND ---- */

struct origin {
    const char *parents, *tool, *seed, *command; /* pointers into the history line */
    size_t tool_length, seed_length;
};

static bool parse_origin(const char *line, struct origin *of)
{
    const char *word[6];
    size_t length[6];
    for (int k = 0; k < 6; k++) {
        word[k] = line;
        length[k] = k < 5 ? strcspn(line, " ") : strlen(line);
        line += length[k];
        if (length[k] == 0 || (k < 5 && *line++ != ' '))
            return false;
    }
    *of = (struct origin){word[1], word[2], word[4], word[5], length[2], length[4]};
    return true;
}

/* Returns where the next option of the command begins, or the end of the command. Values may contain spaces. */
static const char *next_option(const char *at)
{
    for (; *at; at++)
        if (strncmp(at, " --", 3) == 0 && at[3] >= 'a' && at[3] <= 'z')
            return at;
    return at;
}

static char *copy(const char *text, size_t length)
{
    return claimed(strndup(text, length), "no memory");
}

static void append(char **list, const char *text, size_t length)
{
    char *longer = tool_text("%s%s%.*s", *list ? *list : "", *list ? "," : "", (int)length, text);
    free(*list);
    *list = longer;
}

/* Returns the values of an option in a command, separated by commas. The value is "1" for an option without a value.
 * Returns NULL if the command does not have the option. The caller frees the text. */
static char *find_option(const char *command, const char *name)
{
    const size_t length = strlen(name);
    char *found = NULL;
    for (const char *at = next_option(command); *at; at = next_option(at + 1)) {
        const char *text = at + 3 + length, *end = next_option(at + 1);
        if (strncmp(at + 3, name, length) != 0 || (*text != '=' && text != end))
            continue;
        if (text == end)
            append(&found, "1", 1);
        else
            append(&found, text + 1, (size_t)(end - text - 1));
    }
    return found;
}

/* Returns the model in a command of nbgen: the word after the tool's name. Returns NULL if there is none. The caller
 * frees it. */
static char *find_model(const char *command)
{
    const char *word = strchr(command, ' ');
    return word && word[1] != '-' ? copy(word + 1, strcspn(word + 1, " ")) : NULL;
}

static char *find_in_line(const char *line, const char *tool, size_t tool_length, const char *name)
{
    struct origin of;
    if (!parse_origin(line, &of))
        return NULL;
    if (tool && (of.tool_length != tool_length || strncmp(of.tool, tool, tool_length) != 0))
        return NULL;
    char *found = find_option(of.command, name);
    if (!found && strcmp(name, "seed") == 0 && !(of.seed_length == 1 && *of.seed == '-'))
        return copy(of.seed, of.seed_length);
    if (!found && strcmp(name, "model") == 0 && strncmp(of.command, "nbgen ", 6) == 0)
        return find_model(of.command);
    return found;
}

/* ---- the history of a frame ---- */

/* State of a search in the history lines of a frame. `next` is a stack with the indices of the lines to search next. */
struct walk {
    const struct nb_meta *meta;
    bool *seen;
    int *next, count;
};

static void push(struct walk *w, int line)
{
    w->next = claimed(nb_memory_grow(w->next, (size_t)w->count, sizeof *w->next), "no memory");
    w->next[w->count++] = line;
}

/* Returns the index of the history line with this id, or -1. Searches only lines with an index below `before`, the last
 * line first. Tries index id - 1 before all others, because lines usually have the ids 1, 2, 3, ... in this order. */
static int find_line(const struct nb_meta *meta, int before, long id)
{
    if (id >= 1 && id <= before && strtol(meta->history[id - 1], NULL, 10) == id)
        return (int)id - 1;
    for (int k = before - 1; k >= 0; k--)
        if (strtol(meta->history[k], NULL, 10) == id)
            return k;
    return -1;
}

/* Pushes the parents of a history line onto the stack: the lines of the commands that wrote its input streams. The
 * first parent will be popped first. If the line cannot be parsed, pushes the previous line instead. Returns the number
 * of pushed lines. */
static int push_parents(struct walk *w, int line)
{
    const int begin = w->count;
    struct origin of;
    if (!parse_origin(w->meta->history[line], &of)) {
        if (line > 0)
            push(w, line - 1);
        return w->count - begin;
    }
    for (char *at = (char *)of.parents - 1; at < of.parents || *at == ',';) {
        const int parent = find_line(w->meta, line, strtol(at + 1, &at, 10));
        if (parent >= 0)
            push(w, parent);
    }
    for (int a = begin, b = w->count - 1; a < b; a++, b--) {
        const int swapped = w->next[a];
        w->next[a] = w->next[b];
        w->next[b] = swapped;
    }
    return w->count - begin;
}

/* Looks for the option in a line of the history. If the line does not have it, looks in the parents of the line (the
 * lines of the commands that wrote its input streams), then in their parents, and so on. A line has several parents if
 * its command merged several streams. The result then has one value for each stream, separated by commas; "-" for a
 * stream without a value. Returns NULL if no value is found. */
static char *find_behind(struct walk *w, int line, const char *tool, size_t tool_length, const char *name)
{
    char *values = NULL;
    bool found = false;
    for (push(w, line); w->count > 0;) {
        const int k = w->next[--w->count];
        char *value = w->seen[k] ? NULL : find_in_line(w->meta->history[k], tool, tool_length, name);
        if (value)
            append(&values, value, strlen(value));
        else if (!w->seen[k] && push_parents(w, k) == 0)
            append(&values, "-", 1);
        found = found || value;
        w->seen[k] = true;
        free(value);
    }
    if (found)
        return values;
    free(values);
    return NULL;
}

static char *find_in_history(const struct nb_meta *meta, const char *tool, size_t tool_length, const char *name)
{
    struct walk w = {.meta = meta};
    char *found = NULL;
    w.seen = claimed(calloc((size_t)meta->history_count + 1, sizeof *w.seen), "no memory");
    for (int k = meta->history_count - 1; k >= 0 && !found; k--)
        if (!w.seen[k])
            found = find_behind(&w, k, tool, tool_length, name);
    free(w.next);
    free(w.seen);
    return found;
}

/* ---- the header ---- */

static char *find_in_header(const struct nb_meta *meta, const char *name)
{
    char text[32];
    if (strcmp(name, "units") == 0)
        return copy(meta->units.name, strlen(meta->units.name));
    if (strcmp(name, "G") == 0)
        stat_shortest(text, meta->G);
    else if (strcmp(name, "softening") == 0)
        stat_shortest(text, meta->softening);
    else if (strcmp(name, "dt") == 0 && meta->dt != 0)
        stat_shortest(text, meta->dt);
    else if (strcmp(name, "dynamical_time") == 0 && meta->dynamical_time != 0)
        stat_shortest(text, meta->dynamical_time);
    else
        return NULL;
    return copy(text, strlen(text));
}

static char *find(const struct nb_meta *meta, const char *param)
{
    const char *dot = strchr(param, '.'), *tool = dot ? param : NULL, *name = dot ? dot + 1 : param;
    char *found = find_in_history(meta, tool, dot ? (size_t)(dot - param) : 0, name);
    return found || tool ? found : find_in_header(meta, name);
}

void stat_params_find(struct stat_params *p, const struct stat_options *o, const struct nb_meta *meta)
{
    for (int k = 0; k < o->param_count; k++) {
        free(p->value[k]);
        p->value[k] = find(meta, o->params[k]);
        p->found[k] = p->found[k] || p->value[k];
    }
    p->frames++;
}

void stat_params_end(struct stat_params *p, const struct stat_options *o)
{
    for (int k = 0; k < o->param_count; k++) {
        if (p->frames > 0 && !p->found[k])
            warn("--params: no frame has the option %s in its history", o->params[k]);
        free(p->value[k]);
    }
}
