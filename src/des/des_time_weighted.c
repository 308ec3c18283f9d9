#include "des_time_weighted.h"

#include "ct_assert.h"

void des_time_weighted_start(struct des_time_weighted *weighted, ct_time_ps now, double value) {
    *weighted =
        (struct des_time_weighted){.begin = now, .last = now, .value = value, .most = value};
}

void des_time_weighted_set(struct des_time_weighted *weighted, ct_time_ps now, double value) {
    weighted->integral = des_time_weighted_integral(weighted, now);
    weighted->last = now;
    weighted->value = value;
    if (value > weighted->most)
        weighted->most = value;
}

void des_time_weighted_add(struct des_time_weighted *weighted, ct_time_ps now, double change) {
    des_time_weighted_set(weighted, now, weighted->value + change);
}

double des_time_weighted_integral(const struct des_time_weighted *weighted, ct_time_ps now) {
    ct_assert(now >= weighted->last);
    return weighted->integral + weighted->value * (double)(now - weighted->last);
}

double des_time_weighted_mean(const struct des_time_weighted *weighted, ct_time_ps now) {
    if (now == weighted->begin)
        return NAN;
    return des_time_weighted_integral(weighted, now) / (double)(now - weighted->begin);
}
