// SPDX-License-Identifier: MIT
#include "apply_messages.hpp"

#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/ros/publish.hpp>

#include "command_tree.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

void apply_to_bag(const MessageArguments& arguments, const fathom::Sensor& sensor, MessageCommand command) {
  fathom::ApplyBagOptions options{std::move(command.noise)};
  options.force = command.force;
  fathom::ApplyBagResult result;
  {
    TaskDisplay display("applying noise:", command.quiet);
    options.on_progress = [&display](double done) { display.show_fraction(done); };
    result = fathom::apply_to_bag(sensor, arguments.bag, command.out, options);
  }
  if (command.quiet) return;
  print(fmt::format("{}: {} with noise, {} copied\n", fathom::printable(command.out.string()),
                    counted(result.noisy, "message"), group_digits(result.copied)));
  print_warnings(result.notes);
}

std::string sent_text(const fathom::ApplyTopicResult& result) {
  std::string text = fmt::format("{}, {}", counted(result.messages, "message"), bytes_text(result.bytes));
  if (result.refused > 0) text += fmt::format(", {} refused", group_digits(result.refused));
  return text;
}

void apply_to_topic(const MessageArguments& arguments, const fathom::Sensor& sensor, MessageCommand command) {
  fathom::ApplyTopicOptions options{std::move(command.noise)};
  options.publish = arguments.publish, options.domain = arguments.domain, options.messages = arguments.messages;
  fathom::ApplyTopicResult result;
  {
    TaskDisplay display("applying noise:", command.quiet);
    options.on_progress = [&display](const fathom::ApplyTopicResult& so_far) { display.show_text(sent_text(so_far)); };
    result = fathom::apply_to_topic(sensor, options);
  }
  if (command.quiet) return;
  print(sent_text(result) + "\n");
  if (result.refused == 0) return;
  print_warnings(
      std::vector{fmt::format("{} without noise, the first: {}", counted(result.refused, "message"), result.refusal)});
}

}  // namespace

void apply_to_messages(const MessageArguments& arguments, const fathom::Sensor& sensor, MessageCommand command) {
  command.noise.topic = arguments.topic, command.noise.camera_info = arguments.camera_info;
  if (arguments.bag.empty()) return apply_to_topic(arguments, sensor, std::move(command));
  apply_to_bag(arguments, sensor, std::move(command));
}

void add_message_options(CLI::App& c, MessageArguments& o) {
  CLI::Option* const topic =
      c.add_option("--topic", o.topic, "topic of the messages that get noise")->type_name("TOPIC");
  CLI::Option* const bag = c.add_option("--bag", o.bag, "bag of ROS 2 with clean messages: MCAP, .db3 or a folder")
                               ->type_name("BAG")
                               ->needs(topic);
  c.add_option("--camera-info", o.camera_info, "topic of the intrinsics; default: camera_info beside --topic")
      ->type_name("TOPIC")
      ->needs(topic);
  begin_section(c, Section::kOutput);
  CLI::Option* const publish =
      c.add_option("--publish", o.publish, "publish the messages of a live topic with noise, by DDS")
          ->type_name("TOPIC")
          ->needs(topic)
          ->excludes(bag, c.get_option("--out"));
  add_whole(c, {"--frames", "N", "messages to publish; without: until Ctrl-C"}, {1, 4294967295U}, o.messages)
      .needs(publish);
  for (CLI::Option* option : add_domain(c, o.domain)) option->needs(publish);
}

}  // namespace fathom_cli
