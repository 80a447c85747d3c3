# The grammars in tidemill/formats/epub/grammar/grammars, embedded in the program: one generated file defines the functions that
# tidemill/formats/epub/grammar/grammar_files.h declares. An edited grammar compiles that one file; a new one is found by the glob.
# The generated file names no folder, so that a compiler cache knows it in another clone too.
# Include it behind tidemill_module(formats/epub …). With -P it is the script that writes the file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(code "// Written by cmake/grammar_files.cmake.\n#include \"tidemill/formats/epub/grammar/grammar_files.h\"\n")
  foreach(name IN LISTS NAMES)
    file(READ ${FOLDER}/${name}.grammar text)
    string(FIND "${text}" ")grammar\"" end_of_literal)
    if(NOT end_of_literal EQUAL -1)
      message(FATAL_ERROR "${FOLDER}/${name}.grammar: )grammar\" would end the string literal")
    endif()
    # With its namespace in the name, a function that no header declares is an error.
    string(APPEND code "\nstd::string_view tidemill::epub::${name}_text() {\n  return R\"grammar(${text})grammar\";\n}\n")
  endforeach()
  file(WRITE ${SOURCE} "${code}")
  return()
endif()

set(grammar_folder ${PROJECT_SOURCE_DIR}/tidemill/formats/epub/grammar/grammars)
file(GLOB grammar_files CONFIGURE_DEPENDS ${grammar_folder}/*.grammar)
set(grammar_names "")
foreach(file IN LISTS grammar_files)
  cmake_path(GET file STEM name)
  list(APPEND grammar_names ${name})
endforeach()
set(grammar_source ${PROJECT_BINARY_DIR}/grammar_files.cc)
# The names are in the command, so that it runs again when a file is gone.
add_custom_command(
  OUTPUT ${grammar_source}
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${grammar_folder} -D "NAMES=${grammar_names}" -D SOURCE=${grammar_source}
          -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${CMAKE_CURRENT_LIST_FILE} ${grammar_files} VERBATIM)
# A target that needs no library: as a part of tidemill_epub alone, the command, and with it every file of the folder,
# would wait for the libraries that the folder uses.
add_custom_target(grammar_files DEPENDS ${grammar_source})
add_dependencies(tidemill_epub grammar_files)
target_sources(tidemill_epub PRIVATE ${grammar_source})
