// SPDX-License-Identifier: MIT
#pragma once
// The registered kinds of output. To add one: write its header beside these, include it here and append it to the list.
// Scene files, `fathom outputs` and `fathom check` follow from the list.

#include <variant>

#include <fathom/outputs/birds_eye.hpp>
#include <fathom/outputs/camera_sheet.hpp>
#include <fathom/outputs/clouds.hpp>
#include <fathom/outputs/depth_image.hpp>
#include <fathom/outputs/depth_png.hpp>
#include <fathom/outputs/label_picture.hpp>
#include <fathom/outputs/npy.hpp>
#include <fathom/outputs/range_image.hpp>
#include <fathom/outputs/reason_picture.hpp>
#include <fathom/outputs/scan_log.hpp>

namespace fathom {

using RegisteredOutput =
    std::variant<PcdOutput, PlyOutput, PointCloud2Output, NpyOutput, RangeImageOutput, BirdsEyeOutput, DepthPngOutput,
                 ReasonPictureOutput, CameraSheetOutput, ScanLogOutput, LabelPictureOutput, DepthImageOutput>;

}  // namespace fathom
