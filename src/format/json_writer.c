#include "format/json_writer.h"

#include "base/ct_assert.h"
#include "base/ct_text.h"

#include <inttypes.h>
#include <stdlib.h>

struct json_writer json_writer_start(FILE *out, int indent) {
    return (struct json_writer){.out = out, .indent = indent};
}

/* Length of the valid UTF-8 sequence at `text`, 0 when there is none (RFC 3629). */
static size_t utf8_length(const unsigned char *text) {
    size_t length = text[0] < 0x80                       ? 1
                    : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
                    : (text[0] & 0xf0) == 0xe0           ? 3
                    : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xed && text[1] > 0x9f;
    bool beyond = text[0] == 0xf4 && text[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

static void write_character(const struct json_writer *json, const unsigned char *text,
                            size_t length) {
    FILE *out = json->out;
    if (length == 0)
        fputs("\\ufffd", out);
    else if (text[0] == '"' || text[0] == '\\')
        fprintf(out, "\\%c", text[0]);
    else if (text[0] == '\n')
        fputs("\\n", out);
    else if (text[0] < 0x20 || text[0] == 0x7f || (json->in_page && text[0] == '<'))
        fprintf(out, "\\u%04x", text[0]);
    else
        fwrite(text, 1, length, out);
}

static void write_quoted(const struct json_writer *json, const char *text) {
    FILE *out = json->out;
    putc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = utf8_length(at);
        write_character(json, at, length);
        at += length ? length : 1;
    }
    putc('"', out);
}

static void new_line(const struct json_writer *json) {
    if (json->indent)
        fprintf(json->out, "\n%*s", json->depth * json->indent, "");
}

/* The comma, line break and key before a value. */
static void lead_in(struct json_writer *json, const char *key) {
    if (json->depth) {
        bool *started = &json->started[json->depth - 1];
        if (*started)
            putc(',', json->out);
        *started = true;
        new_line(json);
    }
    if (key) {
        write_quoted(json, key);
        fputs(json->indent ? ": " : ":", json->out);
    }
}

static void begin(struct json_writer *json, const char *key, char bracket) {
    lead_in(json, key);
    ct_assert(json->depth < JSON_WRITER_DEPTH);
    putc(bracket, json->out);
    json->started[json->depth++] = false;
}

static void end(struct json_writer *json, char bracket) {
    ct_assert(json->depth > 0);
    bool filled = json->started[--json->depth];
    if (filled)
        new_line(json);
    putc(bracket, json->out);
    if (json->depth == 0 && json->indent)
        putc('\n', json->out);
}

void json_writer_begin_object(struct json_writer *json, const char *key) {
    begin(json, key, '{');
}

void json_writer_end_object(struct json_writer *json) {
    end(json, '}');
}

void json_writer_begin_array(struct json_writer *json, const char *key) {
    begin(json, key, '[');
}

void json_writer_end_array(struct json_writer *json) {
    end(json, ']');
}

void json_writer_string(struct json_writer *json, const char *key, const char *text) {
    if (!text) {
        json_writer_null(json, key);
        return;
    }
    lead_in(json, key);
    write_quoted(json, text);
}

void json_writer_integer(struct json_writer *json, const char *key, int64_t number) {
    lead_in(json, key);
    fprintf(json->out, "%" PRId64, number);
}

void json_writer_double(struct json_writer *json, const char *key, double number) {
    if (!isfinite(number)) {
        json_writer_null(json, key);
        return;
    }
    char text[40];
    ct_text_double(text, sizeof text, number);
    lead_in(json, key);
    fputs(text, json->out);
}

void json_writer_bool(struct json_writer *json, const char *key, bool truth) {
    lead_in(json, key);
    fputs(truth ? "true" : "false", json->out);
}

void json_writer_json(struct json_writer *json, const char *key, const char *text) {
    lead_in(json, key);
    fputs(text ? text : "null", json->out);
}

void json_writer_null(struct json_writer *json, const char *key) {
    lead_in(json, key);
    fputs("null", json->out);
}

static void write_value(struct json_writer *json, const char *key, const struct value *value) {
    ct_assert(value->kind != VALUE_END);
    if (value->kind == VALUE_TEXT)
        json_writer_string(json, key, value->text);
    else if (value->kind == VALUE_NUMBER)
        json_writer_double(json, key, value->number);
    else if (value->kind == VALUE_INTEGER)
        json_writer_integer(json, key, value->integer);
    else
        json_writer_bool(json, key, value->integer);
}

void json_writer_values(struct json_writer *json, const struct value *values) {
    for (; values->kind != VALUE_END; values += 2) {
        ct_assert(values->text);
        write_value(json, values->text, values + 1);
    }
}

void json_writer_list(struct json_writer *json, const char *key, const struct value *values) {
    json_writer_begin_array(json, key);
    for (; values->kind != VALUE_END; values++)
        write_value(json, NULL, values);
    json_writer_end_array(json);
}

void json_writer_strings(struct json_writer *json, const char *key, const char *const *texts,
                         size_t count) {
    json_writer_begin_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_writer_string(json, NULL, texts[i]);
    json_writer_end_array(json);
}

void json_writer_record(struct json_writer *json, const char *key, const struct value *values) {
    json_writer_begin_object(json, key);
    json_writer_values(json, values);
    json_writer_end_object(json);
}

void json_writer_time_us(struct json_writer *json, const char *key, ct_time_ps time) {
    lead_in(json, key);
    uint64_t magnitude = time < 0 ? -(uint64_t)time : (uint64_t)time;
    uint64_t fraction = magnitude % (uint64_t)CT_PS_PER_US;
    fprintf(json->out, "%s%" PRIu64, time < 0 ? "-" : "", magnitude / (uint64_t)CT_PS_PER_US);
    if (!fraction)
        return;
    int digits = 6;
    for (; fraction % 10 == 0; fraction /= 10)
        digits--;
    fprintf(json->out, ".%0*" PRIu64, digits, fraction);
}

bool json_text_open(struct json_text *text) {
    *text = (struct json_text){0};
    text->writer = json_writer_start(open_memstream(&text->text, &text->size), 0);
    return text->writer.out != NULL;
}

char *json_text_close(struct json_text *text) {
    bool failed = ferror(text->writer.out);
    if (fclose(text->writer.out) != 0 || failed) {
        free(text->text);
        return NULL;
    }
    return text->text; /* NULL: no memory as late as here */
}
