// SPDX-License-Identifier: MIT
#include "live/topic_hub.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

namespace fathom {

namespace {

constexpr double kMessagesPerSecond = 200;                        // per client: a slider moves 60 times a second
constexpr double kMostAtOnce = 400;                               // per client that was silent
constexpr std::size_t kMostAnswerBytes = std::size_t{8} << 20U;   // waiting for a client
constexpr std::size_t kMostSubscriptions = 1024;                  // per client
constexpr std::size_t kMostRequests = 4096;                       // waiting for the source
constexpr std::size_t kMostRequestBytes = std::size_t{8} << 20U;  // of all waiting requests

}  // namespace

TopicHub::Client::Client() : allowance(kMessagesPerSecond, kMostAtOnce) {}

TopicHub::TopicHub(std::string session_id, std::string version, std::span<const LiveService> services,
                   std::function<void()> on_news)
    : session_id_(std::move(session_id)),
      version_(std::move(version)),
      services_(services),
      on_news_(std::move(on_news)) {}

const TopicHub::Topic* TopicHub::find_topic(std::string_view name) const {
  const auto found = std::find_if(topics_.begin(), topics_.end(), [&](const Topic& t) { return t.info.name == name; });
  return found == topics_.end() ? nullptr : &*found;
}

TopicHub::Topic* TopicHub::find_channel(std::uint32_t channel) {
  const auto found = std::find_if(topics_.begin(), topics_.end(), [&](const Topic& t) { return t.channel == channel; });
  return found == topics_.end() ? nullptr : &*found;
}

void TopicHub::put_answer(Client& client, Outgoing message) {
  if (client.is_given_up) return;
  client.answer_bytes += message.size();
  client.answers.push_back(std::move(message));
  if (client.answer_bytes > kMostAnswerBytes && client.answers.size() > 1) client.is_given_up = true;
}

void TopicHub::put_status(Client& client, StatusLevel level, std::string_view message) {
  put_answer(client, {.is_text = true, .head = status_text(level, message)});
}

void TopicHub::fill(Slot& slot, std::shared_ptr<const std::string> message, std::uint64_t time_ns) {
  if (!slot.message) slot.since = next_since_++;
  slot.message = std::move(message);
  slot.time_ns = time_ns;
}

void TopicHub::set_topics(std::vector<LiveTopic> topics) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<Topic> kept;
    std::vector<std::uint32_t> gone;
    for (Topic& old : topics_) {
      const auto same = std::find(topics.begin(), topics.end(), old.info);
      if (same == topics.end()) {
        gone.push_back(old.channel);
        continue;
      }
      topics.erase(same);
      kept.push_back(std::move(old));
    }
    const std::size_t first_new = kept.size();
    for (LiveTopic& topic : topics) kept.push_back({std::move(topic), next_channel_++});
    topics_ = std::move(kept);
    std::vector<AdvertisedTopic> added;
    for (std::size_t i = first_new; i < topics_.size(); ++i) added.push_back({topics_[i].channel, &topics_[i].info});
    for (auto& [id, client] : clients_) {
      std::erase_if(client.slots, [&](const auto& slot) {
        return std::find(gone.begin(), gone.end(), slot.second.channel) != gone.end();
      });
      if (!gone.empty()) put_answer(client, {.is_text = true, .head = unadvertise_text(gone)});
      if (!added.empty()) put_answer(client, {.is_text = true, .head = advertise_text(added)});
    }
  }
  on_news_();
}

void TopicHub::set_parameters(std::span<const Parameter> parameters) {
  const std::lock_guard lock(mutex_);
  parameters_.clear();
  for (const Parameter& parameter : parameters) parameters_.insert(parameter.name);
  for (auto& [id, client] : clients_) {
    std::erase_if(client.watched, [this](const auto& watched) { return !parameters_.contains(watched.first); });
  }
}

void TopicHub::publish(std::string_view topic, std::uint64_t time_ns, std::string message) {
  {
    const std::lock_guard lock(mutex_);
    auto* const found = const_cast<Topic*>(find_topic(topic));
    if (found == nullptr) return;
    const auto shared = std::make_shared<const std::string>(std::move(message));
    if (found->info.keeps) found->kept = shared, found->kept_time_ns = time_ns;
    if (found->subscribers == 0) return;
    for (auto& [id, client] : clients_) {
      for (auto& [subscription, slot] : client.slots) {
        if (slot.channel == found->channel) fill(slot, shared, time_ns);
      }
    }
  }
  on_news_();
}

