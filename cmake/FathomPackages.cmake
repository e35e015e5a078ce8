# SPDX-License-Identifier: MIT
# Debian packages: fathom (program, libraries, pages), libfathom-dev, and python3-fathom in a build with FATHOM_PYTHON.
#   cmake --workflow --preset packages     # build/packages/*.deb
# The package fathom holds the libraries: all packages are of one version, and each needs just this one of the others.

# One file says the licences of all that the packages hold; Debian wants it in each.
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE.DejaVu font_licence)
file(READ ${PROJECT_SOURCE_DIR}/examples/house/LICENSE house_licence)
set(control ${PROJECT_BINARY_DIR}/debian)
set(copyright ${control}/copyright)
file(WRITE ${copyright} "fathom\n\n${licence}\n\n${font_licence}\n\n"
  "examples/house in the package fathom: the AWS RoboMaker small house\n\n${house_licence}")

# What other packages ask for that are linked with libfathom.so.
set(soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(soversion 0.${PROJECT_VERSION_MINOR})
endif()
file(WRITE ${control}/shlibs "libfathom ${soversion} fathom (= ${PROJECT_VERSION})\n")
# Python's files are compiled when they are installed, and what that made goes with them.
file(WRITE ${control}/postinst "#!/bin/sh\nset -e\nif [ \"$1\" = configure ]; then py3compile -p python3-fathom; fi\n")
file(WRITE ${control}/prerm "#!/bin/sh\nset -e\npy3clean -p python3-fathom\n")

# fathom_package(<package> COMPONENTS <components of what is installed> SECTION <section> [DEPENDS <besides shared libraries>]
# [RECOMMENDS <packages>] SUMMARY <line> TEXT <lines> [CONTROL <files>])
function(fathom_package name)
  cmake_parse_arguments(PACKAGE "" "SECTION;DEPENDS;RECOMMENDS;SUMMARY;TEXT" "COMPONENTS;CONTROL" ${ARGN})
  install(FILES ${copyright} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${name}_copyright EXCLUDE_FROM_ALL)
  string(TOUPPER ${name} upper)
  foreach(component ${PACKAGE_COMPONENTS} ${name}_copyright)
    string(TOUPPER ${component} upper_component)
    set(CPACK_COMPONENT_${upper_component}_GROUP ${name} PARENT_SCOPE)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endforeach()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${PACKAGE_SECTION} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${PACKAGE_DEPENDS}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${PACKAGE_RECOMMENDS}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${PACKAGE_SUMMARY}\n${PACKAGE_TEXT}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${PACKAGE_CONTROL} PARENT_SCOPE)
endfunction()

set(CPACK_COMPONENTS_ALL "")
fathom_package(fathom COMPONENTS runtime SECTION science
  SUMMARY "simulator of range sensors with documented noise"
  TEXT "Simulates lidars, laser scanners, depth and stereo cameras in triangle scenes,
scores laser scans by the beam model, and learns the errors of sensors from
logs. Every bit of a frame follows from a seed. With the shared libraries,
manual pages, shell completion, pages and examples."
  CONTROL ${control}/shlibs)
fathom_package(libfathom-dev COMPONENTS development SECTION libdevel DEPENDS "fathom (= ${PROJECT_VERSION})"
  SUMMARY "simulator of range sensors (headers for C++ and C)"
  TEXT "Headers of libfathom (C++20), its CMake package, and the headers of the C
interface libRobotecGPULidar.")
if(FATHOM_PYTHON)
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  fathom_package(python3-fathom COMPONENTS debian_python SECTION python
    DEPENDS "fathom (= ${PROJECT_VERSION}), python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy"
    RECOMMENDS python3-matplotlib
    SUMMARY "simulator of range sensors (Python 3 package)"
    TEXT "All of fathom from Python: scenes, frames as NumPy arrays without a copy, many
environments in one call, scores and calibration. Pictures need
python3-matplotlib."
    CONTROL ${control}/postinst ${control}/prerm)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fathom)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # or it stands before the line of each package
set(CPACK_PACKAGE_CONTACT "The fathom authors <fathom@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})  # libfathom.so, for python3-fathom
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
