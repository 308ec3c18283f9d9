# The numbers of a report, what their reference says besides, the words at the heads of columns, and the statements that make a store,
# become part of the program.
function(cotenant_text input script)
  set(input "${PROJECT_SOURCE_DIR}/src/results/${input}")
  set(script "${PROJECT_SOURCE_DIR}/cmake/${script}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/results/${ARGV2}")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DINPUT=${input}" -P "${script}"
    DEPENDS "${input}" "${script}" COMMENT "Making ${ARGV2}" VERBATIM)
  target_sources(ct_results PRIVATE "${output}")
endfunction()
cotenant_text(report_fields.txt ReportFields.cmake report_fields_tables.c)
cotenant_text(glossary.txt Glossary.cmake glossary_words.c)
cotenant_text(store.sql Statements.cmake result_sql.c)
cotenant_text(report_reference.txt Paragraphs.cmake report_reference_texts.c)
