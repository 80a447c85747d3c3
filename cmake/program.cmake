# The program: everything above the engine, and what it is made of.
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_library(XXHASH_LIBRARY xxhash REQUIRED)

# From the bottom up, as in tools/layers.txt.
tidemill_module(store USES base LINKS SQLite::SQLite3 Threads::Threads)
tidemill_module(walk USES base LINKS Threads::Threads)
tidemill_module(proc USES base LINKS Threads::Threads)
tidemill_module(hash USES base LINKS OpenSSL::Crypto ${XXHASH_LIBRARY})
tidemill_module(text USES base)
tidemill_module(command USES base engine text LINKS CLI11::CLI11 tomlplusplus::tomlplusplus fmt::fmt)
tidemill_module(term USES base engine command text LINKS spdlog::spdlog fmt::fmt)
tidemill_module(durable USES base engine store text LINKS fmt::fmt)
tidemill_module(catalogue USES base store LINKS Threads::Threads)
tidemill_module(jobs/each USES base engine text command walk proc durable LINKS fmt::fmt)
tidemill_module(jobs/dupes USES base engine text command walk hash durable catalogue LINKS fmt::fmt)
tidemill_module(cli USES base engine text command term walk proc hash durable catalogue jobs/each jobs/dupes
                LINKS fmt::fmt)

target_compile_definitions(tidemill_cli PRIVATE TIDEMILL_VERSION="${PROJECT_VERSION}")

add_executable(tidemill tidemill/cli/main.cc)
target_link_libraries(tidemill PRIVATE tidemill_cli)
install(TARGETS tidemill DESTINATION ${CMAKE_INSTALL_BINDIR})

# Man pages and completions come from the program's own description of itself.
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(
  OUTPUT ${manual}/stamp
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man1 ${manual}/completions
  COMMAND tidemill man --folder ${manual}/man1
  COMMAND tidemill completion bash > ${manual}/completions/tidemill
  COMMAND tidemill completion zsh > ${manual}/completions/_tidemill
  COMMAND tidemill completion fish > ${manual}/completions/tidemill.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${manual}/stamp
  DEPENDS tidemill VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/stamp)
install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${manual}/completions/tidemill
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual}/completions/_tidemill
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual}/completions/tidemill.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
