# Makes the table of the exercises out of their texts; "two-words" is solved by exercise_two_words():
#   cmake -DOUTPUT=FILE.c -DCOURSE=FILE.json -P ExerciseCourse.cmake
file(READ "${COURSE}" json)
string(JSON count LENGTH "${json}")
math(EXPR last "${count} - 1")
set(items "")
foreach(i RANGE ${last})
  string(JSON name GET "${json}" ${i} name)
  string(JSON stars GET "${json}" ${i} stars)
  string(MAKE_C_IDENTIFIER "exercise_${name}" maker)
  string(APPEND items "    {.stars = ${stars},\n     .make = ${maker}")
  foreach(key name title topic teaches needs story question unit hint)
    string(JSON text ERROR_VARIABLE none GET "${json}" ${i} ${key})
    if(none)
      set(text "") # the maker says it
    endif()
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(APPEND items ",\n     .${key} = \"${text}\"")
  endforeach()
  string(APPEND items "},\n")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by cmake/ExerciseCourse.cmake. */\n#include \"apps/exercise/exercise_build.h\"\n\n"
     "const struct exercise exercises[] = {\n${items}};\nconst size_t exercise_count = ${count};\n")
