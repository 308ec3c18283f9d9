/*
 * A neural network as JSON, cotenant.network/1: a chain of layers, each with what it computes and
 * moves per query.
 */
#ifndef NETWORK_FILE_H
#define NETWORK_FILE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_vec.h"
#include "trace/kernel_class.h"

#define NETWORK_FILE_SCHEMA "cotenant.network/1"

enum network_kind {
    /* One filter for all positions. */
    NETWORK_CONV,
    /* Locally connected: a filter of its own for each position. */
    NETWORK_LOCAL,
    /* Fully connected. */
    NETWORK_LINEAR,
    /* (m x k) by (k x n). */
    NETWORK_MATMUL,
    /* Recurrent layers: steps one after the other. */
    NETWORK_LSTM,
    NETWORK_GRU,
    /* Maximum or mean. */
    NETWORK_POOL,
    /* An activation. */
    NETWORK_ELEMENTWISE,
    /* Batch, layer or local response normalisation. */
    NETWORK_NORM,
    NETWORK_SOFTMAX
};

/* One application of a layer to a whole query. Counts are doubles: they exceed 2^53 only where the
 * reader refuses them. */
struct network_layer {
    const char *name;
    enum network_kind kind;
    double macs;         /* multiply-adds of products */
    double operations;   /* floating-point operations: two per multiply-add */
    double parameters;   /* weights and biases */
    double weight_reads; /* elements: the parameters, of a recurrent layer once per step */
    double in_elements, out_elements;
    /* The result as matrices: so many, of rows x columns. Without products: one row. */
    double matrices, rows, columns;
    bool again; /* the same as the layer before: a repetition */
};

struct network_file {
    const char *name, *source, *licence;
    int64_t batch, element_bytes;
    int32_t unit;                        /* enum kernel_unit that its layers are computed on */
    double in_elements;                  /* of one query */
    CT_VEC(struct network_layer) layers; /* with repetitions */
};

/*
 * Reads a network; strings live in the arena. `batch` above 0 stands in for the file's. CT_OK;
 * CT_DATA when it cannot be read; CT_USAGE after errors at their places: unknown keys and kinds,
 * numbers out of range, a layer that does not fit what the one before it gives. Free in every case.
 */
int network_file_read(const char *path, int64_t batch, struct network_file *file,
                      struct ct_arena *arena, struct ct_diags *diags);
void network_file_free(struct network_file *file);

#endif
