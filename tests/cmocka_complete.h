/* cmocka with the headers that it asks for. */
#ifndef CMOCKA_COMPLETE_H
#define CMOCKA_COMPLETE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
