// SPDX-License-Identifier: MIT
#pragma once
// All readers of files.

#include <fathom/files/height_fields.hpp>
#include <fathom/files/maps.hpp>
#include <fathom/files/meshes.hpp>
#include <fathom/files/ray_tables.hpp>
#include <fathom/files/trajectories.hpp>
