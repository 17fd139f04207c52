internal import HearthGrammar

extension Vocabulary {
    /// Builds a trie of the tokens that are text, without control and end-of-text tokens. Tool call tokens are represented by
    /// reserved bytes; the token of the byte that these begin with, which never occurs in text, is left out.
    func makeTokenTrie() -> TokenTrie {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 8)
        var ranges: [Range<Int>?] = []
        ranges.reserveCapacity(count)
        let tokenizer = TextTokenizer(self)
        let stops = Set(stopIDs)
        let markers = toolMarkers
        for index in 0..<count {
            let start = bytes.count
            let kind = kind(at: index)
            let id = TokenID(truncatingIfNeeded: index)
            if let reserved = markers?.bytes(of: id) {
                bytes += reserved
                ranges.append(start..<bytes.count)
                continue
            }
            guard id != byteTokens[0xFF], kind != .control, kind != .unknown, !stops.contains(id),
                (try? tokenizer.append(id, showSpecial: false, to: &bytes)) != nil
            else {
                ranges.append(nil)
                continue
            }
            ranges.append(start..<bytes.count)
        }
        return TokenTrie(bytes: bytes, ranges: ranges)
    }
}
