# tidemill_module(<folder> [WHOLE] [ONE_THREAD] [HOT] [WARM] [ROOMS <subfolder>...] [USES <module>...]
#                 [MAY_USE <module>...] [LINKS <target>...] [TEST_LINKS <target>...])
#
# One folder under tidemill/ is one library tidemill::<name>, one test program <name>_test with
# all its *_test.cc, and with TIDEMILL_FUZZ one program for each *_fuzz.cc. The name is the folder's without
# its layer, unless that is jobs or app: io/store is store, jobs/each is jobs_each. Subfolders belong to the
# module: all of them, or with ROOMS only these. Headers in them are not installed. USES names
# modules, MAY_USE those that it includes and leaves to its users to link (only tools/check_layers.py reads
# it), LINKS what users of the library link too, TEST_LINKS what only its tests need. A folder
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

# The standard headers are parsed once for each kind of target. A file must still include what it
# uses: tools/check_includes.py looks, and .ci/soak builds everything without precompiled headers.
option(TIDEMILL_PCH "Precompile the standard headers" ON)
set(tidemill_std_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstddef> <cstdint>
    <cstring> <deque> <expected> <functional> <map> <memory> <mutex> <optional> <ranges> <set>
    <span> <stop_token> <string> <string_view> <system_error> <thread> <tuple> <unordered_map>
    <unordered_set> <utility> <variant> <vector>)
set(tidemill_cold_headers ${tidemill_std_headers})
set(tidemill_unraced_headers ${tidemill_std_headers})
set(tidemill_unraced_options -O0 -fno-sanitize=thread)
set(tidemill_test_headers ${tidemill_std_headers} <filesystem> <fstream> <gtest/gtest.h>
    <rapidcheck.h> <rapidcheck/gtest.h>)

option(TIDEMILL_RACES_ONLY "Leave out the tests of folders that start no thread" OFF)

set(TIDEMILL_COLD_OPTIONS "" CACHE STRING "Compile options of folders that are not HOT, behind others")
# With AddressSanitizer, clang's optimiser takes two thirds of the time that a test takes to compile.
set(TIDEMILL_TEST_OPTIONS "" CACHE STRING "Compile options of the test programs, behind all others")
# Tests spend their time in the library, not in themselves, and names and lines are enough to read a
# failure: optimised tests with full debug information would take twice as long to build.
set(tidemill_test_options $<$<CONFIG:RelWithDebInfo>:-g1;-O0> ${TIDEMILL_TEST_OPTIONS})

# Most of the time that a small file takes goes into the headers it includes, so several are compiled as
# one, but not in the builds that developers work in (decision 0036).
option(TIDEMILL_UNITY "Compile several files of a folder as one" OFF)

