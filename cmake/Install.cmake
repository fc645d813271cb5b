# What `make install` puts where: both libraries, headers, a CMake package (filum::filum, filum::filum_static),
# filum.pc, the man page and what bash needs to complete command lines.
include(CMakePackageConfigHelpers)

install(TARGETS filum filum_static EXPORT filumTargets)
install(DIRECTORY include/filum DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/filum)
install(EXPORT filumTargets NAMESPACE filum:: DESTINATION ${package_dir})
configure_package_config_file(cmake/filumConfig.cmake.in filumConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(filumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/filumConfig.cmake ${PROJECT_BINARY_DIR}/filumConfigVersion.cmake
    DESTINATION ${package_dir})

set(private_libraries -fopenmp ${JANSSON_LINK_LIBRARIES} ${FILUM_PICTURE_LIBRARIES} ${FILUM_OPENCL_LIBRARIES} -lm) # the compiler knows its own OpenMP, shared or static
list(JOIN private_libraries " " FILUM_PRIVATE_LIBRARIES)
configure_file(cmake/filum.pc.in filum.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/filum.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The command knows its own options: it writes what describes them.
if(TARGET filum_command)
    foreach(page manual completion)
        add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/share/${page}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/share
            COMMAND filum_command ${page} > ${PROJECT_BINARY_DIR}/share/${page} DEPENDS filum_command VERBATIM)
        list(APPEND pages ${PROJECT_BINARY_DIR}/share/${page})
    endforeach()
    add_custom_target(filum_pages ALL DEPENDS ${pages})
    install(FILES ${PROJECT_BINARY_DIR}/share/manual DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME filum.1)
    install(FILES ${PROJECT_BINARY_DIR}/share/completion
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME filum)
endif()
