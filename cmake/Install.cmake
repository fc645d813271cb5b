# What `make install` puts where: both libraries, headers, a CMake package (filum::filum, filum::filum_static) and
# filum.pc.
include(CMakePackageConfigHelpers)

install(TARGETS filum filum_static EXPORT filumTargets)
install(DIRECTORY include/filum DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/filum)
install(EXPORT filumTargets NAMESPACE filum:: DESTINATION ${package_dir})
configure_package_config_file(cmake/filumConfig.cmake.in filumConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(filumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/filumConfig.cmake ${PROJECT_BINARY_DIR}/filumConfigVersion.cmake
    DESTINATION ${package_dir})

set(private_libraries -fopenmp ${JANSSON_LINK_LIBRARIES} ${FILUM_PICTURE_LIBRARIES} -lm) # the compiler knows its own OpenMP, shared or static
list(JOIN private_libraries " " FILUM_PRIVATE_LIBRARIES)
configure_file(cmake/filum.pc.in filum.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/filum.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
