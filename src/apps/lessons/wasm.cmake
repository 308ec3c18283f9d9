# Toolchain of the program as WebAssembly: Debian's emscripten. Its drivers are Python programs that cost more than the compiler and
# the archiver that they call, so sources and archives go to those, with the driver's own flags, and only links go to the driver.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(EMSCRIPTEN TRUE)

find_program(EMCC emcc REQUIRED)
execute_process(COMMAND "${EMCC}" --cflags OUTPUT_VARIABLE emcc_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_program(WASM_CLANG clang-14 REQUIRED) # what Debian's emscripten depends on
find_program(WASM_AR llvm-ar-14 REQUIRED)
find_program(WASM_RANLIB llvm-ranlib-14 REQUIRED)

set(CMAKE_C_COMPILER "${WASM_CLANG}")
set(CMAKE_C_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_C_FLAGS_INIT "${emcc_flags}")
set(CMAKE_C_FLAGS_RELEASE_INIT "-O2")
set(CMAKE_AR "${WASM_AR}" CACHE FILEPATH "")
set(CMAKE_RANLIB "${WASM_RANLIB}" CACHE FILEPATH "")
# Its JavaScript finds what it needs of Debian only so.
set(CMAKE_C_LINK_EXECUTABLE "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${EMCC} <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_EXECUTABLE_SUFFIX_C .js)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
