internal import Foundation
internal import HearthSystem

/// The known facts about a partial file, one per line, append-only.
///
///     h {"boot":"…","part":"…","source":"…","total":1000,"validator":…}    what the bytes belong to
///     w 0 262144          these bytes were written: position, count
///     s 130               everything in this journal's first 130 bytes is on the disk
///     d 0 65536           these bytes turned out to be wrong
///
/// Until the system is restarted, all lines count. After a restart only those that an `s` line covers do: a power loss may
/// have lost the rest. Reading ends at the first incomplete line.
package struct PartialJournal: Sendable, Equatable {
    package struct Header: Codable, Sendable, Equatable {
        /// Names this run of the system.
        package var boot: String
        /// The partial file's name.
        package var part: String
        /// SHA-256 of the address that the bytes came from.
        var source: String
        /// The file's size, if known.
        var total: Int?
        /// nil if the download cannot be resumed.
        var validator: EntityValidator?

        package init(boot: String, part: String, source: String, total: Int? = nil, validator: EntityValidator? = nil) {
            self.boot = boot
            self.part = part
            self.source = source
            self.total = total
            self.validator = validator
        }
    }

    package var header: Header
    package var ranges: ByteRanges
    /// Bytes of the journal that were understood.
    var length: Int

    /// - Returns: nil without a header.
    package init?(_ bytes: [UInt8], boot: String) {
        var header: Header?
        var records: [(end: Int, range: Range<Int>, isWritten: Bool)] = []
        var vouched = 0
        var position = 0
        // The system was restarted: of the earlier lines, only those that an `s` line covers count.
        func judge(_ boot: String) {
            if header?.boot != boot { records.removeAll { $0.isWritten && $0.end > vouched } }
        }
        reading: while let newline = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: bytes[position..<newline], as: UTF8.self)
            let end = newline + 1
            switch Self.fact(line) {
            case .header(let new):
                judge(new.boot)
                header = new
            case .written(let range): records.append((end, range, true))
            case .dropped(let range): records.append((end, range, false))
            case .vouched(let length) where length <= position: vouched = max(vouched, length)
            default: break reading
            }
            position = end
        }
        judge(boot)
        guard let header else { return nil }
        ranges = ByteRanges()
        for record in records {
            if record.isWritten { ranges.insert(record.range) } else { ranges.remove(record.range) }
        }
        self.header = header
        length = position
    }

    private enum Fact {
        case header(Header), written(Range<Int>), dropped(Range<Int>), vouched(Int)
    }

    private static func fact(_ line: String) -> Fact? {
        if line.hasPrefix("h ") {
            return (try? JSONDecoder().decode(Header.self, from: Data(line.utf8.dropFirst(2)))).map(Fact.header)
        }
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().compactMap { TransferResponse.natural($0) }
        guard let kind = words.first, numbers.count == words.count - 1, numbers.allSatisfy({ $0 < 1 << 60 }) else {
            return nil
        }
        switch (kind, numbers.count) {
        case ("w", 2): return .written(numbers[0]..<numbers[0] + numbers[1])
        case ("d", 2): return .dropped(numbers[0]..<numbers[0] + numbers[1])
        case ("s", 1): return .vouched(numbers[0])
        default: return nil
        }
    }

    package static func line(_ header: Header) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(header)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return "h \(json)\n"
    }

    /// Names this run of the system; without such a name, a new one for each call, so that nothing is trusted.
    package static func currentBoot() -> String {
        let boot = BootIdentity.current
        return boot.isEmpty ? UUID().uuidString : boot
    }
}
