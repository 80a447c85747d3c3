# The program: everything above the engine, and what it is made of.
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
find_package(simdjson REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_library(HIREDIS_LIBRARY hiredis REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibXml2 REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_library(QPDF_LIBRARY qpdf REQUIRED)
find_library(SECCOMP_LIBRARY seccomp REQUIRED)
find_package(CURL REQUIRED)
find_library(NCURSESW_LIBRARY ncursesw REQUIRED)
find_library(TINFO_LIBRARY tinfo REQUIRED)

# From the bottom up, as in tools/layers.txt.
tidemill_module(store HOT USES base LINKS SQLite::SQLite3 Threads::Threads ${XXHASH_LIBRARY})
tidemill_module(redis USES base LINKS ${HIREDIS_LIBRARY} OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
tidemill_module(walk HOT USES base LINKS Threads::Threads)
tidemill_module(trust ONE_THREAD USES base)
tidemill_module(files USES base walk trust)
tidemill_module(proc USES base LINKS Threads::Threads)
tidemill_module(hash HOT USES base LINKS OpenSSL::Crypto ${XXHASH_LIBRARY})
tidemill_module(text ONE_THREAD USES base)
tidemill_module(jsonl HOT USES base text LINKS simdjson::simdjson ${ISAL_LIBRARY} ${ZSTD_LIBRARY})
tidemill_module(tokens ONE_THREAD HOT USES base text LINKS simdjson::simdjson)
include(cmake/tokens.cmake)
include(cmake/warm.cmake)
tidemill_module(xml ONE_THREAD USES base text LINKS LibXml2::LibXml2)
tidemill_module(zip ONE_THREAD USES base LINKS ZLIB::ZLIB ${ISAL_LIBRARY})
tidemill_module(pdf ONE_THREAD USES base LINKS ${QPDF_LIBRARY} TEST_LINKS ZLIB::ZLIB)
tidemill_module(cell USES base LINKS ${SECCOMP_LIBRARY} Threads::Threads)
tidemill_module(book ONE_THREAD USES base files text xml zip pdf LINKS ICU::uc)
include(cmake/grammar_files.cmake)
tidemill_module(http USES base engine LINKS CURL::libcurl)
tidemill_module(web USES base LINKS Threads::Threads)
tidemill_module(command ONE_THREAD USES base engine text trust LINKS CLI11::CLI11 tomlplusplus::tomlplusplus fmt::fmt)
tidemill_module(term USES base engine files command text
                LINKS spdlog::spdlog fmt::fmt ${NCURSESW_LIBRARY} ${TINFO_LIBRARY})
tidemill_module(durable USES base engine store redis text trust LINKS fmt::fmt)
tidemill_module(catalogue USES base store files trust LINKS Threads::Threads)
tidemill_module(pages HOT USES base store LINKS Threads::Threads)
tidemill_module(jobs/each USES base engine text command walk files proc hash durable LINKS fmt::fmt)
tidemill_module(jobs/dupes WARM USES base engine text command walk hash durable catalogue LINKS fmt::fmt)
tidemill_module(jobs/import HOT USES base engine text command store walk files hash jsonl pages)
tidemill_module(jobs/batch WARM USES base engine text command redis walk hash tokens durable catalogue)
tidemill_module(jobs/books USES base engine text trust command store walk files proc xml zip pdf cell book)
tidemill_module(jobs/docs USES base engine text command files hash jsonl http web durable)
tidemill_token_tests(jobs_batch_test)  # it counts with the real tables
tidemill_module(cli USES base engine text trust command term redis walk files proc hash cell durable catalogue jobs/each
                jobs/dupes jobs/import jobs/batch jobs/books jobs/docs LINKS fmt::fmt)

target_compile_definitions(tidemill_cli PRIVATE TIDEMILL_VERSION="${PROJECT_VERSION}")
include(cmake/commit.cmake)

add_executable(tidemill tidemill/cli/main.cc)
target_link_libraries(tidemill PRIVATE tidemill_cli)
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
