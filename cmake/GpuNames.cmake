# Makes the table of what GPUs are called out of the presets, for programs that read no preset (the recorder):
#   cmake -DOUTPUT=FILE.c -DFOLDER=FOLDER -P GpuNames.cmake
file(GLOB presets "${FOLDER}/*.json")
list(TRANSFORM presets REPLACE "\\.json$" "")
list(SORT presets) # by name
set(tables "")
set(items "")
set(count 0)
foreach(preset IN LISTS presets)
  file(READ "${preset}.json" json)
  string(JSON name GET "${json}" name)
  string(JSON title GET "${json}" title)
  string(JSON capability GET "${json}" compute_capability)
  string(JSON length ERROR_VARIABLE none LENGTH "${json}" also)
  set(spellings "")
  if(length GREATER 0)
    math(EXPR last "${length} - 1")
    foreach(i RANGE ${last})
      string(JSON also GET "${json}" also ${i})
      string(APPEND spellings "\"${also}\", ")
    endforeach()
  endif()
  string(APPEND tables "static const char *const also_${count}[] = {${spellings}NULL};\n")
  string(APPEND items "    {\"${name}\", \"${title}\", also_${count}, ${capability}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by cmake/GpuNames.cmake. */\n#include \"trace/gpu_names.h\"\n\n${tables}\n"
     "static const struct gpu_name items[] = {\n${items}};\n\n"
     "const struct gpu_name_list gpu_names_shipped = {items, ${count}};\n")
