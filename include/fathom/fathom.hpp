#pragma once
// Everything: scenes, sensors, noise, frames, files.

#include <fathom/error.hpp>
#include <fathom/frame.hpp>
#include <fathom/geometry.hpp>
#include <fathom/input.hpp>
#include <fathom/mesh.hpp>
#include <fathom/noise.hpp>
#include <fathom/output.hpp>
#include <fathom/run.hpp>
#include <fathom/scene.hpp>
#include <fathom/sensor.hpp>
#include <fathom/sensor_fields.hpp>
#include <fathom/simulator.hpp>
#include <fathom/trajectory.hpp>
