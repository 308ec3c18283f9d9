/*
 * What an activate limit and refresh leave of a channel, without banks: what the bank-level model
 * must agree with. Reads only: the limit a = (4 data_cycles / tFAW) / (1 - RBH) meets the plateau
 * U = 1 - (tRFC + drain) / tREFI as U (a^-27 + 1)^(-1/27). Agrees with three public simulators of
 * HSM's HBM within 1.2 % up to RBH 0.55; where bank groups bind it promises too much.
 */
#ifndef CLOSED_FORM_H
#define CLOSED_FORM_H

#include <math.h>

/* In memory clock cycles. */
struct closed_form {
    double activate_window;  /* tFAW: at most four activates in it */
    double data_cycles;      /* of one request on the data bus */
    double refresh_cycles;   /* tRFC */
    double refresh_interval; /* tREFI */
    double refresh_drain;    /* closing and reopening rows around a refresh */
};

/* HSM Table 1. */
static const struct closed_form closed_form_hsm = {.activate_window = 20,
                                                   .data_cycles = 2,
                                                   .refresh_cycles = 115,
                                                   .refresh_interval = 1716,
                                                   .refresh_drain = 18};

static inline double closed_form_use(const struct closed_form *timing, double row_hit_rate) {
    const double knee = 27.0; /* how sharply the limit bends: fitted to the simulators' curves */
    double plateau =
        1.0 - (timing->refresh_cycles + timing->refresh_drain) / timing->refresh_interval;
    double at_no_hit = 4.0 * timing->data_cycles / timing->activate_window;
    /* 1/a = misses / at_no_hit is 0 and not infinite at RBH 1. */
    return plateau * pow(pow((1.0 - row_hit_rate) / at_no_hit, knee) + 1.0, -1.0 / knee);
}

#endif
