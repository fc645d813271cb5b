# What `make install` puts where: both libraries, headers, a CMake package (filum::filum, filum::filum_static) and
# filum.pc. The static library has an export of its own: only those who use it must find OpenMP.
include(CMakePackageConfigHelpers)

install(TARGETS filum EXPORT filumTargets)
install(TARGETS filum_static EXPORT filumStaticTargets)
install(DIRECTORY include/filum DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/filum)
install(EXPORT filumTargets NAMESPACE filum:: DESTINATION ${package_dir})
install(EXPORT filumStaticTargets NAMESPACE filum:: DESTINATION ${package_dir})
configure_package_config_file(cmake/filumConfig.cmake.in filumConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(filumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/filumConfig.cmake ${PROJECT_BINARY_DIR}/filumConfigVersion.cmake
    DESTINATION ${package_dir})

# pkg-config: full paths of libraries become -l where a linker finds them by itself.
set(FILUM_PRIVATE_LIBRARIES "${OpenMP_C_FLAGS} -lm")
if(HDF5_FOUND)
    list(JOIN HDF5_C_HL_LIBRARIES " " hl)
    list(JOIN HDF5_C_LIBRARIES " " hdf5)
    string(PREPEND FILUM_PRIVATE_LIBRARIES "${hl} ${hdf5} ")
endif()
configure_file(cmake/filum.pc.in filum.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/filum.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
