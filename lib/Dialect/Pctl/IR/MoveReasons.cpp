// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/IR/MoveReasons.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace pctl {

/// Keys of the metadata of a location.
static constexpr StringLiteral kWantedByKey = "pctl.wanted_by";
static constexpr StringLiteral kWhyKey = "pctl.why";

Location attachMoveReason(Location loc, Operation *user, StringAttr why) {
  MLIRContext *context = user->getContext();
  NamedAttribute entries[] = {
      {StringAttr::get(context, kWantedByKey), user->getName().getIdentifier()},
      {StringAttr::get(context, kWhyKey), why}};
  return FusedLoc::get(context, {loc, user->getLoc()},
                       DictionaryAttr::get(context, entries));
}

std::optional<MoveReason> findMoveReason(Location loc) {
  std::optional<MoveReason> reason;
  loc->walk([&](Location part) {
    auto fused = dyn_cast<FusedLoc>(part);
    auto metadata =
        fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : nullptr;
    if (!metadata)
      return WalkResult::advance();
    auto wantedBy = metadata.getAs<StringAttr>(kWantedByKey);
    auto why = metadata.getAs<StringAttr>(kWhyKey);
    ArrayRef<Location> parts = fused.getLocations();
    if (!wantedBy || !why || parts.empty())
      return WalkResult::advance();
    reason.emplace(MoveReason{wantedBy, why, parts.front(), parts.back()});
    return WalkResult::interrupt();
  });
  return reason;
}

} // namespace pctl
