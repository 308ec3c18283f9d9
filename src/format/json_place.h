/* Where in a JSON file a value stands, for messages: "mix.json: apps[1].arrivals.rate_per_s". */
#ifndef JSON_PLACE_H
#define JSON_PLACE_H

#include "abi/ct_option.h"
#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_files.h"
#include "base/ct_intern.h"
#include "base/ct_vec.h"

#include <jansson.h>

/* Zero-initialise with the file, who is told of mistakes, and where texts are kept; enter and leave
 * in pairs. Free with json_place_free. */
struct json_place {
    const char *file;
    struct ct_diags *diags;
    struct ct_arena *arena;
    int status;     /* enum ct_status, the worst so far */
    char path[256]; /* cut when deeper */
    char text[640]; /* what json_place_text returned last */
    /* Values that a user did not write where they are read: the default of an object, an
     * assignment. */
    struct ct_intern aliases;         /* where they are read */
    CT_VEC(const char *) alias_texts; /* by alias: what to show in its stead */
};

/* Steps into a member, or into an element of an array; returns the length to which json_place_leave
 * goes back. */
size_t json_place_enter(struct json_place *place, const char *key);
size_t json_place_enter_index(struct json_place *place, size_t index);
void json_place_leave(struct json_place *place, size_t length);

/* The place (key NULL), or that of the given member; valid until the next call. */
const char *json_place_member(struct json_place *place, const char *key);

/* A mistake at the place (key NULL), or at a member, given as to printf; false. */
#define json_place_error(place, key, ...)                                                          \
    (ct_error((place)->diags, json_place_member((place), (key)), __VA_ARGS__),                     \
     json_place_refuse((place)))

/* Remembers the worst status; returns it, or false for a mistake. */
int json_place_fail(struct json_place *place, int status);
bool json_place_refuse(struct json_place *place);
int json_place_no_memory(struct json_place *place);

/* Memory of its arena, and a copy of a text there; NULL where memory ran out, which is remembered.
 */
void *json_place_take(struct json_place *place, size_t count, size_t size);
char *json_place_keep(struct json_place *place, const char *text);

/* Shows `text` instead of the path of the given member here. Where memory runs out that is
 * remembered. */
void json_place_alias(struct json_place *place, const char *key, const char *text);
void json_place_free(struct json_place *place);

/* The first object of an array whose member `key` is this text, and its number; NULL: there is
 * none.
 */
json_t *json_place_find(const json_t *array, const char *key, const char *text, size_t *index);

/* Bytes of the longest file that is read: longer than anybody writes (assumed). */
enum { JSON_PLACE_LONGEST = 1 << 26 };

/* Reads a text. NULL: a syntax error, or, with errno ENOMEM, memory ran out. */
json_t *json_place_parse(const char *text, size_t flags);

/*
 * Reads a file that holds one JSON object, or a text that messages call so (NULL: the file). NULL
 * after an error: the file cannot be read (*status CT_DATA), or line and reason of a mistake in it
 * (*status CT_USAGE). The caller owns the object.
 */
json_t *json_place_load(const char *path, const char *text, int *status, struct ct_diags *diags);

/* The text of a file that is no longer than JSON_PLACE_LONGEST, to be freed; of "-" that of the
 * standard input, which is there once. NULL after an error. */
char *json_place_text_read(const char *path, size_t *size, struct ct_diags *diags);

/* Whether a file names the format `schema` as json_place_schema asks for it; what is wrong with the
 * file is for its reader to say. */
bool json_place_is(const char *path, const char *schema, const struct ct_files *files);

/*
 * Reads a file that holds one JSON object into `into`, texts into the arena: what `read`, which
 * knows both, makes of the object. The place's status then, or that of json_place_load.
 */
int json_place_read(const char *path,
                    void (*read)(struct json_place *place, const json_t *root, void *into),
                    void *into, struct ct_arena *arena, struct ct_diags *diags);

/*
 * Whether the member "schema" names the format `schema` ("cotenant.sweep/1"); else a mistake that
 * says which command reads or writes such a file. Without the member a file is taken for one of
 * that format unless `needed`.
 */
bool json_place_schema(struct json_place *place, const json_t *root, const char *schema,
                       bool needed);

/*
 * A scalar as text for ct_option_set. A value of the wrong type comes out so that ct_option_set
 * refuses it: a string where a number is needed keeps its quotes, unless it has a unit. Strings
 * live in the arena; NULL when memory ran out.
 */
const char *json_place_scalar(const json_t *value, enum ct_option_kind kind,
                              struct ct_arena *arena);

/* A member of the object at `place` that must be a text, kept in the arena; NULL after a mistake.
 */
const char *json_place_string(struct json_place *place, const json_t *object, const char *key);

#endif
