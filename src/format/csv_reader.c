#include "format/csv_reader.h"

#include "base/ct_files.h"
#include "base/ct_text.h"
#include "base/ct_vec.h"
#include "format/unpack_limit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 15, RECORD_BYTES = 1 << 24 };

struct csv_reader {
    gzFile file;                 /* NULL: what is served */
    const unsigned char *served; /* the rest of a file from memory */
    size_t served_left;
    const char *path, *prefix;
    struct ct_diags *diags;
    unsigned char *buffer;
    size_t at, filled;
    bool at_end, broken, in_line;
    uint64_t line, record_line, unpacked;
    CT_VEC(char) text;
    CT_VEC(size_t) starts;
};

static void fail(struct csv_reader *reader, uint64_t line, const char *text) {
    char where[512];
    if (!reader->broken) {
        snprintf(where, sizeof where, "%s:%llu", reader->path, (unsigned long long)line);
        ct_error(reader->diags, where, "%s", text);
    }
    reader->broken = true;
}

static void fail_memory(struct csv_reader *reader) {
    if (!reader->broken)
        ct_out_of_memory(reader->diags);
    reader->broken = true;
}

struct csv_reader *csv_open(const char *path, struct ct_diags *diags) {
    struct csv_reader *reader = calloc(1, sizeof *reader);
    unsigned char *buffer = malloc(BUFFER_BYTES);
    if (!reader || !buffer) {
        free(reader);
        free(buffer);
        ct_out_of_memory(diags);
        return NULL;
    }
    *reader = (struct csv_reader){.path = path, .diags = diags, .buffer = buffer, .line = 1};
    reader->served = ct_files_content(diags->files, path, &reader->served_left);
    if (reader->served)
        return reader;
    errno = 0;
    reader->file = gzopen(path, "rb");
    if (!reader->file) {
        ct_file_error(diags, path, "open it", errno ? errno : ENOMEM);
        csv_close(reader);
        return NULL;
    }
    gzbuffer(reader->file, BUFFER_BYTES);
    ct_files_note(diags->files, path);
    return reader;
}

void csv_close(struct csv_reader *reader) {
    if (!reader)
        return;
    if (reader->file)
        gzclose_r(reader->file);
    free(reader->buffer);
    ct_vec_free(&reader->text);
    ct_vec_free(&reader->starts);
    free(reader);
}

void csv_skip_prefix(struct csv_reader *reader, const char *prefix) {
    reader->prefix = prefix;
}

/* Damaged or cut-off compressed data shows only when all that could be unpacked has been handed
 * out. */
static void check_stream(struct csv_reader *reader, int got) {
    int code = Z_OK;
    gzerror(reader->file, &code);
    if (got >= 0 && (code == Z_OK || code == Z_STREAM_END))
        return;
    if (code == Z_ERRNO && !reader->broken) {
        ct_file_error(reader->diags, reader->path, "read it", errno);
        reader->broken = true;
    } else if (code == Z_BUF_ERROR)
        fail(reader, reader->line, "the compressed data is cut off");
    else if (code == Z_MEM_ERROR)
        fail_memory(reader);
    else
        fail(reader, reader->line, "the compressed data is damaged");
}

/* Reads up to `most` bytes, unpacked where the file is gzip; content from memory is copied as it
 * is. Returns how many, as gzread: 0 at the end, below 0 after an error. */
static int read_more(struct csv_reader *reader, unsigned char *into, size_t most) {
    if (reader->file)
        return gzread(reader->file, into, (unsigned)most);
    size_t bytes = most < reader->served_left ? most : reader->served_left;
    memcpy(into, reader->served, bytes);
    reader->served += bytes;
    reader->served_left -= bytes;
    return (int)bytes;
}

/* Makes at least `wanted` bytes available where the file still has them. */
static bool fill(struct csv_reader *reader, size_t wanted) {
    memmove(reader->buffer, reader->buffer + reader->at, reader->filled - reader->at);
    reader->filled -= reader->at;
    reader->at = 0;
    while (!reader->at_end && reader->filled < wanted) {
        int got = read_more(reader, reader->buffer + reader->filled, BUFFER_BYTES - reader->filled);
        if (got <= 0) {
            reader->at_end = true;
            if (reader->file)
                check_stream(reader, got);
        } else {
            reader->filled += (size_t)got;
            reader->unpacked += (size_t)got;
        }
        if (reader->file && unpack_is_too_much(reader->file, reader->unpacked)) {
            fail(reader, reader->line, UNPACK_TOO_MUCH);
            reader->at_end = true;
        }
    }
    return reader->filled >= wanted;
}

/* The next byte, or -1 at the end. */
static int peek(struct csv_reader *reader) {
    if (reader->at == reader->filled && !fill(reader, 1))
        return -1;
    return reader->buffer[reader->at];
}

static int take(struct csv_reader *reader) {
    int byte = peek(reader);
    if (byte < 0)
        return byte;
    reader->at++;
    if (byte == '\n')
        reader->line++;
    else if (byte == 0)
        fail(reader, reader->line, "holds a byte 0: not a text file");
    return byte;
}

static bool starts_with(struct csv_reader *reader, const char *prefix) {
    size_t length = strlen(prefix);
    if (reader->filled - reader->at < length && !fill(reader, length))
        return false;
    return memcmp(reader->buffer + reader->at, prefix, length) == 0;
}

