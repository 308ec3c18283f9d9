# The texts of the exercises become a table of the program.
set(exercise_course_output "${CMAKE_CURRENT_BINARY_DIR}/apps/exercise/exercise_course.c")
add_custom_command(OUTPUT "${exercise_course_output}"
  COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${exercise_course_output}" "-DCOURSE=${PROJECT_SOURCE_DIR}/src/apps/exercise/course.json"
          -P "${PROJECT_SOURCE_DIR}/cmake/ExerciseCourse.cmake"
  DEPENDS "${PROJECT_SOURCE_DIR}/src/apps/exercise/course.json" "${PROJECT_SOURCE_DIR}/cmake/ExerciseCourse.cmake"
  COMMENT "Gathering the texts of exercises" VERBATIM)
target_sources(ct_apps_exercise PRIVATE "${exercise_course_output}")
