#include "operator/k8s/election/lease_client.h"

#include <algorithm>
#include <utility>

#include "operator/k8s/meta.h"

namespace torchsoak::k8s {
namespace {

constexpr std::int64_t kLongestLease = 24 * 60 * 60;

LeaseRecord Decode(Json&& object) {
  LeaseRecord record;
  record.holder = GetString(object, {"spec", "holderIdentity"});
  const std::int64_t seconds = GetInt(object, {"spec", "leaseDurationSeconds"}).value_or(0);
  record.duration = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kLongestLease));
  const std::int64_t transitions = GetInt(object, {"spec", "leaseTransitions"}).value_or(0);
  record.transitions = static_cast<int>(std::clamp<std::int64_t>(transitions, 0, 1 << 30));
  record.object = std::move(object);
  return record;
}

void Fill(Json& object, const LeaseWrite& write) {
  Json& spec = object["spec"];
  if (!spec.is_object()) spec = Json::object();
  spec["holderIdentity"] = write.holder;
  spec["leaseDurationSeconds"] = write.duration.count();
  spec["leaseTransitions"] = write.transitions;
  spec["renewTime"] = FormatMicroTime(write.renewed);
  if (write.acquired) spec["acquireTime"] = FormatMicroTime(*write.acquired);
}

Expected<LeaseRecord> Decoded(Expected<Json>&& reply) {
  if (!reply) return tl::unexpected(reply.error());
  return Decode(std::move(*reply));
}

}  // namespace

const ResourceType& LeaseType() {
  static const ResourceType type{"coordination.k8s.io", "v1", "leases", "Lease"};
  return type;
}

bool LeaseRecord::SpecDiffers(const LeaseRecord& other) const {
  const Json* mine = Find(object, {"spec"});
  const Json* theirs = Find(other.object, {"spec"});
  if (mine == nullptr || theirs == nullptr) return mine != theirs;
  return *mine != *theirs;
}

Expected<LeaseRecord> LeaseClient::Get(std::stop_token stop) {
  return Decoded(client_.Get(LeaseType(), key_, std::move(stop)));
}

Expected<LeaseRecord> LeaseClient::Create(const LeaseWrite& write, std::stop_token stop) {
  Json object = {{"apiVersion", LeaseType().ApiVersion()},
                 {"kind", LeaseType().kind},
                 {"metadata", {{"name", key_.name}, {"namespace", key_.ns}}}};
  Fill(object, write);
  return Decoded(client_.Create(LeaseType(), key_.ns, object, std::move(stop)));
}

Expected<LeaseRecord> LeaseClient::Update(const LeaseRecord& seen, const LeaseWrite& write,
                                          std::stop_token stop) {
  Json object = seen.object;
  Fill(object, write);
  return Decoded(client_.Update(LeaseType(), key_, object, std::move(stop)));
}

}  // namespace torchsoak::k8s
