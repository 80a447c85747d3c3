# The program, made of the modules.
target_compile_definitions(tidemill_app PRIVATE TIDEMILL_VERSION="${PROJECT_VERSION}")
include(cmake/commit.cmake)

add_executable(tidemill tidemill/app/main.cc)
target_link_libraries(tidemill PRIVATE tidemill_app)
# Whatever is installed is there once the program is built: `cmake --build --target tidemill` is enough.
foreach(part token_tables warm)
  if(TARGET ${part})
    add_dependencies(tidemill ${part})
  endif()
endforeach()
install(TARGETS tidemill DESTINATION ${CMAKE_INSTALL_BINDIR})

# Man pages and completions come from the program's own description of itself.
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(
  TARGET tidemill POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man1 ${manual}/completions
  COMMAND tidemill man --quiet --folder ${manual}/man1
  COMMAND tidemill completion bash > ${manual}/completions/tidemill
  COMMAND tidemill completion zsh > ${manual}/completions/_tidemill
  COMMAND tidemill completion fish > ${manual}/completions/tidemill.fish
  VERBATIM)
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${manual}/completions/tidemill
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual}/completions/_tidemill
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual}/completions/tidemill.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
