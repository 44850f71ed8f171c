#pragma once
// One coordination.k8s.io/v1 Lease, read and written as the elector needs it.
//
// Knows the JSON of a Lease and nothing about who should hold it. Thread-safe as the Client is.

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "operator/k8s/client.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

/// coordination.k8s.io/v1, leases, Lease.
const ResourceType& LeaseType();

/// What a Lease says. The times in `object` are for people: no decision compares them to a clock.
struct LeaseRecord {
  std::string holder;  ///< "" = released
  std::chrono::seconds duration{0};
  int transitions = 0;
  Json object;  ///< the whole Lease as the server returned it: its version guards the next write

  /// True when anything in the spec differs: the sign of life that a standby looks for.
  bool SpecDiffers(const LeaseRecord& other) const;
};

/// The spec to write. `acquired` is set when the holder changes; otherwise the old time stays.
struct LeaseWrite {
  std::string holder;
  std::chrono::seconds duration{15};
  int transitions = 0;
  WallTime renewed;
  std::optional<WallTime> acquired;
};

class LeaseClient {
 public:
  /// `client` should be an instance of its own with short deadlines (4 s): renewing must not queue
  /// behind anything else.
  LeaseClient(Client& client, ObjectKey key) : client_(client), key_(std::move(key)) {}

  /// kNotFound when there is no such Lease.
  Expected<LeaseRecord> Get(std::stop_token stop);

  /// kExists when somebody else was quicker.
  Expected<LeaseRecord> Create(const LeaseWrite& write, std::stop_token stop);

  /// PUT over `seen`, keeping its metadata and foreign spec fields. kConflict when it has changed
  /// since; kUnknown when the write may have happened.
  Expected<LeaseRecord> Update(const LeaseRecord& seen, const LeaseWrite& write,
                               std::stop_token stop);

  const ObjectKey& key() const { return key_; }

 private:
  Client& client_;
  ObjectKey key_;
};

}  // namespace torchsoak::k8s
