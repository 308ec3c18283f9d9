#include "ingest/kineto_events.h"

#include "base/ct_files.h"
#include "base/ct_vec.h"
#include "format/byte_order_mark.h"
#include "format/unpack_limit.h"
#include "format/yajl_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>
#include <zlib.h>

enum { CHUNK_BYTES = 32 * 1024, DEEPEST = 64 };

/* What the next value is, by the key before it and where it stands. */
enum field {
    FIELD_NONE,
    FIELD_PHASE,
    FIELD_CATEGORY,
    FIELD_NAME,
    /* From here down to FIELD_SHAPE: a member of the event. */
    FIELD_THREAD,
    FIELD_TIME,
    FIELD_NUMBER,
    /* A number of something that there may be none of. */
    FIELD_AMOUNT,
    /* Three numbers. */
    FIELD_SHAPE,
    FIELD_ARGUMENTS,
    FIELD_DEVICE_ID,
    FIELD_DEVICE_TITLE,
    FIELD_FACT,
    FIELD_EVENTS,
    FIELD_DEVICES,
    FIELD_STACKS,
    FIELD_INPUTS
};

struct key {
    const char *text;
    size_t size;
    enum field field;
    size_t place; /* of a member of the event; enum kineto_category, kineto_fact, operator_list */
};

static const struct key no_key = {.field = FIELD_NONE};

struct text {
    CT_VEC(char);
};

struct parser {
    struct kineto_reader *reader;
    struct ct_diags *diags;
    int depth;
    int events_depth;  /* of the array of events while inside it, else 0 */
    int devices_depth; /* of the array of devices, likewise */
    bool events_seen, out_of_memory, stopped;
    const struct key *key;
    int element; /* of the array in hand: grid, block */
    struct text name;
    struct kineto_event event;
    struct operator_inputs inputs;
    int64_t device_id;
    struct text device_title;
    int64_t facts[KINETO_FACTS];
    struct yajl_memory memory; /* yajl's */
};

#define KEY(text, field, place)                                                                    \
    { text, sizeof(text) - 1, field, place }
#define MEMBER(text, field, member) KEY(text, field, offsetof(struct kineto_event, member))

static const struct key root_keys[] = {KEY("traceEvents", FIELD_EVENTS, 0),
                                       KEY("deviceProperties", FIELD_DEVICES, 0),
                                       KEY("with_stack", FIELD_STACKS, 0),
                                       {0}};
static const struct key event_keys[] = {KEY("ph", FIELD_PHASE, 0),
                                        KEY("cat", FIELD_CATEGORY, 0),
                                        KEY("name", FIELD_NAME, 0),
                                        MEMBER("pid", FIELD_THREAD, pid),
                                        MEMBER("tid", FIELD_THREAD, tid),
                                        MEMBER("ts", FIELD_TIME, start),
                                        MEMBER("dur", FIELD_TIME, duration),
                                        KEY("args", FIELD_ARGUMENTS, 0),
                                        {0}};
static const struct key device_keys[] = {
    KEY("id", FIELD_DEVICE_ID, 0),
    KEY("name", FIELD_DEVICE_TITLE, 0),
    KEY("numSms", FIELD_FACT, KINETO_SMS),
    KEY("maxThreadsPerMultiprocessor", FIELD_FACT, KINETO_THREADS_PER_SM),
    KEY("regsPerMultiprocessor", FIELD_FACT, KINETO_REGISTERS_PER_SM),
    KEY("sharedMemPerMultiprocessor", FIELD_FACT, KINETO_SMEM_PER_SM),
    KEY("maxSharedMemoryPerMultiProcessor", FIELD_FACT, KINETO_SMEM_PER_SM),
    KEY("sharedMemPerBlockOptin", FIELD_FACT, KINETO_SMEM_PER_BLOCK),
    KEY("computeMajor", FIELD_FACT, KINETO_MAJOR),
    KEY("computeMinor", FIELD_FACT, KINETO_MINOR),
    KEY("totalGlobalMem", FIELD_FACT, KINETO_MEMORY_BYTES),
    {0}};
