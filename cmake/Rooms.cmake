# SPDX-License-Identifier: MIT
# The rooms and the only arrows between them. A room is the folder src/<room>, the folder of public headers include/fathom/<room>,
# or both. FathomRoom.cmake links rooms by the arrows. CheckRooms.cmake compares them with every #include, and with the picture in
# docs/architecture.md.

# From the bottom up, and for each room the rooms that it includes besides itself; all of these come before it.
set(FATHOM_ROOMS core frame scene noise sensor files simulate trace render io report run fit parts ros live)
set(FATHOM_ARROWS_core "")
set(FATHOM_ARROWS_frame core)
set(FATHOM_ARROWS_scene core frame)
set(FATHOM_ARROWS_noise core frame)
set(FATHOM_ARROWS_sensor core noise)
set(FATHOM_ARROWS_files core frame scene)
set(FATHOM_ARROWS_simulate core frame scene noise sensor files)
set(FATHOM_ARROWS_trace core scene sensor)
set(FATHOM_ARROWS_render core frame scene noise sensor simulate trace)
set(FATHOM_ARROWS_io core frame scene files)
set(FATHOM_ARROWS_report core io)
set(FATHOM_ARROWS_run core frame scene noise sensor files simulate render io)
set(FATHOM_ARROWS_fit core frame scene noise sensor files simulate render io report run)
set(FATHOM_ARROWS_parts core scene noise sensor trace)
set(FATHOM_ARROWS_ros core simulate io run)
set(FATHOM_ARROWS_live core frame scene noise sensor files simulate io run)

# Rooms of adapters.
set(FATHOM_FOLDER_parts adapters/rgl/parts)
set(FATHOM_FOLDER_ros adapters/ros/src)
set(FATHOM_FOLDER_live adapters/live/src)
# Rooms that the library of one adapter alone has, and that adapter. libfathom.so has all others.
set(FATHOM_APART parts)
set(FATHOM_HOME_parts adapters/rgl)

# Third-party headers, and the only folders that may include them; a public header, which its name alone can allow, is
# compiled against the library of its user.
set(FATHOM_LIBRARIES embree3 tbb yaml-cpp nlohmann zlib.h zstd.h lz4frame.h sqlite3.h pugixml.hpp assimp png.h freetype CLI mujoco pybind11
    OpenEXR hdf5.h isa-l xxhash.h urdf_parser urdf_model console_bridge sdf dds Eigen boost netinet)
set(FATHOM_ONLY_embree3 bench)
set(FATHOM_ONLY_tbb src/core)
set(FATHOM_ONLY_yaml-cpp src/core/text)
set(FATHOM_ONLY_nlohmann src/core/text src/io/mesh src/run adapters/live/src src/report cli src/fit/frames)
set(FATHOM_ONLY_zlib.h src/core/text src/io/bag bench)
set(FATHOM_ONLY_zstd.h src/io/bag bench)
set(FATHOM_ONLY_lz4frame.h src/io/bag bench)
set(FATHOM_ONLY_sqlite3.h src/io/bag)
set(FATHOM_ONLY_OpenEXR src/io/picture/exr)
set(FATHOM_ONLY_hdf5.h src/run/dataset/hdf5)
set(FATHOM_ONLY_isa-l src/run/dataset/hdf5)
set(FATHOM_ONLY_xxhash.h src/run/dataset)
set(FATHOM_ONLY_pugixml.hpp src/io/mesh)
set(FATHOM_ONLY_assimp "")  # an oracle of the tests
set(FATHOM_ONLY_png.h src/io/picture src/io/log)
set(FATHOM_ONLY_freetype src/io/picture)
set(FATHOM_ONLY_CLI cli)
set(FATHOM_ONLY_mujoco include/fathom/mujoco.hpp adapters/mujoco examples/mujoco bench)
set(FATHOM_ONLY_pybind11 python bench)
set(FATHOM_ONLY_urdf_parser src/io/world/urdf)
set(FATHOM_ONLY_urdf_model src/io/world/urdf)
set(FATHOM_ONLY_console_bridge src/io/world/urdf)
set(FATHOM_ONLY_sdf src/io/world/sdf)
set(FATHOM_ONLY_dds adapters/ros/src/dds)
set(FATHOM_ONLY_Eigen src/fit)
set(FATHOM_ONLY_boost src/fit)
set(FATHOM_ONLY_netinet adapters/live/src adapters/ros/src/dds)
