// SPDX-License-Identifier: MIT
// Another implementation of DDS and CDR (Fast DDS, Fast CDR), which shares no line with fathom, as the oracle of tests.
//
//   topic_judge listen DOMAIN reliable|best_effort volatile|latched MESSAGES TOPIC=TYPE...
//
// listen prints a line for each publisher that it finds, "found TOPIC TYPE USER_DATA", and for each message, "TOPIC
// values". It ends after this number of messages, or with 0 when it is killed.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fastcdr/Cdr.h>
#include <fastcdr/exceptions/Exception.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastcdr::Cdr;

/// The fields of types as their .msg files have them: i int32, I uint32, B uint8, c int8, b bool, f float32, d float64,
/// s string, a number repeats what follows, [...] is a sequence.
const std::map<std::string, std::string> kFields = {
    {"sensor_msgs::msg::dds_::PointCloud2_", "iIsII[sIBI]bII[B]b"},
    {"sensor_msgs::msg::dds_::LaserScan_", "iIs7f[f][f]"},
    {"sensor_msgs::msg::dds_::Image_", "iIsIIsBI[B]"},
    {"sensor_msgs::msg::dds_::CameraInfo_", "iIsIIs[d]9d9d12d2I4Ib"},
    {"tf2_msgs::msg::dds_::TFMessage_", "[iIss7d]"},
    {"nav_msgs::msg::dds_::Odometry_", "iIss7d36d6d36d"},
    {"nav_msgs::msg::dds_::OccupancyGrid_", "iIsiIfII7d[c]"},
    {"geometry_msgs::msg::dds_::PoseWithCovarianceStamped_", "iIs7d36d"},
    {"rosgraph_msgs::msg::dds_::Clock_", "iI"}};

/// Prints the sum of sequences of more numbers than this.
constexpr std::uint32_t kToldOneByOne = 32;

template <class T>
T next(Cdr& cdr) {
  T value{};
  cdr >> value;
  return value;
}

double next_number(Cdr& cdr, char code) {
  switch (code) {
    case 'i':
      return next<std::int32_t>(cdr);
    case 'I':
      return next<std::uint32_t>(cdr);
    case 'B':
      return next<std::uint8_t>(cdr);
    case 'c':
      return static_cast<signed char>(next<std::uint8_t>(cdr));
    case 'b':
      return next<bool>(cdr) ? 1 : 0;
    case 'f':
      return static_cast<double>(next<float>(cdr));
    default:
      return next<double>(cdr);
  }
}

double next_sum(Cdr& cdr, char code, std::uint32_t count) {
  double sum = 0;
  if (code == 'B') {  // the points of a cloud: millions
    std::vector<std::uint8_t> bytes(count);
    cdr.deserializeArray(bytes.data(), bytes.size());
    for (const std::uint8_t byte : bytes) sum += byte;
    return sum;
  }
  for (std::uint32_t i = 0; i < count; ++i) sum += next_number(cdr, code);
  return sum;
}

std::string told(double value) {
  char text[40];
  std::snprintf(text, sizeof text, " %.17g", value);
  return text;
}

void tell(Cdr& cdr, const std::string& codes, std::string& out) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    int times = 0;
    for (; codes[i] >= '0' && codes[i] <= '9'; ++i) times = 10 * times + (codes[i] - '0');
    if (codes[i] == '[') {
      const std::string inner = codes.substr(i + 1, codes.find(']', i) - i - 1);
      const auto count = next<std::uint32_t>(cdr);
      out += " #" + std::to_string(count);
      if (count > kToldOneByOne) {
        out += told(next_sum(cdr, inner[0], count));
      } else {
        for (std::uint32_t k = 0; k < count; ++k) tell(cdr, inner, out);
      }
      i = codes.find(']', i);
      continue;
    }
    for (int k = 0; k < std::max(times, 1); ++k) {
      out += codes[i] == 's' ? " '" + next<std::string>(cdr) + "'" : told(next_number(cdr, codes[i]));
    }
  }
}

