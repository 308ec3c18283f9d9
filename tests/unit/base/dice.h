/* Random cases that are the same everywhere. */
#ifndef DICE_H
#define DICE_H

#include <stdint.h>

/* 0 .. sides - 1 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t dice_roll(uint64_t *dice, uint64_t sides) {
    uint64_t z = *dice += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % sides;
}

#endif
