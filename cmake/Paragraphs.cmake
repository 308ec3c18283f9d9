# Makes a C text of each section of a file, "[NAME]" and the lines behind it, called report_reference_NAME:
#   cmake -DOUTPUT=FILE.c -DINPUT=report_reference.txt -P Paragraphs.cmake
file(READ "${INPUT}" text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REGEX REPLACE "\\[([a-z]+)\\]\n" "@\\1@" text "${text}")
string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
string(REGEX REPLACE "@([a-z]+)@" "\";\nextern const char report_reference_\\1[];\nconst char report_reference_\\1[] =\n    \"" text "${text}")
string(REGEX REPLACE "^\";\n" "" text "${text}")
file(WRITE "${OUTPUT}" "/* Made by cmake/Paragraphs.cmake. */\n${text}\";\n")
