/* tool_take.c - functions that convert the value of an option and store it where tool_option.to points. */
#include "common/tool.h"

#include <math.h>

double tool_accepted(const struct tool_option *o, const char *arg, double value)
{
    const bool inside = value >= o->low && (o->below ? value < o->high : value <= o->high);
    if (o->refusal && !inside && isfinite(value))
        die_usage("--%s %s: %s", o->name, arg, o->refusal);
    return value;
}

void tool_take_flag(const struct tool_option *o, const char *arg)
{
    (void)arg;
    *(bool *)o->to = true;
}

void tool_take_text(const struct tool_option *o, const char *arg)
{
    *(const char **)o->to = arg;
}

void tool_take_word(const struct tool_option *o, const char *arg)
{
    (void)arg;
    *(int *)o->to = (int)o->low + tool_word();
}

void tool_take_number(const struct tool_option *o, const char *arg)
{
    *(double *)o->to = tool_accepted(o, arg, tool_number(o->name, arg));
}

void tool_take_not_negative(const struct tool_option *o, const char *arg)
{
    *(double *)o->to = tool_accepted(o, arg, tool_not_negative(o->name, arg));
}

void tool_take_positive(const struct tool_option *o, const char *arg)
{
    *(double *)o->to = tool_accepted(o, arg, tool_positive(o->name, arg));
}

void tool_take_integer(const struct tool_option *o, const char *arg)
{
    *(int *)o->to = (int)tool_accepted(o, arg, (double)tool_unsigned(o->name, arg));
}

void tool_take_unsigned(const struct tool_option *o, const char *arg)
{
    *(uint64_t *)o->to = tool_unsigned(o->name, arg);
}

void tool_take_count(const struct tool_option *o, const char *arg)
{
    *(uint64_t *)o->to = tool_count(o->name, arg);
}

void tool_take_pair(const struct tool_option *o, const char *arg)
{
    double *pair = o->to;
    tool_pair(o->name, arg, &pair[0], &pair[1]);
}

void tool_take_real_type(const struct tool_option *o, const char *arg)
{
    *(int *)o->to = (int)tool_real_type(o->name, arg);
}

void tool_take_device(const struct tool_option *o, const char *arg)
{
    *(const char **)o->to = tool_device_name(arg);
}
