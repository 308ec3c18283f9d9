/* The commands that switch a way of sharing on, as NVIDIA's documentation has them. */
#ifndef ADVISE_SWITCH_H
#define ADVISE_SWITCH_H

#include "study/advise_types.h"

struct advise_lines {
    CT_VEC(const char *);
    bool no_memory;
};

/* Adds shell commands line by line, comments with "#"; texts in the arena. What only the reader
 * knows stands in angle brackets. */
void advise_switch(const struct advise_candidate *candidate, const struct setup *setup,
                   struct ct_arena *arena, struct advise_lines *lines);

#endif
