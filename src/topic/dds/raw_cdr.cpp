// SPDX-License-Identifier: MIT
#include "topic/dds/raw_cdr.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <dds/ddsi/q_radmin.h>

namespace fathom {

namespace {

struct RawSample : ddsi_serdata {
  RawSample(const ddsi_sertype* of, ddsi_serdata_kind as) : ddsi_serdata{} {
    ddsi_serdata_init(this, of, as);
    hash = of->serdata_basehash;
  }
  std::size_t size = 0;  ///< of the message
  std::string bytes;     ///< padded: the library may ask for as much as rounds `size` up to 4
};

RawSample* raw(ddsi_serdata* sample) { return static_cast<RawSample*>(sample); }
const RawSample* raw(const ddsi_serdata* sample) { return static_cast<const RawSample*>(sample); }

constexpr std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

/// All messages are of one instance.
bool same_key(const ddsi_serdata* /*a*/, const ddsi_serdata* /*b*/) { return true; }

std::uint32_t sample_size(const ddsi_serdata* sample) { return static_cast<std::uint32_t>(raw(sample)->size); }

/// From the network. Fragments may overlap; bytes that none has stay zero.
ddsi_serdata* from_fragments(const ddsi_sertype* type, ddsi_serdata_kind kind, const nn_rdata* fragment,
                             std::size_t size) {
  auto sample = std::make_unique<RawSample>(type, kind);
  sample->size = size;
  sample->bytes.resize(padded(size));
  std::size_t have = 0;
  for (; fragment != nullptr; fragment = fragment->nextfrag) {
    const std::size_t end = std::min<std::size_t>(fragment->maxp1, size);
    if (end <= have || fragment->min > have) continue;
    const unsigned char* const payload = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
    std::memcpy(sample->bytes.data() + have, payload + (have - fragment->min), end - have);
    have = end;
  }
  return sample.release();
}

ddsi_serdata* from_pieces(const ddsi_sertype* type, ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count,
                          const ddsrt_iovec_t* pieces, std::size_t size) {
  auto sample = std::make_unique<RawSample>(type, kind);
  for (ddsrt_msg_iovlen_t i = 0; i < count; ++i) {
    sample->bytes.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  }
  sample->size = std::min(size, sample->bytes.size());
  sample->bytes.resize(padded(sample->size));
  return sample.release();
}

ddsi_serdata* from_key(const ddsi_sertype* type, const ddsi_keyhash* /*key*/) { return new RawSample(type, SDK_KEY); }

/// There are no samples but serialised ones.
ddsi_serdata* from_struct(const ddsi_sertype* /*type*/, ddsi_serdata_kind /*kind*/, const void* /*data*/) {
  return nullptr;
}
bool to_struct(const ddsi_serdata* /*sample*/, void* /*data*/, void** /*buffer*/, void* /*end*/) { return false; }
bool key_to_struct(const ddsi_sertype* /*type*/, const ddsi_serdata* /*sample*/, void* /*data*/, void** /*buffer*/,
                   void* /*end*/) {
  return true;
}

ddsi_serdata* to_key(const ddsi_serdata* sample) {
  auto* const key = new RawSample(sample->type, SDK_KEY);
  key->type = nullptr;  // it serves all topics
  return key;
}

void copy_bytes(const ddsi_serdata* sample, std::size_t offset, std::size_t size, void* to) {
  std::memcpy(to, raw(sample)->bytes.data() + offset, size);
}

ddsi_serdata* lend_bytes(const ddsi_serdata* sample, std::size_t offset, std::size_t size, ddsrt_iovec_t* to) {
  to->iov_base = const_cast<char*>(raw(sample)->bytes.data()) + offset;
  to->iov_len = size;
  return ddsi_serdata_ref(sample);
}

void return_bytes(ddsi_serdata* sample, const ddsrt_iovec_t* /*lent*/) { ddsi_serdata_unref(sample); }

void free_sample(ddsi_serdata* sample) { delete raw(sample); }

std::size_t print_sample(const ddsi_sertype* /*type*/, const ddsi_serdata* /*sample*/, char* text, std::size_t size) {
  if (size > 0) text[0] = '\0';
  return 0;
}

void key_hash(const ddsi_serdata* /*sample*/, ddsi_keyhash* hash, bool /*md5*/) { std::memset(hash, 0, sizeof(*hash)); }

ddsi_serdata_ops sample_ops() {
  ddsi_serdata_ops ops = {};
  ops.eqkey = &same_key;
  ops.get_size = &sample_size;
  ops.from_ser = &from_fragments;
  ops.from_ser_iov = &from_pieces;
  ops.from_keyhash = &from_key;
  ops.from_sample = &from_struct;
  ops.to_ser = &copy_bytes;
  ops.to_ser_ref = &lend_bytes;
  ops.to_ser_unref = &return_bytes;
  ops.to_sample = &to_struct;
  ops.to_untyped = &to_key;
  ops.untyped_to_sample = &key_to_struct;
  ops.free = &free_sample;
  ops.print = &print_sample;
  ops.get_keyhash = &key_hash;
  return ops;
}

void free_type(ddsi_sertype* type) {
  ddsi_sertype_fini(type);
  delete type;
}

ddsi_sertype_ops type_ops() {
  ddsi_sertype_ops ops = {};
  ops.version = &ddsi_sertype_v0;
  ops.free = &free_type;
  ops.zero_samples = [](const ddsi_sertype*, void*, std::size_t) {};
  ops.realloc_samples = [](void** samples, const ddsi_sertype*, void*, std::size_t, std::size_t) {
    *samples = nullptr;
  };
  ops.free_samples = [](const ddsi_sertype*, void**, std::size_t, dds_free_op_t) {};
  ops.equal = [](const ddsi_sertype*, const ddsi_sertype*) { return true; };  // the names are compared before
  ops.hash = [](const ddsi_sertype*) { return std::uint32_t{0}; };
  return ops;
}

const ddsi_serdata_ops sample_operations = sample_ops();
const ddsi_sertype_ops type_operations = type_ops();

}  // namespace

ddsi_sertype* make_raw_type(const std::string& dds_name) {
  auto* const type = new ddsi_sertype{};
  ddsi_sertype_init_flags(type, dds_name.c_str(), &type_operations, &sample_operations,
                          DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
  type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
  return type;
}

ddsi_serdata* make_raw_sample(const ddsi_sertype* type, std::string cdr) {
  auto* const sample = new RawSample(type, SDK_DATA);
  sample->size = cdr.size();
  sample->bytes = std::move(cdr);
  sample->bytes.resize(padded(sample->size));
  return sample;
}

}  // namespace fathom
