#include "des_tally.h"

void des_tally_add(struct des_tally *tally, double value) {
    double before = value - tally->mean;
    if (tally->count == 0 || value < tally->least)
        tally->least = value;
    if (tally->count == 0 || value > tally->most)
        tally->most = value;
    tally->count++;
    tally->mean += before / (double)tally->count;
    tally->squares += before * (value - tally->mean);
}

void des_tally_merge(struct des_tally *tally, const struct des_tally *other) {
    if (other->count == 0)
        return;
    if (tally->count == 0) {
        *tally = *other;
        return;
    }
    double mine = (double)tally->count, theirs = (double)other->count;
    double apart = other->mean - tally->mean;
    tally->count += other->count;
    tally->mean += apart * theirs / (mine + theirs);
    tally->squares += other->squares + apart * apart * mine * theirs / (mine + theirs);
    tally->least = fmin(tally->least, other->least);
    tally->most = fmax(tally->most, other->most);
}

double des_tally_mean(const struct des_tally *tally) {
    return tally->count > 0 ? tally->mean : NAN;
}

double des_tally_variance(const struct des_tally *tally) {
    return tally->count > 1 ? tally->squares / (double)(tally->count - 1) : NAN;
}

double des_tally_least(const struct des_tally *tally) {
    return tally->count > 0 ? tally->least : NAN;
}

double des_tally_most(const struct des_tally *tally) {
    return tally->count > 0 ? tally->most : NAN;
}
