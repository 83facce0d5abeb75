/* select_parse.c - parses a condition by recursive descent of bounded depth, and emits the program for a stack machine.
 * Declared in select.h. */
#include "base/error.h"
#include "select/select_program.h"
#include "select/select_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Type of a parsed expression. COMPONENT: the name of a component, which can be used as a number or as a condition. */
enum kind { FAILED = -1, NUMBER, CONDITION, COMPONENT };

struct parser {
    const char *text;
    struct nb_word word; /* the next word, not yet consumed */
    struct nb_select *s;
    char *name; /* where the next name will be stored, in s->names */
    int depth;
    int numbers, conditions; /* current depths of the stack of numbers and of the stack of conditions */
};

static enum kind parse_condition(struct parser *p);
static enum kind parse_unary(struct parser *p);

/* ---- words ---- */

static void advance(struct parser *p)
{
    p->word = nb_word_read(p->text, p->word.place + p->word.length);
}

static bool is_sign(const struct parser *p, const char *sign)
{
    return p->word.kind == NB_WORD_SIGN && strcmp(p->word.sign, sign) == 0;
}

static bool take(struct parser *p, const char *sign)
{
    const bool there = is_sign(p, sign);
    if (there)
        advance(p);
    return there;
}

static enum kind wanted(struct parser *p, const char *what)
{
    return nb_word_wanted(p->text, &p->word, what);
}

/* ---- the program ---- */

static int stack_change(enum nb_select_code code, bool conditions)
{
    if (conditions)
        return code >= OP_EQUAL && code < OP_AND ? 1 : code == OP_AND || code == OP_OR ? -1 : 0;
    return code < OP_NEGATE ? 1 : code < OP_ADD ? 0 : code < OP_EQUAL ? -1 : code < OP_AND ? -2 : 0;
}

static struct nb_select_op *emit(struct parser *p, enum nb_select_code code)
{
    struct nb_select *s = p->s;
    struct nb_select_op *op = &s->ops[s->count++];
    *op = (struct nb_select_op){.code = code, .place = p->word.place, .axis = -1};
    p->numbers += stack_change(code, false);
    p->conditions += stack_change(code, true);
    s->numbers = p->numbers > s->numbers ? p->numbers : s->numbers;
    s->conditions = p->conditions > s->conditions ? p->conditions : s->conditions;
    return op;
}

static const char *keep_name(struct parser *p, const char *name, size_t length)
{
    char *kept = p->name;
    memcpy(kept, name, length);
    kept[length] = '\0';
    p->name += length + 1;
    return kept;
}

/* The last operation of the program is the name of a component, for example disk. Replaces it by a condition: the
 * column `component` equals the number of this component. */
static void make_condition(struct parser *p)
{
    struct nb_select_op *name = &p->s->ops[p->s->count - 1];
    const int component = nb_component_parse(name->name);
    name->name = "component";
    *emit(p, OP_NUMBER) = (struct nb_select_op){.code = OP_NUMBER, .number = component};
    emit(p, OP_EQUAL);
}

/* Makes sure that the expression parsed just before, which has the type `kind`, is a condition. Turns the name of a
 * component into a condition. Returns CONDITION. Returns FAILED after nb_fail if the expression is a number, and FAILED
 * if `kind` is FAILED. `begin`: first word of the expression, for the message. */
static enum kind as_condition(struct parser *p, enum kind kind, const struct nb_word *begin)
{
    if (kind == COMPONENT)
        make_condition(p);
    if (kind != NUMBER)
        return kind == FAILED ? FAILED : CONDITION;
    return nb_fail("character %zu: expected a condition such as speed < 0.5, found a number or a column",
                   begin->place + 1);
}

static enum kind as_number(enum kind kind, const struct nb_word *begin)
{
    if (kind != CONDITION)
        return kind == FAILED ? FAILED : NUMBER;
    return nb_fail("character %zu: expected a number, found a condition (write a < b < c as a < b && b < c)",
                   begin->place + 1);
}

/* ---- operands ---- */

static enum kind parse_number(struct parser *p)
{
    struct nb_select_op *op = emit(p, OP_NUMBER);
    op->number = p->word.number;
    op->whole = p->word.whole;
    op->is_whole = p->word.is_whole;
    advance(p);
    return NUMBER;
}

static enum kind parse_argument(struct parser *p)
{
    const struct nb_word begin = p->word;
    return as_number(parse_condition(p), &begin);
}

static enum kind parse_function(struct parser *p, enum nb_select_code code)
{
    const int arguments = code < OP_ADD ? 1 : 2;
    for (int k = 0; k < arguments; k++) {
        if (k > 0 && !take(p, ","))
            return wanted(p, "a comma and a second number");
        if (parse_argument(p) == FAILED)
            return FAILED;
    }
    if (!take(p, ")"))
        return wanted(p, "an operator or )");
    emit(p, code);
    return NUMBER;
}

