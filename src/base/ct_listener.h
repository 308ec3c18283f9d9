/* Who listens to long work: whether it is to end, and how far it has come. */
#ifndef CT_LISTENER_H
#define CT_LISTENER_H

#include "base/ct_types.h"

struct ct_listener {
    bool (*interrupted)(void *context); /* called from any thread; NULL: nobody interrupts */
    /* Told how much of the total is done (a total of 0: the one that the listener knows), from one
     * thread at a time. NULL: nobody asks. */
    void (*progress)(void *context, double done, double total);
    void *context;
};

static inline bool ct_is_interrupted(const struct ct_listener *listener) {
    return listener->interrupted && listener->interrupted(listener->context);
}

static inline void ct_tell_progress(const struct ct_listener *listener, double done, double total) {
    if (listener->progress)
        listener->progress(listener->context, done, total);
}

#endif
