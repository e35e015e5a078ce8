// SPDX-License-Identifier: MIT
#pragma once
// The beam model of range finders: density, scan likelihood, sampling, learning, and their files.

#include <fathom/base/error.hpp>
#include <fathom/beam/field_log.hpp>
#include <fathom/beam/fit.hpp>
#include <fathom/beam/heatmap.hpp>
#include <fathom/beam/likelihood_field.hpp>
#include <fathom/beam/localizer.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/beam/log_files.hpp>
#include <fathom/beam/model.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/beam/refine.hpp>
#include <fathom/beam/report.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/beam/score.hpp>
