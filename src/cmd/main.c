/* The command table, and what stands before a command: --help, --version, a misspelt name. */
#include "base/ct_assert.h"
#include "base/ct_text.h"
#include "cli/cli.h"
#include "cli/cli_isolate.h"
#include "cmd/commands.h"
#include "format/doc_writer.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMANDS_ROW(name) &command_##name,
const struct cli_command *const cli_commands[] = {COMMANDS(COMMANDS_ROW) NULL};

static const struct cli_command *find_command(const char *name) {
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static void print_overview(FILE *out) {
    fputs("cotenant COMMAND ...\n\n", out);
    doc_print_wrapped(
        out,
        "Predicts what happens when applications share a GPU: latency tails, missed targets, "
        "throughput, fairness, and why.",
        0, 80);
    fputs("\n\nCommands:\n", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        fprintf(out, "  %-10s ", (*c)->name);
        doc_print_wrapped(out, (*c)->summary, 13, 80);
        fputc('\n', out);
    }
    fputs("\n'cotenant COMMAND --help' shows the options of a command.\n"
          "Exit codes: 0 done, 2 usage or configuration, 3 data or environment,\n"
          "4 policy fault, 130 interrupted.\n",
          out);
}

static int unknown_command(const char *name) {
    static const char *const options[] = {"--help", "--version"};
    const char *names[64] = {0};
    size_t count = 0;
    struct ct_diags diags = {0};
    for (; cli_commands[count]; count++) {
        ct_assert(count < CT_COUNT_OF(names));
        names[count] = cli_commands[count]->name;
    }
    if (*name == '-')
        ct_unknown(&diags, "option", name, options, CT_COUNT_OF(options));
    else
        ct_unknown(&diags, "command", name, names, count);
    cli_print_diags(&diags, false);
    ct_diags_free(&diags);
    fputs("Try 'cotenant --help'.\n", stderr);
    return CT_USAGE;
}

/* Reads the arguments, goes on in a child process where that is asked for, and ends. */
static int run(const struct cli_command *command, int argc, char **argv) {
    struct cli_args args;
    struct ct_diags diags = {0};
    int status = cli_parse(&args, command, argc, argv);
    if (status != CLI_GO_ON || !cli_isolate(&args, &status))
        return status;
    diags.files = cli_input_files(&args);
    return cli_finish(&args, &diags, command->run(&args, &diags));
}

/* Names and paths of the command line are printed and stored as they are. */
static bool are_tame(int argc, char **argv) {
    struct ct_diags diags = {0};
    for (int i = 1; i < argc; i++)
        for (const char *at = argv[i]; *at; at++)
            if (ct_is_control(at)) {
                ct_error(&diags, "", "'%s' has a control character, which a terminal would obey",
                         argv[i]);
                break;
            }
    bool tame = !diags.errors;
    cli_print_diags(&diags, false);
    ct_diags_free(&diags);
    return tame;
}

static int dispatch(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    const struct cli_command *command = find_command(name);
    if (!are_tame(argc, argv))
        return CT_USAGE;
    if (command)
        return run(command, argc - 1, argv + 1);
    if (strcmp(name, "--version") == 0) {
        printf("cotenant %s\n", COTENANT_VERSION);
        return CT_OK;
    }
    if (strcmp(name, "help") == 0 && argc > 2) {
        char help[] = "--help", *words[] = {argv[2], help, NULL};
        command = find_command(argv[2]);
        return command ? run(command, 2, words) : unknown_command(argv[2]);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_overview(stdout);
        return CT_OK;
    }
    if (*name)
        return unknown_command(name);
    print_overview(stderr);
    return CT_USAGE;
}

/* A file that may not grow any more is a failed write, which somebody reports, not the program's
 * end. */
static void ignore_size_limit(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/* Where the caller closed standard input, output or error, the next file that is opened would take
 * its number, and get what is printed. /dev/null the wrong way round: to use it fails, as before.
 */
static void occupy_standard_files(void) {
    struct stat status;
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fstat(file, &status) != 0 &&
            open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
            exit(CT_DATA);
}

/* One run after the other asks for the same memory: what the system takes back in between, it has
 * to empty again. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

/* Tables are as wide as the terminal: COLUMNS says so to them, as a shell that exports it would
 * (format/table.h). */
static void tell_width(void) {
    struct winsize size;
    char columns[16];
    if (getenv("COLUMNS") || !isatty(STDOUT_FILENO) ||
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return;
    snprintf(columns, sizeof columns, "%d", size.ws_col);
    setenv("COLUMNS", columns, 1);
}

int main(int argc, char **argv) {
    keep_memory();
    occupy_standard_files();
    ignore_size_limit();
    tell_width();
    cli_catch_interrupt();
    int status = dispatch(argc, argv);
    if (status == CT_INTERRUPTED)
        cli_remove_empty();
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (written || status != CT_OK)
        return status;
    fputs("cotenant: error: cannot write to standard output\n", stderr);
    return CT_DATA;
}
