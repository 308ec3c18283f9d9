/* What GPUs cost, by a file of the user's own: {"h100": 2.5, "a100": 1.8}, each per hour. */
#ifndef PRICES_H
#define PRICES_H

#include "base/ct_diag.h"
#include "base/ct_vec.h"

struct price {
    const char *gpu; /* a preset */
    double per_h;
};

struct prices {
    CT_VEC(struct price);
};

/* Strings live in the arena. enum ct_status; the caller frees with ct_vec_free in every case. */
int prices_read(const char *path, struct prices *prices, struct ct_arena *arena,
                struct ct_diags *diags);

/* Whether it is one; what nobody would pay is none. */
bool price_is_sound(double per_h);

/* Price per hour of a preset; NAN: the file does not say. */
double prices_of(const struct prices *prices, const char *gpu);

/* The price of a million requests where so many are served; NAN: unknown, or none are. */
double price_per_million(double price_per_h, double requests_per_s);

#endif