static enum nb_select_code function_code(const char *name)
{
    static const struct {
        const char *name;
        enum nb_select_code code;
    } functions[] = {{"abs", OP_ABS}, {"sqrt", OP_SQRT}, {"log10", OP_LOG10}, {"exp", OP_EXP},
                     {"log", OP_LOG}, {"sin", OP_SIN},   {"cos", OP_COS},     {"floor", OP_FLOOR},
                     {"min", OP_MIN}, {"max", OP_MAX},   {"atan2", OP_ATAN2}};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (strcmp(name, functions[k].name) == 0)
            return functions[k].code;
    return OP_NAME;
}

/* If the next word is the name of a component, adds an OP_NAME for it to the program. Otherwise returns false. */
static bool put_component(struct parser *p)
{
    const char *name = keep_name(p, p->text + p->word.place, p->word.length);
    if (p->word.kind != NB_WORD_NAME || nb_component_parse(name) < 0)
        return false;
    emit(p, OP_NAME)->name = name;
    advance(p);
    return true;
}

/* Parses the rest of a list of components such as disk,star. The first name of the list was parsed before. Adds to the
 * program the condition that a body belongs to one of these components. */
static enum kind parse_list(struct parser *p)
{
    make_condition(p);
    while (take(p, ",")) {
        if (!put_component(p))
            return wanted(p, "a component (other halo disk bulge star hole planet gas)");
        make_condition(p);
        emit(p, OP_OR);
    }
    return CONDITION;
}

static enum kind parse_name(struct parser *p)
{
    const struct nb_word word = p->word;
    const char *name = keep_name(p, p->text + word.place, word.base_length);
    const enum nb_select_code function = function_code(name);
    advance(p);
    if (function != OP_NAME && word.axis < 0 && take(p, "("))
        return parse_function(p, function);
    struct nb_select_op *op = emit(p, OP_NAME);
    op->place = word.place;
    op->name = name;
    op->axis = word.axis;
    if (word.axis >= 0 || nb_component_parse(name) < 0)
        return NUMBER;
    return is_sign(p, ",") ? parse_list(p) : COMPONENT;
}

static enum kind parse_primary(struct parser *p)
{
    if (p->word.kind == NB_WORD_NUMBER)
        return parse_number(p);
    if (p->word.kind == NB_WORD_NAME)
        return parse_name(p);
    if (!take(p, "("))
        return wanted(p, "a column, a number or (");
    enum kind kind = parse_condition(p);
    if (kind != FAILED && !take(p, ")"))
        return wanted(p, "an operator or )");
    return kind;
}

/* ---- operators, from the highest precedence to the lowest ---- */

static enum kind parse_power(struct parser *p)
{
    const struct nb_word begin = p->word;
    enum kind kind = parse_primary(p);
    if (kind == FAILED || !is_sign(p, "^"))
        return kind;
    if (as_number(kind, &begin) == FAILED)
        return FAILED;
    advance(p);
    const struct nb_word exponent = p->word;
    if (as_number(parse_unary(p), &exponent) == FAILED)
        return FAILED;
    emit(p, OP_POWER);
    return NUMBER;
}

static void negate(struct parser *p, int begin)
{
    struct nb_select_op *last = &p->s->ops[p->s->count - 1];
    if (p->s->count - 1 > begin || last->code != OP_NUMBER)
        emit(p, OP_NEGATE);
    else {
        last->number = -last->number;
        last->is_whole = false;
    }
}

static enum kind parse_signed(struct parser *p)
{
    const struct nb_word sign = p->word;
    const int begin = p->s->count;
    advance(p);
    const struct nb_word operand = p->word;
    enum kind kind = parse_unary(p);
    if (*sign.sign == '!') {
        if (as_condition(p, kind, &operand) == FAILED)
            return FAILED;
        emit(p, OP_NOT);
        return CONDITION;
    }
    if (as_number(kind, &operand) == FAILED)
        return FAILED;
    if (*sign.sign == '-')
        negate(p, begin);
    return NUMBER;
}

static enum kind parse_unary(struct parser *p)
{
    if (p->depth == NB_SELECT_DEPTH)
        return nb_fail("character %zu: more than %d nested parentheses and signs", p->word.place + 1, NB_SELECT_DEPTH);
    p->depth++;
    const bool has_sign = is_sign(p, "-") || is_sign(p, "+") || is_sign(p, "!");
    const enum kind kind = has_sign ? parse_signed(p) : parse_power(p);
    p->depth--;
    return kind;
}

