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

/* Zero-initialise with the file; enter and leave in pairs. Free with json_place_free. */
struct json_place {
    const char *file;
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

/* The place, or that of the given member; valid until the next call. */
const char *json_place_text(struct json_place *place);
const char *json_place_member(struct json_place *place, const char *key);

/* Shows `text` instead of the path of the given member here. False when memory ran out. */
bool json_place_alias(struct json_place *place, const char *key, const char *text,
                      struct ct_arena *arena);
void json_place_free(struct json_place *place);

/* Bytes of the longest file that is read: longer than anybody writes (assumed). */
enum { JSON_PLACE_LONGEST = 1 << 26 };

/* Reads a text. NULL: a syntax error, or, with errno ENOMEM, memory ran out. */
json_t *json_place_parse(const char *text, size_t flags);

/*
 * Reads a file that holds one JSON object. NULL after an error: the file cannot be read (*status
 * CT_DATA), or line and reason of a mistake in it (*status CT_USAGE). The caller owns the object.
 */
json_t *json_place_load(const char *path, int *status, struct ct_diags *diags);

/* The text of a file that is no longer than JSON_PLACE_LONGEST, to be freed; of "-" that of the
 * standard input, which is there once. NULL after an error. */
char *json_place_text_read(const char *path, size_t *size, struct ct_diags *diags);

/* As json_place_load, of a text in memory, which messages call `name`. */
json_t *json_place_text_load(const char *name, const char *text, size_t size, int *status,
                             struct ct_diags *diags);

/* Whether a file names the format `schema` as json_place_schema asks for it; what is wrong with the
 * file is for its reader to say. */
bool json_place_is(const char *path, const char *schema, const struct ct_files *files);

/*
 * Reads a file that holds one JSON object into `into`, texts into the arena: what `read`, which
 * knows both, makes of the object. Its enum ct_status, or that of json_place_load.
 */
int json_place_read(const char *path,
                    int (*read)(struct json_place *place, const json_t *root, void *into,
                                struct ct_arena *arena, struct ct_diags *diags),
                    void *into, struct ct_arena *arena, struct ct_diags *diags);

/*
 * Whether the member "schema" names the format `schema` ("cotenant.sweep/1"); else an error that
 * says which command reads or writes such a file. Without the member a file is taken for one of
 * that format unless `needed`.
 */
bool json_place_schema(struct json_place *place, const json_t *root, const char *schema,
                       bool needed, struct ct_diags *diags);

/*
 * A scalar as text for ct_option_set. A value of the wrong type comes out so that ct_option_set
 * refuses it: a string where a number is needed keeps its quotes, unless it has a unit. Strings
 * live in the arena; NULL when memory ran out.
 */
const char *json_place_scalar(const json_t *value, enum ct_option_kind kind,
                              struct ct_arena *arena);

/* A member of the object at `place` that must be a text, kept in the arena. False after an error.
 */
bool json_place_string(struct json_place *place, const json_t *object, const char *key,
                       const char **text, struct ct_arena *arena, struct ct_diags *diags);

#endif
