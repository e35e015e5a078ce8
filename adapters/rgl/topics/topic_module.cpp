// SPDX-License-Identifier: MIT
#include "topics/topic_module.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

struct TopicModule {
  fathom_topic_open_t* open = nullptr;
  fathom_topic_publish_t* publish = nullptr;
};

/// The folder of the library that holds this function; null if unknown.
const std::filesystem::path* find_own_folder() noexcept {
  try {
    Dl_info own = {};
    if (dladdr(reinterpret_cast<const void*>(&find_own_folder), &own) == 0 || own.dli_fname == nullptr) return nullptr;
    const std::filesystem::path file = own.dli_fname;
    if (!file.has_parent_path()) return nullptr;
    return new std::filesystem::path(std::filesystem::absolute(file).parent_path());
  } catch (...) {
    return nullptr;
  }
}

/// Found when the library is loaded, because its name may be relative and the working directory may change. Never
/// destroyed, because threads may use it while the process ends.
const std::filesystem::path* const own_folder = find_own_folder();

struct CloseModule {
  void operator()(void* module) const { dlclose(module); }
};

template <class F>
bool find_symbol(void* module, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(module, name));
  return function != nullptr;
}

/// The module, which stays loaded, or null with the reason in `why`.
const TopicModule* find_topic_module(std::string& why) {
  static TopicModule loaded;
  if (loaded.publish != nullptr) return &loaded;
  // Only beside the library: without a folder, dlopen() would search the folders of the system.
  const std::filesystem::path file =
      own_folder == nullptr ? FATHOM_RGL_TOPICS_MODULE : *own_folder / FATHOM_RGL_TOPICS_MODULE;
  std::error_code error;
  if (own_folder == nullptr || !std::filesystem::exists(file, error)) {
    why = file.string() + " is missing";
    return nullptr;
  }
  std::unique_ptr<void, CloseModule> module(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  TopicModule found;
  if (module != nullptr && find_symbol(module.get(), "fathom_topic_open", found.open) &&
      find_symbol(module.get(), "fathom_topic_publish", found.publish)) {
    loaded = found;
    static_cast<void>(module.release());
    return &loaded;
  }
  const char* const reason = dlerror();
  why = fmt::format("{} cannot be loaded: {}", file.string(), reason == nullptr ? "a function is missing" : reason);
  return nullptr;
}

const TopicModule& topic_module() {
  std::string why;
  const TopicModule* const module = find_topic_module(why);
  if (module == nullptr) fail(RGL_ROS2_ERROR, "ROS 2 error: " + why);
  return *module;
}

std::uint32_t domain_of_environment() {
  const char* const text = std::getenv("ROS_DOMAIN_ID");
  if (text == nullptr || *text == '\0') return 0;
  const std::string_view digits = text;
  std::uint32_t domain = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), domain);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail(RGL_ROS2_ERROR, fmt::format("ROS 2 error: ROS_DOMAIN_ID={} is no number", digits));
  }
  return domain;
}

std::string interface_of_environment() {
  const char* const text = std::getenv("FATHOM_RGL_TOPICS_INTERFACE");
  return text == nullptr ? "" : text;
}

}  // namespace

bool has_topic_module() {
  std::string why;
  return find_topic_module(why) != nullptr;
}

void require_topic_module(const char* function) {
  std::string why;
  if (find_topic_module(why) != nullptr) return;
  fail(RGL_NOT_IMPLEMENTED, fmt::format("Not implemented: {} belongs to the ROS 2 extension of RGL, which is not there "
                                        "(see rgl_get_extension_info): {}",
                                        function, why));
}

CloudTopic::CloudTopic(const std::string& topic, fathom_topic_quality quality) {
  std::array<char, 500> error = {};
  if (topic_module().open(domain_of_environment(), interface_of_environment().c_str(), topic.c_str(), quality, &writer_,
                          error.data(), error.size()) != 0) {
    fail(RGL_ROS2_ERROR, fmt::format("ROS 2 error: topic '{}': {}", topic, error.data()));
  }
}

void CloudTopic::publish(const fathom_topic_cloud& cloud) const {
  std::array<char, 500> error = {};
  if (topic_module().publish(writer_, &cloud, error.data(), error.size()) != 0) {
    fail(RGL_ROS2_ERROR, fmt::format("ROS 2 error: {}", error.data()));
  }
}

}  // namespace rgl
