# tidemill_module(<folder> [WHOLE] [USES <folder>...] [LINKS <target>...] [TEST_LINKS <target>...])
#
# One folder under tidemill/ is one library tidemill::<folder>, one test program <folder>_test with
# all its *_test.cc, and with TIDEMILL_FUZZ one program for each *_fuzz.cc. USES names folders of
# ours, LINKS what users of the library link too, TEST_LINKS what only its tests need. A folder
# without .cc files is a header-only library; one without *_test.cc files has no test program; a
# main.cc is a program's, not the library's. WHOLE
# is for a folder with test suites in it: nobody calls them, so out of an archive the linker would
# not take them.
#
# The folder itself is the list of files: a second list here would drift from the first, and a test
# that is on the disk but not in the list never runs.
include(GoogleTest)

# With TIDEMILL_PCH the standard headers are read once, for the sanitizer builds and for clang-tidy,
# which then looks at our own lines only. What is shipped is built without: there every file must
# include what it uses. g++ gains nothing from it.
option(TIDEMILL_PCH "Precompile the standard headers (clang)" OFF)
set(tidemill_std_headers
    <algorithm> <atomic> <chrono> <condition_variable> <cstdint> <expected> <filesystem> <functional>
    <map> <memory> <mutex> <optional> <ranges> <span> <stop_token> <string> <thread> <variant>
    <vector>)
set(tidemill_test_headers ${tidemill_std_headers} <gtest/gtest.h> <rapidcheck.h>
    <rapidcheck/gtest.h>)

# tidemill_precompiled(<target> std|test)
function(tidemill_precompiled target kind)
  if(NOT TIDEMILL_PCH)
    return()
  endif()
  if(NOT TARGET tidemill_pch_${kind})
    # Of the kind that will use it: programs are compiled with -fPIE, libraries with -fPIC.
    file(WRITE ${PROJECT_BINARY_DIR}/pch_${kind}.cc "int main() { return 0; }\n")
    if(kind STREQUAL "test")
      add_executable(tidemill_pch_test ${PROJECT_BINARY_DIR}/pch_test.cc)
      target_link_libraries(tidemill_pch_test PRIVATE rapidcheck rapidcheck_gtest GTest::gtest)
    else()
      add_library(tidemill_pch_std OBJECT ${PROJECT_BINARY_DIR}/pch_std.cc)
    endif()
    target_compile_features(tidemill_pch_${kind} PRIVATE cxx_std_23)
    target_precompile_headers(tidemill_pch_${kind} PRIVATE ${tidemill_${kind}_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM tidemill_pch_${kind})
endfunction()

function(tidemill_module folder)
  cmake_parse_arguments(PARSE_ARGV 1 MODULE "WHOLE" "" "USES;LINKS;TEST_LINKS")
  if(MODULE_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tidemill_module(${folder}): what is ${MODULE_UNPARSED_ARGUMENTS}?")
  endif()
  set(dir ${PROJECT_SOURCE_DIR}/tidemill/${folder})
  file(GLOB headers CONFIGURE_DEPENDS ${dir}/*.h)
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${dir}/*_test.cc)
  file(GLOB fuzzers CONFIGURE_DEPENDS ${dir}/*_fuzz.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$|/main\\.cc$")

  string(REPLACE "/" "_" name ${folder})
  set(library tidemill_${name})
  list(TRANSFORM MODULE_USES REPLACE "/" "_")
  list(TRANSFORM MODULE_USES PREPEND tidemill_)

  if(sources)
    set(kind STATIC)
    if(MODULE_WHOLE)
      set(kind OBJECT)
    endif()
    add_library(${library} ${kind} ${sources})
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(tidemill::${name} ALIAS ${library})
  target_sources(${library} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                     FILES ${headers})
  target_compile_features(${library} ${scope} cxx_std_23)
  target_link_libraries(${library} ${scope} ${MODULE_USES} ${MODULE_LINKS})
  if(sources)
    tidemill_precompiled(${library} std)
  endif()

  if(TIDEMILL_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${library} tidemill_testing ${MODULE_TEST_LINKS}
                                               rapidcheck rapidcheck_gtest GTest::gtest_main)
    # Tests spend their time in the library, not in themselves, and names and lines are enough to
    # read a failure: optimised tests with full debug information would take twice as long to build.
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1;-O1>)
    # PRE_TEST: the tests are listed when ctest starts, so a build never runs what it built.
    tidemill_precompiled(${name}_test test)
    gtest_discover_tests(${name}_test TEST_PREFIX ${folder}/ DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 300)
  endif()

  if(TIDEMILL_FUZZ)
    foreach(file IN LISTS fuzzers)
      cmake_path(GET file STEM fuzzer)
      add_executable(${fuzzer} ${file})
      target_link_libraries(${fuzzer} PRIVATE ${library})
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      if(TIDEMILL_TESTS)
        add_test(NAME fuzz/${fuzzer} COMMAND ${fuzzer} -max_total_time=20)
      endif()
    endforeach()
  endif()
endfunction()
