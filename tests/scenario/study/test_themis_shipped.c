/*
 * The networks that ship were trained on the device as it is: on the co-locations that each was not
 * shown, run again, it errs as its file says. A change to the device that moves these counts asks
 * for `cotenant train` again (docs/policies/hsm.md).
 */
#include "cmocka_complete.h"
#include "study/colocation.h"
#include "workload/setup.h"
#include "workload/themis_file.h"

#include <stdio.h>
#include <string.h>

#include <glob.h>

#include <jansson.h>

#ifdef COTENANT_SMALL
/* One network in so many; odd, so that both fidelities come. */
enum { EVERY = 15 };
#else
enum { EVERY = 1 };
#endif

/* The decimals of the file give the double back; compilers may round products differently. */
static const double ROUNDING = 1e-9;

static struct themis_errors errors_now(const struct themis_file *file, struct ct_arena *arena) {
    struct ct_diags diags = {0};
    struct workload_settings none = {0};
    struct colocation_samples held_out = {0};
    struct themis_network network;
    struct gpu gpu;
    int fidelity = strcmp(file->fidelity, "block") == 0 ? DEVICE_BLOCK : DEVICE_FLUID;
    assert_int_equal(setup_gpu(file->gpu, "", &none, arena, &gpu, &diags), CT_OK);
    assert_int_equal(setup_gpu_files(NULL, &gpu, arena, &diags), CT_OK);
    for (int64_t i = file->colocations - file->colocations / 5; i < file->colocations; i++)
        assert_int_equal(colocation_sample(&gpu, (enum device_fidelity)fidelity,
                                           (uint64_t)file->seed, (uint64_t)i, &held_out, &diags),
                         CT_OK);
    memcpy(network.weights, file->weights, sizeof network.weights);
    struct themis_errors errors = themis_score(&network, held_out.items, held_out.count);
    colocation_samples_free(&held_out);
    ct_diags_free(&diags);
    return errors;
}

static bool same(double now, double then) {
    return fabs(now - then) <= ROUNDING * then;
}

/* Reading for a run leaves out how a network was made. */
static void read_training(const char *path, struct themis_file *file) {
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *training = json_object_get(root, "training");
    assert_true(json_is_object(training));
    file->seed = json_integer_value(json_object_get(training, "seed"));
    file->colocations = json_integer_value(json_object_get(training, "colocations"));
    file->held_out = json_integer_value(json_object_get(training, "held_out"));
    file->held_out_error = json_number_value(json_object_get(training, "held_out_error"));
    file->held_out_max = json_number_value(json_object_get(training, "held_out_max"));
    file->held_out_uncapped = json_number_value(json_object_get(training, "held_out_uncapped"));
    json_decref(root);
    assert_true(file->colocations >= 1000 && file->held_out >= 400 && file->held_out_error > 0);
}

static void check_file(const char *path) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    struct themis_file file;
    assert_int_equal(themis_file_read(path, &file, &arena, &diags), CT_OK);
    read_training(path, &file);
    struct themis_errors now = errors_now(&file, &arena);
    if (now.samples != (size_t)file.held_out || !same(now.mean, file.held_out_error) ||
        !same(now.max, file.held_out_max) || !same(now.mean_uncapped, file.held_out_uncapped))
        fail_msg("%s errs by %.17g on %zu samples, and says %.17g on %lld: train it again", path,
                 now.mean, now.samples, file.held_out_error, (long long)file.held_out);
}

TEST(networks_err_as_they_say) {
    glob_t files;
    assert_int_equal(glob(COTENANT_SOURCE_DIR "/src/models/themis/*.json", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 2);
    for (size_t i = 0; i < files.gl_pathc; i += EVERY)
        check_file(files.gl_pathv[i]);
    globfree(&files);
}
