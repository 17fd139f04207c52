/// A key or tensor name in a table, compared by its bytes: a `String` would be normalised first, which costs time
/// that grows with the square of its combining marks, and would make two different names one.
struct Name: Hashable, Sendable {
    let text: String

    static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
