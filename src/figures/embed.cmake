# The page of `cotenant html` becomes part of the program; src/figures/page/README.md says what is what.
set(html "${PROJECT_SOURCE_DIR}/src/figures/page")
set(html_page ${html}/page.html)
set(html_style ${html}/page.css)
set(html_library ${html}/plot.js)
set(html_script ${html}/base.js ${html}/runs.js ${html}/zoom.js ${html}/sweep.js ${html}/summary.js ${html}/charts.js ${html}/servers.js ${html}/usage.js ${html}/jobs.js
                ${html}/log.js ${html}/live.js ${html}/start.js)
set(html_advice ${html}/base.js ${html}/zoom.js ${html}/advice.js)
set(html_plan ${html}/base.js ${html}/zoom.js ${html}/plan.js)
set(html_core "${PROJECT_SOURCE_DIR}/src/apps/lessons/core.js")
set(html_cluster ${html}/base.js ${html}/zoom.js ${html}/cluster.js)
foreach(part page style library script core advice plan cluster)
  string(REPLACE ";" "," files "${html_${part}}")
  list(APPEND html_assets "html_asset_${part}=${files}")
endforeach()
set(html_output "${CMAKE_CURRENT_BINARY_DIR}/figures/html_assets.c")
add_custom_command(OUTPUT "${html_output}"
  COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${html_output}" -DHEADER=figures/html_frame.h -DTYPE=html_asset
          "-DASSETS=${html_assets}" -P "${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake"
  DEPENDS ${html_page} ${html_style} ${html_library} ${html_script} ${html_core} ${html_advice} ${html_plan} ${html_cluster} "${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake"
  COMMENT "Embedding src/figures/page" VERBATIM)
target_sources(ct_figures PRIVATE "${html_output}")
