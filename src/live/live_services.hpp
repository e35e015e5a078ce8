// SPDX-License-Identifier: MIT
#pragma once
// The services of the live page. Requests and answers are JSON objects.

#include <array>

#include "live/server_message.hpp"

namespace fathom {

enum class ServiceId : std::uint8_t { kPause, kStep, kSeek, kSpeed, kSaveFrame, kSaveScene };

/// [ServiceId]
inline constexpr std::array<LiveService, 6> kLiveServices = {{
    {"/fathom/pause", R"({"type":"object","properties":{"paused":{"type":"boolean"}}})", R"({"type":"object"})"},
    {"/fathom/step", R"({"type":"object"})", R"({"type":"object"})"},
    {"/fathom/seek", R"({"type":"object","properties":{"time_s":{"type":"number"}}})", R"({"type":"object"})"},
    {"/fathom/speed", R"({"type":"object","properties":{"speed":{"type":"number"}}})", R"({"type":"object"})"},
    {"/fathom/save_frame", R"({"type":"object","properties":{"sensor":{"type":"string"}}})",
     R"({"type":"object","properties":{"files":{"type":"array","items":{"type":"string"}}}})"},
    {"/fathom/save_scene", R"({"type":"object"})", R"({"type":"object","properties":{"file":{"type":"string"}}})"},
}};

}  // namespace fathom
