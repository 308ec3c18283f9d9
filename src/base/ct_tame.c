#include "base/ct_tame.h"

#include <stdbool.h>

void ct_tame(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        bool control = (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f;
        if (control || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f))
            *c = '?';
        if (*c == '?' && (c[1] & 0xc0) == 0x80) /* what continued it */
            c[1] = '?';
    }
}
