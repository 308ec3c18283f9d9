#include "format/json_place.h"

#include "base/ct_quantity.h"
#include "base/ct_text.h"
#include "format/byte_order_mark.h"
#include "format/json_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t json_place_enter(struct json_place *place, const char *key) {
    size_t length = strlen(place->path);
    snprintf(place->path + length, sizeof place->path - length, "%s%s", length ? "." : "", key);
    return length;
}

size_t json_place_enter_index(struct json_place *place, size_t index) {
    size_t length = strlen(place->path);
    snprintf(place->path + length, sizeof place->path - length, "[%zu]", index);
    return length;
}

void json_place_leave(struct json_place *place, size_t length) {
    place->path[length] = '\0';
}

/* The alias of the path or of what it lies in, the deepest first: its number, UINT32_MAX for none,
 * and how much of the path it stands for. */
static uint32_t find_alias(const struct json_place *place, size_t *length) {
    for (*length = strlen(place->path); *length > 0; --*length) {
        uint32_t alias = strchr(".[", place->path[*length])
                             ? ct_intern_find(&place->aliases, place->path, *length)
                             : UINT32_MAX;
        if (alias != UINT32_MAX)
            return alias;
    }
    return UINT32_MAX;
}

static const char *place_text(struct json_place *place) {
    size_t length;
    uint32_t alias = find_alias(place, &length);
    if (alias != UINT32_MAX)
        snprintf(place->text, sizeof place->text, "%s%s", place->alias_texts.items[alias],
                 place->path + length);
    else
        snprintf(place->text, sizeof place->text, "%s%s%s", place->file, *place->path ? ": " : "",
                 place->path);
    return place->text;
}

const char *json_place_member(struct json_place *place, const char *key) {
    size_t length = key ? json_place_enter(place, key) : strlen(place->path);
    const char *text = place_text(place);
    json_place_leave(place, length);
    return text;
}

int json_place_fail(struct json_place *place, int status) {
    if (status > place->status)
        place->status = status;
    return place->status;
}

bool json_place_refuse(struct json_place *place) {
    return json_place_fail(place, CT_USAGE) == CT_OK;
}

int json_place_no_memory(struct json_place *place) {
    return json_place_fail(place, ct_out_of_memory(place->diags));
}

void *json_place_take(struct json_place *place, size_t count, size_t size) {
    void *memory = ct_arena_array(place->arena, count, size);
    if (!memory)
        json_place_no_memory(place);
    return memory;
}

char *json_place_keep(struct json_place *place, const char *text) {
    char *copy = ct_arena_strdup(place->arena, text);
    if (!copy)
        json_place_no_memory(place);
    return copy;
}

void json_place_alias(struct json_place *place, const char *key, const char *text) {
    const char *copy = ct_arena_strdup(place->arena, text);
    size_t length = json_place_enter(place, key);
    /* The text first: a number without one would be found again, should memory end in between. */
    bool room = copy && ct_vec_push(&place->alias_texts, copy);
    uint32_t alias = room ? ct_intern_text(&place->aliases, place->path) : UINT32_MAX;
    json_place_leave(place, length);
    if (room && alias != place->alias_texts.count - 1)
        place->alias_texts.count--;
    if (alias == UINT32_MAX)
        json_place_no_memory(place);
    else
        place->alias_texts.items[alias] = copy;
}

void json_place_free(struct json_place *place) {
    ct_intern_free(&place->aliases);
    ct_vec_free(&place->alias_texts);
}

json_t *json_place_find(const json_t *array, const char *key, const char *text, size_t *index) {
    json_t *object;
    size_t i;
    json_array_foreach((json_t *)array, i, object) {
        *index = i;
        const char *member = json_string_value(json_object_get(object, key));
        if (member && strcmp(member, text) == 0)
            return object;
    }
    return NULL;
}

json_t *json_place_parse(const char *text, size_t flags) {
    json_error_t error;
    return json_reader_read(text, strlen(text), flags, &error);
}

/* The rest of a file, to be freed; NULL: with errno ENOMEM memory ran out, else it cannot be read,
 * or is too long. */
static char *read_rest(FILE *file, size_t *size) {
    CT_VEC(char) text = {0};
    bool good = true;
    while (good && !feof(file)) {
        errno = text.count < JSON_PLACE_LONGEST ? ENOMEM : EFBIG;
        good = text.count < JSON_PLACE_LONGEST && ct_vec_reserve(&text, BUFSIZ);
        if (!good)
            break;
        errno = 0;
        text.count += fread(text.items + text.count, 1, BUFSIZ, file);
        good = !ferror(file);
    }
    *size = text.count;
    int reason = errno;
    if (!good)
        ct_vec_free(&text);
    errno = reason;
    return text.items;
}

static json_t *load_text(const char *name, const char *text, size_t size, int *status,
                         struct ct_diags *diags) {
    json_error_t error;
    char where[640];
    size_t mark = byte_order_mark(text, size);
    text += mark;
    size -= mark;
    json_t *root = json_reader_read(text, size, JSON_REJECT_DUPLICATES | JSON_READER_TAME, &error);
    *status = CT_USAGE;
    if (!root && errno == ENOMEM) {
        *status = ct_out_of_memory(diags);
    } else if (size == 0) {
        ct_error(diags, name, "the file is empty");
    } else if (!root) {
        snprintf(where, sizeof where, "%s:%d", name, error.line);
        ct_error(diags, where, "%s", error.text);
    } else if (!json_is_object(root)) {
        ct_error(diags, name, "holds no JSON object");
    } else {
        *status = CT_OK;
        return root;
    }
    json_decref(root);
    return NULL;
}

