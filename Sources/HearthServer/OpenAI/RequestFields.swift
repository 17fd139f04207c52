/// Every field of OpenAI's, llama.cpp's and vLLM's completion requests that changes a response. docs/server.md has the
/// same table, and a test compares them.
package enum RequestFields {
    /// Supported fields.
    package static let supported: Set<String> = [
        "messages", "prompt", "echo", "model", "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k",
        "min_p",
        "repeat_penalty", "repeat_last_n", "seed", "stop", "stream", "stream_options", "presence_penalty",
        "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "n", "typical_p", "top_n_sigma",
        "xtc_probability", "xtc_threshold", "dry_multiplier", "dry_base", "dry_allowed_length", "chat_template_kwargs",
        "response_format", "json_schema", "grammar", "guided_json", "guided_regex", "guided_choice", "guided_grammar",
        "tools", "tool_choice", "parallel_tool_calls", "hearth_filter", "hearth_language",
    ]

    /// Refused fields, with the values that have no effect and are accepted, as `null` is everywhere.
    package static let refused: [String: [JSONValue]] = [
        // OpenAI
        "audio": [], "best_of": [1], "function_call": ["none", "auto"],
        "functions": [[]], "modalities": [["text"]], "moderation": [], "reasoning_effort": ["none"],
        "suffix": [""], "verbosity": ["medium"], "web_search_options": [],
        // llama.cpp
        "adaptive_target": [-1], "dynatemp_range": [0],
        "grammar_triggers": [[]], "ignore_eos": [false], "image_data": [[]], "input_extra": [[]], "input_prefix": [""],
        "input_suffix": [""], "lora": [[]], "min_keep": [0], "mirostat": [0],
        "n_indent": [0], "n_predict": [-1], "n_probs": [0], "penalize_nl": [false], "response_fields": [[]],
        "return_tokens": [false], "samplers": [], "t_max_predict_ms": [0, -1], "tfs_z": [1],
        // vLLM
        "add_generation_prompt": [true], "add_special_tokens": [], "allowed_token_ids": [[]], "bad_words": [[]],
        "chat_template": [""], "continue_final_message": [false], "documents": [[]],
        "include_stop_str_in_output": [false], "length_penalty": [1], "logits_processors": [[]], "min_tokens": [0],
        "mm_processor_kwargs": [[:]], "prompt_embeds": [], "prompt_logprobs": [], "repetition_penalty": [1],
        "return_token_ids": [false], "return_tokens_as_token_ids": [false], "skip_special_tokens": [true],
        "spaces_between_special_tokens": [true], "stop_token_ids": [[]], "structural_tag": [""],
        "structured_outputs": [], "thinking_token_budget": [], "truncate_prompt_tokens": [-1],
        "use_beam_search": [false],
    ]

    /// The same for the fields of one message.
    package static let refusedInMessages: [String: [JSONValue]] = [
        "audio": [], "function_call": [], "refusal": [""],
    ]

    /// The same for chats, whose prompt has the marks of turns around it.
    package static let refusedInChats: [String: [JSONValue]] = ["echo": [false]]

    /// The same for `/v1/completions`, which have no tools.
    package static let refusedInCompletions: [String: [JSONValue]] = [
        "tools": [[]], "tool_choice": ["none", "auto"],
    ]

    /// Refuses unsupported fields: if they were ignored, the client would not get what it asked for.
    /// - Parameter place: prefix of the object for the message, such as `messages[2].`.
    /// - Throws: `HTTPFailure`, naming the field.
    package static func check(
        _ fields: KeyedDecodingContainer<JSONValue.Name>, _ refused: [String: [JSONValue]], in place: String = ""
    ) throws {
        for name in fields.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            guard let harmless = refused[name.stringValue] else { continue }
            let value = try fields.value(name)
            guard value != .null, !harmless.contains(value) else { continue }
            let allowed = (harmless + [.null]).map(\.text).joined(separator: " or ")
            throw HTTPFailure.field(
                place + name.stringValue,
                "asks for what this server does not have. Leave it out, or send \(allowed).")
        }
    }
}
