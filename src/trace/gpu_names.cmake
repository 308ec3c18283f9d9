# What GPUs are called, from the presets' names, titles and further spellings.
file(GLOB gpu_presets CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/models/gpus/*.json")
set(gpu_names_output "${CMAKE_CURRENT_BINARY_DIR}/trace/gpu_names_shipped.c")
add_custom_command(OUTPUT "${gpu_names_output}"
  COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${gpu_names_output}" "-DFOLDER=${PROJECT_SOURCE_DIR}/src/models/gpus"
          -P "${PROJECT_SOURCE_DIR}/cmake/GpuNames.cmake"
  DEPENDS ${gpu_presets} "${PROJECT_SOURCE_DIR}/cmake/GpuNames.cmake"
  COMMENT "Gathering the names of GPUs" VERBATIM)
target_sources(ct_trace PRIVATE "${gpu_names_output}")
