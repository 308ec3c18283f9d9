#include "figures/html_frame.h"

#include "base/ct_types.h"
#include "format/json_writer.h"
#include "format/output_file.h"
#include "results/glossary.h"

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

/* What the headings of tables mean: {"stp": ["", "sum of ..."]}, unit and meaning. */
static int write_words(void *context, FILE *out) {
    (void)context;
    struct json_writer json = json_writer_start(out, 0);
    json_writer_begin_object(&json, NULL);
    glossary_write(&json);
    json_writer_end_object(&json);
    return CT_OK;
}

/* JSON as it may stand in a script element: "<", of strings alone, by its number. */
static int write_json(int (*write)(void *context, FILE *out), void *context, FILE *out) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    int status = memory ? write(context, memory) : CT_DATA;
    bool failed = memory && ferror(memory);
    if ((memory && fclose(memory) != 0) || failed)
        status = CT_DATA;
    for (size_t i = 0; status == CT_OK && i < size; i++)
        if (text[i] == '<')
            fputs("\\u003c", out);
        else
            putc(text[i], out);
    free(text);
    return status;
}

char *html_base64(const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; text && i < size; i += 3) {
        size_t left = size - i;
        unsigned group = (unsigned)from[i] << 16 | (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
                         (left > 2 ? from[i + 2] : 0u);
        *to++ = digits[group >> 18];
        *to++ = digits[group >> 12 & 63];
        *to++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[group & 63] : '=';
    }
    if (text)
        *to = '\0';
    return text;
}

static int write_archive(const struct html_live *live, FILE *out) {
    char *text = html_base64(live->core.bytes, live->core.size);
    if (text)
        fprintf(out, "<script type=\"text/plain\" id=\"archive\">%s</script>\n", text);
    free(text);
    return text ? CT_OK : CT_DATA;
}

static bool is_mark(const char *mark, size_t length, const char *name) {
    return strlen(name) == length && memcmp(mark, name, length) == 0;
}

/* A mark of page.html: what comes in its place. "rights", "core" and "archive" are of a live page:
 * what its policy allows besides, the program and its files. */
static int write_part(const struct html_frame *frame, const char *mark, size_t length, FILE *out) {
    if (is_mark(mark, length, "title"))
        write_escaped(out, frame->title);
    else if (is_mark(mark, length, "style"))
        write_asset(out, &html_asset_style);
    else if (is_mark(mark, length, "library"))
        write_asset(out, &html_asset_library);
    else if (is_mark(mark, length, "script"))
        write_asset(out, frame->script);
    else if (is_mark(mark, length, "data"))
        return write_json(frame->write_data, frame->context, out);
    else if (is_mark(mark, length, "words"))
        return write_json(write_words, NULL, out);
    else if (!frame->live)
        return CT_OK;
    else if (is_mark(mark, length, "rights"))
        fputs(" 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src data:", out);
    else if (is_mark(mark, length, "core")) {
        fputs("<script>", out);
        write_asset(out, &html_asset_core);
        fprintf(out, "const core = openEmbeddedCore(\"%s\");</script>\n", frame->live->version);
    } else
        return write_archive(frame->live, out);
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
