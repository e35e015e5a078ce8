// SPDX-License-Identifier: MIT
#pragma once
// A table of the interface: for every function a use that is valid and every argument that its row refuses. The tables
// are in functions_*.cpp, by group; functions_test.cpp goes through them.

#include "rgl/tests/scene.hpp"

namespace fathom::test {

inline constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinite = std::numeric_limits<float>::infinity();

/// Matrices that lead nowhere, and nowhere back from.
inline constexpr rgl_mat3x4f kTorn = {{{1, 0, 0, 0}, {0, kNotANumber, 0, 0}, {0, 0, 1, 0}}};
inline constexpr rgl_mat3x4f kFarOff = {{{1, 0, 0, 0}, {0, 1, 0, -kInfinite}, {0, 0, 1, 0}}};
inline constexpr rgl_mat3x4f kFlat = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}};

/// One object of every class, one of every class that was destroyed, and two graphs that have run:
/// rays -> rings -> ranges -> offsets -> pose -> ray_noise -> trace -> yield -> format, and array -> track. Other nodes
/// have no links.
struct Objects {
  rgl_mesh_t mesh = nullptr, dead_mesh = nullptr, skinned_mesh = nullptr;
  rgl_entity_t entity = nullptr, dead_entity = nullptr, skinned = nullptr;
  rgl_texture_t texture = nullptr, dead_texture = nullptr;
  rgl_node_t rays = nullptr, trace = nullptr, yield = nullptr, format = nullptr;
  rgl_node_t track = nullptr, lone = nullptr, dead_node = nullptr;
  rgl_lidar_t lidar = nullptr, dead_lidar = nullptr;
  std::string tape;  ///< path of a tape that exists

  // Where functions put what they give, as no function would leave it.
  rgl_mesh_t out_mesh = nullptr;
  rgl_entity_t out_entity = nullptr;
  rgl_texture_t out_texture = nullptr;
  rgl_lidar_t out_lidar = nullptr;
  std::int32_t number = -77, other = -77, third = -77;
  bool flag = false;
  std::vector<char> room = std::vector<char>(4096);

  explicit Objects(std::string tape_path);
};

using Call = std::function<rgl_status_t(Objects&)>;

// Calls of the tables: with objects `o`, and also with a handle, such as `rgl_mesh_t h`.
#define CALL(...) [](Objects& o [[maybe_unused]]) { return __VA_ARGS__; }
#define TAKING(handle, ...) [](Objects& o [[maybe_unused]], handle) { return __VA_ARGS__; }

struct Refusal {
  rgl_status_t status;
  std::string text;  ///< part of what rgl_get_last_error_string says
  Call call;
};

/// A function of the interface, built up like a sentence: Function(name, valid).handle(...).refuses(...).
class Function {
 public:
  Function(std::string function, Call valid_use) : name(std::move(function)), valid(std::move(valid_use)) {}

  std::string name;
  Call valid;
  rgl_status_t answer = RGL_SUCCESS;  ///< of the valid use
  std::vector<Refusal> refusals;

  Function& answers(rgl_status_t status) {
    answer = status;
    return *this;
  }
  Function& refuses(rgl_status_t status, std::string text, Call call) {
    refusals.push_back({status, std::move(text), std::move(call)});
    return *this;
  }
  /// INVALID_ARGUMENT.
  Function& refuses(std::string text, Call call) {
    return refuses(RGL_INVALID_ARGUMENT, std::move(text), std::move(call));
  }

