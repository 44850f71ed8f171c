#pragma once
// A run as JUnit XML, so that any CI shows it without a plug-in. Pure.

#include <string>

#include "common/base/json.h"

namespace torchsoak::runner {

/// `report`: report.json, schema torchsoak/v1. One suite; the first case is the verdict, then one a
/// gate. Failed is a failure; Error, Inconclusive and Aborted are errors, since a job must not turn
/// green on them; a built-in gate without data is skipped. A member that is missing is left out.
std::string RenderJunit(const Json& report);

}  // namespace torchsoak::runner
