# What a program outside this project may use. It says
#   find_package(tidemill 0.1 REQUIRED)                  and links tidemill::engine, or
#   find_package(tidemill 0.1 REQUIRED COMPONENTS app)   and links tidemill::app: a command line for jobs of its own.
# The engine needs nothing but threads; the libraries behind `app` are looked for only when it is asked for. A module that
# is not named here, such as testing, is not installed.
#
# What is installed has two components, a package each (tools/package): `dev` is all that stands here,
# `program` what every other install() of the project names.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

# tidemill::app: app/runs and app/program with all that they use.
set(tidemill_app_modules io/store io/walk io/files formats/text formats/html state/history state/journal state/run ui/command ui/term ui/cli ui/pages jobs
    app/program app/runs)
# What a program on tidemill::app includes. Of those modules these headers are installed, those that they include, and no
# others.
set(tidemill_app_interface
    app/program/start.h app/runs/verbs.h      # a program
    jobs/file_job.h ui/command/usage.h        # a job, and how a mistake of the user is told
    io/store/db.h io/store/transaction.h      # results in SQLite
    state/journal/sqlite_journal.h)           # the journal by itself

# tidemill_reached(<out> <header>...): the headers and whatever they include of ours, from the root of the project.
function(tidemill_reached out)
  set(waiting ${ARGN})
  set(seen "")
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"tidemill/")
    list(TRANSFORM lines REPLACE "^#include \"([^\"]+)\".*" "\\1")
    list(APPEND waiting ${lines})
  endwhile()
  set(${out} ${seen} PARENT_SCOPE)
endfunction()
list(TRANSFORM tidemill_app_interface PREPEND tidemill/ OUTPUT_VARIABLE tidemill_app_headers)
tidemill_reached(tidemill_app_headers ${tidemill_app_headers})

# tidemill_by_name(<variable> <name>): a library without a CMake package is linked by its path here, and by its name where
# our archives are installed.
macro(tidemill_by_name variable name)
  find_library(${variable} ${name} REQUIRED)
  set(${variable} "$<BUILD_INTERFACE:${${variable}}>$<INSTALL_INTERFACE:${name}>")
endmacro()

# tidemill_export(<export> <target>...)
function(tidemill_export export)
  install(TARGETS ${ARGN} EXPORT ${export}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
endfunction()

set(tidemill_package ${CMAKE_INSTALL_LIBDIR}/cmake/tidemill)

# tidemill_install_app(): beside the engine.
function(tidemill_install_app)
  foreach(folder IN LISTS tidemill_app_modules)
    tidemill_module_name(name ${folder})
    set_target_properties(tidemill_${name} PROPERTIES EXPORT_NAME ${name})
    tidemill_export(tidemill_app tidemill_${name})
  endforeach()
  add_library(tidemill_app_interface INTERFACE)
  target_link_libraries(tidemill_app_interface INTERFACE tidemill_app_runs tidemill_app_program tidemill_jobs
                                                         tidemill_store)
  set_target_properties(tidemill_app_interface PROPERTIES EXPORT_NAME app)
  add_library(tidemill::app ALIAS tidemill_app_interface)
  install(TARGETS tidemill_app_interface EXPORT tidemill_app)
  install(EXPORT tidemill_app NAMESPACE tidemill:: DESTINATION ${tidemill_package} FILE tidemillAppTargets.cmake
          COMPONENT dev)
endfunction()

# tidemill_install(<module>...): the library that needs nothing else.
function(tidemill_install)
  foreach(folder IN LISTS ARGN)
    set_target_properties(tidemill_${folder} PROPERTIES EXPORT_NAME ${folder})
    tidemill_export(tidemill tidemill_${folder})
  endforeach()

  install(EXPORT tidemill NAMESPACE tidemill:: DESTINATION ${tidemill_package} FILE tidemillTargets.cmake
          COMPONENT dev)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/tidemillConfig.cmake.in
    ${PROJECT_BINARY_DIR}/tidemillConfig.cmake INSTALL_DESTINATION ${tidemill_package})
  # Before 1.0 a minor version may break its users.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tidemillConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tidemillConfig.cmake
                ${PROJECT_BINARY_DIR}/tidemillConfigVersion.cmake
          DESTINATION ${tidemill_package} COMPONENT dev)
endfunction()
