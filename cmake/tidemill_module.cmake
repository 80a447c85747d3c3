# tidemill_module(<folder> [WHOLE] [ONE_THREAD] [HOT] [WARM] [USES <folder>...] [LINKS <target>...] [TEST_LINKS <target>...])
#
# One folder under tidemill/ is one library tidemill::<folder>, one test program <folder>_test with
# all its *_test.cc, and with TIDEMILL_FUZZ one program for each *_fuzz.cc. USES names folders of
# ours, LINKS what users of the library link too, TEST_LINKS what only its tests need. A folder
# without .cc files is a header-only library; one without *_test.cc files has no test program; a
# main.cc is a program's, not the library's. WHOLE
# is for a folder with test suites in it: nobody calls them, so out of an archive the linker would
# not take them. ONE_THREAD: neither the folder nor its tests start a thread, so a build that looks for
# races (TIDEMILL_RACES_ONLY) leaves its tests out, and has nothing to look for in it. HOT: its tests
# take their time in it, so it is optimised also where most folders are not (TIDEMILL_COLD_OPTIONS).
# WARM: so it is in a build that looks for races, where every access to memory is a call.
#
# The folder itself is the list of files: a second list here would drift from the first, and a test
# that is on the disk but not in the list never runs.
include(GoogleTest)

# With TIDEMILL_PCH the standard headers are read once, for the sanitizer builds and for clang-tidy,
# which then looks at our own lines only. What is shipped is built without: there every file must
# include what it uses. Tests that are compiled in groups (below) have them in any case.
option(TIDEMILL_PCH "Precompile the standard headers" OFF)
set(tidemill_std_headers
    <algorithm> <atomic> <chrono> <condition_variable> <cstdint> <expected> <filesystem> <functional>
    <map> <memory> <mutex> <optional> <ranges> <span> <stop_token> <string> <thread> <variant>
    <vector>)
set(tidemill_cold_headers ${tidemill_std_headers})
set(tidemill_unraced_headers ${tidemill_std_headers})
set(tidemill_unraced_options -O0 -fno-sanitize=thread)
set(tidemill_test_headers ${tidemill_std_headers} <gtest/gtest.h> <rapidcheck.h>
    <rapidcheck/gtest.h>)

option(TIDEMILL_RACES_ONLY "Leave out the tests of folders that start no thread" OFF)

set(TIDEMILL_COLD_OPTIONS "" CACHE STRING "Compile options of folders that are not HOT, behind others")
# With AddressSanitizer, clang's optimiser takes two thirds of the time that a test takes to compile.
set(TIDEMILL_TEST_OPTIONS "" CACHE STRING "Compile options of the test programs, behind all others")
# Tests spend their time in the library, not in themselves, and names and lines are enough to read a
# failure: optimised tests with full debug information would take twice as long to build.
set(tidemill_test_options $<$<CONFIG:RelWithDebInfo>:-g1;-O0> ${TIDEMILL_TEST_OPTIONS})

# With TIDEMILL_UNITY several files are compiled as one, for the sanitizer builds (ON) and for the tests of
# a build that is made once (TESTS): most of the time that a small file takes goes into the headers it
# includes. What is shipped is built file by file.
set(TIDEMILL_UNITY OFF CACHE STRING "Compile several files of a folder as one: OFF, TESTS or ON")

