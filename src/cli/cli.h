/*
 * What every command shares: options, diagnostics, tables, progress, Ctrl-C. Only this folder
 * prints.
 *
 * A command is one file cmd_NAME.c with its options, `int cmd_NAME(struct cli_args *, struct
 * ct_diags *)`, which returns an enum ct_status, and CLI_COMMAND at its end; its name stands in
 * commands.h. The same table prints `--help`, the man page and the shell completion.
 */
#ifndef CLI_H
#define CLI_H

#include "base/ct_diag.h"
#include "base/ct_files.h"
#include "base/ct_listener.h"
#include "format/table.h"

#include <signal.h>
#include <stdatomic.h>

/* An option of a command; a table of them ends with a NULL name. `--quiet` and `--help` come by
 * themselves. */
struct cli_option {
    const char *name;  /* long name without dashes */
    char letter;       /* short name, 0: none */
    const char *value; /* what --help calls its value, such as "N" or "text|json"; NULL: a flag */
    const char *help;  /* one line */
};

struct cli_args;

struct cli_command {
    const char *name;
    const char *operands;              /* for the usage line: "WORKLOAD.json"; "" without */
    const char *summary;               /* one line */
    int least_operands, most_operands; /* most: -1 for any number */
    const struct cli_option *options;  /* NULL: none of its own */
    int (*run)(struct cli_args *args, struct ct_diags *diags);
};

/* The command of a file: its options are `options`, its function is `cmd_NAME`. */
#define CLI_COMMAND(word, operands, least, most, summary)                                          \
    const struct cli_command command_##word = {#word, operands, summary,   least,                  \
                                               most,  options,  cmd_##word}

struct policy_watch;
struct ct_policy;

/* The files that a command reads; the standard input is the file "-". */
struct cli_input {
    struct ct_files files;
    struct ct_files_read read;
    char *text; /* NULL: nobody has asked for it yet */
    size_t size;
};

