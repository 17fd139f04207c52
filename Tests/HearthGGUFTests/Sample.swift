import HearthGGUF

/// A small file that has every metadata type and every tensor type.
enum Sample {
    static func builder() throws -> GGUFBuilder {
        var builder = GGUFBuilder()
        builder.set("u8", .uint8(200))
        builder.set("i8", .int8(-100))
        builder.set("u16", .uint16(60_000))
        builder.set("i16", .int16(-30_000))
        builder.set("u32", .uint32(4_000_000_000))
        builder.set("i32", .int32(-2_000_000_000))
        builder.set("u64", .uint64(1 << 60))
        builder.set("i64", .int64(-1 << 60))
        builder.set("f32", .float32(0.5))
        builder.set("f64", .float64(1e300))
        builder.set("bool", .bool(true))
        builder.set("string", .string("Grüße"))
        builder.set("empty", .string(""))
        builder.set("raw", bytes: [0xff, 0, 0xfe])
        builder.set("strings", .array(GGUFArray(strings: (0..<40).map(String.init))))
        builder.set("u8s", .array(GGUFArray([1, 2, 3] as [UInt8])))
        builder.set("i8s", .array(GGUFArray([1, 2, -3] as [Int8])))
        builder.set("u16s", .array(GGUFArray([1, 2, 3] as [UInt16])))
        builder.set("i16s", .array(GGUFArray([1, 2, -3] as [Int16])))
        builder.set("u32s", .array(GGUFArray([1, 2, 3] as [UInt32])))
        builder.set("i32s", .array(GGUFArray([1, 2, -3] as [Int32])))
        builder.set("u64s", .array(GGUFArray([1, 2, 3] as [UInt64])))
        builder.set("i64s", .array(GGUFArray([1, 2, -3] as [Int64])))
        builder.set("f32s", .array(GGUFArray([1, -.infinity] as [Float])))
        builder.set("f64s", .array(GGUFArray([2.5] as [Double])))
        builder.set("bools", .array(GGUFArray([true, false, true])))
        builder.set("nested", .array(GGUFArray([GGUFArray(strings: ["a", ""]), GGUFArray([7] as [UInt16])])))
        for type in GGUFTensorType.allCases {
            try builder.add("t.\(type.name)", type, shape: [type.blockElements * 2, 3], bytes: data(type))
        }
        return builder
    }

    /// Bytes of two by three blocks that differ from type to type.
    static func data(_ type: GGUFTensorType) -> [UInt8] {
        (0..<type.blockBytes * 6).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(type.rawValue)) }
    }
}
