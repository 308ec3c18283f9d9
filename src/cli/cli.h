/*
 * What every command shares: options, diagnostics, tables, progress, Ctrl-C. Only this folder
 * prints.
 *
 * A command is one file cmd_NAME.c that defines `int cmd_NAME(int argc, char **argv)` (argv[0] is
 * the command's name) and `const struct cli_command command_NAME`, which names the function; its
 * name stands in commands.h. The same table prints `--help`, the man page and the shell
 * completion.
 *
 *     int cmd_example(int argc, char **argv) {
 *         struct cli_args args;
 *         int status = cli_parse(&args, &command_example, argc, argv);
 *         if (status != CLI_GO_ON)
 *             return status;            // --help was printed, or the usage was wrong
 *         struct ct_diags diags = {0};
 *         status = work(args.operands[0], cli_value(&args, "output"), &diags);
 *         return cli_finish(&args, &diags, status);
 *     }
 */
#ifndef CLI_H
#define CLI_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_types.h"
#include "base/ct_vec.h"

#include <signal.h>
#include <stdio.h>

/* An option of a command; a table of them ends with a NULL name. `--quiet` and `--help` come by
 * themselves. */
struct cli_option {
    const char *name;  /* long name without dashes */
    char letter;       /* short name, 0: none */
    const char *value; /* what --help calls its value, such as "N" or "text|json"; NULL: a flag */
    const char *help;  /* one line */
};

struct cli_command {
    const char *name;
    const char *operands;              /* for the usage line: "WORKLOAD.json"; "" without */
    const char *summary;               /* one line */
    int least_operands, most_operands; /* most: -1 for any number */
    const struct cli_option *options;  /* NULL: none of its own */
    int (*run)(int argc, char **argv);
};

/* One option as given. */
struct cli_given {
    const struct cli_option *option;
    const char *value; /* NULL of a flag */
};

struct policy_watch;

struct cli_args {
    const struct cli_command *command;
    char *const *operands;
    int operand_count;
    bool quiet;
    struct cli_given *given; /* in the order of the command line */
    size_t given_count;
    struct policy_watch *watch; /* of every policy, with --isolate-policy; NULL: nobody watches */
};

/* What every command takes besides its own. */
extern const struct cli_option cli_common_options[];

#define CLI_GO_ON (-1)

/*
 * Splits the arguments of a command; options and operands may be mixed. Returns CLI_GO_ON, or the
 * status with which to end: CT_OK after `--help`, CT_USAGE after a message. On CLI_GO_ON end with
 * cli_finish or cli_args_free.
 */
int cli_parse(struct cli_args *args, const struct cli_command *command, int argc, char **argv);
void cli_args_free(struct cli_args *args);

/* Whether an option was given, its last value (NULL: not given), and the n-th of its values (NULL:
 * no more). */
bool cli_has(const struct cli_args *args, const char *name);
const char *cli_value(const struct cli_args *args, const char *name);
const char *cli_value_at(const struct cli_args *args, const char *name, size_t n);

/* All values of an option that may be repeated (`--set`), as a malloc'ed array; NULL when memory
 * ran out. */
const char **cli_values(const struct cli_args *args, const char *name, size_t *count);

/* The value of an option as a number in a range; the result stays as it was when the option was not
 * given. A wrong one is recorded as an error and returns false. */
bool cli_int(const struct cli_args *args, const char *name, int64_t least, int64_t most,
             int64_t *result, struct ct_diags *diags);
bool cli_double(const struct cli_args *args, const char *name, double least, double most,
                double *result, struct ct_diags *diags);

/* The value of an option as an index into NULL-terminated names; `standard` when it was not given,
 * -1 and an error when it is none of them. */
int cli_choice(const struct cli_args *args, const char *name, const char *const *names,
               int standard, struct ct_diags *diags);

/* Prints diagnostics to standard error, one line each: "where: error: text". Quiet leaves out
 * notices. */
void cli_print_diags(const struct ct_diags *diags, bool quiet);

/* Prints and frees the diagnostics, frees the arguments. Returns the status; CT_USAGE where it is
 * CT_OK in spite of recorded errors. A standard output that could not be written makes it CT_DATA.
 */
int cli_finish(struct cli_args *args, struct ct_diags *diags, int status);

/* Usage and options of a command. */
void cli_print_help(FILE *out, const struct cli_command *command);

/* Whether escape sequences may be used: a terminal, or CLICOLOR_FORCE; neither NO_COLOR nor
 * TERM=dumb. `--color` decides in their place. */
bool cli_colour(FILE *out);

/* Prints a text in lines of at most `width` columns, each after `indent` spaces but the first. */
void cli_print_wrapped(FILE *out, const char *text, int indent, int width);

/* ---- tables ---- */

enum cli_format { CLI_TEXT, CLI_JSON, CLI_CSV, CLI_MARKDOWN };
extern const char
    *const cli_formats[]; /* "text", "json", "csv", "markdown", NULL: for cli_choice */

struct cli_column {
    const char *title; /* heading of text and Markdown */
    const char *key;   /* heading of CSV and member of JSON */
    bool number;       /* right-aligned, and without quotes in JSON; an empty cell is null there */
};

struct cli_table {
    const struct cli_column *columns;
    size_t column_count;
    struct {
        CT_VEC(const char *);
    } cells; /* row by row */
    struct ct_arena arena;
    bool failed; /* memory ran out: cli_table_print says so */
};

void cli_table_begin(struct cli_table *table, const struct cli_column *columns,
                     size_t column_count);
/* The next cell, rows from left to right. An unknown number is an empty cell: "-" in text and
 * Markdown. */
void cli_table_cell(struct cli_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A number with this many digits behind the point; an empty cell for NAN. */
void cli_table_number(struct cli_table *table, double number, int digits);
/* Prints all rows; text fits 80 columns by wrapping the widest text column. JSON is an array of
 * objects. Frees the table. CT_OK, or CT_DATA when memory ran out. */
int cli_table_print(struct cli_table *table, FILE *out, enum cli_format format);
void cli_table_free(struct cli_table *table); /* one that is not printed */

/* ---- long work ---- */

/* On a terminal one line that is rewritten, with the time left; plain lines each tenth otherwise;
 * nothing if quiet. */
struct cli_progress {
    const char *what;
    uint64_t total, done;
    bool quiet, terminal;
    int printed;      /* last tenth or per cent printed */
    double started_s; /* monotonic */
};

void cli_progress_begin(struct cli_progress *progress, const char *what, uint64_t total,
                        bool quiet);
void cli_progress_set(struct cli_progress *progress, uint64_t done);
void cli_progress_end(struct cli_progress *progress);

/* From now on Ctrl-C (and SIGTERM, and SIGHUP of a terminal that is closed) only sets a flag; a
 * second one, but of SIGHUP, ends the program at once. */
void cli_catch_interrupt(void);

/* Those signals; not SIGHUP where it is ignored, as nohup has it. */
void cli_interrupt_signals(sigset_t *signals);
bool cli_interrupted(void);
bool cli_is_interrupted(void *unused); /* the same, for what asks while it runs */

/* ---- commands, in the order of `cotenant --help`; NULL ends ---- */
extern const struct cli_command *const cli_commands[];

#endif
