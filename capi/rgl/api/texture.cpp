// SPDX-License-Identifier: MIT
#include "library.hpp"

using namespace rgl;

rgl_status_t rgl_texture_create(rgl_texture_t* out_texture, const void* texels, int32_t width, int32_t height) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_texture != nullptr);
    RGL_CHECK(texels != nullptr);
    RGL_CHECK(width > 0);
    RGL_CHECK(height > 0);
    lib.settled_scene();
    const auto* bytes = static_cast<const std::uint8_t*>(texels);
    const std::size_t size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    auto object = std::make_shared<TextureObject>();
    object->texture = std::make_shared<const fathom::Texture>(
        fathom::Texture{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {bytes, bytes + size}});
    *out_texture = lib.textures.add(std::move(object));
    lib.tape.record("rgl_texture_create", *out_texture, TapeArray{texels, size}, width, height);
  });
}

rgl_status_t rgl_texture_destroy(rgl_texture_t texture) {
  return guarded([&](Library& lib) {
    RGL_CHECK(texture != nullptr);
    static_cast<void>(lib.textures.get(texture));
    lib.settled_scene();
    lib.textures.remove(texture);
    lib.tape.record("rgl_texture_destroy", texture);
  });
}

rgl_status_t rgl_texture_is_alive(rgl_texture_t texture, bool* out_alive) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_alive != nullptr);
    *out_alive = lib.textures.has(texture);
    lib.tape.record("rgl_texture_is_alive", texture, *out_alive);
  });
}

rgl_status_t rgl_scene_set_time(rgl_scene_t scene, uint64_t nanoseconds) {
  return guarded([&](Library& lib) {
    RGL_CHECK(scene == nullptr);
    lib.settled_scene().set_time(nanoseconds);
    lib.tape.record("rgl_scene_set_time", scene, nanoseconds);
  });
}
