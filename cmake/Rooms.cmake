# SPDX-License-Identifier: MIT
# The rooms of src/ and the only arrows between them. FathomRoom.cmake links rooms by them, and CheckRooms.cmake compares
# every #include with them, and them with the picture in docs/architecture.md.

# From the bottom up, and for each room the rooms that it includes besides its own; all of these stand before it.
set(FATHOM_ROOMS base scene text beam noise sensor cast mesh picture cloud calibrate log parts render simulate report)
set(FATHOM_ARROWS_base "")
set(FATHOM_ARROWS_scene base)
set(FATHOM_ARROWS_text base)
set(FATHOM_ARROWS_beam base scene)
set(FATHOM_ARROWS_noise base beam)
set(FATHOM_ARROWS_sensor base noise)
set(FATHOM_ARROWS_cast base scene sensor beam)
set(FATHOM_ARROWS_mesh base scene text)
set(FATHOM_ARROWS_picture base text)
set(FATHOM_ARROWS_cloud base text)
set(FATHOM_ARROWS_calibrate base text noise)
set(FATHOM_ARROWS_log base scene text beam)
set(FATHOM_ARROWS_parts base scene noise cast)
set(FATHOM_ARROWS_render base scene noise sensor cast)
set(FATHOM_ARROWS_simulate base scene text noise sensor mesh picture cloud calibrate log render)
set(FATHOM_ARROWS_report base scene text beam cast picture log simulate)

# A folder of include/fathom belongs to the room of its name: including <fathom/room/...> is an arrow too. These belong
# to other rooms; where there are several, an arrow to any of them will do.
# Of all that is under them, for users alone.
set(FATHOM_OWNERS_fathom.hpp "")
set(FATHOM_OWNERS_beam/beam.hpp "")
set(FATHOM_OWNERS_math base)
set(FATHOM_OWNERS_frame base)
set(FATHOM_OWNERS_outputs simulate)
set(FATHOM_OWNERS_files/read.hpp mesh log simulate)
set(FATHOM_OWNERS_files/clouds.hpp cloud)
set(FATHOM_OWNERS_files/arrays.hpp cloud)
set(FATHOM_OWNERS_files/pictures.hpp picture)
set(FATHOM_OWNERS_files/depth.hpp picture)
set(FATHOM_OWNERS_simulate/sensor.hpp render)
set(FATHOM_OWNERS_simulate/simulator.hpp render)
set(FATHOM_OWNERS_simulate/environments.hpp render)
set(FATHOM_OWNERS_simulate/parameter_range.hpp render)
set(FATHOM_OWNERS_parts/placed_mesh.hpp parts cast)
set(FATHOM_OWNERS_beam/scene_ranges.hpp cast)
set(FATHOM_OWNERS_beam/csv.hpp log)
set(FATHOM_OWNERS_beam/model_file.hpp report)
set(FATHOM_OWNERS_beam/report.hpp report)
set(FATHOM_OWNERS_beam/log.hpp report)
set(FATHOM_OWNERS_beam/world.hpp report)
set(FATHOM_OWNERS_calibrate/run_pairs.hpp simulate)

# Third-party headers, and the only folders that may include them.
set(FATHOM_LIBRARIES embree3 tbb yaml-cpp nlohmann zlib.h pugixml.hpp assimp png.h freetype CLI)
set(FATHOM_ONLY_embree3 src/cast/embree bench)
set(FATHOM_ONLY_tbb src/base)
set(FATHOM_ONLY_yaml-cpp src/text capi/rgl/tape)
set(FATHOM_ONLY_nlohmann src/text src/mesh src/simulate src/report cli)
set(FATHOM_ONLY_zlib.h src/text)
set(FATHOM_ONLY_pugixml.hpp src/mesh)
set(FATHOM_ONLY_assimp "")  # an oracle of the tests
set(FATHOM_ONLY_png.h src/picture src/log)
set(FATHOM_ONLY_freetype src/picture)
set(FATHOM_ONLY_CLI cli)
