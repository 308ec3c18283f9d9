/* Numbers as people read them in reports. */
#ifndef NUMBER_TEXT_H
#define NUMBER_TEXT_H

/* A number with four significant digits, never with an exponent from 0.001 to 10^6; "-" for NAN. */
enum { DOC_NUMBER = 32 };
const char *doc_format_number(double number, char text[DOC_NUMBER]);

/* doc_format_number for sentences: without zeros at the end. */
const char *doc_format_plain(double number, char text[DOC_NUMBER]);

#endif
