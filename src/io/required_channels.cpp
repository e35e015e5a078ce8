#include <fathom/output.hpp>

#include "io/painter.hpp"

namespace fathom {

ChannelSet required_channels(const OutputOptions& options) {
  const ChannelSet cloud =
      options.cloud.fields |
      ChannelSet{options.cloud.frame == CloudFrame::kWorld ? Channel::kHitWorld : Channel::kHitSensor};
  ChannelSet all;
  for (const OutputKind kind : options.kinds) {
    switch (kind) {
      case OutputKind::kPcd:
      case OutputKind::kPly:
      case OutputKind::kPointCloud2:
        all = all | cloud;
        break;
      case OutputKind::kNpy:
        all = all | options.npy_channels;
        break;
      case OutputKind::kRangeImage:
        all = all | painted_channels(options.color);
        if (options.by_angle) all = all | ChannelSet{Channel::kAzimuth, Channel::kElevation};
        break;
      case OutputKind::kBirdsEyeView:
        all = all | painted_channels(options.color) | ChannelSet{Channel::kHitWorld};
        break;
      case OutputKind::kDepthPng:
        all.insert(options.depth_channel);
        break;
      case OutputKind::kReasonPicture:
        all.insert(Channel::kReason);
        break;
      case OutputKind::kCameraSheet:
        all = all | ChannelSet{Channel::kCleanDepth, Channel::kDepth, Channel::kReason, Channel::kEnergy};
        break;
      case OutputKind::kScanLog:
        all = all | ChannelSet{Channel::kRange, Channel::kReason};
        break;
    }
  }
  return all;
}

}  // namespace fathom
