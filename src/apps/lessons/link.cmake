# The program as WebAssembly: a function that makes instances of it (worker.js calls it), files in memory, 8 MB of stack
# as on the machines that it is compared with. What the browser has not is in missing.c.
target_sources(cotenant PRIVATE "${CMAKE_CURRENT_LIST_DIR}/missing.c")
target_link_options(cotenant PRIVATE
  -O2 -Wl,--fatal-warnings,--wrap=dlopen,--wrap=dlerror -sMODULARIZE=1 -sEXPORT_NAME=createCotenant -sENVIRONMENT=worker,node -sINVOKE_RUN=0 -sEXIT_RUNTIME=1
  -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=8388608 -sFORCE_FILESYSTEM=1 "-sEXPORTED_RUNTIME_METHODS=['callMain','FS','ENV']"
  -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0)
