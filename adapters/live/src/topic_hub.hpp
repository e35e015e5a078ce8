// SPDX-License-Identifier: MIT
#pragma once
// Topics and their subscribers, requests and their answers, between a source and its clients. The hub knows no
// sockets. A source publishes from its thread, a server takes messages to send from its own.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/messages.hpp"

namespace fathom {

/// Limits how often something happens: `most` times at once, and `per_second` times a second in the long run.
class Allowance {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Allowance(double per_second, double most) : per_second_(per_second), most_(most), left_(most) {}

  /// Whether it may happen at `now`. Counts it if so.
  bool take(TimePoint now) {
    if (last_ != TimePoint()) {
      const double passed_s = std::max(0.0, std::chrono::duration<double>(now - last_).count());
      left_ = std::min(most_, left_ + passed_s * per_second_);
    }
    last_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

  [[nodiscard]] bool is_half_full() const { return left_ >= most_ / 2; }

 private:
  double per_second_, most_, left_;
  TimePoint last_ = {};
};

enum class ClientId : std::uint32_t {};
/// The client of internal requests; answers are discarded.
inline constexpr ClientId kNoClient{0};

/// A message to send: `head`, then `body`, if any.
struct Outgoing {
  bool is_text = false;
  std::string head;
  std::shared_ptr<const std::string> body = {};

  [[nodiscard]] std::size_t size() const { return head.size() + (body ? body->size() : 0); }
};

/// A message of a client that its source has to answer.
struct LiveRequest {
  ClientId client = kNoClient;
  ClientMessage message;
};

using LiveClock = std::chrono::steady_clock;

/// A slow client gets only the newest message of each of its subscriptions: each has one slot, and a newer message
/// replaces one that was not sent yet. Answers wait in a queue of limited size: a client that never reads is given up.
class TopicHub {
 public:
  /// `on_news` is called, from any thread, when a client has something to be sent.
  TopicHub(std::string session_id, std::string version, std::span<const LiveService> services,
           std::function<void()> on_news);

  // For the source, from its thread.

  /// Replaces the topics. Unchanged topics keep channels and subscribers; clients are notified of the others.
  void set_topics(std::vector<LiveTopic> topics);
  /// Replaces the parameters. Clients can watch no others.
  void set_parameters(std::span<const Parameter> parameters);
  /// Does nothing for an unknown topic.
  void publish(std::string_view topic, std::uint64_t time_ns, std::string message);
  void publish_time(std::uint64_t time_ns);
  /// Whether a client subscribes.
  [[nodiscard]] bool is_wanted(std::string_view topic) const;
  [[nodiscard]] bool has_clients() const;
  /// Whether the hub has the newest message of a topic that keeps it.
  [[nodiscard]] bool is_kept(std::string_view topic) const;
  void forget(std::string_view topic);
  /// From any thread.
  [[nodiscard]] std::vector<LiveTopic> topics() const;
  void answer(ClientId client, Outgoing message);
  void answer_text(ClientId client, std::string text) { answer(client, {.is_text = true, .head = std::move(text)}); }
  /// Sends to clients that watch these parameters.
  void send_changed(std::span<const Parameter> parameters);

  struct News {
    std::vector<LiveRequest> requests;  ///< in their order
    bool new_subscriptions = false;
    bool stop = false;
  };
  /// Waits for news, or until `until`.
  News wait(LiveClock::time_point until);

  // For the server, from its thread.

  [[nodiscard]] ClientId connect();
  void disconnect(ClientId client);
  /// Answers with a status line if the message is invalid, or one too many.
  void receive(ClientId client, std::span<const std::byte> message, bool is_text, LiveClock::time_point now);
  [[nodiscard]] std::optional<Outgoing> next(ClientId client);
  [[nodiscard]] bool has_next(ClientId client) const;
  /// Whether the client does not read its answers.
  [[nodiscard]] bool is_given_up(ClientId client) const;
  [[nodiscard]] std::size_t clients() const;
  void stop();

 private:
  struct Topic {
    LiveTopic info;
    std::uint32_t channel;
    std::size_t subscribers = 0;
    std::shared_ptr<const std::string> kept = {};
    std::uint64_t kept_time_ns = 0;
  };
  struct Slot {
    std::uint32_t channel;
    std::shared_ptr<const std::string> message = {};  ///< null: nothing new
    std::uint64_t time_ns = 0;
    std::uint64_t since = 0;  ///< order in which waiting slots are sent
  };
  struct Client {
    Client();

    std::deque<Outgoing> answers;
    std::size_t answer_bytes = 0;
    bool is_given_up = false;
    std::optional<std::uint64_t> time_ns;
    std::map<std::uint32_t, Slot> slots;  ///< by the client's id of the subscription
    bool watches_all = false;
    std::map<std::string, bool, std::less<>> watched;  ///< false: all except this one
    Allowance allowance;                               ///< of messages from the client
    bool was_warned = false;
  };

  [[nodiscard]] const Topic* find_topic(std::string_view name) const;
  Topic* find_channel(std::uint32_t channel);
  void put_answer(Client& client, Outgoing message);
  void put_status(Client& client, StatusLevel level, std::string_view message);
  void fill(Slot& slot, std::shared_ptr<const std::string> message, std::uint64_t time_ns);
  void handle(ClientId id, Client& client, ClientMessage message, std::size_t bytes);
  void subscribe(Client& client, const Subscribe& message);
  void unsubscribe(Client& client, const Unsubscribe& message);
  void watch(Client& client, const WatchParameters& message);
  static bool watches(const Client& client, const std::string& name);
  static bool has_more(const Client& client);

  const std::string session_id_, version_;
  const std::span<const LiveService> services_;
  const std::function<void()> on_news_;
  mutable std::mutex mutex_;
  std::condition_variable news_for_source_;
  std::vector<Topic> topics_;
  std::uint32_t next_channel_ = 1, next_client_ = 1;
  std::uint64_t next_since_ = 0;
  std::map<ClientId, Client> clients_;
  std::set<std::string, std::less<>> parameters_;  ///< names
  std::size_t request_bytes_ = 0;                  ///< of the messages in news_.requests
  News news_;
};

}  // namespace fathom
