#include "base/ct_tame.h"

bool ct_is_control(const char *at) {
    const unsigned char *c = (const unsigned char *)at;
    return (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f ||
           (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f);
}

void ct_tame(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (ct_is_control((const char *)c))
            *c = '?';
        if (*c == '?' && (c[1] & 0xc0) == 0x80) /* what continued it */
            c[1] = '?';
    }
}
