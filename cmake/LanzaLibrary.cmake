# liblanza from its parts, the same parts for tests, and what `cmake --install` puts where.
include(CMakePackageConfigHelpers)
get_property(parts GLOBAL PROPERTY LANZA_PARTS)

add_library(lanza SHARED)
add_library(lanza::lanza ALIAS lanza)
target_link_libraries(lanza PRIVATE ${parts})
target_include_directories(lanza PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(lanza PUBLIC cxx_std_20)
set_target_properties(lanza PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)

# Everything with its internals in sight, for tests of the parts.
add_library(lanza_internal STATIC)
target_link_libraries(lanza_internal PUBLIC ${parts})

install(TARGETS lanza EXPORT lanzaTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/lanza DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT lanzaTargets NAMESPACE lanza:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lanza)
configure_package_config_file(cmake/lanzaConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/lanzaConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lanza)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/lanzaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lanzaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/lanzaConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lanza)
install(FILES LICENSE NOTICE third_party/README.md DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/lanza)
install(DIRECTORY third_party/licenses DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/lanza)
