# SPDX-License-Identifier: MIT
# Install tree and CMake package. libfathom.so keeps its own dependencies to itself: a consumer needs none of their headers.
# Components: runtime (programs, libraries, pages), development (headers, CMake package), and what python/ installs.
include(CMakePackageConfigHelpers)

# All that the rules below install.
add_custom_target(fathom_installed DEPENDS fathom)

set(FATHOM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)

install(TARGETS fathom EXPORT fathomTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  NAMELINK_COMPONENT development)
get_property(modules GLOBAL PROPERTY FATHOM_MODULES)
if(modules)
  add_dependencies(fathom_installed ${modules})
  install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
if(FATHOM_BUILD_CLI)
  add_dependencies(fathom_installed fathom_cli)
  install(TARGETS fathom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  if(NOT FATHOM_SANITIZE)  # or cli/ makes none of these
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/bash-completion ${PROJECT_BINARY_DIR}/share/zsh
      DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT runtime)
  endif()
endif()
if(FATHOM_BUILD_RGL)
  add_dependencies(fathom_installed fathom_rgl)
  install(TARGETS fathom_rgl EXPORT fathomTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/adapters/rgl/include/rgl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT development)
  if(FATHOM_DDS)
    add_dependencies(fathom_installed fathom_rgl_topics)
    install(TARGETS fathom_rgl_topics LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
  endif()
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/fathom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/LICENSE.DejaVu ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT runtime USE_SOURCE_PERMISSIONS)
foreach(folder bench adapters/live adapters/mujoco adapters/rgl adapters/ros)  # docs/ links to these pages
  install(FILES ${PROJECT_SOURCE_DIR}/${folder}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT runtime)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/adapters/live/page/layout.json DESTINATION ${CMAKE_INSTALL_DATADIR}/fathom COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fathom COMPONENT runtime)

install(EXPORT fathomTargets NAMESPACE fathom:: DESTINATION ${FATHOM_CMAKE_DIR} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fathomConfig.cmake.in
  ${PROJECT_BINARY_DIR}/fathomConfig.cmake INSTALL_DESTINATION ${FATHOM_CMAKE_DIR})
# Before 1.0 a minor version may break the API (CONTRIBUTING.md).
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fathomConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/fathomConfig.cmake ${PROJECT_BINARY_DIR}/fathomConfigVersion.cmake
  DESTINATION ${FATHOM_CMAKE_DIR} COMPONENT development)
