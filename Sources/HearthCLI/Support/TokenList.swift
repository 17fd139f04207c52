/// A strict parser for a JSON array of token ids: `[2, 651, 1230]`.
///
/// A general parser would build a tree of arbitrary input; this one stops at the first invalid byte, names the element,
/// and needs no more memory than the ids.
package enum TokenList {
    package struct Problem: Error, Equatable {
        /// The element's index, such as `[3]`.
        package var field: String
        var what: String
    }

    package static func parse(_ bytes: [UInt8]) throws(Problem) -> [Int] {
        var at = 0
        var ids: [Int] = []

        func skipBlanks() { while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 } }
        func problem(_ what: String) -> Problem { Problem(field: "[\(ids.count)]", what: what) }

        skipBlanks()
        guard at < bytes.count, bytes[at] == UInt8(ascii: "[") else {
            throw Problem(field: "byte \(at)", what: "not a JSON array of token ids")
        }
        at += 1
        skipBlanks()
        if at < bytes.count, bytes[at] == UInt8(ascii: "]") {
            at += 1
        } else {
            while true {
                skipBlanks()
                let start = at
                if at < bytes.count, bytes[at] == UInt8(ascii: "-") { at += 1 }
                var value = 0
                let digits = at
                while at < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at]) {
                    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                    let (sum, carry) = product.addingReportingOverflow(Int(bytes[at] - UInt8(ascii: "0")))
                    guard !overflow, !carry else { throw problem("the number is too large for a token id") }
                    value = sum
                    at += 1
                }
                guard at > digits else {
                    throw problem(at < bytes.count ? "not a whole number" : "the array has no end")
                }
                guard at - digits == 1 || bytes[digits] != UInt8(ascii: "0") else {
                    throw problem("a number must not begin with 0")
                }
                guard at < bytes.count else { throw problem("the array has no end") }
                ids.append(bytes[start] == UInt8(ascii: "-") ? -value : value)
                skipBlanks()
                guard at < bytes.count else { throw problem("the array has no end") }
                if bytes[at] == UInt8(ascii: "]") {
                    at += 1
                    break
                }
                guard bytes[at] == UInt8(ascii: ",") else {
                    ids.removeLast()
                    throw problem("not a whole number")
                }
                at += 1
            }
        }
        skipBlanks()
        guard at == bytes.count else { throw Problem(field: "byte \(at)", what: "text after the array") }
        return ids
    }
}