static const struct key argument_keys[] = {
    MEMBER("External id", FIELD_NUMBER, external_id),
    MEMBER("external id", FIELD_NUMBER, external_id),
    MEMBER("correlation", FIELD_NUMBER, correlation),
    MEMBER("device", FIELD_NUMBER, device),
    MEMBER("context", FIELD_NUMBER, context),
    MEMBER("stream", FIELD_NUMBER, stream),
    MEMBER("registers per thread", FIELD_AMOUNT, registers),
    MEMBER("shared memory", FIELD_AMOUNT, shared_memory),
    MEMBER("shared size", FIELD_AMOUNT, shared_memory), /* of HIP, until 2023, as the next two */
    MEMBER("grid", FIELD_SHAPE, grid),
    MEMBER("grid dim", FIELD_SHAPE, grid),
    MEMBER("block", FIELD_SHAPE, block),
    MEMBER("block dim", FIELD_SHAPE, block),
    MEMBER("bytes", FIELD_AMOUNT, bytes),
    MEMBER("size", FIELD_NUMBER, size), /* of a call that copies, as the next */
    MEMBER("kind", FIELD_NUMBER, copy_kind),
    MEMBER("Device Type", FIELD_NUMBER, device_type),
    MEMBER("Device Id", FIELD_NUMBER, device_id),
    MEMBER("Total Reserved", FIELD_NUMBER, reserved),
    MEMBER("wait_on_stream", FIELD_NUMBER, wait_on_stream),
    MEMBER("wait_on_cuda_event_record_corr_id", FIELD_NUMBER, wait_on_record),
    KEY("Input Dims", FIELD_INPUTS, OPERATOR_SIZES),
    KEY("Input dims", FIELD_INPUTS, OPERATOR_SIZES), /* until 2021 */
    KEY("Input Strides", FIELD_INPUTS, OPERATOR_STRIDES),
    KEY("Input type", FIELD_INPUTS, OPERATOR_TYPES),
    KEY("Concrete Inputs", FIELD_INPUTS, OPERATOR_CONCRETE),
    {0}};

#define CATEGORY(text, category) KEY(text, FIELD_NONE, category)
static const struct key categories[] = {
    CATEGORY("cpu_op", KINETO_OPERATOR),
    CATEGORY("python_function", KINETO_PYTHON),
    CATEGORY("kernel", KINETO_KERNEL),
    CATEGORY("cuda_runtime", KINETO_CALL),
    CATEGORY("cuda_driver", KINETO_CALL),
    CATEGORY("gpu_memcpy", KINETO_COPY),
    CATEGORY("gpu_memset", KINETO_MEMSET),
    CATEGORY("user_annotation", KINETO_ANNOTATION),
    CATEGORY("cuda_sync", KINETO_SYNC),
    CATEGORY("cpu_instant_event", KINETO_MEMORY),
    CATEGORY("Operator", KINETO_OPERATOR), /* these and the next: until 2021 */
    CATEGORY("Kernel", KINETO_KERNEL),
    CATEGORY("Runtime", KINETO_CALL),
    CATEGORY("Memcpy", KINETO_COPY),
    CATEGORY("Memset", KINETO_MEMSET),
    {0}};

static const struct key *find_key(const struct key *keys, const unsigned char *bytes, size_t size) {
    for (; keys->text; keys++)
        if (keys->size == size && memcmp(keys->text, bytes, size) == 0)
            return keys;
    return &no_key;
}

static bool set_text(struct parser *p, struct text *text, const unsigned char *bytes, size_t size) {
    text->count = 0;
    if (!ct_vec_reserve(text, size + 1)) {
        p->out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < size; i++)
        text->items[i] = bytes[i] ? (char)bytes[i] : '?'; /* a character 0 would cut it */
    text->items[size] = '\0';
    text->count = size;
    return true;
}

