/// How the kernel's text files are taken apart: byte by byte, as they are ASCII, and without the cost of Unicode.
extension StringProtocol where UTF8View.SubSequence == Substring.UTF8View {
    /// Lines that are not empty.
    package var systemLines: [Substring] {
        utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { Substring($0) }
    }

    /// What stands between spaces and tabs.
    package var systemFields: [Substring] {
        utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map { Substring($0) }
    }

    /// Whether it can be shown as it is: short, and nothing but printable ASCII.
    package var isPlainName: Bool { !isEmpty && utf8.count <= 48 && utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}
