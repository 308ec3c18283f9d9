#include "policies/rule_program.h"

#include "abi/ct_pattern.h"
#include "policies/named_values.h"

#include <math.h>
#include <string.h>

/* Parentheses, calls and unary operators within each other, so that the parser's own stack is
 * bounded; and values that wait for an operator. */
enum { DEEPEST = 32, STACK = 64 };

enum operation {
    NUMBER,
    FIELD,
    APP,
    KERNEL,
    NOT,
    NEGATIVE,
    ABSOLUTE,
    KNOWN,
    OR,
    AND,
    LESS,
    LESS_OR_EQUAL,
    MORE,
    MORE_OR_EQUAL,
    EQUAL,
    UNEQUAL,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    LEAST,
    MOST,
    CHOOSE
};

struct name {
    const char *text;
    double
        value; /* of a unit: what it multiplies with, if negative divides by; else an enumerator */
};

static const struct name parts[] = {
    {"first", RULE_FIRST}, {"pass", RULE_PASS}, {"share", RULE_SHARE}, {"again", RULE_AGAIN}, {0}};

static const struct name units[] = {{"ns", -1e6}, {"us", -1e3}, {"ms", 1},
                                    {"s", 1e3},   {"kB", 1e3},  {"MB", 1e6},
                                    {"GB", 1e9},  {"%", -1e2},  {0}};

static const struct name functions[] = {
    {"min", LEAST},   {"max", MOST}, {"abs", ABSOLUTE},  {"if", CHOOSE},
    {"known", KNOWN}, {"app", APP},  {"kernel", KERNEL}, {0}};

#define RULE_FIELD_NAME(name, text) {text, RULE_##name},
static const struct name fields[] = {RULE_FIELDS(RULE_FIELD_NAME){0}};

/* Two characters before the one that they begin with. */
static const struct name comparisons[] = {{"<=", LESS_OR_EQUAL},
                                          {">=", MORE_OR_EQUAL},
                                          {"==", EQUAL},
                                          {"!=", UNEQUAL},
                                          {"<", LESS},
                                          {">", MORE},
                                          {0}};
static const struct name alternatives[] = {{"or", OR}, {0}};
static const struct name conjunctions[] = {{"and", AND}, {0}};
static const struct name negations[] = {{"not", NOT}, {0}};
static const struct name sums[] = {{"+", ADD}, {"-", SUBTRACT}, {0}};
static const struct name products[] = {{"*", MULTIPLY}, {"/", DIVIDE}, {0}};

/* Operators between two expressions from loose to tight, each of the next level; before one of the
 * level of comparisons may stand a negation. */
static const struct name *const levels[] = {alternatives, conjunctions, comparisons, sums,
                                            products};
enum { COMPARISONS = 2, LEVELS = 5 };

/* ---- The text ---- */

struct parser {
    struct rule_program *program;
    const char *at;
    uint32_t steps, stack, depth;
    char *error; /* "": none yet */
};

static void append_text(char *error, const char *text) {
    named_values_append_all(error, CT_OPTIONS_FAULT_BYTES, text);
}

static void append_number(char *error, size_t number) {
    char digits[24] = "", *digit = digits + sizeof digits - 1;
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    append_text(error, digit);
}

