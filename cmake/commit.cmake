# The commit that `tidemill --version` names, in a source file of its own: when HEAD moves, that file is compiled and
# the program linked, and nothing is configured again. Without git, or in a tree that is not a checkout, the commit is
# "unknown". Include this behind tidemill_module(app …). With -P it is the script that writes the file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit unknown)
  if(GIT)
    execute_process(COMMAND ${GIT} rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE}
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE wrong ERROR_QUIET)
    if(wrong)
      set(commit unknown)
    endif()
  endif()
  file(WRITE ${FILE} "#include \"tidemill/app/version.h\"\n\n"
                     "const char* const tidemill::app::kCommit = \"${commit}\";\n")
  return()
endif()

find_package(Git QUIET)
set(git "")
set(moved "")
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  # A line is added to this file whenever HEAD moves.
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(EXISTS ${log})
    set(moved ${log})
  endif()
  set(git ${GIT_EXECUTABLE})
endif()
set(commit_file ${PROJECT_BINARY_DIR}/commit.cc)
add_custom_command(
  OUTPUT ${commit_file}
  COMMAND ${CMAKE_COMMAND} -D GIT=${git} -D SOURCE=${PROJECT_SOURCE_DIR} -D FILE=${commit_file}
          -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${CMAKE_CURRENT_LIST_FILE} ${moved} VERBATIM)
target_sources(tidemill_app PRIVATE ${commit_file})
set_source_files_properties(${commit_file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