/* The member of the event that a key names. */
static void *member_of(struct parser *p, const struct key *key) {
    return (char *)&p->event + key->place;
}

static void begin_event(struct parser *p) {
    p->name.count = 0;
    operator_inputs_clear(&p->inputs);
    p->event = (struct kineto_event){.category = KINETO_OTHER,
                                     .inputs = &p->inputs,
                                     .grid = {-1, -1, -1},
                                     .block = {-1, -1, -1}};
    for (const struct key *key = argument_keys; key->text; key++)
        if (key->field == FIELD_NUMBER || key->field == FIELD_AMOUNT)
            *(int64_t *)member_of(p, key) = -1;
}

static bool end_event(struct parser *p) {
    struct kineto_event *e = &p->event;
    if (e->phase == 's' || e->phase == 'f' || e->phase == 't')
        e->category = KINETO_FLOW;
    else if (e->phase == 'M')
        e->category = KINETO_METADATA;
    e->name = p->name.count ? p->name.items : "";
    p->stopped = !p->reader->event(p->reader->context, e);
    return !p->stopped;
}

/* Whether arguments of this event can matter: most of a file are call stacks and shapes of
 * operators. */
static bool wants_arguments(const struct parser *p) {
    enum kineto_category c = p->event.category;
    if (c == KINETO_MEMORY)
        return true;
    return c != KINETO_PYTHON && c != KINETO_OTHER && c != KINETO_ANNOTATION &&
           (p->event.phase == 'X' || p->event.phase == '\0');
}

/* ---- numbers ---- */

struct decimal {
    const char *digits; /* with a point somewhere */
    size_t size;
    bool negative;
    long exponent;
};

/* The digits behind an 'e', of which a few decide: more are out of every range anyway. */
static long parse_exponent(const char *text, size_t size) {
    bool negative = size > 0 && *text == '-';
    long exponent = 0;
    for (size_t i = 0; i < size && exponent < 1000; i++)
        if (text[i] >= '0' && text[i] <= '9')
            exponent = 10 * exponent + (text[i] - '0');
    return negative ? -exponent : exponent;
}

static struct decimal split_number(const char *text, size_t size) {
    struct decimal d = {text, size, size > 0 && *text == '-', 0};
    if (d.negative) {
        d.digits++;
        d.size--;
    }
    for (size_t i = 0; i < d.size; i++)
        if (d.digits[i] == 'e' || d.digits[i] == 'E') {
            d.exponent = parse_exponent(d.digits + i + 1, d.size - i - 1);
            d.size = i;
        }
    return d;
}

static const int32_t fraction_weight[] = {100000, 10000, 1000, 100, 10, 1};

static void add_digit(struct kineto_time *t, long place, int digit) {
    if (place >= 0) {
        t->known = t->known && t->us < INT64_MAX / 20;
        t->us = t->known ? 10 * t->us + digit : 0;
    } else if (place >= -6) {
        t->ps += digit * fraction_weight[-place - 1];
        if (digit)
            t->digits = (int)-place;
    }
}

/* Exactly, beyond what a double holds: microseconds and, rounded down, picoseconds of the rest. */
static struct kineto_time parse_time(const char *text, size_t size) {
    struct kineto_time t = {.known = true};
    struct decimal d = split_number(text, size);
    size_t point = 0;
    while (point < d.size && d.digits[point] != '.')
        point++;
    long place = (long)point + d.exponent - 1; /* power of ten of the next digit */
    for (size_t i = 0; i < d.size; i++)
        if (i != point)
            add_digit(&t, place--, d.digits[i] - '0');
    for (; place >= 0; place--)
        add_digit(&t, place, 0);
    if (d.negative) {
        t.us = t.ps ? -t.us - 1 : -t.us;
        t.ps = t.ps ? 1000000 - t.ps : 0;
    }
    return t;
}