/* The first mistake, with its place; `named` characters of the text stand in it. */
static bool wrong(struct parser *p, const char *place, const char *before, size_t named,
                  const char *after) {
    size_t line = 1, column = 1;
    if (*p->error)
        return false;
    for (const char *c = p->program->text; c < place; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    append_text(p->error, "line ");
    append_number(p->error, line);
    append_text(p->error, ", column ");
    append_number(p->error, column);
    append_text(p->error, ": ");
    append_text(p->error, before);
    named_values_append(p->error, CT_OPTIONS_FAULT_BYTES, place, named);
    append_text(p->error, after);
    return false;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Blanks, comments, and the ends of lines behind which a blank says that they go on. */
static void skip(struct parser *p) {
    for (;; p->at++) {
        if (*p->at == '#')
            p->at += strcspn(p->at, "\n");
        if (!is_blank(*p->at) && !(*p->at == '\n' && is_blank(p->at[1])))
            return;
    }
}

/* Length of the word here, dots within it; 0: none. */
static size_t word(const char *at) {
    size_t length = 0;
    if (!is_letter(*at))
        return 0;
    while (is_letter(at[length]) || is_digit(at[length]) ||
           (at[length] == '.' && is_letter(at[length + 1])))
        length++;
    return length;
}

static const struct name *find(const struct name *table, const char *text, size_t length) {
    for (; table->text; table++)
        if (strlen(table->text) == length && memcmp(table->text, text, length) == 0)
            return table;
    return NULL;
}

/* Takes one of the signs, or whole words, of a table. NULL: none stands here. */
static const struct name *take_sign(struct parser *p, const struct name *table) {
    skip(p);
    for (; table->text; table++) {
        size_t length = strlen(table->text), letters = word(p->at);
        if (strncmp(p->at, table->text, length) == 0 && (letters == 0 || letters == length)) {
            p->at += length;
            return table;
        }
    }
    return NULL;
}

static bool take(struct parser *p, char sign, const char *reason) {
    skip(p);
    if (*p->at != sign)
        return wrong(p, p->at, reason, 0, "");
    p->at++;
    return true;
}

/* ---- Code ---- */

/* Appends a step that takes `takes` values from the stack and leaves one. */
static bool emit(struct parser *p, struct rule_step step, uint32_t takes) {
    if (p->steps == RULE_STEPS || p->stack + 1 - takes > STACK)
        return wrong(p, p->at, "the rule is too long", 0, "");
    p->program->steps[p->steps++] = step;
    p->program->step_count = p->steps;
    p->stack += 1 - takes;
    return true;
}

static bool emit_operation(struct parser *p, double operation, uint32_t takes) {
    return emit(p, (struct rule_step){.operation = (int32_t)operation, .count = takes}, takes);
}

/* ---- Expressions ---- */

static bool parse_expression(struct parser *p);
static bool parse_unary(struct parser *p);

/* Fifteen digits over, or times, a power of ten up to 22 are one correctly rounded operation, and
 * quotients of such powers are exact: a time is the same number in any unit. */
static double in_unit(double digits, double scale, double unit) {
    if (unit < 0)
        return digits / (scale * -unit);
    return scale > unit ? digits / (scale / unit) : digits * (unit / scale);
}

/* Digits with at most one point, and a unit. */
static bool parse_number(struct parser *p) {
    const char *start = p->at;
    double digits = 0, scale = 1;
    int count = 0;
    bool point = false;
    for (; is_digit(*p->at) || (*p->at == '.' && !point); p->at++) {
        if (*p->at == '.') {
            point = true;
            continue;
        }
        digits = digits * 10 + (*p->at - '0');
        scale *= point ? 10 : 1;
        count++;
    }
    if (count == 0 || count > 15)
        return wrong(p, start, "a number has 1 to 15 digits", 0, "");
    size_t length = *p->at == '%' ? 1 : word(p->at);
    const struct name *unit = find(units, p->at, length);
    if (length > 0 && !unit)
        return wrong(p, p->at, "'", length, "' is none of the units ns us ms s kB MB GB %");
    p->at += length;
    return emit(p, (struct rule_step){.number = in_unit(digits, scale, unit ? unit->value : 1)}, 0);
}

/* app("NAME*") */
static bool parse_pattern(struct parser *p, const struct name *function) {
    if (!take(p, '"', "a name in \"quotes\" is expected here"))
        return false;
    size_t length = strcspn(p->at, "\"\n");
    if (p->at[length] != '"')
        return wrong(p, p->at, "the name does not end with a quote", 0, "");
    struct rule_step step = {.operation = (int32_t)function->value,
                             .start = (uint32_t)(p->at - p->program->text),
                             .count = (uint32_t)length};
    p->at += length + 1;
    p->program->has_patterns = true;
    return emit(p, step, 0);
}

/* The arguments of a call, each of which stays on the stack; how many there are. 0: a mistake. */
static uint32_t parse_arguments(struct parser *p) {
    uint32_t count = 0;
    do {
        if (!parse_expression(p))
            return 0;
        count++;
        skip(p);
    } while (*p->at == ',' && p->at++);
    return count;
}

static bool parse_call(struct parser *p, const struct name *function, const char *place) {
    static const char *const needs[] = {[ABSOLUTE] = "abs(a)",
                                        [KNOWN] = "known(a)",
                                        [LEAST] = "min(a, b ...)",
                                        [MOST] = "max(a, b ...)",
                                        [CHOOSE] = "if(condition, a, b)"};
    int operation = (int)function->value;
    if (!take(p, '(', "a '(' is expected here"))
        return false;
    if (operation == APP || operation == KERNEL) {
        if (!parse_pattern(p, function))
            return false;
    } else {
        uint32_t count = parse_arguments(p);
        bool one = operation == ABSOLUTE || operation == KNOWN;
        if (count == 0)
            return false;
        if (one ? count != 1 : operation == CHOOSE ? count != 3 : count < 2)
            return wrong(p, place, "wrong number of arguments: ", 0, needs[operation]);
        if (!emit_operation(p, operation, count))
            return false;
    }
    return take(p, ')', "a ')' is expected here");
}

/* Says that a name is unknown, and which begin as it does up to its dot; else how names begin. */
static bool unknown_field(struct parser *p, size_t length) {
    const char *dot = memchr(p->at, '.', length);
    size_t prefix = dot ? (size_t)(dot - p->at) + 1 : 0;
    bool any = false;
    char list[CT_OPTIONS_FAULT_BYTES] = "' is unknown";
    for (const struct name *f = fields; prefix > 0 && f->text; f++)
        if (strncmp(f->text, p->at, prefix) == 0) {
            append_text(list, any ? " " : "; there are ");
            append_text(list, f->text);
            any = true;
        }
    if (!any)
        append_text(list, "; names begin with app. job. task. ready. issued. gpu., or are now, "
                          "queries, slack");
    return wrong(p, p->at, "'", length, list);
}

static bool parse_name(struct parser *p) {
    size_t length = word(p->at);
    const char *place = p->at;
    const struct name *function = find(functions, place, length);
    const struct name *field = find(fields, place, length);
    if (function) {
        p->at += length;
        return parse_call(p, function, place);
    }
    if (!field)
        return unknown_field(p, length);
    p->at += length;
    p->program->reads[(int)field->value] = true;
    return emit(p, (struct rule_step){.operation = FIELD, .start = (uint32_t)field->value}, 0);
}

static bool parse_primary(struct parser *p) {
    if (is_digit(*p->at) || *p->at == '.')
        return parse_number(p);
    if (is_letter(*p->at))
        return parse_name(p);
    if (*p->at != '(')
        return wrong(p, p->at, "a number, a name or a '(' is expected here", 0, "");
    p->at++;
    return parse_expression(p) && take(p, ')', "a ')' is expected here");
}

static bool parse_unary(struct parser *p) {
    skip(p);
    if (++p->depth > DEEPEST)
        return wrong(p, p->at, "the rule is nested too deeply", 0, "");
    bool minus = *p->at == '-', made;
    p->at += minus;
    made = minus ? parse_unary(p) && emit_operation(p, NEGATIVE, 1) : parse_primary(p);
    p->depth--;
    return made;
}

static bool parse_level(struct parser *p, int level);

static bool parse_negation(struct parser *p) {
    if (++p->depth > DEEPEST)
        return wrong(p, p->at, "the rule is nested too deeply", 0, "");
    bool made = parse_level(p, COMPARISONS) && emit_operation(p, NOT, 1);
    p->depth--;
    return made;
}

static bool parse_level(struct parser *p, int level) {
    if (level == LEVELS)
        return parse_unary(p);
    if (level == COMPARISONS && take_sign(p, negations))
        return parse_negation(p);
    bool made = parse_level(p, level + 1), compared = false;
    for (const struct name *sign; made; compared = true) {
        const char *place = p->at;
        if (!(sign = take_sign(p, levels[level])))
            break;
        if (compared && level == COMPARISONS)
            return wrong(p, place, "write 'a < b and b < c' for two comparisons", 0, "");
        made = parse_level(p, level + 1) && emit_operation(p, sign->value, 2);
    }
    return made;
}

static bool parse_expression(struct parser *p) {
    return parse_level(p, 0);
}

/* ---- A rule ---- */

static bool is_constant(const struct rule_program *program, enum rule_part part) {
    for (uint32_t i = program->parts[part].begin; i < program->parts[part].end; i++)
        if (program->steps[i].operation != NUMBER && program->steps[i].operation <= KERNEL)
            return false;
    return true;
}

/* A share that is the same for all kernels must be one. */
static bool check_part(struct parser *p, enum rule_part part, const char *place) {
    const struct rule_program *program = p->program;
    return part != RULE_SHARE || !is_constant(program, part) ||
           rule_is_share(rule_value(program, part, NULL, NULL)) ||
           wrong(p, place, "a share is more than 0 and at most 1, or 100%", 0, "");
}

static bool parse_part(struct parser *p) {
    size_t length = word(p->at);
    const struct name *part = find(parts, p->at, length);
    if (!part)
        return wrong(p, p->at, "a line begins with first: pass: share: or again:", 0, "");
    if (rule_has(p->program, (enum rule_part)part->value))
        return wrong(p, p->at, "'", length, "' is there twice");
    p->at += length;
    p->stack = 0;
    uint32_t begin = p->steps;
    if (!take(p, ':', "a ':' is expected here"))
        return false;
    skip(p);
    const char *place = p->at;
    if (!parse_expression(p))
        return false;
    p->program->parts[(int)part->value].begin = begin;
    p->program->parts[(int)part->value].end = p->steps;
    skip(p);
    if (*p->at != '\0' && *p->at != '\n')
        return wrong(p, p->at, "an operator or the end of the line is expected here", 0, "");
    return check_part(p, (enum rule_part)part->value, place);
}

bool rule_compile(const char *text, struct rule_program *program, char *error) {
    *program = (struct rule_program){.text = text};
    struct parser parser = {.program = program, .at = text, .error = error};
    *error = '\0';
    skip(&parser);
    while (*parser.at) {
        if (*parser.at == '\n')
            parser.at++;
        else if (!parse_part(&parser))
            return false;
        skip(&parser);
    }
    return true;
}

bool rule_has(const struct rule_program *program, enum rule_part part) {
    return program->parts[part].begin < program->parts[part].end;
}

/* ---- Values ---- */

static bool is_true(double value) {
    return value != 0 && !isnan(value);
}

static bool is_pattern(const struct rule_step *step) {
    return step->operation == APP || step->operation == KERNEL;
}

/* NULL stands for a name that is not asked about, which no pattern matches. */
static bool matches(const struct rule_program *program, const struct rule_step *step,
                    const struct rule_names *names) {
    const char *name = step->operation == APP ? names->app : names->kernel;
    uint64_t steps = UINT64_MAX;
    return name && ct_pattern_matches(program->text + step->start, step->count, name, &steps);
}

static double apply_two(int32_t operation, double a, double b) {
    bool known = !isnan(a) && !isnan(b);
    switch (operation) {
    case OR:
        return is_true(a) || is_true(b);
    case AND:
        return is_true(a) && is_true(b);
    case LESS:
        return a < b;
    case LESS_OR_EQUAL:
        return a <= b;
    case MORE:
        return a > b;
    case MORE_OR_EQUAL:
        return a >= b;
    case EQUAL:
        return a == b;
    case UNEQUAL:
        return known && a != b;
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    default:
        return b == 0 ? (double)NAN : a / b;
    }
}

/* The least or largest of several; unknown if one of them is. */
static double extreme(const double *values, uint32_t count, bool least) {
    double best = values[0];
    for (uint32_t i = 1; i < count && !isnan(best); i++)
        if (isnan(values[i]) || (least ? values[i] < best : values[i] > best))
            best = values[i];
    return best;
}

static double apply(const struct rule_step *step, const double *values) {
    switch (step->operation) {
    case NOT:
        return !is_true(values[0]);
    case NEGATIVE:
        return -values[0];
    case ABSOLUTE:
        return fabs(values[0]);
    case KNOWN:
        return !isnan(values[0]);
    case LEAST:
    case MOST:
        return extreme(values, step->count, step->operation == LEAST);
    case CHOOSE:
        return is_true(values[0]) ? values[1] : values[2];
    default:
        return apply_two(step->operation, values[0], values[1]);
    }
}

static double read(const struct rule_program *program, const struct rule_step *step,
                   const double *values, const struct rule_names *names) {
    if (step->operation == NUMBER)
        return step->number;
    if (step->operation == FIELD)
        return values[step->start];
    return matches(program, step, names);
}

double rule_value(const struct rule_program *program, enum rule_part part, const double *values,
                  const struct rule_names *names) {
    double stack[STACK];
    uint32_t top = 0;
    stack[0] = (double)NAN;
    for (uint32_t i = program->parts[part].begin; i < program->parts[part].end; i++) {
        const struct rule_step *step = &program->steps[i];
        if (step->operation <= KERNEL) {
            stack[top++] = read(program, step, values, names);
        } else {
            top -= step->count;
            stack[top] = apply(step, stack + top);
            top++;
        }
    }
    return stack[0];
}

bool rule_is_share(double value) {
    return isnan(value) || (value > 0 && value <= 1);
}

/* ---- Patterns that match nothing ---- */

void rule_match(const struct rule_program *program, const struct rule_names *names, bool *matched) {
    for (uint32_t i = 0; i < program->step_count; i++)
        if (is_pattern(&program->steps[i]) && !matched[i])
            matched[i] = matches(program, &program->steps[i], names);
}

uint32_t rule_unmatched(const struct rule_program *program, const bool *matched) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->step_count; i++)
        count += is_pattern(&program->steps[i]) && !matched[i];
    return count;
}
