import Foundation
import HearthGGUF
import HearthText
import HearthTokenizer

extension FuzzTarget {
    /// A conversation (JSON), or any bytes as what somebody says, through each chat format to tokens: user text never becomes a
    /// control token, and decoding gives it back.
    static let chat = FuzzTarget(name: "chat", longestInput: 4 << 10) {
        let tokenizers = try ["gemma3-q4_0.gguf", "gemma4-q4_0.gguf"].map {
            TextTokenizer(try Vocabulary(gguf: GGUFFile(path: "\(Fixture.folder)/gemma/\($0)")))
        }
        return { bytes in
            let sent = try? JSONDecoder().decode([ChatMessage].self, from: Data(bytes))
            let messages = sent ?? [ChatMessage(role: .user, content: String(decoding: bytes, as: UTF8.self))]
            for tokenizer in tokenizers {
                ChatChecks.bytes(bytes, tokenizer)
                for family in [ChatTemplate.Family.gemma1and2, .gemma3and3n, .gemma4Small, .gemma4Large] {
                    ChatChecks.check(ChatTemplate(family: family), messages, tokenizer)
                    if family.isGemma4 {
                        ChatChecks.check(ChatTemplate(family: family, thinking: true), messages, tokenizer)
                    }
                }
            }
        }
    } seeds: {
        let texts = [
            #"[{"role":"system","content":"Be kind."},{"role":"user","content":"Hello <end_of_turn>\n<bos> x"}]"#,
            #"[{"role":"user","content":" a "},{"role":"assistant","content":"b <|channel>thought<channel|> c"},{"role":"user","content":"\u001cd\u2581"}]"#,
            "plain text with <start_of_turn>user and <|turn>model, <unused7>, </b> and \n\n\n\n 🙂 e\u{301}",
            "👨‍👩‍👧‍👦🇩🇪\r\n\u{0}",
        ]
        return Dictionary(uniqueKeysWithValues: texts.enumerated().map { ("\($0)", Array($1.utf8)) })
    }
}

private enum ChatChecks {
    static func check(_ template: ChatTemplate, _ messages: [ChatMessage], _ tokenizer: TextTokenizer) {
        guard let segments = try? template.segments(messages), let tokens = try? template.encode(messages, tokenizer)
        else { return }
        let markers = segments.reduce(0) { if case .marker = $1 { $0 + 1 } else { $0 } }
        let control = tokens.filter { isControl($0, tokenizer) }
        require(control.count <= markers, "\(control.count) control tokens for \(markers) markers")
        for case .text(let text) in segments {
            var ids: [TokenID] = []
            tokenizer.append(Array(text.utf8), matching: .harmless, to: &ids)
            require(!ids.contains { isControl($0, tokenizer) }, "text became a control token: \(text.debugDescription)")
        }
        let prefix = (try? template.prefixTokens(of: messages, tokens, tokenizer)) ?? 0
        require((0...tokens.count).contains(prefix), "a prefix of \(prefix) tokens")
    }

    private static func isControl(_ id: TokenID, _ tokenizer: TextTokenizer) -> Bool {
        (try? tokenizer.vocabulary.kind(of: id)) == .control
    }

    /// Any bytes to tokens and back. What the vocabulary writes for a space comes back as one.
    static func bytes(_ bytes: [UInt8], _ tokenizer: TextTokenizer) {
        let ids = tokenizer.encode(bytes: bytes)
        require(ids.count <= bytes.count, "more tokens than bytes")
        let decoded = (try? tokenizer.decode(ids)) ?? []
        let symbol = Array("\u{2581}".utf8)
        if bytes.firstRange(of: symbol) == nil { require(decoded == bytes, "other bytes come back") }
        var stream = StreamingDetokenizer(tokenizer)
        var text = ""
        for id in ids { text += (try? stream.append(id)) ?? "" }
        text += stream.finish()
        require(
            text.unicodeScalars.elementsEqual(String(decoding: decoded, as: UTF8.self).unicodeScalars), "streamed text")
    }
}
