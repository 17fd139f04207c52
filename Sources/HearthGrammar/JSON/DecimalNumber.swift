/// An exact decimal number: `digits × 10^exponent`, with a sign.
package struct DecimalNumber: Equatable, Sendable {
    package private(set) var isNegative: Bool
    /// Values 0 to 9, without leading and trailing zeros; empty for zero.
    package private(set) var digits: [UInt8]
    package private(set) var exponent: Int

    /// Parses a JSON number. Returns nil if it is invalid, or the written exponent exceeds a million.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        var digits: [UInt8] = []
        var exponent = 0
        var isFraction = false
        while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            rest.removeFirst()
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else if (0x30...0x39).contains(byte) {
                digits.append(byte - 0x30)
                if isFraction { exponent -= 1 }
            } else {
                return nil
            }
        }
        guard !digits.isEmpty else { return nil }
        if !rest.isEmpty {
            guard let written = Int(String(decoding: rest.dropFirst(), as: UTF8.self)), abs(written) <= 1_000_000 else {
                return nil
            }
            exponent += written
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        let leading = digits.prefix { $0 == 0 }.count
        digits.removeFirst(leading)
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
        if digits.isEmpty { isNegative = false }
    }

    package var isZero: Bool { digits.isEmpty }
    package var isInteger: Bool { exponent >= 0 }

    /// The digits before the decimal point, without leading zeros; empty for numbers below 1.
    var integerDigits: [UInt8] {
        if exponent >= 0 { return digits + [UInt8](repeating: 0, count: digits.isEmpty ? 0 : exponent) }
        return Array(digits.dropLast(min(digits.count, -exponent)))
    }

    /// The digits after the decimal point, without trailing zeros.
    var fractionDigits: [UInt8] {
        guard exponent < 0 else { return [] }
        let missing = max(0, -exponent - digits.count)
        return [UInt8](repeating: 0, count: missing) + digits.suffix(min(digits.count, -exponent))
    }

    /// The number written without an exponent.
    package var plainText: String {
        let whole = integerDigits, fraction = fractionDigits
        func text(_ digits: [UInt8]) -> String { String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self) }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : text(whole))
            + (fraction.isEmpty ? "" : "." + text(fraction))
    }

    /// The value as a non-negative integer of at most 15 digits; nil for others.
    package var count: Int? {
        guard !isNegative || isZero, isInteger, integerDigits.count <= 15 else { return nil }
        return integerDigits.reduce(0) { $0 * 10 + Int($1) }
    }
}
