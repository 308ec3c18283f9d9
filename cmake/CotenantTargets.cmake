# Compiler flags that every target shares, and the one way to add a library.
#
# -ffp-contract=off and no -ffast-math: the same bytes from every compiler and optimisation level.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
include(CotenantUnity)

add_library(cotenant_flags INTERFACE)
target_compile_options(cotenant_flags INTERFACE
  -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:${COTENANT_UNITY}>>:-Wshadow> -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wwrite-strings -Wvla -Wundef -Wformat=2
  # printf wrappers on va_list are no literals to clang; an SQL schema is one long literal.
  -Wno-format-nonliteral -Wno-overlength-strings
  -ffp-contract=off -fno-math-errno -fvisibility=hidden
  # No path of this machine in what is installed; a debugger still finds the source of what it looks at.
  $<IF:$<CONFIG:Debug>,-fmacro-prefix-map,-ffile-prefix-map>=${PROJECT_SOURCE_DIR}/=)
target_compile_definitions(cotenant_flags INTERFACE _POSIX_C_SOURCE=200809L COTENANT_VERSION="${PROJECT_VERSION}")
if(COTENANT_WERROR)
  target_compile_options(cotenant_flags INTERFACE -Werror)
endif()
if(COTENANT_SANITIZE)
  target_compile_options(cotenant_flags INTERFACE -fsanitize=${COTENANT_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cotenant_flags INTERFACE -fsanitize=${COTENANT_SANITIZE})
endif()
if(COTENANT_FUZZ)
  target_compile_options(cotenant_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(cotenant_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(COTENANT_COVERAGE)
  target_compile_options(cotenant_flags INTERFACE --coverage)
  target_link_options(cotenant_flags INTERFACE --coverage)
endif()

# cotenant_room(FOLDER [DEPENDS folder-or-library...] [PACKAGES pkg-config-name...])
# One static library, ct_FOLDER, from all .c files of a folder of src/; headers are included by their path from src/.
function(cotenant_room folder)
  cmake_parse_arguments(arg "" "" "DEPENDS;PACKAGES" ${ARGN})
  string(MAKE_C_IDENTIFIER "ct_${folder}" name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c")
  if(sources)
    add_library(${name} STATIC ${sources})
    if(COTENANT_UNITY)
      cotenant_unity(${name} ${sources})
    endif()
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name} ${scope} cotenant_flags)
  foreach(dependency IN LISTS arg_DEPENDS)
    if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/src/${dependency}")
      string(MAKE_C_IDENTIFIER "ct_${dependency}" dependency)
    endif()
    target_link_libraries(${name} ${scope} ${dependency})
  endforeach()
  foreach(package IN LISTS arg_PACKAGES)
    string(MAKE_C_IDENTIFIER "${package}" id)
    if(NOT TARGET PkgConfig::${id})
      pkg_check_modules(${id} REQUIRED IMPORTED_TARGET GLOBAL ${package})
    endif()
    target_link_libraries(${name} ${scope} PkgConfig::${id})
  endforeach()
endfunction()
