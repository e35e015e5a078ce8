// SPDX-License-Identifier: MIT
#include <fathom/files/bags.hpp>

#include "arguments.hpp"
#include "binding.hpp"
#include "calls.hpp"

namespace fathom::python {

using namespace pybind11::literals;

namespace {

py::dict topic_dict(const BagTopicInfo& topic) {
  py::dict d;
  d["name"] = topic.name, d["type"] = topic.type, d["encoding"] = topic.encoding, d["known"] = topic.is_known;
  d["messages"] = topic.messages, d["first_s"] = topic.first_s, d["last_s"] = topic.last_s;
  d["rate_hz"] = topic.rate_hz(), d["frames"] = topic.frames;
  d["damaged"] = topic.damaged, d["damage"] = topic.damage;
  return d;
}

py::dict bag_info(const std::filesystem::path& bag) {
  BagInfo info;
  released([&] { info = read_bag_info(bag); });
  py::list topics;
  for (const BagTopicInfo& topic : info.topics) topics.append(topic_dict(topic));
  py::dict d;
  d["format"] = info.format, d["messages"] = info.messages, d["first_s"] = info.first_s, d["last_s"] = info.last_s;
  d["torn"] = info.tear, d["damaged"] = info.damaged, d["damage"] = info.damage, d["topics"] = topics;
  return d;
}

}  // namespace

void bind_bags(py::module_& m) {
  m.def("read_bag_info", &bag_info, "bag"_a,
        "What is in a bag of ROS 2 (MCAP, .db3 or a folder of rosbag2), as `fathom bag info --json` tells: format,\n"
        "messages, first_s and last_s, torn (where it ends too early; '' when it is whole), damaged (parts that were\n"
        "passed over), damage (of the first), and topics, a dict for each.");
}

}  // namespace fathom::python
