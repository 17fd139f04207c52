import HearthTestSupport

/// Spoils valid files where it hurts: it knows which bytes are lengths, counts, types, shapes and offsets.
struct Mutator {
    let original: [UInt8]
    private let map: FieldMap
    private let byKind: [FieldMap.Kind: [FieldMap.Field]]

    init(_ bytes: [UInt8]) {
        original = bytes
        map = FieldMap(bytes)
        byKind = Dictionary(grouping: map.fields, by: \.kind)
    }

    /// One to three mutations of the file, drawn from `random`.
    func mutant(_ random: inout SeededNumbers) -> [UInt8] {
        var bytes = original
        for _ in 0...random.below(3) { mutate(&bytes, &random) }
        return bytes
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededNumbers) {
        guard !bytes.isEmpty else { return }
        switch random.below(12) {
        case 0:
            // A bit anywhere in the tables.
            bytes[random.below(min(map.end, bytes.count))] ^= 1 << UInt8(random.below(8))
        case 1:
            // A bit anywhere.
            bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
        case 2:
            // Cut at the border of a field, or anywhere.
            let cut = random.below(2) == 0 ? field(&random).offset : random.below(bytes.count)
            bytes.removeLast(max(bytes.count - cut, 0))
        case 3:
            // Absurd lengths and counts.
            let kinds: [FieldMap.Kind] = [.length, .itemCount, .tensorCount, .entryCount, .dimensionCount]
            store(absurd(bytes.count, &random), field(kinds[random.below(kinds.count)], &random), &bytes)
        case 4:
            // Lengths and counts that are almost right.
            let kinds: [FieldMap.Kind] = [.length, .itemCount, .tensorCount, .entryCount, .dimensionCount]
            let place = field(kinds[random.below(kinds.count)], &random)
            store(load(place, bytes) &+ UInt64(bitPattern: Int64(random.below(5) - 2)), place, &bytes)
        case 5:
            // Shapes whose product wraps: sizes of 2^k, and all sizes of a tensor at once.
            for _ in 0...random.below(4) {
                store((1 << UInt64(random.below(64))) &+ UInt64(random.below(2)), field(.dimension, &random), &bytes)
            }
        case 6:
            // One tensor on top of another, in the tables, or beyond the end.
            let place = field(.tensorOffset, &random)
            let offsets = [
                load(field(.tensorOffset, &random), bytes), UInt64(bytes.count), UInt64(bytes.count) &- 32,
                0 &- UInt64(map.end), UInt64(random.below(bytes.count)) & ~31, UInt64.max & ~31,
            ]
            store(offsets[random.below(offsets.count)], place, &bytes)
        case 7:
            // Types: known ones, one too many, nonsense.
            let kinds: [FieldMap.Kind] = [.valueType, .elementType, .tensorType, .version]
            store(UInt64(random.below(45)), field(kinds[random.below(kinds.count)], &random), &bytes)
        case 8:
            // A field of one kind takes the value of another field.
            store(load(field(&random), bytes), field(&random), &bytes)
        case 9:
            // A field copied over another one of its kind: keys and names twice.
            let source = field(.text, &random)
            let target = field(.text, &random)
            for index in 0..<min(source.size, target.size)
            where max(source.offset, target.offset) + index < bytes.count {
                bytes[target.offset + index] = bytes[source.offset + index]
            }
        case 10:
            // Bytes that go missing or are repeated: everything behind them is out of step.
            let start = random.below(min(map.end, bytes.count))
            let end = min(start + 1 + random.below(24), bytes.count)
            if random.below(2) == 0 {
                bytes.removeSubrange(start..<end)
            } else {
                bytes.insert(contentsOf: Array(bytes[start..<end]), at: start)
            }
        default:
            // Any field set to an absurd value.
            store(absurd(bytes.count, &random), field(&random), &bytes)
        }
    }

    private func absurd(_ count: Int, _ random: inout SeededNumbers) -> UInt64 {
        let values: [UInt64] = [
            0, 1, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, 1 << 42, 1 << 61, 1 << 62, 1 << 63,
            .max, .max - 7, .max / 2, .max / 8 + 1, .max / 24, 0x7fff_ffff_ffff_ffc0, UInt64(count),
            UInt64(count) + 1, UInt64(max(count - 24, 0)), 13, 65_536, 1 << 24,
        ]
        return values[random.below(values.count)]
    }

    private func field(_ random: inout SeededNumbers) -> FieldMap.Field { map.fields[random.below(map.fields.count)] }

    private func field(_ kind: FieldMap.Kind, _ random: inout SeededNumbers) -> FieldMap.Field {
        guard let fields = byKind[kind], !fields.isEmpty else { return field(&random) }
        return fields[random.below(fields.count)]
    }

    /// The number in a field, as far as the bytes go.
    private func load(_ field: FieldMap.Field, _ bytes: [UInt8]) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<min(field.size, 8) where field.offset + index < bytes.count {
            value |= UInt64(bytes[field.offset + index]) << UInt64(8 * index)
        }
        return value
    }

    private func store(_ value: UInt64, _ field: FieldMap.Field, _ bytes: inout [UInt8]) {
        for index in 0..<min(field.size, 8) where field.offset + index < bytes.count {
            bytes[field.offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
        }
    }
}
