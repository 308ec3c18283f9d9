#include "format/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *doc_format_number(double number, char text[DOC_NUMBER]) {
    double size = fabs(number);
    if (isnan(number))
        return "-";
    if (size >= 1e6 || (size < 0.001 && size > 0))
        snprintf(text, DOC_NUMBER, "%.3g", number);
    else
        snprintf(text, DOC_NUMBER, "%.*f",
                 size == 0 || size >= 1000 ? 0
                 : size >= 100             ? 1
                 : size >= 10              ? 2
                 : size >= 0.1             ? 3
                                           : 4,
                 size == 0 ? 0 : number);
    return text;
}

const char *doc_format_plain(double number, char text[DOC_NUMBER]) {
    const char *formatted = doc_format_number(number, text);
    if (formatted == text && strchr(text, '.') && !strchr(text, 'e')) {
        size_t length = strlen(text);
        while (text[length - 1] == '0')
            length--;
        text[text[length - 1] == '.' ? length - 1 : length] = '\0';
    }
    return formatted;
}