# tidemill_united(<target> <file>...)
function(tidemill_united target)
  if(NOT TIDEMILL_UNITY OR (TIDEMILL_UNITY STREQUAL "TESTS" AND target MATCHES "^tidemill_"))
    return()
  endif()
  execute_process(COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/tools/group_sources.py 2500 ${ARGN}
                  OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" groups "${groups}")
  foreach(file group IN ZIP_LISTS ARGN groups)
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A name of one file is no shadow over that of another.
  target_compile_options(${target} PRIVATE -Wno-shadow)
endfunction()

# tidemill_precompiled(<target> std|cold|unraced|test)
function(tidemill_precompiled target kind)
  if(NOT TIDEMILL_PCH AND NOT (kind STREQUAL "test" AND TIDEMILL_UNITY))
    return()
  endif()
  if(NOT TARGET tidemill_pch_${kind})
    # Of the kind that will use it: programs are compiled with -fPIE, libraries with -fPIC.
    file(WRITE ${PROJECT_BINARY_DIR}/pch_${kind}.cc "int main() { return 0; }\n")
    if(kind STREQUAL "test")
      add_executable(tidemill_pch_test ${PROJECT_BINARY_DIR}/pch_test.cc)
      target_link_libraries(tidemill_pch_test PRIVATE rapidcheck rapidcheck_gtest GTest::gtest)
      target_compile_options(tidemill_pch_test PRIVATE ${tidemill_test_options})  # as the tests
    else()
      add_library(tidemill_pch_${kind} OBJECT ${PROJECT_BINARY_DIR}/pch_${kind}.cc)
      if(kind STREQUAL "cold")
        target_compile_options(tidemill_pch_cold PRIVATE ${TIDEMILL_COLD_OPTIONS})
      elseif(kind STREQUAL "unraced")
        target_compile_options(tidemill_pch_unraced PRIVATE ${tidemill_unraced_options})
      endif()
    endif()
    target_compile_features(tidemill_pch_${kind} PRIVATE cxx_std_23)
    target_precompile_headers(tidemill_pch_${kind} PRIVATE ${tidemill_${kind}_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM tidemill_pch_${kind})
endfunction()

# tidemill_verify_lone_headers(<library> <scope>): a header stands alone if its own .cc includes it
# first, and tools/check_layers.py looks that it does. So only those without one are compiled by
# themselves (all_verify_interface_header_sets). What is exported is one set, and compiled whole.
function(tidemill_verify_lone_headers library scope)
  if(library MATCHES "^tidemill_(base|engine)$")
    return()
  endif()
  set(lone "")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" own ${header})
    if(NOT own IN_LIST sources)
      list(APPEND lone ${header})
    endif()
  endforeach()
  if(lone)
    target_sources(${library} ${scope} FILE_SET lone TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                       FILES ${lone})
    set_target_properties(${library} PROPERTIES INTERFACE_HEADER_SETS_TO_VERIFY lone)
  else()
    set_target_properties(${library} PROPERTIES VERIFY_INTERFACE_HEADER_SETS OFF)
  endif()
endfunction()

function(tidemill_module folder)
  cmake_parse_arguments(PARSE_ARGV 1 MODULE "WHOLE;ONE_THREAD;HOT;WARM" "" "USES;LINKS;TEST_LINKS")
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
    tidemill_united(${library} ${sources})
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(tidemill::${name} ALIAS ${library})
  target_sources(${library} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                     FILES ${headers})
  tidemill_verify_lone_headers(${library} ${scope})
  target_compile_features(${library} ${scope} cxx_std_23)
  target_link_libraries(${library} ${scope} ${MODULE_USES} ${MODULE_LINKS})
  if(sources AND MODULE_ONE_THREAD AND TIDEMILL_RACES_ONLY)
    target_compile_options(${library} PRIVATE ${tidemill_unraced_options})
    if(MODULE_HOT)
      target_compile_options(${library} PRIVATE -O1)  # for what the build itself does with it
    else()
      tidemill_precompiled(${library} unraced)
    endif()
  elseif(sources)
    set(kind std)
    if(MODULE_WARM AND TIDEMILL_RACES_ONLY)
      set(MODULE_HOT TRUE)
    endif()
    if(NOT MODULE_HOT AND TIDEMILL_COLD_OPTIONS)
      target_compile_options(${library} PRIVATE ${TIDEMILL_COLD_OPTIONS})
      set(kind cold)
    endif()
    tidemill_precompiled(${library} ${kind})
  endif()

  if(MODULE_ONE_THREAD AND TIDEMILL_RACES_ONLY)
    set(tests "")
  endif()
  if(TIDEMILL_TESTS AND tests)
    add_executable(${name}_test ${tests})
    tidemill_united(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${library} tidemill_testing ${MODULE_TEST_LINKS}
                                               rapidcheck rapidcheck_gtest GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE ${tidemill_test_options})
    # PRE_TEST: the tests are listed when ctest starts, so a build never runs what it built.
    tidemill_precompiled(${name}_test test)
    gtest_discover_tests(${name}_test TEST_PREFIX ${folder}/ DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 600)
  endif()

  if(TIDEMILL_FUZZ)
    foreach(file IN LISTS fuzzers)
      cmake_path(GET file STEM fuzzer)
      add_executable(${fuzzer} ${file})
      target_link_libraries(${fuzzer} PRIVATE ${library} ${MODULE_TEST_LINKS})
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      if(TIDEMILL_TESTS)
        add_test(NAME fuzz/${fuzzer} COMMAND ${fuzzer} -max_total_time=20)
      endif()
    endforeach()
  endif()
endfunction()
