// SPDX-License-Identifier: MIT
#pragma once
// A type of Cyclone DDS whose samples are messages as bytes, of any type without a key. The library passes them on as
// they are: nothing of it looks into what a stranger sent.

#include <string>

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>

namespace fathom {

/// A type of this name; the caller gives it to dds_create_topic_sertype().
ddsi_sertype* make_raw_type(const std::string& dds_name);

/// A sample of such a type: CDR with its header of 4 bytes. The caller gives it to dds_writecdr().
ddsi_serdata* make_raw_sample(const ddsi_sertype* type, std::string cdr);

}  // namespace fathom
