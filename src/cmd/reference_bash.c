/* The completion for bash, from the command table and the lists of names. */
#include "cli/cli.h"
#include "cmd/reference.h"
#include "cmd/reference_words.h"

#include <string.h>

/* "policies" are also shared objects, and an operand may name files of two kinds. */
static void print_files(FILE *out, const char *text) {
    const char *ending = reference_ending_of(text);
    if (!ending)
        return;
    fprintf(out, " files='%s%s'", *ending && *ending != '/' ? "." : *ending ? "" : "*", ending);
    if (strcmp(ending, "db") == 0 && strstr(text, ".json"))
        fputs(" other=.json", out);
}

static void print_option_names(FILE *out, const struct cli_option *options) {
    for (const struct cli_option *o = options; o && o->name; o++)
        fprintf(out, " --%s", o->name);
}

static void bash_value(FILE *out, const struct cli_option *o) {
    fprintf(out, "        --%s", o->name);
    if (o->letter)
        fprintf(out, "|-%c", o->letter);
    fputs(") value=yes", out);
    if (reference_names_of(o))
        fprintf(out, " words=$%s", reference_names_of(o));
    else if (reference_is_choice(o->value)) {
        fputs(" words='", out);
        reference_print_choices(out, o->value);
        fputc('\'', out);
    }
    if (strcmp(o->value, "A,B,...") == 0)
        fputs(" many=yes", out);
    if (strcmp(o->name, "policy") == 0)
        fputs(" files=.so", out);
    else if (!reference_is_choice(o->value))
        print_files(out, o->value);
    fputs(" ;;\n", out);
}

static void bash_command(FILE *out, const struct cli_command *command) {
    bool exercise = strcmp(command->name, "exercise") == 0;
    fprintf(out, "    %s)\n        case $previous in\n", command->name);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        if (o->value)
            bash_value(out, o);
    fputs("        *)", out);
    if (reference_is_choice(command->operands)) {
        fputs(" first='", out);
        reference_print_choices(out, command->operands);
        fputs("'", out);
    } else if (exercise)
        fputs(" first=$exercises", out);
    print_files(out, command->operands);
    fputs(" words='", out);
    print_option_names(out, command->options);
    print_option_names(out, cli_common_options);
    fputs("' ;;\n        esac ;;\n", out);
}

static void print_lists(FILE *out) {
    for (const struct reference_list *list = reference_lists; list->name; list++) {
        fprintf(out, "    local %s='", list->name);
        list->print(out);
        fputs("'\n", out);
    }
}

void reference_bash(FILE *out) {
    fputs("# Completion of cotenant for bash, printed by 'cotenant list commands --format bash'.\n"
          "# shellcheck shell=bash\n"
          "\n"
          "# Adds the files and folders that begin so and end in one of these: \".db\", \"*\" any, "
          "\"/\" folders.\n"
          "_cotenant_files() {\n"
          "    local begin=$1 name ending\n"
          "    shift\n"
          "    while IFS= read -r name; do\n"
          "        [ -d \"$name\" ] && COMPREPLY+=(\"$name\") && continue\n"
          "        for ending; do\n"
          "            if [ \"$ending\" = '*' ] || [[ $ending != / && $name == *\"$ending\" ]]; "
          "then\n"
          "                COMPREPLY+=(\"$name\")\n"
          "                break\n"
          "            fi\n"
          "        done\n"
          "    done < <(compgen -f -- \"$begin\")\n"
          "}\n"
          "\n"
          "_cotenant() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local words='' first='' files='' other='' value='' many='' begin=''\n",
          out);
    print_lists(out);
    fputs("    COMPREPLY=()\n"
          "    # bash splits '--format=json' at the sign.\n"
          "    if [ \"$current\" = = ]; then\n"
          "        current=''\n"
          "    elif [ \"$previous\" = = ]; then\n"
          "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        words='",
          out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version'\n    else\n    case ${COMP_WORDS[1]} in\n", out);
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        bash_command(out, *c);
    fputs("    esac\n    fi\n"
          "    if [ \"$previous\" = --color ]; then\n"
          "        words='auto always never' first='' files=''\n"
          "    fi\n"
          "    # Of a list only its last name is being typed.\n"
          "    [ -z \"$many\" ] || begin=${current%\"${current##*,}\"}\n"
          "    # What the first operand chooses decides what the next one is.\n"
          "    if [ -n \"$first\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
          "        words=\"$first $words\" files=''\n"
          "    elif [ \"${COMP_WORDS[1]}\" = show ] && [ \"$COMP_CWORD\" -eq 3 ]; then\n"
          "        case ${COMP_WORDS[2]} in\n"
          "        policy) words=$policies files=.so ;;\n"
          "        gpu) words=$gpus ;;\n"
          "        esac\n"
          "    elif [ -z \"$value\" ]; then\n"
          "        words=\"$first $words\"\n"
          "    fi\n"
          "    mapfile -t COMPREPLY < <(compgen -P \"$begin\" -W \"$words\" -- "
          "\"${current#\"$begin\"}\")\n"
          "    if [ -n \"$files\" ]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        _cotenant_files \"$current\" \"$files\" ${other:+\"$other\"}\n"
          "    fi\n"
          "}\n"
          "complete -F _cotenant cotenant\n",
          out);
}