static void append(struct csv_reader *reader, int byte) {
    if (reader->text.count >= RECORD_BYTES)
        fail(reader, reader->record_line,
             "the record is longer than 16 MiB: does a quoted field not end?");
    else if (!ct_vec_push(&reader->text, (char)byte))
        fail_memory(reader);
}

static void take_quoted(struct csv_reader *reader) {
    take(reader);
    while (!reader->broken) {
        int byte = peek(reader);
        if (byte < 0 && !reader->in_line)
            fail(reader, reader->record_line, "a quoted field does not end: is the file cut off?");
        if (byte < 0 || (byte == '\n' && reader->in_line))
            return;
        take(reader);
        if (byte == '"') {
            if (peek(reader) != '"')
                return;
            take(reader);
        }
        append(reader, byte);
    }
}

/* Takes a field without quotes up to the comma or the line's end, which stays; a carriage return
 * before the line's end is none of the field's. */
static void take_plain(struct csv_reader *reader, size_t start) {
    int byte = peek(reader);
    while (!reader->broken && byte >= 0 && byte != ',' && byte != '\n') {
        append(reader, take(reader));
        byte = peek(reader);
    }
    if (byte != ',' && reader->text.count > start &&
        reader->text.items[reader->text.count - 1] == '\r')
        reader->text.count--;
}

/* The one that csv_write_text put there. */
static void drop_apostrophe(struct csv_reader *reader, size_t start) {
    char *field = reader->text.items + start;
    if (*field != '\'' || !csv_is_formula(field))
        return;
    memmove(field, field + 1, strlen(field));
    reader->text.count--;
}

static void take_field(struct csv_reader *reader) {
    size_t start = reader->text.count;
    if (!ct_vec_push(&reader->starts, start)) {
        fail_memory(reader);
        return;
    }
    if (peek(reader) == '"')
        take_quoted(reader);
    take_plain(reader, start);
    append(reader, '\0');
    if (!reader->broken)
        drop_apostrophe(reader, start);
}

static void take_record(struct csv_reader *reader) {
    reader->text.count = reader->starts.count = 0;
    reader->record_line = reader->line;
    int byte = ',';
    while (byte == ',' && !reader->broken) {
        take_field(reader);
        byte = take(reader);
    }
}

static bool is_blank(const struct csv_reader *reader) {
    return reader->starts.count == 1 && reader->text.items[0] == '\0';
}

static enum csv_step next(struct csv_reader *reader, bool in_line) {
    reader->in_line = in_line;
    if (reader->line == 1 && reader->at == 0 && starts_with(reader, "\xef\xbb\xbf"))
        reader->at += 3; /* a byte order mark */
    while (!reader->broken && peek(reader) >= 0) {
        bool skipped = reader->prefix && starts_with(reader, reader->prefix);
        if (skipped)
            while (!reader->broken && peek(reader) >= 0 && take(reader) != '\n')
                ;
        else
            take_record(reader);
        if (!skipped && !reader->broken && !is_blank(reader))
            return CSV_ROW;
    }
    reader->text.count = reader->starts.count = 0;
    return reader->broken ? CSV_BROKEN : CSV_END;
}

enum csv_step csv_next(struct csv_reader *reader) {
    return next(reader, false);
}

enum csv_step csv_next_line(struct csv_reader *reader) {
    return next(reader, true);
}

bool csv_read_rest(struct csv_reader *reader, bool (*read)(void *context), void *context) {
    size_t mistakes = 0;
    enum csv_step step = CSV_ROW;
    while (mistakes < CT_ERRORS_SHOWN && (step = csv_next(reader)) == CSV_ROW)
        mistakes += !read(context);
    return step != CSV_BROKEN && mistakes == 0;
}

size_t csv_count(const struct csv_reader *reader) {
    return reader->starts.count;
}

const char *csv_get(const struct csv_reader *reader, size_t index) {
    return index < reader->starts.count ? reader->text.items + reader->starts.items[index] : "";
}

size_t csv_find(const struct csv_reader *reader, const char *name) {
    for (size_t i = 0; i < reader->starts.count; i++)
        if (strcmp(csv_get(reader, i), name) == 0)
            return i;
    return CSV_NONE;
}

bool csv_lacks(struct csv_reader *reader, const char *name) {
    char hint[CT_HINT_BYTES];
    CT_VEC(const char *) fields = {0};
    size_t count = csv_count(reader);
    if (!ct_vec_reserve(&fields, count + 1)) {
        fail_memory(reader);
        count = 0;
    }
    for (size_t i = 0; i < count; i++)
        fields.items[i] = csv_get(reader, i);
    csv_error(reader, "has no column '%s'%s", name,
              ct_text_hint_or_all(hint, name, fields.items, count));
    ct_vec_free(&fields);
    return false;
}

uint64_t csv_line(const struct csv_reader *reader) {
    return reader->record_line;
}

void csv_where(const struct csv_reader *reader, char *text, size_t size) {
    snprintf(text, size, "%s:%llu", reader->path, (unsigned long long)reader->record_line);
}

bool csv_error(const struct csv_reader *reader, const char *format, ...) {
    char where[512], text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    csv_where(reader, where, sizeof where);
    return ct_false_error(reader->diags, where, "%s", text);
}

bool csv_check_count(const struct csv_reader *reader, size_t expected) {
    size_t count = reader->starts.count;
    if (count != expected)
        csv_error(reader, "the row has %zu fields where the header has %zu%s", count, expected,
                  count < expected ? ": is the file cut off?" : "");
    return count == expected;
}
