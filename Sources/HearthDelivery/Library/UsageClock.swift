/// Order of uses that survives a clock which is set back: a hybrid of a counter and the time.
///
/// Each event gets the time in milliseconds, or one more than the highest number so far if that is not less. So the order
/// of events is the order of numbers, whatever the clock does, and there is no counter that could be lost: the highest
/// number is found among those in use.
package enum UsageClock {
    /// Numbers above are damage, not events: the milliseconds of the year 37000.
    static let limit = 1 << 50

    /// The next event's number.
    /// - Parameter now: seconds since 1970.
    package static func next(after used: some Sequence<Int>, now: Double) -> Int {
        let time = now.isFinite ? Int(min(max(now * 1000, 0), Double(limit / 2))) : 0
        let highest = used.filter { (0..<limit).contains($0) }.max() ?? 0
        return max(time, highest + 1)
    }
}

/// When a version was used last, as a file of fixed length holds it.
package struct LastUse: Equatable {
    /// Longest text that is read.
    static let byteLimit = 256

    var sequence: Int
    /// Seconds since 1970, by the clock of then.
    var time: Double

    /// Always of the same length, so that writing it over an older one leaves nothing of that.
    package var text: String {
        let time = String(Int(min(max(time.isFinite ? time : 0, 0), Double(UsageClock.limit))))
        let pad = { (text: String) in String(repeating: " ", count: 20 - text.count) + text }
        return pad(String(sequence)) + pad(time) + "\n"
    }

    package init(sequence: Int, time: Double) {
        self.sequence = sequence
        self.time = time
    }

    /// nil if the text was not written here: torn, empty or zeros after a loss of power.
    package init?(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let sequence = Int(words[0]), let time = Int(words[1]),
            (0..<UsageClock.limit).contains(sequence), (0..<UsageClock.limit).contains(time)
        else { return nil }
        self.init(sequence: sequence, time: Double(time))
    }
}
