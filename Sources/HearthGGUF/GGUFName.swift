/// A key or tensor name, compared by its bytes. `String` comparison would normalise it, which takes time quadratic in the
/// number of combining marks and would make two different names equal.
struct Name: Hashable, Sendable {
    let text: String

    static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
