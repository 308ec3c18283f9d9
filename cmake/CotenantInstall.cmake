# What `cmake --install` puts where: the program, what it reads at run time, and what a policy's author needs.
# The prefix may be chosen at install time: the program finds its share folder from its own place, the pkg-config file
# from its own.

set(share_dir "${CMAKE_INSTALL_DATADIR}/cotenant")

install(TARGETS cotenant RUNTIME)
install(TARGETS cotenant_shared LIBRARY)
install(TARGETS cotenant_static ARCHIVE)
install(FILES src/api/cotenant.h src/abi/ct_policy.h src/abi/ct_option.h src/abi/ct_pattern.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cotenant")
install(FILES src/policies/template.c DESTINATION "${share_dir}/policies" OPTIONAL)

install(DIRECTORY src/models/gpus/ DESTINATION "${share_dir}/gpus" FILES_MATCHING PATTERN "*.json")
install(DIRECTORY src/models/demand/ DESTINATION "${share_dir}/demand" FILES_MATCHING PATTERN "*.json")
install(DIRECTORY src/models/themis/ DESTINATION "${share_dir}/themis" FILES_MATCHING PATTERN "*.json")
install(DIRECTORY traces/ DESTINATION "${share_dir}/traces"
        FILES_MATCHING PATTERN "*.db" PATTERN "*.csv" PATTERN "*.json" PATTERN "*.md" PATTERN "*.txt")
install(DIRECTORY workloads/ DESTINATION "${share_dir}/workloads"
        FILES_MATCHING PATTERN "*.json" PATTERN "*.csv" PATTERN "*.md")
install(DIRECTORY plots/ DESTINATION "${share_dir}/plots" FILES_MATCHING PATTERN "*.gp" PATTERN "*.gnuplot")

# The program as WebAssembly, for pages (target lessons).
install(FILES build/lessons/core.tar.gz build/lessons/version DESTINATION "${share_dir}/lessons" OPTIONAL)

# The same beside the programs of a build, in src/cli, in tests and below: none knows where it was built.
foreach(folder "src/models/gpus" "src/models/demand" "src/models/themis" traces workloads plots build/lessons)
  cmake_path(GET folder FILENAME name)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/cotenant")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/share/cotenant/${name}" SYMBOLIC)
endforeach()
foreach(room src tests)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/${room}")
  file(CREATE_LINK "../share" "${PROJECT_BINARY_DIR}/${room}/share" SYMBOLIC)
endforeach()

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES build/lessons/cotenant-lessons.html DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL) # target lessons
install(FILES share/man/cotenant.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
install(FILES share/completion/cotenant.bash DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        RENAME cotenant OPTIONAL)
install(FILES share/completion/cotenant.fish DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" OPTIONAL)
install(FILES share/completion/_cotenant DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" OPTIONAL)

# The way from the pkg-config file back to the prefix, so that the tree may be moved.
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# What the static library needs besides what pkg-config knows.
set(COTENANT_STATIC_LIBS "${CMAKE_THREAD_LIBS_INIT} -lm")
if(CMAKE_DL_LIBS)
  string(APPEND COTENANT_STATIC_LIBS " -l${CMAKE_DL_LIBS}")
endif()
if(GLPK_INCLUDE_DIR AND GLPK_LIBRARY)
  set(COTENANT_STATIC_LIBS "${GLPK_LIBRARY} ${COTENANT_STATIC_LIBS}")
endif()
file(RELATIVE_PATH COTENANT_PREFIX_FROM_PC "/prefix/${pkgconfig_dir}" "/prefix")
configure_file(cmake/cotenant.pc.in "${PROJECT_BINARY_DIR}/cotenant.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cotenant.pc" DESTINATION "${pkgconfig_dir}")
