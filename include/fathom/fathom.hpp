// SPDX-License-Identifier: MIT
#pragma once
// Everything but parts/, calibrate/ and beam/: scenes, sensors, noise, frames, files, runs, datasets.

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/files/meshes.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/files/robot.hpp>
#include <fathom/frame/digest.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/noise/noise.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/scene/trajectory.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/dataset.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/output_kinds.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/sensor_noise.hpp>
#include <fathom/simulate/simulator.hpp>
