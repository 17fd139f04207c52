/// A decoder without input: records what a type decodes, and returns placeholder values.
struct RecordingDecoder: Decoder {
    let recorder: SchemaRecorder
    let node: SchemaNode
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        node.isObject = true
        return KeyedDecodingContainer(RecordingMembers<Key>(recorder: recorder, node: node, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        RecordingItems(recorder: recorder, node: node, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        RecordingValue(recorder: recorder, node: node, codingPath: codingPath)
    }
}

private struct RecordingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: SchemaRecorder
    let node: SchemaNode
    let codingPath: [any CodingKey]
    var allKeys: [Key] {
        node.asksForNames = true
        return []
    }

    func contains(_ key: Key) -> Bool {
        _ = node.member(key.stringValue, isRequired: false)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let member = node.member(key.stringValue, isRequired: false)
        member.mayBeNull = true
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try recorder.placeholder(type, node.member(key.stringValue, isRequired: true))
    }

    /// The generic method serves all types.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let member = node.member(key.stringValue, isRequired: false)
        return recorder.refers(type, member) ? nil : try recorder.placeholder(type, member)
    }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }

    private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        try recorder.placeholder(type, node.member(key.stringValue, isRequired: false))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        RecordingDecoder(recorder: recorder, node: node.member("super", isRequired: true), codingPath: codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { nested(key) }

    private func nested(_ key: Key) -> RecordingDecoder {
        RecordingDecoder(
            recorder: recorder, node: node.member(key.stringValue, isRequired: true), codingPath: codingPath + [key])
    }
}

/// An array with a single item.
private struct RecordingItems: UnkeyedDecodingContainer {
    let recorder: SchemaRecorder
    let items = SchemaNode()
    let codingPath: [any CodingKey]
    var count: Int? { 1 }
    private(set) var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 }

    init(recorder: SchemaRecorder, node: SchemaNode, codingPath: [any CodingKey]) {
        (self.recorder, self.codingPath) = (recorder, codingPath)
        node.items = items
    }

    mutating func decodeNil() throws -> Bool {
        items.mayBeNull = true
        return false
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        return try recorder.placeholder(type, items)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        currentIndex += 1
        return RecordingDecoder(recorder: recorder, node: items, codingPath: codingPath)
    }
}

private struct RecordingValue: SingleValueDecodingContainer {
    let recorder: SchemaRecorder
    let node: SchemaNode
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool {
        node.mayBeNull = true
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try recorder.placeholder(type, node) }
}
