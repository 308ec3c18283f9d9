/* The completion for bash, from the command table and the lists of names. */
#include "apps/exercise/exercise.h"
#include "cli/cli.h"
#include "cmd/reference.h"
#include "models/device/dram_timing.h"
#include "policies/policies.h"
#include "workload/cluster_file.h"
#include "workload/workload.h"

#include <string.h>

/* Words between "|" of a value or of the first operand, such as "text|json", become choices. */
static bool is_choice(const char *text) {
    size_t length = strcspn(text, " ");
    return memchr(text, '|', length) && strcspn(text, "./[") >= length;
}

/* The choices; of "nvtx:NAME" what is typed as it stands. */
static void print_words(FILE *out, const char *text) {
    const char *before = "";
    while (*text && *text != ' ') {
        size_t word = strcspn(text, "| "), fixed = strspn(text, "abcdefghijklmnopqrstuvwxyz-:");
        if (fixed > 0)
            fprintf(out, "%s%.*s", before, (int)(fixed < word ? fixed : word), text);
        before = " ";
        text += word + (text[word] == '|');
    }
}

/* The variable of the script that holds what such a value is called; NULL: no list. */
static const char *names_of(const struct cli_option *option) {
    static const char *const lists[][2] = {
        {"policies", "policies"}, {"policy", "policies"},      {"baseline", "policies"},
        {"gpu", "gpus"},          {"placement", "placements"}, {"preset", "memories"},
        {"find", "aims"}};
    for (size_t i = 0; i < CT_COUNT_OF(lists); i++)
        if (strcmp(lists[i][0], option->name) == 0)
            return lists[i][1];
    return NULL;
}

/* What files end in that this value or operand names: "db", "json" ...; "/" of folders, "" of
 * any file; NULL: of none. */
static const char *ending_of(const char *text) {
    static const char *const endings[] = {"db", "json", "csv", "html"};
    for (size_t i = 0; i < CT_COUNT_OF(endings); i++) {
        char dotted[8];
        snprintf(dotted, sizeof dotted, ".%s", endings[i]);
        if (strstr(text, dotted))
            return endings[i];
    }
    if (strcmp(text, "FOLDER") == 0 || strcmp(text, "DIR") == 0)
        return "/";
    return strstr(text, "FILE") ? "" : NULL;
}

/* "policies" are also shared objects, and an operand may name files of two kinds. */
static void print_files(FILE *out, const char *text) {
    const char *ending = ending_of(text);
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
    if (names_of(o))
        fprintf(out, " words=$%s", names_of(o));
    else if (is_choice(o->value)) {
        fputs(" words='", out);
        print_words(out, o->value);
        fputc('\'', out);
    }
    if (strcmp(o->value, "A,B,...") == 0)
        fputs(" many=yes", out);
    if (strcmp(o->name, "policy") == 0)
        fputs(" files=.so", out);
    else if (!is_choice(o->value))
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
    if (is_choice(command->operands)) {
        fputs(" first='", out);
        print_words(out, command->operands);
        fputs("'", out);
    } else if (exercise)
        fputs(" first=$exercises", out);
    print_files(out, command->operands);
    fputs(" words='", out);
    print_option_names(out, command->options);
    print_option_names(out, cli_common_options);
    fputs("' ;;\n        esac ;;\n", out);
}

/* ---- names ---- */

static void list_begin(FILE *out, const char *variable) {
    fprintf(out, "    local %s='", variable);
}

static void list_names(FILE *out) {
    size_t count;
    const struct ct_policy *const *policies = policies_all(&count);
    struct ct_arena arena = {0};
    const char *const *names;
    list_begin(out, "policies");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? " " : "", policies[i]->name);
    fputs("'\n", out);
    list_begin(out, "gpus");
    if (share_list(&arena, "gpus", ".json", &names, &count) == CT_OK)
        for (size_t i = 0; i < count; i++)
            fprintf(out, "%s%s", i ? " " : "", names[i]);
    fputs("'\n", out);
    list_begin(out, "memories");
    for (size_t i = 0; dram_presets[i].name; i++)
        fprintf(out, "%s%s", i ? " " : "", dram_presets[i].name);
    fputs("'\n", out);
    list_begin(out, "placements");
    for (size_t i = 0; cluster_placements[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", cluster_placements[i]);
    fputs("'\n", out);
    list_begin(out, "exercises");
    for (size_t i = 0; i < exercise_count; i++)
        fprintf(out, "%s%s", i ? " " : "", exercises[i]->name);
    fputs("' aims='max-rate: gpus batch-instances: gpu:'\n", out);
    ct_arena_free(&arena);
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
    list_names(out);
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
