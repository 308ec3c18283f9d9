#include "cli/cli.h"
#include "format/json_place.h"

#include <stdlib.h>
#include <string.h>

static bool is_input(const char *word) {
    return word && strcmp(word, "-") == 0;
}

/* A standard input that cannot be read is not served: whoever opens it then says why. */
static const void *content(void *context, const char *path, size_t *size) {
    struct cli_input *input = context;
    struct ct_diags unheard = {0};
    if (!is_input(path))
        return NULL;
    if (!input->text)
        input->text = json_place_text_read(path, &input->size, &unheard);
    ct_diags_free(&unheard);
    *size = input->text ? input->size : 0;
    return input->text;
}

const struct ct_files *cli_input_files(struct cli_args *args) {
    bool named = false;
    for (int i = 0; i < args->operand_count; i++)
        named |= is_input(args->operands[i]);
    for (size_t i = 0; i < args->given_count; i++)
        named |= is_input(args->values[i]);
    args->input.files = (struct ct_files){&args->input, named ? content : NULL, &args->input.read};
    return &args->input.files;
}
