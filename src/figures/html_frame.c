#include "figures/html_frame.h"

#include "base/ct_types.h"
#include "format/output_file.h"

#include <stdlib.h>
#include <string.h>

/* Text between tags. */
static void write_escaped(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            putc(*text, out);
}

static void write_asset(FILE *out, const struct html_asset *asset) {
    fwrite(asset->bytes, 1, asset->size, out);
}

/* JSON as it may stand in a script element: "<", of strings alone, by its number. */
static int write_data(const struct html_frame *frame, FILE *out) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    int status = memory ? frame->write_data(frame->context, memory) : CT_DATA;
    if (memory && (ferror(memory) | fclose(memory)) != 0)
        status = CT_DATA;
    for (size_t i = 0; status == CT_OK && i < size; i++)
        if (text[i] == '<')
            fputs("\\u003c", out);
        else
            putc(text[i], out);
    free(text);
    return status;
}

/* A mark of page.html: what comes in its place. */
static int write_part(const struct html_frame *frame, const char *mark, size_t length, FILE *out) {
    if (length == 5 && memcmp(mark, "title", length) == 0)
        write_escaped(out, frame->title);
    else if (length == 5 && memcmp(mark, "style", length) == 0)
        write_asset(out, &html_asset_style);
    else if (length == 7 && memcmp(mark, "library", length) == 0)
        write_asset(out, &html_asset_library);
    else if (length == 6 && memcmp(mark, "script", length) == 0)
        write_asset(out, frame->script);
    else
        return write_data(frame, out);
    return CT_OK;
}

/* page.html holds no braces but those of its marks. */
int html_frame_write(const struct html_frame *frame, FILE *out) {
    const char *at = (const char *)html_asset_page.bytes, *end = at + html_asset_page.size;
    int status = CT_OK;
    while (at < end && status == CT_OK) {
        const char *mark = memchr(at, '{', (size_t)(end - at));
        fwrite(at, 1, (size_t)((mark ? mark : end) - at), out);
        if (!mark)
            break;
        const char *close = memchr(mark, '}', (size_t)(end - mark));
        if (!close)
            break;
        at = close + 1;
        status = write_part(frame, mark + 1, (size_t)(at - mark) - 2, out);
    }
    return status;
}

int html_frame_write_file(const struct html_frame *frame, const char *path,
                          struct ct_diags *diags) {
    struct output_file file;
    if (!output_file_open(&file, path, diags))
        return CT_DATA;
    return output_file_close(&file, html_frame_write(frame, file.file), diags);
}