# tidemill_group(<file>...): sets the global property tidemill_group_<file> of each file to the number of its group.
# Called once for all files: starting Python for each target took most of the time that cmake needs.
function(tidemill_group)
  execute_process(COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/tools/group_sources.py 2500 ${ARGN}
                  OUTPUT_VARIABLE numbers COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" numbers "${numbers}")
  foreach(file number IN ZIP_LISTS ARGN numbers)
    set_property(GLOBAL PROPERTY tidemill_group_${file} ${number})
  endforeach()
endfunction()
if(TIDEMILL_UNITY AND PYTHON3)
  file(GLOB_RECURSE all_sources ${PROJECT_SOURCE_DIR}/tidemill/*.cc)
  list(FILTER all_sources EXCLUDE REGEX "_(bench|fuzz)\\.cc$|/main\\.cc$")
  tidemill_group(${all_sources})
endif()

# tidemill_sources(<target> <file>...): adds the files to the target, in groups where TIDEMILL_UNITY says so.
# CMake's own unity builds name the files by absolute paths, with which ccache finds nothing in another clone.
function(tidemill_sources target)
  if(NOT TIDEMILL_UNITY OR NOT PYTHON3)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  list(GET ARGN 0 first)
  get_property(is_grouped GLOBAL PROPERTY tidemill_group_${first} SET)
  if(NOT is_grouped)
    tidemill_group(${ARGN})
  endif()
  set(numbers "")
  foreach(file IN LISTS ARGN)
    get_property(number GLOBAL PROPERTY tidemill_group_${file})
    list(APPEND numbers ${number})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND group_${number} "#include \"${file}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES numbers)
  foreach(number IN LISTS numbers)
    set(group ${PROJECT_BINARY_DIR}/groups/${target}_${number}.cc)
    file(CONFIGURE OUTPUT ${group} CONTENT "${group_${number}}" @ONLY)
    target_sources(${target} PRIVATE ${group})
  endforeach()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  # A name of one file is no shadow over that of another; and to g++ a .cc that is included is a header, whose
  # types should not have members of an unnamed namespace.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# tidemill_precompiled(<target> std|cold|unraced|test)
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

# tidemill_verify_headers(<library> <header>...): a header stands alone if its own .cc includes it first, and
# tools/check_layers.py looks that it does. The others are compiled by themselves, each twice in one file, by the
# target verify_headers, which is not part of all. So are all those that are installed.
add_custom_target(verify_headers)
function(tidemill_verify_headers library)
  set(lone "")
  foreach(header IN LISTS ARGN)
    string(REGEX REPLACE "\\.h$" ".cc" own ${header})
    if(NOT own IN_LIST sources OR library MATCHES "^tidemill_(base|engine)$")
      cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      set(file ${PROJECT_BINARY_DIR}/headers/${header}.cc)
      file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
      list(APPEND lone ${file})
    endif()
  endforeach()
  if(lone)
    add_library(${library}_headers OBJECT EXCLUDE_FROM_ALL ${lone})
    target_link_libraries(${library}_headers PRIVATE ${library})
    if(TIDEMILL_COLD_OPTIONS)
      target_compile_options(${library}_headers PRIVATE ${TIDEMILL_COLD_OPTIONS})
      tidemill_precompiled(${library}_headers cold)
    else()
      tidemill_precompiled(${library}_headers std)
    endif()
    add_dependencies(verify_headers ${library}_headers)
  endif()
endfunction()

# tidemill_gtests(<folder> <program> <file>...): the tests of a program, a process each, or in shards. The report
# of a shard is in gtest/<program>_<number>.xml of the build folder, for tools/count_tests.py.
option(TIDEMILL_SHARDS "Run each test program in 2 to 4 processes, not one for each test" OFF)
function(tidemill_gtests folder program)
  if(NOT TIDEMILL_SHARDS)
    # PRE_TEST: the tests are listed when ctest starts, so a build never runs what it built.
    gtest_discover_tests(${program} TEST_PREFIX ${folder}/ DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
    return()
  endif()
  list(LENGTH ARGN files)
  set(shards 2)
  if(files GREATER 6)
    set(shards 4)
  endif()
  foreach(number RANGE 1 ${shards})
    math(EXPR index "${number} - 1")
    add_test(NAME ${folder}/shard_${number} COMMAND ${program})
    set_tests_properties(${folder}/shard_${number} PROPERTIES TIMEOUT 1800 COST 100 ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index};GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/gtest/${program}_${number}.xml")
  endforeach()
endfunction()

# tidemill_module_name(<out> <folder>): "store" of io/store, "jobs_each" of jobs/each.
function(tidemill_module_name out folder)
  string(REGEX REPLACE "^(io|formats|state|ui)/" "" name ${folder})
  string(REPLACE "/" "_" name ${name})
  set(${out} ${name} PARENT_SCOPE)
endfunction()

function(tidemill_module folder)
  cmake_parse_arguments(PARSE_ARGV 1 MODULE "WHOLE;ONE_THREAD;HOT;WARM" "" "ROOMS;USES;MAY_USE;LINKS;TEST_LINKS")
  if(MODULE_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tidemill_module(${folder}): what is ${MODULE_UNPARSED_ARGUMENTS}?")
  endif()
  set(dir ${PROJECT_SOURCE_DIR}/tidemill/${folder})
  set(dirs ${dir})
  if(MODULE_ROOMS)
    set(glob GLOB)
    foreach(room IN LISTS MODULE_ROOMS)
      list(APPEND dirs ${dir}/${room})
    endforeach()
  else()
    set(glob GLOB_RECURSE)
  endif()
  foreach(kind headers=*.h sources=*.cc tests=*_test.cc fuzzers=*_fuzz.cc)
    string(REPLACE "=" ";" kind ${kind})
    list(POP_FRONT kind list)
    list(TRANSFORM dirs APPEND /${kind} OUTPUT_VARIABLE patterns)
    file(${glob} ${list} CONFIGURE_DEPENDS ${patterns})
  endforeach()
  file(GLOB interfaces CONFIGURE_DEPENDS ${dir}/*.h)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$|/main\\.cc$")

  if(folder IN_LIST tidemill_app_modules)
    set(interfaces ${tidemill_app_headers})
    list(FILTER interfaces INCLUDE REGEX "^tidemill/${folder}/")
    list(TRANSFORM interfaces PREPEND ${PROJECT_SOURCE_DIR}/)
  endif()

  tidemill_module_name(name ${folder})
  set(library tidemill_${name})
  if(folder MATCHES "^jobs/")
    set_property(GLOBAL APPEND PROPERTY tidemill_jobs ${folder})
  endif()
  if("jobs/*" IN_LIST MODULE_USES)
    list(REMOVE_ITEM MODULE_USES "jobs/*")
    get_property(jobs GLOBAL PROPERTY tidemill_jobs)
    list(APPEND MODULE_USES ${jobs})
  endif()
  list(TRANSFORM MODULE_USES REPLACE "/" "_")
  list(TRANSFORM MODULE_USES PREPEND tidemill_)

  if(sources)
    set(kind STATIC)
    if(MODULE_WHOLE)
      set(kind OBJECT)
    endif()
    add_library(${library} ${kind})
    tidemill_sources(${library} ${sources})
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(NOT name STREQUAL "app")  # tidemill::app is what other programs link
    add_library(tidemill::${name} ALIAS ${library})
  endif()
  target_sources(${library} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                     FILES ${interfaces})
  target_compile_features(${library} ${scope} cxx_std_23)
  target_link_libraries(${library} ${scope} ${MODULE_USES} ${MODULE_LINKS})
  tidemill_verify_headers(${library} ${headers})
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
    add_executable(${name}_test)
    tidemill_sources(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${library} tidemill_testing ${MODULE_TEST_LINKS}
                                               rapidcheck rapidcheck_gtest GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE ${tidemill_test_options})
    tidemill_precompiled(${name}_test test)
    string(REGEX REPLACE "^(io|formats|state|ui)/" "" prefix ${folder})
    tidemill_gtests(${prefix} ${name}_test ${tests})
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
