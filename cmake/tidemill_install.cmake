# tidemill_install(<folder>...): the folders a program outside this project may use. It says
#   find_package(tidemill 0.1 REQUIRED)
#   target_link_libraries(mine tidemill::engine)
# A folder that is not named here, such as testing, is not installed.
#
# What is installed has two components, a package each (tools/package): `dev` is all that stands here,
# `program` what every other install() of the project names.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

function(tidemill_install)
  foreach(folder IN LISTS ARGN)
    set_target_properties(tidemill_${folder} PROPERTIES EXPORT_NAME ${folder})
    install(TARGETS tidemill_${folder} EXPORT tidemill
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
            FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  endforeach()

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tidemill)
  install(EXPORT tidemill NAMESPACE tidemill:: DESTINATION ${package} FILE tidemillTargets.cmake
          COMPONENT dev)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/tidemillConfig.cmake.in
    ${PROJECT_BINARY_DIR}/tidemillConfig.cmake INSTALL_DESTINATION ${package})
  # Before 1.0 a minor version may break its users.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tidemillConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tidemillConfig.cmake
                ${PROJECT_BINARY_DIR}/tidemillConfigVersion.cmake
          DESTINATION ${package} COMPONENT dev)
endfunction()