/// Messages as text.
class TextType : public dds::TopicDataType {
 public:
  explicit TextType(const std::string& name) : codes_(kFields.at(name)) {
    setName(name.c_str());
    m_typeSize = 1 << 16;
    m_isGetKeyDefined = false;
  }
  /// The judge sends nothing.
  bool serialize(void* /*data*/, rtps::SerializedPayload_t* /*payload*/) override { return false; }
  /// No text for an empty message: Fast DDS delivers one if the writer dropped fragments of a message too early.
  bool deserialize(rtps::SerializedPayload_t* payload, void* data) override {
    eprosima::fastcdr::FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->length);
    Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
    std::string& text = *static_cast<std::string*>(data);
    text.clear();
    if (payload->length == 0) return true;
    try {
      cdr.read_encapsulation();
      tell(cdr, codes_, text);
    } catch (const eprosima::fastcdr::exception::Exception& error) {
      text += std::string(" damaged: ") + error.what() + ", of " + std::to_string(payload->length) + " bytes";
    }
    return true;
  }
  std::function<std::uint32_t()> getSerializedSizeProvider(void* /*data*/) override {
    return [] { return std::uint32_t{0}; };
  }
  void* createData() override { return new std::string; }
  void deleteData(void* data) override { delete static_cast<std::string*>(data); }
  bool getKey(void* /*data*/, rtps::InstanceHandle_t* /*handle*/, bool /*md5*/) override { return false; }

 private:
  std::string codes_;
};

std::mutex printing;
std::atomic<long> received{0};

class FoundListener : public dds::DomainParticipantListener {
  void on_publisher_discovery(dds::DomainParticipant* /*participant*/, rtps::WriterDiscoveryInfo&& found) override {
    if (found.status != rtps::WriterDiscoveryInfo::DISCOVERED_WRITER) return;
    const auto& bytes = found.info.m_qos.m_userData;
    const std::lock_guard lock(printing);
    std::printf("found %s %s %s\n", found.info.topicName().c_str(), found.info.typeName().c_str(),
                std::string(bytes.begin(), bytes.end()).c_str());
    std::fflush(stdout);
  }
};

class MessageListener : public dds::DataReaderListener {
  void on_data_available(dds::DataReader* reader) override {
    std::string text;
    dds::SampleInfo info;
    while (reader->take_next_sample(&text, &info) == ReturnCode_t::RETCODE_OK) {
      if (!info.valid_data || text.empty()) continue;
      {
        const std::lock_guard lock(printing);
        std::printf("%s%s\n", reader->get_topicdescription()->get_name().c_str(), text.c_str());
        std::fflush(stdout);
      }
      ++received;
    }
  }
};

FoundListener found_listener;
MessageListener message_listener;

/// On the loopback alone, where the participants of a computer meet.
dds::DomainParticipant* participant_of(const char* domain) {
  dds::DomainParticipantQos qos;
  auto transport = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  transport->interfaceWhiteList.emplace_back("127.0.0.1");
  transport->receiveBufferSize =
      4 << 20;  // most of a cloud of 128 x 2048; the usual 208 kB lose three datagrams of four
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(transport);
  return dds::DomainParticipantFactory::get_instance()->create_participant(
      static_cast<std::uint32_t>(std::atoi(domain)), qos, &found_listener, dds::StatusMask::none());
}

int listen(int argc, char** argv) {
  dds::DomainParticipant* const participant = participant_of(argv[2]);
  dds::Subscriber* const subscriber = participant->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT);
  dds::DataReaderQos qos;
  qos.reliability().kind =
      argv[3] == std::string("reliable") ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
  qos.durability().kind =
      argv[4] == std::string("latched") ? dds::TRANSIENT_LOCAL_DURABILITY_QOS : dds::VOLATILE_DURABILITY_QOS;
  qos.history().depth = 10;
  qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  const long wanted = std::atol(argv[5]);
  for (int i = 6; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t at = word.find('=');
    const dds::TypeSupport type(new TextType(word.substr(at + 1)));
    type.register_type(participant);
    dds::Topic* const topic =
        participant->create_topic(word.substr(0, at), type.get_type_name(), dds::TOPIC_QOS_DEFAULT);
    if (subscriber->create_datareader(topic, qos, &message_listener) == nullptr) return 2;
  }
  while (wanted == 0 || received < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::_Exit(0);  // Fast DDS takes a while to leave
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 7 && argv[1] == std::string("listen")) return listen(argc, argv);
  return 2;
}