void TopicHub::publish_time(std::uint64_t time_ns) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, client] : clients_) client.time_ns = time_ns;
  }
  on_news_();
}

bool TopicHub::is_wanted(std::string_view topic) const {
  const std::lock_guard lock(mutex_);
  const Topic* const found = find_topic(topic);
  return found != nullptr && found->subscribers > 0;
}

bool TopicHub::has_clients() const {
  const std::lock_guard lock(mutex_);
  return !clients_.empty();
}

bool TopicHub::is_kept(std::string_view topic) const {
  const std::lock_guard lock(mutex_);
  const Topic* const found = find_topic(topic);
  return found != nullptr && found->kept != nullptr;
}

void TopicHub::forget(std::string_view topic) {
  const std::lock_guard lock(mutex_);
  if (auto* const found = const_cast<Topic*>(find_topic(topic))) found->kept = nullptr;
}

std::vector<LiveTopic> TopicHub::topics() const {
  const std::lock_guard lock(mutex_);
  std::vector<LiveTopic> topics;
  for (const Topic& topic : topics_) topics.push_back(topic.info);
  return topics;
}

void TopicHub::answer(ClientId client, Outgoing message) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(client);
    if (found == clients_.end()) return;
    put_answer(found->second, std::move(message));
  }
  on_news_();
}

void TopicHub::send_changed(std::span<const Parameter> parameters) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, client] : clients_) {
      std::vector<Parameter> wanted;
      for (const Parameter& parameter : parameters) {
        if (watches(client, parameter.name)) wanted.push_back(parameter);
      }
      if (!wanted.empty()) put_answer(client, {.is_text = true, .head = parameter_values_text(wanted)});
    }
  }
  on_news_();
}

TopicHub::News TopicHub::wait(LiveClock::time_point until) {
  std::unique_lock lock(mutex_);
  news_for_source_.wait_until(lock, until,
                              [this] { return news_.stop || news_.new_subscriptions || !news_.requests.empty(); });
  News news = std::exchange(news_, {});
  news_.stop = news.stop;
  request_bytes_ = 0;
  return news;
}

ClientId TopicHub::connect() {
  const std::lock_guard lock(mutex_);
  const ClientId id{next_client_++};
  Client& client = clients_[id];
  put_answer(client, {.is_text = true, .head = server_info_text(session_id_, version_)});
  std::vector<AdvertisedTopic> topics;
  for (const Topic& topic : topics_) topics.push_back({topic.channel, &topic.info});
  put_answer(client, {.is_text = true, .head = advertise_text(topics)});
  if (!services_.empty()) put_answer(client, {.is_text = true, .head = advertise_services_text(services_)});
  news_.new_subscriptions = true;  // the source may sleep while there are no clients
  news_for_source_.notify_one();
  return id;
}

void TopicHub::disconnect(ClientId client) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  for (const auto& [subscription, slot] : found->second.slots) {
    if (Topic* const topic = find_channel(slot.channel)) --topic->subscribers;
  }
  clients_.erase(found);
}

void TopicHub::receive(ClientId id, std::span<const std::byte> message, bool is_text, LiveClock::time_point now) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    Client& client = found->second;
    if (!client.allowance.take(now)) {
      if (std::exchange(client.was_warned, true)) return;
      put_status(client, StatusLevel::kError,
                 fmt::format("more than {} messages a second: those above are dropped", kMessagesPerSecond));
    } else {
      client.was_warned = client.was_warned && !client.allowance.is_half_full();
      try {
        const std::string_view text(reinterpret_cast<const char*>(message.data()), message.size());
        handle(id, client, is_text ? parse_client_text(text) : parse_client_bytes(message), message.size());
      } catch (const InputError& error) {
        put_status(client, StatusLevel::kError, error.what());
      }
    }
    news_for_source_.notify_one();
  }
  on_news_();
}

