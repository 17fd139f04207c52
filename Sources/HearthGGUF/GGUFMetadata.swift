package import HearthSystem

/// The metadata of a GGUF file, in file order.
///
/// Values stay in the map and are decoded when they are asked for, so opening a file copies its keys and nothing
/// else. Lookup is O(1). Typed access is in `GGUFMetadata+Typed.swift`.
package struct GGUFMetadata: Sendable {
    /// A key and where its value lies.
    package struct Entry: Sendable {
        package let key: String
        package let type: GGUFValueType
        /// The value as it stands in the file: with the length of a string, with type and count of an array.
        package let range: ByteRange
    }

    /// Path of the file, for error messages.
    let path: String
    package private(set) var entries: [Entry] = []
    private var positions: [Name: Int] = [:]

    package init(path: String, capacity: Int = 0) {
        self.path = path
        entries.reserveCapacity(capacity)
        positions.reserveCapacity(capacity)
    }

    /// Number of entries.
    package var count: Int { entries.count }

    /// Keys in file order.
    package var keys: [String] { entries.map(\.key) }

    /// The value of `key`; nil if the file has none.
    package subscript(_ key: String) -> GGUFValue? {
        entry(key).map { GGUFValue($0.type, $0.range) }
    }

    /// The type of the value of `key`; nil if the file has none.
    package func type(of key: String) -> GGUFValueType? { entry(key)?.type }

    /// The bytes of a string value, which need not be UTF-8; nil if the file has none, or no string.
    package func bytes(_ key: String) -> [UInt8]? {
        guard let entry = entry(key), entry.type == .string else { return nil }
        return entry.range.stringContent.array
    }

    func entry(_ key: String) -> Entry? {
        positions[Name(text: key)].map { entries[$0] }
    }

    /// Adds an entry; false if the key is there already.
    mutating func append(_ entry: Entry) -> Bool {
        guard positions.updateValue(entries.count, forKey: Name(text: entry.key)) == nil else { return false }
        entries.append(entry)
        return true
    }

    /// Adds an entry, or puts it in the place of the one with its key.
    mutating func set(_ entry: Entry) {
        if let position = positions[Name(text: entry.key)] {
            entries[position] = entry
        } else {
            positions[Name(text: entry.key)] = entries.count
            entries.append(entry)
        }
    }

    mutating func remove(_ key: String) {
        guard let position = positions[Name(text: key)] else { return }
        entries.remove(at: position)
        positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { (Name(text: $1.key), $0) })
    }
}
