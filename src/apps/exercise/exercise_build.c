#include "apps/exercise/exercise_build.h"

#include <string.h>

int exercise_draw(struct exercise_problem *p, int least, int most) {
    return least + (int)des_stream_below(&p->draws, (uint64_t)((int64_t)most - least) + 1);
}

const char *exercise_text(struct exercise_problem *p, const char *format, ...) {
    EXERCISE_FORMATTED(text);
    return text;
}

double exercise_give(struct exercise_problem *p, const char *key, double value, const char *unit,
                     const char *format, ...) {
    EXERCISE_FORMATTED(text);
    p->failed |= !ct_vec_push(&p->givens, (struct exercise_given){key, text, unit, value});
    return value;
}

void exercise_step(struct exercise_problem *p, const char *equation, const char *format, ...) {
    EXERCISE_FORMATTED(text);
    p->failed |= !ct_vec_push(&p->steps, (struct exercise_step){equation, text});
}

void exercise_mistake(struct exercise_problem *p, double value, const char *format, ...) {
    EXERCISE_FORMATTED(text);
    for (size_t i = 0; i < p->mistakes.count; i++) {
        struct exercise_mistake *same = &p->mistakes.items[i];
        if (fabs(same->value - value) <= exercise_rounding(value)) {
            same->text = exercise_text(p, "%s; or: %s", same->text, text);
            return;
        }
    }
    p->failed |= !ct_vec_push(&p->mistakes, (struct exercise_mistake){value, text});
}

static void add_bar(struct exercise_problem *p, const char *axis, bool timeline,
                    struct exercise_bar bar) {
    p->axis = axis;
    p->timeline = timeline;
    p->failed |= !ct_vec_push(&p->bars, bar);
}

void exercise_span(struct exercise_problem *p, const char *axis, const char *lane,
                   const char *label, double from, double to) {
    add_bar(p, axis, true, (struct exercise_bar){lane, label, from, to});
}

void exercise_value(struct exercise_problem *p, const char *axis, const char *lane, double value) {
    add_bar(p, axis, false, (struct exercise_bar){lane, "", 0, value});
}

void exercise_answer(struct exercise_problem *p, double value, double tolerance) {
    p->answer = value;
    p->tolerance = tolerance;
}