void TopicHub::handle(ClientId id, Client& client, ClientMessage message, std::size_t bytes) {
  if (const auto* const wanted = std::get_if<Subscribe>(&message)) {
    subscribe(client, *wanted);
  } else if (const auto* const unwanted = std::get_if<Unsubscribe>(&message)) {
    unsubscribe(client, *unwanted);
  } else if (const auto* const watched = std::get_if<WatchParameters>(&message)) {
    watch(client, *watched);
  } else if (const auto* const call = std::get_if<ServiceCall>(&message); call && call->service >= services_.size()) {
    put_answer(client, {.is_text = true,
                        .head = service_failure_text(*call, fmt::format("there is no service {}", call->service))});
  } else if (news_.requests.size() >= kMostRequests || request_bytes_ + bytes > kMostRequestBytes) {
    throw InputError(fmt::format("message: {} others of {} bytes wait already, the limits are {} and {}; it is dropped",
                                 news_.requests.size(), request_bytes_, kMostRequests, kMostRequestBytes));
  } else {
    request_bytes_ += bytes;
    news_.requests.push_back({id, std::move(message)});
  }
}

void TopicHub::subscribe(Client& client, const Subscribe& message) {
  for (const auto& [id, channel] : message.subscriptions) {
    Topic* const topic = find_channel(channel);
    if (topic == nullptr) throw InputError(fmt::format("subscribe: there is no channel {}", channel));
    if (client.slots.count(id) > 0) throw InputError(fmt::format("subscribe: subscription {} is there already", id));
    if (client.slots.size() >= kMostSubscriptions) {
      throw InputError(fmt::format("subscribe: more than {} subscriptions", kMostSubscriptions));
    }
    ++topic->subscribers;
    Slot& slot = client.slots[id];
    slot.channel = channel;
    if (topic->kept) fill(slot, topic->kept, topic->kept_time_ns);
    news_.new_subscriptions = true;
  }
}

void TopicHub::unsubscribe(Client& client, const Unsubscribe& message) {
  for (const std::uint32_t id : message.ids) {
    const auto found = client.slots.find(id);
    if (found == client.slots.end()) throw InputError(fmt::format("unsubscribe: there is no subscription {}", id));
    if (Topic* const topic = find_channel(found->second.channel)) --topic->subscribers;
    client.slots.erase(found);
  }
}

void TopicHub::watch(Client& client, const WatchParameters& message) {
  if (message.names.empty()) {
    client.watches_all = message.watch;
    client.watched.clear();
  }
  const std::string* unknown = nullptr;
  for (const std::string& name : message.names) {
    if (parameters_.contains(name)) {
      client.watched[name] = message.watch;
    } else {
      unknown = &name;
    }
  }
  if (unknown != nullptr) throw InputError(fmt::format("parameters: there is no '{}'", one_line(*unknown)));
}

bool TopicHub::watches(const Client& client, const std::string& name) {
  const auto found = client.watched.find(name);
  return found == client.watched.end() ? client.watches_all : found->second;
}

bool TopicHub::has_more(const Client& client) {
  return !client.answers.empty() || client.time_ns ||
         std::any_of(client.slots.begin(), client.slots.end(), [](const auto& s) { return s.second.message; });
}

std::optional<Outgoing> TopicHub::next(ClientId id) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(id);
  if (found == clients_.end()) return std::nullopt;
  Client& client = found->second;
  if (!client.answers.empty()) {
    Outgoing message = std::move(client.answers.front());
    client.answers.pop_front();
    client.answer_bytes -= message.size();
    return message;
  }
  if (client.time_ns) return Outgoing{.head = time_bytes(*std::exchange(client.time_ns, std::nullopt))};
  auto oldest = client.slots.end();
  for (auto slot = client.slots.begin(); slot != client.slots.end(); ++slot) {
    if (!slot->second.message) continue;
    if (oldest == client.slots.end() || slot->second.since < oldest->second.since) oldest = slot;
  }
  if (oldest == client.slots.end()) return std::nullopt;
  return Outgoing{.head = message_head(oldest->first, oldest->second.time_ns),
                  .body = std::exchange(oldest->second.message, nullptr)};
}

bool TopicHub::has_next(ClientId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(id);
  return found != clients_.end() && has_more(found->second);
}

bool TopicHub::is_given_up(ClientId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(id);
  return found != clients_.end() && found->second.is_given_up;
}

std::size_t TopicHub::clients() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

void TopicHub::stop() {
  const std::lock_guard lock(mutex_);
  news_.stop = true;
  news_for_source_.notify_one();
}

}  // namespace fathom
