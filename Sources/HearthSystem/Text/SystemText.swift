/// Parsing of the kernel's text files: by bytes, because they are ASCII, which avoids the cost of Unicode.
extension StringProtocol where UTF8View.SubSequence == Substring.UTF8View {
    /// Lines that are not empty.
    package var systemLines: [Substring] {
        utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { Substring($0) }
    }

    /// The fields between spaces and tabs.
    package var systemFields: [Substring] {
        utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map { Substring($0) }
    }

    /// Whether it can be shown unchanged: short, and only printable ASCII.
    package var isPlainName: Bool { !isEmpty && utf8.count <= 48 && utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}
