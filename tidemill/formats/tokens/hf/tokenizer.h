// The tokenizer of a model that Hugging Face has the tokenizer.json of. hf/file.h says which files
// are understood. Counted are the tokens of the text alone: marks in it are ordinary text, and what
// a file puts before or behind a text, or cuts off, is left out.
#pragma once

#include <memory>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/tokenizer.h"

namespace tidemill::tokens {

// Takes about a second, most of it for the table that is made of the file. Fails (step "tokenizer")
// when the file is not there, is not one of those, or does not fit itself.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> open_hf_tokenizer(const std::string& path);

}  // namespace tidemill::tokens