/* Most numbers are whole and short. */
static int64_t parse_integer(const char *text, size_t size) {
    int64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || i == 18) {
            struct kineto_time t = parse_time(text, size);
            return t.known ? t.us : -1;
        }
        number = 10 * number + (text[i] - '0');
    }
    return number;
}

/* A thread is a number, a number in quotes, or a name such as "stream 7": then its last number. */
static int64_t parse_thread(const char *text, size_t size) {
    size_t first = size;
    while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9')
        first--;
    if (first > 0 && text[first - 1] == '-')
        first--;
    return first < size ? parse_integer(text + first, size - first) : 0;
}

/* A number that is none or out of range makes an impossible shape, not one that is not recorded. */
static void set_element(int64_t *three, int element, int64_t number) {
    if (element >= 0 && element < 3)
        three[element] = number < 0 ? 0 : number;
}

/* An amount that is none is not taken for one that is not recorded. */
static void refuse_amount(struct parser *p) {
    if (p->key->field == FIELD_AMOUNT)
        p->event.unusable = p->key->text;
}

static void set_number(struct parser *p, const char *text, size_t size) {
    void *member = member_of(p, p->key);
    switch (p->key->field) {
    case FIELD_TIME:
        *(struct kineto_time *)member = parse_time(text, size);
        break;
    case FIELD_THREAD:
        *(int64_t *)member = parse_thread(text, size);
        break;
    case FIELD_NUMBER:
    case FIELD_AMOUNT:
        *(int64_t *)member = parse_integer(text, size);
        if (*(int64_t *)member < 0)
            refuse_amount(p);
        break;
    case FIELD_SHAPE:
        set_element(member, p->element++, parse_integer(text, size));
        break;
    case FIELD_DEVICE_ID:
        p->device_id = parse_integer(text, size);
        break;
    case FIELD_STACKS:
        p->reader->stacks |= parse_integer(text, size) > 0;
        break;
    case FIELD_FACT:
        p->facts[p->key->place] = parse_integer(text, size);
        break;
    default:
        break;
    }
}

/* ---- yajl's callbacks: 1 goes on, 0 stops ---- */

/* After a value in an object the next key decides; inside an array the field stays. */
static void value_done(struct parser *p) {
    if (p->key->field != FIELD_SHAPE && p->key->field != FIELD_INPUTS)
        p->key = &no_key;
}

/* 1, or 0 where memory ran out. */
static int go_on(struct parser *p, bool done) {
    p->out_of_memory = p->out_of_memory || !done;
    return done;
}

static int on_null(void *context) {
    value_done(context);
    return 1;
}

static int on_boolean(void *context, int truth) {
    struct parser *p = context;
    p->reader->stacks |= p->key->field == FIELD_STACKS && truth;
    refuse_amount(p);
    value_done(p);
    return 1;
}

static int on_number(void *context, const char *text, size_t size) {
    struct parser *p = context;
    if (p->key->field == FIELD_INPUTS)
        return go_on(p, operator_inputs_number(&p->inputs, parse_integer(text, size)));
    set_number(p, text, size);
    value_done(p);
    return 1;
}

/* Tools that read a recording and write it again make texts of numbers. */
static bool is_number_as_text(enum field field, const unsigned char *bytes, size_t size) {
    bool argument = field == FIELD_NUMBER || field == FIELD_AMOUNT || field == FIELD_SHAPE;
    size_t digits = size > 0 && *bytes == '-' ? 1 : 0;
    for (size_t i = digits; argument && i < size; i++)
        argument = bytes[i] >= '0' && bytes[i] <= '9';
    return argument && size > digits;
}

