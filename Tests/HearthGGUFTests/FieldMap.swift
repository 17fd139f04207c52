/// Where the fields of a valid GGUF file lie: written apart from the reader, so that mutations hit what they aim at.
struct FieldMap {
    enum Kind: CaseIterable, Sendable {
        case magic, version, tensorCount, entryCount, length, text, valueType, elementType, itemCount, value
        case dimensionCount, dimension, tensorType, tensorOffset
    }

    struct Field: Sendable {
        let kind: Kind
        let offset: Int
        let size: Int
    }

    private(set) var fields: [Field] = []
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        _ = take(.magic, 4)
        _ = take(.version, 4)
        let tensors = take(.tensorCount, 8)
        let entries = take(.entryCount, 8)
        for _ in 0..<entries {
            text()
            value(of: take(.valueType, 4))
        }
        for _ in 0..<tensors {
            text()
            for _ in 0..<take(.dimensionCount, 4) { _ = take(.dimension, 8) }
            _ = take(.tensorType, 4)
            _ = take(.tensorOffset, 8)
        }
    }

    /// Where the tables end.
    var end: Int { position }

    private mutating func take(_ kind: Kind, _ size: Int) -> Int {
        fields.append(Field(kind: kind, offset: position, size: size))
        var result = 0
        for index in 0..<min(size, 8) { result |= Int(bytes[position + index]) << (8 * index) }
        position += size
        return result
    }

    private mutating func text() {
        let length = take(.length, 8)
        if length > 0 {
            fields.append(Field(kind: .text, offset: position, size: length))
            position += length
        }
    }

    private mutating func value(of type: Int) {
        switch type {
        case 8: text()
        case 9:
            let element = take(.elementType, 4)
            for _ in 0..<take(.itemCount, 8) { value(of: element) }
        case 0, 1, 7: _ = take(.value, 1)
        case 2, 3: _ = take(.value, 2)
        case 4, 5, 6: _ = take(.value, 4)
        default: _ = take(.value, 8)
        }
    }
}
