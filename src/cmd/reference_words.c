/* What can be typed in a command's words: choices, names and files, for the completions of all
 * shells. */
#include "apps/exercise/exercise.h"
#include "cmd/reference.h"
#include "models/device/dram_timing.h"
#include "policies/policies.h"
#include "workload/cluster_file.h"
#include "workload/workload.h"

#include <string.h>

void reference_fill(FILE *out, const struct reference_template *template,
                    const struct reference_part *parts) {
    const char *line = (const char *)template->bytes, *end = line + template->size;
    while (line < end) {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
        size_t length = (size_t)(next - line);
        if (*line != '@')
            fwrite(line, 1, length, out);
        for (const struct reference_part *part = parts; *line == '@' && part->name; part++)
            if (strlen(part->name) + 2 == length && memcmp(part->name, line + 1, length - 2) == 0)
                part->print(out);
        line = next;
    }
}

bool reference_is_choice(const char *text) {
    size_t length = strcspn(text, " ");
    return memchr(text, '|', length) && strcspn(text, "./[") >= length;
}

void reference_print_choices(FILE *out, const char *text) {
    const char *before = "";
    while (*text && *text != ' ') {
        size_t word = strcspn(text, "| "), fixed = strspn(text, "abcdefghijklmnopqrstuvwxyz-:");
        if (fixed > 0)
            fprintf(out, "%s%.*s", before, (int)(fixed < word ? fixed : word), text);
        before = " ";
        text += word + (text[word] == '|');
    }
}

const char *reference_names_of(const struct cli_option *option) {
    static const char *const lists[][2] = {
        {"policies", "policies"}, {"policy", "policies"},      {"baseline", "policies"},
        {"gpu", "gpus"},          {"placement", "placements"}, {"preset", "memories"},
        {"find", "aims"}};
    for (size_t i = 0; i < CT_COUNT_OF(lists); i++)
        if (strcmp(lists[i][0], option->name) == 0)
            return lists[i][1];
    return NULL;
}

const char *reference_ending_of(const char *text) {
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

static void print_presets(FILE *out) {
    struct ct_arena arena = {0};
    const char *const *names;
    size_t count;
    if (share_list(&arena, "gpus", ".json", &names, &count) == CT_OK)
        for (size_t i = 0; i < count; i++)
            fprintf(out, "%s%s", i ? " " : "", names[i]);
    ct_arena_free(&arena);
}

static void print_policies(FILE *out) {
    size_t count;
    const struct ct_policy *const *policies = policies_all(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? " " : "", policies[i]->name);
}

static void print_memories(FILE *out) {
    for (size_t i = 0; dram_presets[i].name; i++)
        fprintf(out, "%s%s", i ? " " : "", dram_presets[i].name);
}

static void print_placements(FILE *out) {
    for (size_t i = 0; cluster_placements[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", cluster_placements[i]);
}

static void print_exercises(FILE *out) {
    for (size_t i = 0; i < exercise_count; i++)
        fprintf(out, "%s%s", i ? " " : "", exercises[i].name);
}

static void print_aims(FILE *out) {
    fputs("max-rate: gpus batch-instances: gpu:", out);
}

const struct reference_part reference_lists[] = {
    {"policies", print_policies},
    {"gpus", print_presets},
    {"memories", print_memories},
    {"placements", print_placements},
    {"exercises", print_exercises},
    {"aims", print_aims},
    {NULL, NULL},
};
