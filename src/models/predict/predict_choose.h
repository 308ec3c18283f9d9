/* Which kind of model suits a function: the one with the smaller error on samples that it has not
 * seen. */
#ifndef PREDICT_CHOOSE_H
#define PREDICT_CHOOSE_H

#include "des/des_stream.h"
#include "models/predict/predict.h"

struct predict_choice {
    const struct predict_model_type *type;
    double error; /* mean relative error of the duration on held-out samples; NAN: none could be
                     held out, or nothing competed and nobody has asked */
    double error_linear; /* error of the linear model on samples that it was not fitted to; NAN: not
                            tried */
    double error_knn;
    size_t held_out;
};

/*
 * Chooses by the mean relative error of the duration (Baymax Eq. 6) on a tenth of the samples,
 * drawn by `stream`; with fewer than ten samples each is left out in turn. At equality linear wins.
 * Where all samples have one vector of features, their mean is the model. Where `only` is not NULL,
 * it is the model. Nothing competes in either case. False: memory ran out.
 */
bool predict_choose(const struct predict_model_type *only,
                    const struct predict_sample *const *samples, size_t count,
                    struct des_stream *stream, struct predict_choice *choice);

/* Works out the error of a choice from the same samples and stream, where nothing competed. False:
 * memory ran out. */
bool predict_choose_judge(const struct predict_sample *const *samples, size_t count,
                          struct des_stream *stream, struct predict_choice *choice);

/* A model of this kind, fitted; NULL: memory ran out. Free with predict_model_free. */
void *predict_model_new(const struct predict_model_type *type,
                        const struct predict_sample *const *samples, size_t count);
void predict_model_free(const struct predict_model_type *type, void *model);

#endif
