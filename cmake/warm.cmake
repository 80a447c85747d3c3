# warm.jar: hands one book after the other to EPUBCheck (tidemill/jobs/books/judge/Warm.java). It needs nothing of
# EPUBCheck to be built, but a Java compiler; without one the program says so when it is asked for EPUBCheck.
find_program(JAVAC javac)
find_program(JAR jar)
if(JAVAC AND JAR)
  set(warm_classes ${PROJECT_BINARY_DIR}/warm)
  set(warm_jar ${PROJECT_BINARY_DIR}/share/tidemill/warm.jar)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/tidemill)
  add_custom_command(
    OUTPUT ${warm_jar}
    COMMAND ${JAVAC} --release 11 -d ${warm_classes} ${PROJECT_SOURCE_DIR}/tidemill/jobs/books/judge/Warm.java
    COMMAND ${JAR} --create --file ${warm_jar} -C ${warm_classes} .
    DEPENDS ${PROJECT_SOURCE_DIR}/tidemill/jobs/books/judge/Warm.java VERBATIM)
  add_custom_target(warm ALL DEPENDS ${warm_jar})
  install(FILES ${warm_jar} DESTINATION ${CMAKE_INSTALL_DATADIR}/tidemill)
endif()
