# SPDX-License-Identifier: MIT
# A room is a folder and a CMake target fathom_<room>, linked to the rooms that Rooms.cmake allows it to include. The include
# path of a room is a build folder that holds one link, <room>, to the folder. An #include therefore finds the rooms that the target
# is linked to, directly or through other rooms; CheckRooms.cmake refuses the indirect ones at each build. A room without a folder
# has public headers only, and no target.
include(Rooms)
include(FathomIsa)

# Warnings and floating-point rules for everything of ours; private, so that consumers never inherit them.
add_library(fathom_flags INTERFACE)
target_compile_options(fathom_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # g++ 12 warns inside its own AVX-512 intrinsics
  # Without garbage collection below 700 MB, g++ compiles a room in four fifths of the time.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=700000>
  # In a file that holds several, g++ takes a class of one .cpp for one of a header.
  $<$<AND:$<BOOL:${FATHOM_UNITY}>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-subobject-linkage>
  -ffp-contract=off -fsigned-char -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  $<$<BOOL:${FATHOM_STRICT}>:-Werror>)
if(FATHOM_SANITIZE)
  target_compile_options(fathom_flags INTERFACE -fsanitize=${FATHOM_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  if(FATHOM_SANITIZE MATCHES undefined)
    # These four take a third of the compile time. ASan reports null pointers and short objects, and rooms read words out of
    # bytes by memcpy. The reader of URDF alone casts classes to derived ones, urdfdom's geometries by their type.
    set(is_urdf $<STREQUAL:$<TARGET_PROPERTY:NAME>,fathom_io_world_urdf>)
    target_compile_options(fathom_flags INTERFACE -fno-sanitize=null,object-size,alignment
      $<$<NOT:${is_urdf}>:-fno-sanitize=vptr>)
  endif()
  target_link_options(fathom_flags INTERFACE -fsanitize=${FATHOM_SANITIZE})
endif()

# For targets that compute little: -Og instead of -O3 spares half of their compile time.
function(fathom_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# For targets that loop over rays: sanitizers compile all others without optimisation, and tests would take minutes longer.
function(fathom_optimised_if_sanitized target)
  if(FATHOM_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# fathom_optimise(<level> <room>...): compiles rooms that loop over no rays at less than -O3.
function(fathom_optimise level)
  foreach(room ${ARGN})
    target_compile_options(fathom_${room} PRIVATE $<$<CONFIG:Release>:${level}>)
  endforeach()
endfunction()

# How the sources of rooms are compiled: as one file where FATHOM_UNITY is ON; for fuzzers, with counters of their branches.
function(fathom_compile_as_room target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FATHOM_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  if(target MATCHES "^fathom_(sensor|trace|trace_grid|render|parts)$")  # they read no files
    fathom_optimised_if_sanitized(${target})
  elseif(FATHOM_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# fathom_room(<name> [LIBRARIES <private third-party targets>] [KERNELS <sources compiled once per instruction set>]
# [WITHOUT <folders that are left out>]): all other .cpp files in the folder of the room, src/<name> or FATHOM_FOLDER_<name>, linked
# to the rooms that cmake/Rooms.cmake lets it include.
function(fathom_room name)
  cmake_parse_arguments(ROOM "" "" "LIBRARIES;KERNELS;WITHOUT" ${ARGN})
  set(target fathom_${name})
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  if(FATHOM_FOLDER_${name})
    set(folder ${PROJECT_SOURCE_DIR}/${FATHOM_FOLDER_${name}})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  foreach(left_out ${ROOM_WITHOUT})
    list(FILTER sources EXCLUDE REGEX "^${folder}/${left_out}/")
  endforeach()
  list(TRANSFORM ROOM_KERNELS PREPEND ${folder}/)
  list(REMOVE_ITEM sources ${ROOM_KERNELS} "")
  add_library(${target} STATIC ${sources})
  # A room may consist of parts alone. Parts take their folder and leave out the kernels.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX FATHOM_FOLDER ${folder} FATHOM_KERNELS "${ROOM_KERNELS}")
  set(gate ${PROJECT_BINARY_DIR}/rooms/${target})
  file(MAKE_DIRECTORY ${gate})
  file(CREATE_LINK ${folder} ${gate}/${name} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${gate} ${PROJECT_SOURCE_DIR}/include)
  set(rooms "")
  foreach(room IN LISTS FATHOM_ARROWS_${name})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} OR FATHOM_FOLDER_${room})
      list(APPEND rooms fathom_${room})
    endif()
  endforeach()
  # PUBLIC, because a room's headers may show types of the rooms below it.
  target_link_libraries(${target} PUBLIC ${rooms} PRIVATE fmt::fmt ${ROOM_LIBRARIES} fathom_flags)
  fathom_compile_as_room(${target})
  if(NOT name IN_LIST FATHOM_APART)
    set_property(GLOBAL APPEND PROPERTY FATHOM_OBJECTS $<TARGET_OBJECTS:${target}>)
  endif()
  set_property(GLOBAL APPEND PROPERTY FATHOM_LIBRARIES fmt::fmt ${ROOM_LIBRARIES})
  add_dependencies(${target} fathom_check_rooms)
  if(ROOM_KERNELS)
    fathom_isa_sources(${name} ${ROOM_KERNELS})
  endif()
endfunction()

# fathom_part(<room> <folder> [LIBRARIES <private third-party targets>]): a folder that the room is WITHOUT. It is compiled apart,
# with its own options; an optional library then changes no command of the room's other files.
function(fathom_part room folder)
  cmake_parse_arguments(PART "" "" "LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" target fathom_${room}_${folder})
  get_target_property(parent fathom_${room} FATHOM_FOLDER)
  get_target_property(kernels fathom_${room} FATHOM_KERNELS)
  file(GLOB sources CONFIGURE_DEPENDS ${parent}/${folder}/*.cpp)
  list(REMOVE_ITEM sources ${kernels} "")
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:fathom_${room},INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${target} PRIVATE fmt::fmt ${PART_LIBRARIES} fathom_flags)
  fathom_compile_as_room(${target})
  target_sources(fathom_${room} PRIVATE $<TARGET_OBJECTS:${target}>)
  foreach(library ${PART_LIBRARIES})
    target_link_libraries(fathom_${room} PRIVATE $<LINK_ONLY:${library}>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY FATHOM_OBJECTS $<TARGET_OBJECTS:${target}>)
  set_property(GLOBAL APPEND PROPERTY FATHOM_LIBRARIES ${PART_LIBRARIES})
  add_dependencies(${target} fathom_check_rooms)
endfunction()

# fathom_module(<room> <folder> LIBRARIES <targets>): a folder that the room is WITHOUT, as a module of the library
# (src/core/text/module.hpp). It exports one function.
function(fathom_module room folder)
  cmake_parse_arguments(MODULE "" "" "LIBRARIES" ${ARGN})
  cmake_path(GET folder FILENAME name)
  set(target fathom_${name})
  get_target_property(parent fathom_${room} FATHOM_FOLDER)
  file(GLOB sources CONFIGURE_DEPENDS ${parent}/${folder}/*.cpp)
  add_library(${target} MODULE ${sources})
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:fathom_${room},INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${target} PRIVATE fathom_flags fmt::fmt ${MODULE_LIBRARIES} -Wl,--exclude-libs,ALL)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME fathom-${name}-${PROJECT_VERSION})
  fathom_compile_as_room(${target})
  add_dependencies(fathom ${target})
  add_dependencies(${target} fathom_check_rooms)
  set_property(GLOBAL APPEND PROPERTY FATHOM_MODULES ${target})
endfunction()

# fathom_source_definition(<source> <definition>...): defines macros for this file alone, which is compiled by itself.
function(fathom_source_definition source)
  set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS "${ARGN}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

add_custom_target(fathom_check_rooms
  COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/CheckRooms.cmake
  COMMENT "Checking that rooms only include what cmake/Rooms.cmake allows" VERBATIM)
