import HearthTokenizer

/// The rules of encoding written down as plainly as possible, at any cost in time: what the fast code must equal.
struct ReferenceTokenizer {
    let pieces: [[UInt8]]
    let kinds: [TokenKind]
    let scores: [Float]
    /// Left, right; nil = by score.
    let merges: [([UInt8], [UInt8])]?

    func encode(_ text: [UInt8], parseSpecial: Bool) -> [TokenID] {
        enum Part {
            case text([UInt8])
            case token(TokenID)
        }
        var parts = [Part.text(text)]
        let special = kinds.indices.filter { index in
            !pieces[index].isEmpty
                && (kinds[index] == .userDefined
                    || parseSpecial && (kinds[index] == .control || kinds[index] == .unknown))
        }.sorted { pieces[$0].count == pieces[$1].count ? $0 < $1 : pieces[$0].count > pieces[$1].count }
        for index in special {
            parts = parts.flatMap { part -> [Part] in
                guard case .text(var rest) = part else { return [part] }
                var out: [Part] = []
                while let found = rest.firstRange(of: pieces[index]) {
                    out += [.text(Array(rest[..<found.lowerBound])), .token(TokenID(index))]
                    rest = Array(rest[found.upperBound...])
                }
                return out + [.text(rest)]
            }
        }
        return parts.flatMap { part in
            switch part {
            case .token(let id): [id]
            case .text(let text): plain(text)
            }
        }
    }

    private func plain(_ text: [UInt8]) -> [TokenID] {
        let escaped = text.flatMap { $0 == 0x20 ? [0xE2, 0x96, 0x81] : [$0] }
        guard merges != nil else { return merge(escaped) }
        var tokens: [TokenID] = []
        for run in runs(escaped) {
            if run[0] == 0x0A, let id = id(run) { tokens.append(id) } else { tokens += merge(run) }
        }
        return tokens
    }

    private func runs(_ text: [UInt8]) -> [[UInt8]] {
        var runs: [[UInt8]] = []
        for byte in text {
            if let last = runs.last?.last, (last == 0x0A) == (byte == 0x0A) {
                runs[runs.count - 1].append(byte)
            } else {
                runs.append([byte])
            }
        }
        return runs
    }

    private func id(_ text: [UInt8]) -> TokenID? { pieces.firstIndex(of: text).map { TokenID($0) } }

    private func comesFromText(_ id: TokenID) -> Bool {
        [.normal, .userDefined, .unused].contains(kinds[Int(id)])
    }

    private func merge(_ text: [UInt8]) -> [TokenID] {
        var symbols: [[UInt8]] = []
        var index = 0
        while index < text.count {
            let length = UTF8Scan.length(text, index, text.count)
            symbols.append(Array(text[index..<index + length]))
            index += length
        }
        while true {
            var best: (key: Double, at: Int)?
            for at in symbols.indices.dropLast() {
                let key: Double
                if let merges {
                    guard let rank = merges.firstIndex(where: { $0.0 == symbols[at] && $0.1 == symbols[at + 1] })
                    else { continue }
                    key = Double(rank)
                } else {
                    guard let id = id(symbols[at] + symbols[at + 1]), comesFromText(id) else { continue }
                    key = -Double(scores[Int(id)])
                }
                if best.map({ key < $0.key }) ?? true { best = (key, at) }
            }
            guard let best else { break }
            symbols[best.at] += symbols.remove(at: best.at + 1)
        }
        return symbols.flatMap { symbol -> [TokenID] in
            if let id = id(symbol), comesFromText(id) { return [id] }
            return symbol.compactMap { id(Array("<0x\(Vocabulary.hex($0))>".utf8)) }
        }
    }
}
