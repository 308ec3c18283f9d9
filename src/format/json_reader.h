/*
 * JSON text, read by yajl, becomes a tree of jansson's values. jansson's own reader drops
 * characters where memory runs out in the midst of a string or a number, and then goes on past the
 * end of its buffer (https://github.com/akheron/jansson/issues/362); here nothing is left out.
 */
#ifndef JSON_READER_H
#define JSON_READER_H

#include <jansson.h>

/* A flag beside jansson's: keys and texts with characters that a terminal may obey are refused. */
#define JSON_READER_TAME ((size_t)1 << 31)

/*
 * Reads a whole text (RFC 8259, in UTF-8), an object or an array. `flags` as of json_loadb:
 * JSON_DECODE_ANY (any value), JSON_REJECT_DUPLICATES; or JSON_READER_TAME. A character 0 is
 * refused, depth above JSON_READER_DEPTH too; half a pair of \u escapes becomes '?' or is refused.
 * NULL: the line and the sentence of `error` say what is wrong; or, with errno ENOMEM, memory ran
 * out. The caller owns the value.
 */
json_t *json_reader_read(const char *text, size_t size, size_t flags, json_error_t *error);

/* Deepest nesting that jansson reads. */
enum { JSON_READER_DEPTH = 2048 };

#endif
