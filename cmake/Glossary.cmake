# Makes the tables of the words at the heads of columns, in the order of glossary.txt, which says what its lines are:
#   cmake -DOUTPUT=FILE.c -DINPUT=glossary.txt -P Glossary.cmake
file(READ "${INPUT}" text)
string(REGEX REPLACE "(^|\n)#[^\n]*" "" text "${text}")
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(STRIP "${text}" text)
set(column "([^|\n]+) \\| ([^|\n]+)")
string(REGEX REPLACE "\n${column} \\| ([^|\n ]*) *\\| ([^\n]+)" "\n    {\"\\2\", \"\\3\", \"\\4\", \"\\1\"}," text "\n${text}\n\n")
string(REGEX REPLACE "\n${column}" "\n    {\"\\2\", NULL, NULL, \"\\1\"}," text "${text}")
string(REPLACE ", \"-\"}," ", NULL}," text "${text}")
string(REGEX REPLACE "\n\\[([a-z]+)\\]" "\nconst struct glossary_word glossary_\\1[] = {" text "${text}")
string(REPLACE "\n\n" "\n    {NULL, NULL, NULL, NULL}};\n\n" text "${text}")
file(WRITE "${OUTPUT}" "/* Made by cmake/Glossary.cmake. */\n#include \"results/glossary.h\"\n${text}")
