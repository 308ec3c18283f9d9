# Makes a C text of each section of a file of SQL, "-- [NAME]" and the statements behind it, called result_sql_NAME:
#   cmake -DOUTPUT=FILE.c -DINPUT=FILE.sql -P Statements.cmake
file(READ "${INPUT}" text)
string(REGEX REPLACE "\n-- \\[([a-z]+)\\]" "\n%\\1%" text "\n${text}")
string(REGEX REPLACE "\n--[^\n]*" "" text "${text}")
string(REGEX REPLACE "[ \n]+" " " text "${text}")
string(REGEX REPLACE "{([A-Z_]+)}" "\" \\1 \"" text "${text}")
string(REGEX REPLACE " ?%([a-z]+)% " "\";\nconst char result_sql_\\1[] = \"" text "${text}")
string(REGEX REPLACE "^\";\n" "" text "${text}")
file(WRITE "${OUTPUT}" "/* Made by cmake/Statements.cmake. */\n#include \"results/result_store_internal.h\"\n\n${text}\";\n")
