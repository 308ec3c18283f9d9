# COTENANT_UNITY: several files of a room in one compilation, for a build that is made once to be tested: most of a file's time goes
# into the headers that it includes. Files that give one name to different things are not compiled as one; which those are is looked up
# when the build is configured.

set(unity_files 8) # in one compilation: with more, cores wait for the last one

# cotenant_names(OUT FILE): the names that the file keeps to itself: functions, tables, types, enumerators, macros.
function(cotenant_names out file)
  file(READ "${file}" text)
  string(REGEX MATCHALL "\n(static [^]=;(){[\n]+|} [a-z_]+|(struct|union|enum) [a-z_0-9]+ {|#define [A-Za-z_0-9]+)" lines "${text}")
  list(TRANSFORM lines REPLACE "[^A-Za-z_0-9]+$" "")
  list(TRANSFORM lines REPLACE "^.*[^A-Za-z_0-9]" "")
  string(REGEX MATCHALL "\nenum [a-z_]*{?[^}]*}" enums "${text}")
  string(REGEX MATCHALL "[A-Z][A-Z0-9_]+" enumerators "${enums}")
  list(APPEND lines ${enumerators})
  list(REMOVE_DUPLICATES lines)
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# cotenant_unity(TARGET FILE...): each file joins the first group that has room and none of its names.
function(cotenant_unity target)
  set(last 0)
  foreach(file IN LISTS ARGN)
    cotenant_names(names "${file}")
    set(group ${last})
    foreach(i RANGE ${last})
      set(both ${names} ${taken_${i}})
      list(LENGTH both separately)
      list(REMOVE_DUPLICATES both)
      list(LENGTH both together)
      list(LENGTH members_${i} size)
      if(separately EQUAL together AND size LESS unity_files)
        set(group ${i})
        break()
      endif()
    endforeach()
    list(APPEND taken_${group} ${names})
    list(APPEND members_${group} "${file}")
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${target}_${group}")
    if(group EQUAL last)
      math(EXPR last "${last} + 1")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
