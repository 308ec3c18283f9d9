/*
 * A streaming JSON writer: the same calls give the same bytes, in the order of the calls. Keys are
 * NULL inside arrays. Strings are UTF-8; a byte that is not becomes U+FFFD. Errors of the stream
 * are the caller's to check (ferror); a call out of order is a broken assertion.
 */
#ifndef JSON_WRITER_H
#define JSON_WRITER_H

#include "base/ct_types.h"
#include "format/value.h"

#include <stdio.h>

enum { JSON_WRITER_DEPTH = 16 };

struct json_writer {
    FILE *out;
    int indent;                      /* spaces per level; 0: everything in one line */
    bool in_page;                    /* inside a script element of a page: no "<" */
    int depth;                       /* of open objects and arrays */
    bool started[JSON_WRITER_DEPTH]; /* the level has a member already */
};

struct json_writer json_writer_start(FILE *out, int indent);

void json_writer_begin_object(struct json_writer *json, const char *key);
void json_writer_end_object(struct json_writer *json);
void json_writer_begin_array(struct json_writer *json, const char *key);
void json_writer_end_array(struct json_writer *json);

/* Values: a text that is NULL and a number that is not finite are written as null. */
void json_writer_string(struct json_writer *json, const char *key, const char *text);
void json_writer_integer(struct json_writer *json, const char *key, int64_t number);
void json_writer_double(struct json_writer *json, const char *key, double number);
void json_writer_bool(struct json_writer *json, const char *key, bool truth);
void json_writer_null(struct json_writer *json, const char *key);
/* A text that is JSON already; NULL: null. */
void json_writer_json(struct json_writer *json, const char *key, const char *text);

/* Members of an object: a key and its value, a key and its value. */
#define json_writer_members(json, ...) json_writer_values(json, VALUES(__VA_ARGS__))
void json_writer_values(struct json_writer *json, const struct value *values);

/* An object of such members alone. */
#define json_writer_object(json, key, ...) json_writer_record(json, key, VALUES(__VA_ARGS__))
void json_writer_record(struct json_writer *json, const char *key, const struct value *values);

/* An array of values alone; one of texts. */
#define json_writer_array(json, key, ...) json_writer_list(json, key, VALUES(__VA_ARGS__))
void json_writer_list(struct json_writer *json, const char *key, const struct value *values);
void json_writer_strings(struct json_writer *json, const char *key, const char *const *texts,
                         size_t count);

/* Picoseconds as microseconds with the fraction that is needed, exactly. */
void json_writer_time_us(struct json_writer *json, const char *key, ct_time_ps time);

/* One value written into memory; it must not move while it is open. */
struct json_text {
    struct json_writer writer;
    char *text;
    size_t size;
};

/* Begins JSON that is written into memory. False: memory ran out. */
bool json_text_open(struct json_text *text);
/* What was written, to be freed; NULL: memory ran out. */
char *json_text_close(struct json_text *text);

#endif
