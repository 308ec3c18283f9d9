# The words at the heads of columns become part of the program.
set(glossary_input "${PROJECT_SOURCE_DIR}/src/results/glossary.txt")
set(glossary_output "${CMAKE_CURRENT_BINARY_DIR}/results/glossary_words.c")
add_custom_command(OUTPUT "${glossary_output}"
  COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${glossary_output}" "-DINPUT=${glossary_input}" -P "${PROJECT_SOURCE_DIR}/cmake/Glossary.cmake"
  DEPENDS "${glossary_input}" "${PROJECT_SOURCE_DIR}/cmake/Glossary.cmake"
  COMMENT "Gathering the words at the heads of columns" VERBATIM)
target_sources(ct_results PRIVATE "${glossary_output}")
