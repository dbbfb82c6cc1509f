// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Certificates of plans that are far from their bounds for one reason each,
/// with times worked out by hand.

#include "TestSupport.h"

#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/Certificate.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

/// A byte an element and a microsecond.
PlannerOptions makeOptions(double baseUs, double latencyUs) {
  PlannerOptions options;
  options.elementBytes = 1;
  options.cluster.baseSec = baseUs * 1e-6;
  options.cluster.levels[0].link.latencySec = latencyUs * 1e-6;
  return options;
}

Certificate certifyPlan(const Plan &plan, const PlannerOptions &options) {
  return certify(plan,
                 getPlanCost(plan, options.cluster, options.elementBytes,
                             options.chunkBytes),
                 getBound(plan.mesh, plan.globalShape, plan.from, plan.to,
                          options.cluster, options.elementBytes),
                 options);
}

std::string getReason(const char *text, const PlannerOptions &options) {
  return certifyPlan(llvm::cantFail(parsePlan(text)), options).reason;
}

TEST(Certificate, names_what_is_met) {
  EXPECT_EQ(getReason("36 on y=3: [{y}] -> [{y}]", makeOptions(0, 0)),
            "nothing has to move");
  EXPECT_EQ(getReason("36 on x=2,y=3: [{y}] -> [{x}]\n"
                      "exchange over {x,y}: [{y}] -> [{x}], owners [{y,x}]",
                      makeOptions(0, 0)),
            "meets the bound on time: some rank has to receive 18 bytes");
}

TEST(Certificate, names_bytes_that_are_too_many) {
  Plan plan = llvm::cantFail(parsePlan("36 on x=2,y=3: [{y}] -> [{x}]\n"
                                       "exchange over {y}: [{y}] -> [{x}]"));
  Certificate certificate = certifyPlan(plan, makeOptions(0, 0));
  EXPECT_EQ(certificate.reason,
            "takes 1.333 times the bound: 6 us of bytes, as a rank sends 24 "
            "bytes where 18 are the bound, and 12 the least without "
            "forwarding");
  EXPECT_TRUE(certificate.meetsReceived);
  EXPECT_FALSE(certificate.meetsSent);
  EXPECT_DOUBLE_EQ(certificate.extraTransferSec, 6e-6);
  EXPECT_EQ(certificate.extraLatencySec, 0);
}

TEST(Certificate, names_latency) {
  // 19 and 27 us, where 11 and 24 us are the bound.
  Plan plan = llvm::cantFail(
      parsePlan("8x8 on x=2,y=2: [{x,y},{}] -> [{},{y}]\n"
                "all_to_all concat dim 0, split dim 1 over {y}: "
                "[{x,y},{}] -> [{x},{y}]\n"
                "all_gather dim 0 over {x}: [{x},{y}] -> [{},{y}]"));
  Certificate certificate = certifyPlan(plan, makeOptions(10, 1));
  EXPECT_EQ(certificate.reason,
            "takes 1.314 times the bound: 11 us of latency, as 2 steps each "
            "take their base and latency");
  EXPECT_DOUBLE_EQ(certificate.extraLatencySec, 11e-6);
  EXPECT_EQ(getReason("8 on x=4: [{x}] -> [{}]\n"
                      "all_gather dim 0 over {x}: [{x}] -> [{}]",
                      makeOptions(0, 1)),
            "takes 1.286 times the bound: 2 us of latency, as a rank has more "
            "than one message or hop");
  EXPECT_EQ(getReason("8 on x=2: [{x}] -> [{}]\n"
                      "exchange over {x}: [{x}] -> [{}], 2 rounds",
                      makeOptions(0, 1)),
            "takes 1.200 times the bound: 1 us of latency, as messages go in 2 "
            "rounds, to stage no more than a chunk");
}

TEST(Certificate, names_packing) {
  PlannerOptions options = makeOptions(0, 0);
  options.cluster.memoryBandwidthBytesPerSec = 32e6;
  EXPECT_EQ(getReason("4x4 on x=2: [{},{x}] -> [{},{}]\n"
                      "all_gather dim 1 over {x}: [{},{x}] -> [{},{}]",
                      options),
            "takes 1.125 times the bound: 1 us of packing and unpacking");
}

// Each half of the ranks swaps twice, and passes on what others want.
constexpr const char *twoSwaps = "4x4 on x=2,y=2: [{x,y},{}] -> [{},{y,x}]\n"
                                 "all_to_all concat dim 0, split dim 1 over "
                                 "{y}: [{x,y},{}] -> [{x},{y}]\n"
                                 "all_to_all concat dim 0, split dim 1 over "
                                 "{x}: [{x},{y}] -> [{},{y,x}]";
constexpr const char *bytesOfTwoSwaps =
    "1 us of bytes, as a rank receives 4 bytes where 3 are the bound, as steps "
    "forward what others want and a rank sends 4 bytes where 3 are the bound, "
    "and 3 the least without forwarding";

TEST(Certificate, weighs_messages_against_bytes) {
  EXPECT_EQ(getReason(twoSwaps, makeOptions(0, 100)),
            std::string("takes 1.981 times the bound: ") + bytesOfTwoSwaps +
                "; 100 us of latency, as 2 steps each take their base and "
                "latency; fewer messages are worth the bytes: an exchange "
                "takes 303 us, 300 us of it latency");
}

TEST(Certificate, names_the_cap_that_rules_out_an_exchange) {
  PlannerOptions options = makeOptions(0, 0.5);
  std::string reason = std::string("takes 1.429 times the bound: ") +
                       bytesOfTwoSwaps +
                       "; 0.5 us of latency, as 2 steps each take their base "
                       "and latency; an exchange takes 4.5 us, 1.5 us of it "
                       "latency";
  EXPECT_EQ(getReason(twoSwaps, options), reason);
  options.capBytes = 6;
  EXPECT_EQ(getReason(twoSwaps, options),
            reason + ", and holds 7 bytes where the cap is 6");
}

TEST(Certificate, says_what_was_not_counted) {
  PlannerOptions options = makeOptions(0, 0);
  Plan plan = makePlan(makeMesh("a=32,b=32,c=32"), {1 << 15, 1 << 15},
                       "[{a},{b}]", "[{b,c},{a}]");
  std::string reason = certifyPlan(plan, options).reason;
  EXPECT_TRUE(llvm::StringRef(reason).ends_with(
      "; the cost is not counted on all ranks"))
      << reason;
}

} // namespace