static int on_string(void *context, const unsigned char *bytes, size_t size) {
    struct parser *p = context;
    const struct key *key = p->key;
    if (key->field == FIELD_INPUTS)
        return go_on(p, operator_inputs_text(&p->inputs, (const char *)bytes, size));
    if (is_number_as_text(key->field, bytes, size))
        return on_number(context, (const char *)bytes, size);
    refuse_amount(p);
    value_done(p);
    if (key->field == FIELD_NAME)
        return set_text(p, &p->name, bytes, size);
    if (key->field == FIELD_DEVICE_TITLE)
        return set_text(p, &p->device_title, bytes, size);
    if (key->field == FIELD_PHASE)
        p->event.phase = size == 1 ? (char)bytes[0] : '?';
    else if (key->field == FIELD_CATEGORY)
        p->event.category = (enum kineto_category)find_key(categories, bytes, size)->place;
    else if (key->field == FIELD_THREAD)
        *(int64_t *)member_of(p, key) = parse_thread((const char *)bytes, size);
    return 1;
}

static int on_key(void *context, const unsigned char *bytes, size_t size) {
    struct parser *p = context;
    p->key = &no_key;
    if (size == 0)
        return 1;
    if (p->events_depth && p->depth == p->events_depth + 1)
        p->key = find_key(event_keys, bytes, size);
    else if (p->events_depth && p->depth == p->events_depth + 2) {
        if (p->element == -1)
            p->key = find_key(argument_keys, bytes, size);
    } else if (p->devices_depth && p->depth == p->devices_depth + 1)
        p->key = find_key(device_keys, bytes, size);
    else if (p->depth == 1)
        p->key = find_key(root_keys, bytes, size);
    return 1;
}

/* `element` is -1 where keys of arguments count, -2 where they do not. */
static int on_start_map(void *context) {
    struct parser *p = context;
    refuse_amount(p);
    if (++p->depth > DEEPEST)
        return 0;
    if (p->events_depth && p->depth == p->events_depth + 1)
        begin_event(p);
    else if (p->events_depth && p->depth == p->events_depth + 2)
        p->element = p->key->field == FIELD_ARGUMENTS && wants_arguments(p) ? -1 : -2;
    else if (p->devices_depth && p->depth == p->devices_depth + 1) {
        p->device_id = -1;
        p->device_title.count = 0;
        for (int i = 0; i < KINETO_FACTS; i++)
            p->facts[i] = -1;
    }
    p->key = &no_key;
    return 1;
}

static int on_end_map(void *context) {
    struct parser *p = context;
    bool of_event = p->events_depth && p->depth == p->events_depth + 1;
    if (p->devices_depth && p->depth == p->devices_depth + 1 && p->device_title.count)
        p->reader->device(p->reader->context, p->device_id, p->device_title.items, p->facts);
    p->depth--;
    p->key = &no_key;
    return !of_event || end_event(p);
}

static int on_start_array(void *context) {
    struct parser *p = context;
    const struct key *key = p->key;
    refuse_amount(p);
    if (++p->depth > DEEPEST)
        return 0;
    if (key->field == FIELD_SHAPE) {
        p->element = 0;
        return 1;
    }
    if (key->field == FIELD_INPUTS) {
        if (p->depth == p->events_depth + 3)
            operator_inputs_list(&p->inputs, (enum operator_list)key->place);
        return go_on(p, operator_inputs_open(&p->inputs));
    }
    p->key = &no_key;
    if (key->field == FIELD_EVENTS || p->depth == 1) {
        p->events_depth = p->depth;
        p->events_seen = true;
    } else if (key->field == FIELD_DEVICES)
        p->devices_depth = p->depth;
    return 1;
}

static int on_end_array(void *context) {
    struct parser *p = context;
    if (p->depth == p->events_depth)
        p->events_depth = 0;
    if (p->depth == p->devices_depth)
        p->devices_depth = 0;
    p->depth--;
    if (p->key->field == FIELD_INPUTS && !operator_inputs_close(&p->inputs))
        return 1;
    if (p->key->field == FIELD_SHAPE)
        p->element = -1;
    p->key = &no_key;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_boolean,
                                         .yajl_number = on_number,
                                         .yajl_string = on_string,
                                         .yajl_start_map = on_start_map,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_end_map,
                                         .yajl_start_array = on_start_array,
                                         .yajl_end_array = on_end_array};

/* ---- the file ---- */

