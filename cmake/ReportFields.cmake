# Makes the tables of the numbers of a report, in the order of report_fields.txt, which says what its lines are:
#   cmake -DOUTPUT=FILE.c -DINPUT=report_fields.txt -P ReportFields.cmake
file(READ "${INPUT}" text)
string(REGEX REPLACE "(^|\n)#[^\n]*" "" text "${text}")
string(STRIP "${text}" text)
set(text "\n${text}\n\n")
set(path "\n([^|\n]+) \\| ")

# Sections: AT is the place of a member.
string(REGEX REPLACE "\n\\[([a-z]+)\\] ([a-z_]+) ([a-z]+)" "\n[\\1] \\2 \\3." text "${text}")
string(REGEX REPLACE "\n\\[([a-z]+)\\] ([a-z_]+) ?([a-z.]*)"
       "\n#undef AT\n#define AT(member) offsetof(struct \\2, \\3member)\nconst struct report_field report_fields_\\1[] = {" text "${text}")

# Kinds.
string(REGEX REPLACE "${path}([^|\n]+) \\| \\|" "\n\\1 | \\2 | \\1 |" text "${text}")
string(REGEX REPLACE "${path}([a-z]+)\\? " "\n\\1 | \\2, .optional = true " text "${text}")
string(REGEX REPLACE "${path}role" "\n\\1 | named, .name_of = report_role_name, .last = REPORT_BATCH" text "${text}")
string(REGEX REPLACE "${path}verdict" "\n\\1 | named, .name_of = report_verdict_name, .last = REPORT_SAME" text "${text}")
foreach(kind double fraction signed latency interval count integer truth named text)
  string(TOUPPER "${kind}" upper)
  string(REGEX REPLACE "${path}${kind}([, ])" "\n\\1 | REPORT_FIELD_${upper}\\2" text "${text}")
endforeach()

# Tables of the text; "!": said to be unknown where it is.
foreach(table latencies progress servers tokens system)
  string(TOUPPER "${table}" upper)
  set(shown " \\| ${table}(!?) ([0-9]) \\| ([^|\n]+)")
  string(REGEX REPLACE "${shown} \\| ([^|\n]+)" "@, .text = {REPORT_IN_${upper}, \\2, \"\\3\", \"\\4\", sizeof \"\\1\" > 1}" text "${text}")
  string(REGEX REPLACE "${shown}" "@, .text = {REPORT_IN_${upper}, \\2, \"\\3\", NULL, sizeof \"\\1\" > 1}" text "${text}")
endforeach()

string(REGEX REPLACE "${path}([^|\n]+) \\| ([^|\n]+) \\| ([^|\n ]*) *\\| ([^@\n]+)@?([^\n]*)"
       "\n    {.path = \"\\1\", .kind = \\2, .offset = AT(\\3), .unit = \"\\4\", .meaning = \"\\5\"\\6}," text "${text}")
string(REPLACE ".unit = \"\"" ".unit = NULL" text "${text}")
string(REPLACE "\n\n" "\n    {.path = NULL}};\n\n" text "${text}")
file(WRITE "${OUTPUT}" "/* Made by cmake/ReportFields.cmake. */\n#include \"results/report_fields.h\"\n\n#include <stddef.h>\n${text}")
