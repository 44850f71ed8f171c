#pragma once
// A run on somebody's own machine: lines on the terminal and a folder with the report.

#include <string>

#include "runner/app/delivery.h"

namespace torchsoak::runner {

class LocalDelivery final : public Delivery {
 public:
  /// `folder` exists; report.json, report.html and junit.xml go there. On a terminal one progress
  /// line is rewritten; elsewhere lines are appended.
  LocalDelivery(int out, bool terminal, std::string folder);

  void Checkpoint(const contract::RunResult&) override {}  // the folder is written once
  void Show(const contract::Spec& spec, const Progress& progress) override;
  std::chrono::nanoseconds ProgressEvery() const override;
  void Finish(contract::RunResult result, const PackedReport* report) override;

 private:
  std::string ReportLine(const PackedReport* report) const;

  int out_;
  bool terminal_;
  std::string folder_;
};

/// The last lines of a run: verdict, sentence, gates that did not pass, headline numbers.
std::string Summary(const contract::RunResult& result);

}  // namespace torchsoak::runner