  /// A handle argument of a class: NULL, destroyed, never given, and of every other class.
  template <class H>
  Function& handle(const std::string& argument, const std::string& kind, H Objects::*dead,
                   rgl_status_t (*call)(Objects&, H)) {
    const std::string unknown = "Object does not exist: " + kind + " 0x";
    refuses(argument + " != nullptr", [call](Objects& o) { return call(o, nullptr); });
    refuses(RGL_INVALID_API_OBJECT, unknown, [call, dead](Objects& o) { return call(o, o.*dead); });
    refuses(RGL_INVALID_API_OBJECT, unknown, [call](Objects& o) { return call(o, reinterpret_cast<H>(&o)); });
    foreign<H>(unknown, call, &Objects::mesh);
    foreign<H>(unknown, call, &Objects::entity);
    foreign<H>(unknown, call, &Objects::texture);
    foreign<H>(unknown, call, &Objects::yield);
    return *this;
  }
  Function& mesh(rgl_status_t (*call)(Objects&, rgl_mesh_t)) {
    return handle<rgl_mesh_t>("mesh", "Mesh", &Objects::dead_mesh, call);
  }
  Function& entity(rgl_status_t (*call)(Objects&, rgl_entity_t)) {
    return handle<rgl_entity_t>("entity", "Entity", &Objects::dead_entity, call);
  }
  Function& node(const std::string& argument, rgl_status_t (*call)(Objects&, rgl_node_t),
                 const std::string& kind = "Node") {
    handle<rgl_node_t>(argument, "Node", &Objects::dead_node, call);
    if (kind == "Node") return *this;
    return refuses(RGL_INVALID_API_OBJECT, "Object does not exist: " + kind + " 0x",
                   [call](Objects& o) { return call(o, o.rays); });
  }
  /// The `rgl_node_t*` of a function that makes or changes nodes of one type.
  Function& makes(rgl_status_t (*call)(Objects&, rgl_node_t*)) {
    refuses("node != nullptr", [call](Objects& o) { return call(o, nullptr); });
    const auto given = [call](auto pick) {
      return [call, pick](Objects& o) {
        rgl_node_t node = pick(o);
        const rgl_node_t before = node;
        const rgl_status_t status = call(o, &node);
        EXPECT_EQ(node, before);
        return status;
      };
    };
    const std::string unknown = "Object does not exist: Node 0x";
    refuses(RGL_INVALID_API_OBJECT, unknown, given([](Objects& o) { return o.dead_node; }));
    refuses(RGL_INVALID_API_OBJECT, unknown, given([](Objects& o) { return o.lone; }));  // of another type
    refuses(RGL_INVALID_API_OBJECT, unknown, given([](Objects& o) { return reinterpret_cast<rgl_node_t>(o.mesh); }));
    return *this;
  }

 private:
  template <class H, class Other>
  void foreign(const std::string& text, rgl_status_t (*call)(Objects&, H), Other Objects::*other) {
    if constexpr (!std::is_same_v<H, Other>) {
      refuses(RGL_INVALID_API_OBJECT, text,
              [call, other](Objects& o) { return call(o, reinterpret_cast<H>(o.*other)); });
    }
  }
};

/// A valid use of a function that makes or changes nodes: makes one, finds it alive, changes it.
inline Call made_and_changed(rgl_status_t (*call)(Objects&, rgl_node_t*)) {
  return [call](Objects& o) {
    rgl_node_t node = nullptr;
    rgl_status_t status = call(o, &node);
    if (status != RGL_SUCCESS) return status;
    bool alive = false;
    EXPECT_EQ(rgl_node_is_alive(node, &alive), RGL_SUCCESS);
    EXPECT_TRUE(alive);
    const rgl_node_t before = node;
    status = call(o, &node);
    EXPECT_EQ(node, before);
    return status;
  };
}

/// A refusal to make a node: the handle stays as it was.
template <class F>
Call making(F f) {
  return [f](Objects&) {
    rgl_node_t node = nullptr;
    const rgl_status_t status = f(&node);
    EXPECT_EQ(node, nullptr);
    return status;
  };
}
#define MAKING(...) making([](rgl_node_t* n) { return __VA_ARGS__; })

/// The use of a function that says whether a handle lives: none, a destroyed one, and one of another class do not.
template <class H>
Call says_what_lives(rgl_status_t (*call)(H, bool*), H Objects::*living, H Objects::*dead) {
  return [=](Objects& o) {
    for (const H none : {H{}, o.*dead, reinterpret_cast<H>(o.lidar)}) {
      o.flag = true;
      EXPECT_EQ(call(none, &o.flag), RGL_SUCCESS);
      EXPECT_FALSE(o.flag);
    }
    const rgl_status_t status = call(o.*living, &o.flag);
    EXPECT_TRUE(o.flag);
    return status;
  };
}

inline std::vector<Function> joined(std::initializer_list<std::vector<Function> (*)()> groups) {
  std::vector<Function> all;
  for (auto* group : groups) {
    for (Function& f : group()) all.push_back(std::move(f));
  }
  return all;
}

std::vector<Function> scene_functions();
std::vector<Function> ray_functions();
std::vector<Function> point_functions();
std::vector<Function> graph_functions();
std::vector<Function> old_functions();
std::vector<Function> general_functions();
std::vector<Function> extension_functions();

}  // namespace fathom::test
