// Opens the tokenizer.json of a Hugging Face model. hf/file.h describes which files are supported.
// Only the tokens of the text are counted: special tokens in it are ordinary text, and whatever a
// file adds before or after a text, or truncates, is ignored.
#pragma once

#include <memory>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/tokenizer.h"

namespace tidemill::tokens {

// Takes about a second, mostly to build the table. Fails (step "tokenizer") if the file does not
// exist, is not supported or contradicts itself.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> open_hf_tokenizer(const std::string& path);

}  // namespace tidemill::tokens