static const struct level {
    struct {
        const char *sign;
        enum nb_select_code code;
    } ops[7];
    bool conditions; /* the operands are conditions; otherwise they are numbers */
} levels[] = {
    {.ops = {{"||", OP_OR}}, .conditions = true},
    {.ops = {{"&&", OP_AND}}, .conditions = true},
    {.ops = {{"==", OP_EQUAL},
             {"!=", OP_UNEQUAL},
             {"<=", OP_LESS_EQUAL},
             {">=", OP_GREATER_EQUAL},
             {"<", OP_LESS},
             {">", OP_GREATER}}},
    {.ops = {{"+", OP_ADD}, {"-", OP_SUBTRACT}}},
    {.ops = {{"*", OP_MULTIPLY}, {"/", OP_DIVIDE}, {"%", OP_REMAINDER}}},
};
#define LEVELS (sizeof levels / sizeof *levels)

static enum nb_select_code level_code(const struct parser *p, const struct level *l)
{
    for (int k = 0; l->ops[k].sign; k++)
        if (is_sign(p, l->ops[k].sign))
            return l->ops[k].code;
    return OP_NAME;
}

static enum kind operand_of(struct parser *p, const struct level *l, enum kind kind, const struct nb_word *begin)
{
    return l->conditions ? as_condition(p, kind, begin) : as_number(kind, begin);
}

static enum kind parse_level(struct parser *p, size_t level)
{
    if (level == LEVELS)
        return parse_unary(p);
    const struct level *l = &levels[level];
    const struct nb_word begin = p->word;
    enum kind kind = parse_level(p, level + 1);
    for (enum nb_select_code code; kind != FAILED && (code = level_code(p, l)) != OP_NAME;) {
        if (operand_of(p, l, kind, &begin) == FAILED)
            return FAILED;
        advance(p);
        const struct nb_word right = p->word;
        if (operand_of(p, l, parse_level(p, level + 1), &right) == FAILED)
            return FAILED;
        emit(p, code);
        kind = code < OP_EQUAL ? NUMBER : CONDITION;
    }
    return kind;
}

static enum kind parse_condition(struct parser *p)
{
    return parse_level(p, 0);
}

/* ---- the whole text ---- */

/* Parses the text from `place` to its end. The text must be an expression if `number` is true, otherwise a condition.
 * An expression can also end at the word `if`. Returns -1 on error. */
static int parse_all(struct parser *p, size_t place, bool number)
{
    p->word = nb_word_read(p->text, place);
    const struct nb_word begin = p->word;
    const enum kind kind = parse_condition(p);
    if (kind == FAILED)
        return -1;
    const struct nb_word *end = &p->word;
    const bool is_if = end->kind == NB_WORD_NAME && end->length == 2 && strncmp(p->text + end->place, "if", 2) == 0;
    if (end->kind != NB_WORD_END && !(number && is_if))
        return nb_word_wanted(p->text, &p->word, number ? "an operator, `if' or the end" : "an operator or the end");
    return (number ? as_number(kind, &begin) : as_condition(p, kind, &begin)) == FAILED ? -1 : 0;
}

/* Allocates a program for a text of `length` characters. Three operations per character are enough: the name of a
 * component needs at most four operations and has at least three letters. Every other word needs at most one operation.
 * Returns NULL on error. */
static struct nb_select *make(size_t length)
{
    struct nb_select *s = calloc(1, sizeof *s);
    if (s) {
        s->ops = malloc((length + 1) * 3 * sizeof *s->ops);
        s->names = malloc(2 * length + 2);
    }
    if (s && s->ops && s->names)
        return s;
    nb_select_free(s);
    nb_fail("no memory for a condition");
    errno = ENOMEM;
    return NULL;
}

/* Parses the text from *place on. The text must be an expression if `number` is true, otherwise a condition. Sets
 * *place to the position after the word `if`, or to 0 if the text has no `if`. Returns NULL on error. */
static struct nb_select *parse(const char *text, size_t *place, bool number)
{
    const size_t length = strlen(text);
    errno = 0;
    if (length > NB_SELECT_LENGTH)
        return nb_null(nb_fail("more than %zu characters", NB_SELECT_LENGTH));
    struct nb_select *s = make(length);
    if (!s)
        return NULL;
    struct parser p = {.text = text, .s = s, .name = s->names};
    if (parse_all(&p, *place, number)) {
        nb_select_free(s);
        return NULL;
    }
    *place = p.word.kind == NB_WORD_END ? 0 : p.word.place + p.word.length;
    return s;
}

struct nb_select *nb_select_parse(const char *text)
{
    return parse(text, &(size_t){0}, false);
}

struct nb_select *nb_select_parse_number(const char *text, size_t place, struct nb_select **condition)
{
    struct nb_select *s = parse(text, &place, true);
    *condition = NULL;
    if (!s || place == 0)
        return s;
    *condition = parse(text, &place, false);
    if (*condition)
        return s;
    nb_select_free(s);
    return NULL;
}

void nb_select_free(struct nb_select *s)
{
    if (!s)
        return;
    free(s->ops);
    free(s->names);
    free(s);
}
