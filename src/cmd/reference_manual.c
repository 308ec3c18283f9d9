/* The man page, from the command table. */
#include "cli/cli.h"
#include "cmd/reference.h"

/* Text of a man page: a hyphen that is typed, and no line that starts with a request. */
static void roff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
    }
}

static void man_option(FILE *out, const struct cli_option *option) {
    fputs(".TP\n", out);
    if (option->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    roff(out, option->name);
    fputs("\\fR", out);
    if (option->value) {
        fputs(" \\fI", out);
        roff(out, option->value);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff(out, option->help);
    fputc('\n', out);
}

static void man_command(FILE *out, const struct cli_command *command) {
    fputs(".SS cotenant ", out);
    roff(out, command->name);
    if (*command->operands)
        fputc(' ', out);
    roff(out, command->operands);
    fputc('\n', out);
    roff(out, command->summary);
    fputs(".\n", out);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        man_option(out, o);
}

void reference_manual(FILE *out) {
    fputs(".\\\" Printed by 'cotenant list commands --format man'.\n"
          ".TH COTENANT 1\n.SH NAME\ncotenant \\- predicts what happens when applications share a "
          "GPU\n"
          ".SH SYNOPSIS\n\\fBcotenant\\fR \\fICOMMAND\\fR ...\n"
          ".SH DESCRIPTION\nReplays recorded kernels and memory copies of several applications on "
          "a model of one GPU\n"
          "under a scheduling policy, and says what each application would have got: latency "
          "tails, missed targets,\n"
          "throughput, fairness, and why.\n.SH COMMANDS\n",
          out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        man_command(out, *c);
    fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
    for (const struct cli_option *o = cli_common_options; o->name; o++)
        man_option(out, o);
    fputs(".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n2\nusage or configuration\n.TP\n3\ndata or "
          "environment\n"
          ".TP\n4\npolicy fault\n.TP\n130\ninterrupted; what was finished is stored\n"
          ".SH ENVIRONMENT\n.TP\nCOTENANT_SHARE\nfolder with gpus, traces and workloads, instead "
          "of the installed one\n"
          ".TP\nCOTENANT_TRACE_PATH\nfolders with traces, separated by colons\n"
          ".TP\nCOTENANT_CACHE\nfolder in which run, compare, plan and advise keep results of runs "
          "for the next "
          "call, instead of cotenant/runs in XDG_CACHE_HOME or ~/.cache; empty: none\n"
          ".TP\nNO_COLOR\nno colours on a terminal\n"
          ".TP\nCLICOLOR_FORCE\ncolours also where no terminal is, unless NO_COLOR is set\n",
          out);
}
