#include "workload/themis_file.h"

#include "format/json_place.h"
#include "format/json_writer.h"

static const char schema[] = "cotenant.themis/1";
/* As many as 'sms' of a preset may be. */
enum { MOST_SMS = 1024 };
static const int layers[THEMIS_FILE_LAYERS] = {10, 16, 8, 1};

static void write_gpu(struct json_writer *json, const struct themis_file *file) {
    json_writer_object(json, "gpu", "name", file->gpu, "sms", file->sms, "clock_mhz",
                       file->clock_mhz, "dram_gb_s", file->dram_gb_s, "dram", file->dram,
                       "fidelity", file->fidelity);
}

static void write_training(struct json_writer *json, const struct themis_file *file) {
    json_writer_object(json, "training", "seed", file->seed, "colocations", file->colocations,
                       "rounds", file->rounds, "samples", file->samples, "held_out", file->held_out,
                       "training_error", file->training_error, "held_out_error",
                       file->held_out_error, "held_out_max", file->held_out_max,
                       "held_out_uncapped", file->held_out_uncapped);
}

void themis_file_write(FILE *out, const struct themis_file *file) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "schema", schema);
    write_gpu(&json, file);
    write_training(&json, file);
    if (file->plain)
        json_writer_string(&json, "inputs", "plain");
    json_writer_begin_array(&json, "layers");
    for (int i = 0; i < THEMIS_FILE_LAYERS; i++)
        json_writer_integer(&json, NULL, layers[i]);
    json_writer_end_array(&json);
    json_writer_begin_array(&json, "weights");
    for (int i = 0; i < THEMIS_FILE_WEIGHTS; i++)
        json_writer_double(&json, NULL, file->weights[i]);
    json_writer_end_array(&json);
    json_writer_end_object(&json);
    fputc('\n', out);
}

/* ---- reading ---- */

static double read_number(struct json_place *place, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(number > 0))
        json_place_error(place, key, value ? "'%s' is not a number above 0" : "'%s' is missing",
                         key);
    return number;
}

static void read_gpu(struct json_place *place, const json_t *root, struct themis_file *file) {
    const json_t *gpu = json_object_get(root, "gpu");
    size_t length = json_place_enter(place, "gpu");
    file->gpu = json_place_string(place, gpu, "name");
    file->fidelity = json_place_string(place, gpu, "fidelity");
    file->dram = json_place_string(place, gpu, "dram");
    double sms = read_number(place, gpu, "sms");
    file->clock_mhz = read_number(place, gpu, "clock_mhz");
    file->dram_gb_s = read_number(place, gpu, "dram_gb_s");
    if (place->status == CT_OK && sms > MOST_SMS)
        json_place_error(place, "sms", "%g is more than %d", sms, MOST_SMS);
    json_place_leave(place, length);
    file->sms = place->status == CT_OK ? (int64_t)sms : 0;
}

static void read_layers(struct json_place *place, const json_t *root) {
    const json_t *array = json_object_get(root, "layers");
    bool good = json_array_size(array) == THEMIS_FILE_LAYERS;
    for (size_t i = 0; i < THEMIS_FILE_LAYERS && good; i++)
        good = json_integer_value(json_array_get(array, i)) == layers[i];
    if (!good)
        json_place_error(place, "layers",
                         "not the layers of this program: %d, %d, %d and %d neurons", layers[0],
                         layers[1], layers[2], layers[3]);
}

static void read_weights(struct json_place *place, const json_t *root, struct themis_file *file) {
    const json_t *array = json_object_get(root, "weights");
    bool good = json_array_size(array) == THEMIS_FILE_WEIGHTS;
    for (size_t i = 0; i < THEMIS_FILE_WEIGHTS && good; i++) {
        const json_t *weight = json_array_get(array, i);
        good = json_is_number(weight);
        file->weights[i] = json_number_value(weight);
    }
    if (!good)
        json_place_error(place, "weights", "not an array of %d numbers", THEMIS_FILE_WEIGHTS);
}

static void read_root(struct json_place *place, const json_t *root, void *file) {
    if (!json_place_schema(place, root, schema, true))
        return;
    read_gpu(place, root, file);
    read_layers(place, root);
    if (place->status == CT_OK)
        read_weights(place, root, file);
}

int themis_file_read(const char *path, struct themis_file *file, struct ct_arena *arena,
                     struct ct_diags *diags) {
    *file = (struct themis_file){0};
    return json_place_read(path, read_root, file, arena, diags);
}
