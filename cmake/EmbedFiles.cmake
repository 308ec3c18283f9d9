# Turns files into one C file, so that the program needs none of them at run time:
#   cmake -DOUTPUT=FILE.c -DHEADER=FILE.h -DTYPE=TYPE -DASSETS="NAME=FILE,FILE...;NAME=..." -P EmbedFiles.cmake
# Each NAME becomes `const struct TYPE NAME = {bytes, size}`, its files one after the other. The same files give the
# same bytes.
set(text "/* Made by cmake/EmbedFiles.cmake. */\n#include \"${HEADER}\"\n")
foreach(asset IN LISTS ASSETS)
  string(REGEX REPLACE "=.*" "" name "${asset}")
  string(REGEX REPLACE "^[^=]*=" "" files "${asset}")
  string(REPLACE "," ";" files "${files}")
  set(bytes "")
  foreach(file IN LISTS files)
    file(READ "${file}" hex HEX)
    string(APPEND bytes "${hex}")
  endforeach()
  string(REPEAT "." 64 row)
  string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${name}_bytes[] = {\n${bytes}};\n"
                     "const struct ${TYPE} ${name} = {${name}_bytes, sizeof ${name}_bytes};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