static int parse_failed(struct parser *p, yajl_handle handle, const char *path, uint64_t before) {
    if (p->stopped)
        return CT_DATA;
    if (p->out_of_memory || p->memory.failed)
        return ct_out_of_memory(p->diags);
    unsigned long long at = before + yajl_get_bytes_consumed(handle);
    if (yajl_memory_overlong(&p->memory))
        ct_error(p->diags, path, "a text longer than %d MiB at byte %llu",
                 YAJL_MEMORY_LONGEST >> 20, at);
    else if (p->depth > DEEPEST)
        ct_error(p->diags, path, "nested more than %d deep at byte %llu", DEEPEST, at);
    else
        ct_error(p->diags, path, "not valid JSON at byte %llu", at);
    return CT_DATA;
}

static int parse_file(struct parser *p, yajl_handle handle, gzFile file, const char *path) {
    unsigned char *chunk = malloc(CHUNK_BYTES);
    uint64_t total = 0;
    int got = 0, status = chunk ? CT_OK : ct_out_of_memory(p->diags);
    while (status == CT_OK && (got = gzread(file, chunk, CHUNK_BYTES)) > 0) {
        size_t mark = total == 0 ? byte_order_mark(chunk, (size_t)got) : 0;
        if (!yajl_memory_reserve(&p->memory, (size_t)got))
            status = ct_out_of_memory(p->diags);
        else if (yajl_parse(handle, chunk + mark, (size_t)got - mark) != yajl_status_ok ||
                 p->memory.failed || yajl_memory_overlong(&p->memory))
            status = parse_failed(p, handle, path, total);
        total += (uint64_t)got;
        if (status == CT_OK && unpack_is_too_much(file, total)) {
            ct_error(p->diags, path, "%s", UNPACK_TOO_MUCH);
            status = CT_DATA;
        }
    }
    int code = Z_OK, reason = errno;
    gzerror(file, &code);
    free(chunk);
    if (status != CT_OK)
        return status;
    if (got < 0 && code == Z_MEM_ERROR)
        return ct_out_of_memory(p->diags);
    if (got < 0 && code == Z_ERRNO)
        ct_file_error(p->diags, path, "read it", reason);
    else if (got < 0 || code == Z_BUF_ERROR)
        ct_error(p->diags, path, "cut off or damaged: the compressed data end after %llu bytes",
                 (unsigned long long)total);
    else if (total == 0)
        ct_error(p->diags, path, "the file is empty");
    else if (yajl_complete_parse(handle) != yajl_status_ok)
        ct_error(p->diags, path, "cut off: the JSON ends in the middle, after %llu bytes",
                 (unsigned long long)total);
    else if (!p->events_seen)
        ct_error(p->diags, path, "not a profiler trace: it has no 'traceEvents'");
    else
        return CT_OK;
    return CT_DATA;
}

int kineto_read(const char *path, struct kineto_reader *reader, struct ct_diags *diags) {
    struct parser p = {.reader = reader, .diags = diags, .key = &no_key};
    errno = 0;
    gzFile file = gzopen(path, "rb");
    if (!file)
        return ct_file_error(diags, path, "open it", errno ? errno : ENOMEM);
    ct_files_note(diags->files, path);
    gzbuffer(file, CHUNK_BYTES);
    yajl_alloc_funcs functions = yajl_memory_functions(&p.memory);
    bool reserved = yajl_memory_reserve(&p.memory, 0);
    yajl_handle handle = reserved ? yajl_alloc(&callbacks, &functions, &p) : NULL;
    int status = CT_DATA;
    if (handle) {
        yajl_config(handle, yajl_dont_validate_strings, 1);
        status = parse_file(&p, handle, file, path);
        yajl_free(handle);
    } else
        ct_out_of_memory(diags);
    yajl_memory_free(&p.memory);
    gzclose(file);
    ct_vec_free(&p.name);
    ct_vec_free(&p.device_title);
    operator_inputs_free(&p.inputs);
    return status;
}