struct cli_args {
    const struct cli_command *command;
    char *const *operands;
    int operand_count;
    bool quiet;
    const struct cli_option **given; /* those that are repeated behind each other */
    const char **values;             /* of each; NULL of a flag */
    size_t given_count;
    struct policy_watch *watch; /* told of hooks (--isolate-policy); NULL: nobody watches */
    struct cli_input input;
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

/* Notes what is read, and serves the standard input to those who read the file "-", each of them
 * all of it, where the arguments name it. It stays where it is until cli_args_free. */
const struct ct_files *cli_input_files(struct cli_args *args);

/* Whether an option was given, its last value (NULL: not given), and all values of one that may be
 * repeated (`--set`). */
bool cli_has(const struct cli_args *args, const char *name);
const char *cli_value(const struct cli_args *args, const char *name);
const char *const *cli_values(const struct cli_args *args, const char *name, size_t *count);

/* Splits KEY=VALUE of `--set`; NULL after an error. */
const char *cli_assignment(const char *text, const char **value, struct ct_arena *arena,
                           struct ct_diags *diags);

/* What was wrong with an option is in the diagnostics; its value then is `standard`, as where it
 * was not given. */

/* A number in a range, with or without its unit (SECONDS, MB, PCT: as --help calls it). */
int64_t cli_int(const struct cli_args *args, const char *name, int64_t least, int64_t most,
                int64_t standard, struct ct_diags *diags);
double cli_double(const struct cli_args *args, const char *name, double least, double most,
                  double standard, struct ct_diags *diags);

#define CLI_JOBS_OPTION                                                                            \
    { "jobs", 'j', "N", "threads; the result is the same for any number (one a processor)" }

/* --jobs N, for CLI_JOBS_OPTION: 1 to THREAD_TEAM_MOST. */
uint32_t cli_threads(const struct cli_args *args, struct ct_diags *diags);

/* --output, without which the command does nothing: NULL and an error where it was not given. */
const char *cli_output(const struct cli_args *args, struct ct_diags *diags);

/* An index into NULL-terminated names. */
int cli_choice(const struct cli_args *args, const char *name, const char *const *names,
               int standard, struct ct_diags *diags);

/* The place of a word among names; their count, and an error, when it is none of them. */
size_t cli_index(const char *noun, const char *word, const char *const *names, size_t count,
                 struct ct_diags *diags);

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

/* ---- tables ---- */

/* --format of a table: "text", "json", "csv" or "markdown". */
enum table_format cli_format(const struct cli_args *args, struct ct_diags *diags);

/* What a policy knows and does, "targets, predicts, ..."; "" for nothing of that. */
void cli_policy_features(const struct ct_policy *policy, char *text, size_t size);

/* table_print to standard output, with titles in bold where that takes escape sequences. */
int cli_table_print(struct table *table, enum table_format format);

/* ---- outputs ---- */

/* Before long work: whether a file can be put there, if `path` is not NULL. enum ct_status. */
int cli_probe_output(const char *path, struct ct_diags *diags);

/* Makes a folder, unless there is one or `path` is NULL. enum ct_status. */
int cli_make_folder(const char *path, struct ct_diags *diags);

/* ---- long work ---- */

/* On a terminal one line that is rewritten; otherwise a line after a quarter of a minute, and then
 * one a minute at most; each with the time left. Nothing if quiet. */
struct cli_progress {
    const char *what; /* NULL: nothing is under way */
    _Atomic double total, done;
    bool quiet, terminal;
    int shown_percent;       /* on a terminal; -1: nothing yet */
    double started_s, due_s; /* monotonic; when something is to be printed again */
    atomic_flag printing;
};

/* Seconds on the monotonic clock. */
double cli_seconds_now(void);

/* "40 s", "3 min", "12 h", "5 days", rounded up. */
const char *cli_time_text(double seconds, char text[40]);

/* Says what is under way from now on. The struct is of zeros, or of what came before: then its next
 * line is due as it was. */
void cli_progress_begin(struct cli_progress *progress, const char *what, double total, bool quiet);
/* Notes how much of the total is done (a total of 0: that with which it began); `context` is a
 * struct cli_progress. */
void cli_progress_set(void *context, double done, double total);
/* For what runs: Ctrl-C, and this progress. */
struct ct_listener cli_listener(struct cli_progress *progress);
/* Prints what is due; from any thread. */
void cli_progress_look(struct cli_progress *progress);
void cli_progress_end(struct cli_progress *progress);

/* From now on Ctrl-C (and SIGTERM, and SIGHUP of a terminal that is closed) ends the program with
 * CT_INTERRUPTED: at once, and without the parts of outputs; or, once a command has asked whether
 * it is interrupted, in an order that is its own, unless a second one comes (but of SIGHUP). */
void cli_catch_interrupt(void);

/* A store is made there now, unless it is there; a folder was made. A signal that ends the program
 * takes them away while nothing is in them. */
void cli_makes_store(const char *path);
void cli_made_folder(const char *path);
void cli_remove_empty(void);

/* The signals that cli_catch_interrupt catches; not SIGHUP where it is ignored, as nohup has it. */
void cli_interrupt_signals(sigset_t *signals);
bool cli_interrupted(void);
/* cli_interrupted, for what asks while it runs: it also looks whether progress is to be printed.
 * The context begins with a struct cli_progress, or is NULL. */
bool cli_is_interrupted(void *context);

/* Where a test can hold the program, the first time that it comes by: until whoever writes to the
 * pipe that the environment variable `place` names has closed it. Of builds for tests alone. */
#ifdef COTENANT_HOLDS
void cli_hold(const char *place);
#else
#define cli_hold(place) ((void)(place))
#endif

/* ---- commands, in the order of `cotenant --help`; NULL ends ---- */
extern const struct cli_command *const cli_commands[];

#endif
