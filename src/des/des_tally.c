#include "des/des_tally.h"

void des_tally_add(struct des_tally *tally, double value) {
    double before = value - tally->mean;
    tally->count++;
    tally->mean += before / (double)tally->count;
    tally->squares += before * (value - tally->mean);
}

double des_tally_mean(const struct des_tally *tally) {
    return tally->count > 0 ? tally->mean : NAN;
}

double des_tally_variance(const struct des_tally *tally) {
    return tally->count > 1 ? tally->squares / (double)(tally->count - 1) : NAN;
}
