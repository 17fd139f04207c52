/// An order of uses that stays correct if the system's clock is set back: a hybrid of a counter and the time.
///
/// Each event gets the time in milliseconds as its number, or the highest number so far plus one if that is greater. The order of
/// events is therefore the order of their numbers, whatever the clock does. No counter has to be stored: the highest number is
/// found among those in use.
package enum UsageClock {
    /// Higher numbers indicate damage: these are the milliseconds of the year 37000.
    static let limit = 1 << 50

    /// The next event's number.
    /// - Parameter now: seconds since 1970.
    package static func next(after used: some Sequence<Int>, now: Double) -> Int {
        let time = now.isFinite ? Int(min(max(now * 1000, 0), Double(limit / 2))) : 0
        let highest = used.filter { (0..<limit).contains($0) }.max() ?? 0
        return max(time, highest + 1)
    }
}

/// When a version was last used, as stored in a file of fixed length.
package struct LastUse: Equatable {
    /// Longest text that is read.
    static let byteLimit = 256

    var sequence: Int
    /// Seconds since 1970, by the clock at that time.
    var time: Double

    /// Always the same length, so that it overwrites an older one completely.
    package var text: String {
        let time = String(Int(min(max(time.isFinite ? time : 0, 0), Double(UsageClock.limit))))
        let pad = { (text: String) in String(repeating: " ", count: 20 - text.count) + text }
        return pad(String(sequence)) + pad(time) + "\n"
    }

    package init(sequence: Int, time: Double) {
        self.sequence = sequence
        self.time = time
    }

    /// nil if the text is invalid: truncated, empty, or zeros after a power loss.
    package init?(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let sequence = Int(words[0]), let time = Int(words[1]),
            (0..<UsageClock.limit).contains(sequence), (0..<UsageClock.limit).contains(time)
        else { return nil }
        self.init(sequence: sequence, time: Double(time))
    }
}
