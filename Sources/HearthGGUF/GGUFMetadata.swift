package import HearthSystem

/// The metadata of a GGUF file, in file order.
///
/// Values stay in the mapped file and are decoded on access, so opening a file copies only its keys. Lookup is O(1). Typed
/// access is in `GGUFMetadata+Typed.swift`.
package struct GGUFMetadata: Sendable {
    /// A key with the type and location of its value.
    package struct Entry: Sendable {
        package let key: String
        package let type: GGUFValueType
        /// The value as encoded in the file: including the length of a string, or the type and count of an array.
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

    /// The value of `key`; nil if there is none.
    package subscript(_ key: String) -> GGUFValue? {
        entry(key).map { GGUFValue($0.type, $0.range) }
    }

    /// The type of the value of `key`; nil if there is none.
    package func type(of key: String) -> GGUFValueType? { entry(key)?.type }

    /// The bytes of a string value, which need not be UTF-8; nil if there is none, or it is not a string.
    package func bytes(_ key: String) -> [UInt8]? {
        guard let entry = entry(key), entry.type == .string else { return nil }
        return entry.range.stringContent.array
    }

    func entry(_ key: String) -> Entry? {
        positions[Name(text: key)].map { entries[$0] }
    }

    /// Appends an entry; returns false if the key exists already.
    mutating func append(_ entry: Entry) -> Bool {
        guard positions.updateValue(entries.count, forKey: Name(text: entry.key)) == nil else { return false }
        entries.append(entry)
        return true
    }

    /// Appends an entry, or replaces the one with the same key.
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