char *json_place_text_read(const char *path, size_t *size, struct ct_diags *diags) {
    FILE *file = fopen(strcmp(path, "-") == 0 ? "/dev/stdin" : path, "r");
    if (!file) {
        ct_file_error(diags, path, "open it", errno);
        return NULL;
    }
    ct_files_note(diags->files, path);
    *size = 0;
    char *text = read_rest(file, size);
    int reason = errno;
    fclose(file);
    if (!text && reason == ENOMEM)
        ct_out_of_memory(diags);
    else if (!text)
        ct_file_error(diags, path, "read it", reason);
    return text;
}

json_t *json_place_load(const char *path, const char *text, int *status, struct ct_diags *diags) {
    size_t size = text ? strlen(text) : 0;
    const char *content = text ? text : ct_files_content(diags->files, path, &size);
    *status = CT_DATA;
    if (content)
        return load_text(path, content, size, status, diags);
    char *read = json_place_text_read(path, &size, diags);
    json_t *root = read ? load_text(path, read, size, status, diags) : NULL;
    free(read);
    return root;
}

bool json_place_is(const char *path, const char *schema, const struct ct_files *files) {
    struct ct_diags unheard = {.files = files};
    int status;
    json_t *root = json_place_load(path, NULL, &status, &unheard);
    const char *found = json_string_value(json_object_get(root, "schema"));
    bool is = found && strcmp(found, schema) == 0;
    json_decref(root);
    ct_diags_free(&unheard);
    return is;
}

int json_place_read(const char *path,
                    void (*read)(struct json_place *place, const json_t *root, void *into),
                    void *into, struct ct_arena *arena, struct ct_diags *diags) {
    struct json_place place = {.file = path, .diags = diags, .arena = arena};
    json_t *root = json_place_load(path, NULL, &place.status, diags);
    if (root)
        read(&place, root, into);
    json_decref(root);
    json_place_free(&place);
    return place.status;
}

/* What the command line calls those who read and write a format. */
static const struct format {
    const char *schema, *reader, *writer;
} formats[] = {
    {"cotenant.workload/", "run", NULL},         {"cotenant.sweep/", "sweep", NULL},
    {"cotenant.cluster/", "cluster", NULL},      {"cotenant.network/", "import network", NULL},
    {"cotenant.contention/", NULL, "calibrate"}, {"cotenant.dram/", NULL, "dram fit"},
    {"cotenant.themis/", NULL, "train"},
};

static const struct format *format_of(const char *schema) {
    for (size_t i = 0; i < CT_COUNT_OF(formats); i++)
        if (strncmp(schema, formats[i].schema, strlen(formats[i].schema)) == 0)
            return &formats[i];
    return NULL;
}

bool json_place_schema(struct json_place *place, const json_t *root, const char *schema,
                       bool needed) {
    const char *found = json_string_value(json_object_get(root, "schema"));
    const struct format *own = format_of(schema), *other = found ? format_of(found) : NULL;
    if (found ? strcmp(found, schema) == 0 : !needed)
        return true;
    bool known = other && other != own && other->reader;
    const char *command = known ? other->reader : own ? own->writer : NULL;
    const char *before = !command ? "" : known ? "; 'cotenant " : ", which 'cotenant ";
    const char *after = !command ? "" : known ? "' reads it" : "' writes";
    if (found)
        json_place_error(place, "schema", "'%s' is not '%s'%s%s%s", found, schema, before,
                         command ? command : "", after);
    else
        json_place_error(place, NULL, "key 'schema' is missing: it is '%s'%s%s%s", schema, before,
                         command ? command : "", after);
    return false;
}

static const char *number_text(double number, bool whole, struct ct_arena *arena) {
    char text[40];
    if (whole && fabs(number) < 9e15 && number == nearbyint(number))
        snprintf(text, sizeof text, "%.0f", number);
    else
        ct_text_double(text, sizeof text, number);
    return ct_arena_strdup(arena, text);
}

/* A value as JSON text, cut to a length that fits a message; NULL: memory ran out. */
static const char *dump(const json_t *value, struct ct_arena *arena) {
    enum { LONGEST = 40 };
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *copy = NULL;
    if (text && strlen(text) > LONGEST)
        memcpy(text + LONGEST - 3, "...", 4);
    if (text)
        copy = ct_arena_strdup(arena, text);
    free(text);
    return copy;
}

const char *json_place_scalar(const json_t *value, enum ct_option_kind kind,
                              struct ct_arena *arena) {
    bool text = kind >= CT_OPTION_CHOICE; /* names and all texts */
    bool number = kind == CT_OPTION_INT || kind == CT_OPTION_DOUBLE;
    if (json_is_string(value) &&
        (text || (number && ct_quantity_has_unit(json_string_value(value)))))
        return ct_arena_strdup(arena, json_string_value(value));
    if (json_is_real(value))
        return number_text(json_real_value(value), kind == CT_OPTION_INT, arena);
    return dump(value, arena);
}

const char *json_place_string(struct json_place *place, const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    if (!value)
        json_place_error(place, key, "'%s' is missing or no string", key);
    return value ? json_place_keep(place, value) : NULL;
}
