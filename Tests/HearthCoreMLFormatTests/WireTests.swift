import Foundation
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// The wire format by itself: reading, refusing, keeping. Expected bytes are put together by hand from the format's rules.
@Suite(.timeLimit(.minutes(20))) struct WireTests {
    /// The fields of a message, or the error.
    private func fields(_ bytes: [UInt8]) throws -> [(Int, String)] {
        var reader = WireReader(WireInput(MappedFile(copying: bytes)))
        var result: [(Int, String)] = []
        do throws(WireFault) {
            while let field = try reader.next() { result.append((field.number, Self.text(field))) }
        } catch {
            throw error.error(in: "bytes")
        }
        return result
    }

    private static func text(_ field: WireField) -> String {
        switch field.value {
        case .varint(let number): "\(number)"
        case .fixed64(let bits): "\(bits)"
        case .fixed32(let bits): "\(bits)"
        case .bytes(let range): range.repairedText
        case .group: "group of \(field.whole.count)"
        }
    }

    @Test("every wire type")
    func types() throws {
        let bytes: [UInt8] =
            [0x08, 0x96, 0x01] + [0x12, 0x02, 0x68, 0x69] + [0x1d, 1, 0, 0, 0] + [0x21, 2, 0, 0, 0, 0, 0, 0, 0]
            + [0x2b, 0x08, 0x01, 0x2c] + [0xf8, 0xff, 0xff, 0xff, 0x0f, 0x05]
        let found = try fields(bytes)
        #expect(found.map(\.0) == [1, 2, 3, 4, 5, (1 << 29) - 1])
        #expect(found.map(\.1) == ["150", "hi", "1", "2", "group of 4", "5"])
        #expect(try fields([]).isEmpty)
    }

    @Test(
        "what is refused, and as what",
        arguments: [
            ([0x08], "truncated"), ([0x08, 0x80], "truncated"), ([0x80], "truncated"),
            ([0x12, 0x05, 1, 2], "beyondFile"),
            ([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], "beyondFile"),
            ([0x1d, 1, 2, 3], "truncated"), ([0x21, 1, 2, 3, 4, 5, 6, 7], "truncated"),
            // Eleven bytes, and a tenth byte that holds more than the last bit.
            ([0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], "malformed"),
            ([0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], "malformed"),
            // Field 0, a field above 2^29 - 1, wire types 6 and 7.
            ([0x00, 0x00], "malformed"), ([0x80, 0x80, 0x80, 0x80, 0x10, 0x00], "malformed"), ([0x0e], "malformed"),
            ([0x0f], "malformed"),
            // A group without end, one that ends as another, an end without a start.
            ([0x0b, 0x08, 0x01], "truncated"), ([0x0b, 0x14], "malformed"), ([0x0c], "malformed"),
        ] as [([UInt8], String)])
    func refused(bytes: [UInt8], kind: String) throws {
        let error = #expect(throws: FileError.self) { _ = try fields(bytes) }
        #expect(error?.kind == kind, "\(bytes)")
        #expect(error?.location.file == "bytes")
    }

    @Test("groups inside groups have a limit, and cost no stack")
    func nestedGroups() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x0b, count: depth) + [UInt8](repeating: 0x0c, count: depth)
        }
        #expect(try fields(nested(CoreMLLimits.depth - 1)).count == 1)
        let error = #expect(throws: FileError.self) { _ = try fields(nested(1_000_000)) }
        #expect(error?.kind == "nestingTooDeep")
    }

    @Test("messages inside messages have a limit")
    func nestedMessages() throws {
        // A state of a state of a state … of no type at all.
        func nested(_ depth: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            for index in 0..<depth {
                var outer: [UInt8] = [index % 2 == 0 ? 0x0a : 0x2a]
                outer.append(varint: UInt64(bytes.count))
                bytes = outer + bytes
            }
            return bytes
        }
        let error = #expect(throws: WireFault.self) {
            _ = try MILValueType(wire: WireInput(MappedFile(copying: nested(2000))))
        }
        #expect(error?.error(in: "x").kind == "nestingTooDeep")
    }

    @Test("integers of any size survive, and so does their place among others")
    func varints() throws {
        var random = SeededNumbers(seed: 11)
        for _ in 0..<500 {
            let numbers = (0..<random.below(20)).map { _ in random.next() >> UInt64(random.below(64)) }
            let list = WireNumbers(.varint, numbers)
            var writer = WireWriter()
            writer.numbers(3, list)
            var reader = WireReader(WireInput(MappedFile(copying: writer.array)))
            var read = WireNumbers(.varint)
            while let field = try reader.next() { try read.append(field, "numbers") }
            #expect(read.map { $0 } == numbers)
            #expect(read == list)
            #expect(writer.array.count == writer.count)
        }
    }

    @Test("packed and single numbers are one list")
    func unpacked() throws {
        let bytes: [UInt8] = [0x0a, 0x03, 0x01, 0x96, 0x01] + [0x08, 0x05] + [0x0a, 0x01, 0x07]
        var reader = WireReader(WireInput(MappedFile(copying: bytes)))
        var numbers = WireNumbers(.varint)
        while let field = try reader.next() { try numbers.append(field, "numbers") }
        #expect(numbers.integers == [1, 150, 5, 7])
        // 65,537 single numbers: no writer does that, and each would cost ten times its size.
        var many: [UInt8] = []
        for _ in 0...CoreMLLimits.unpackedNumbers { many += [0x08, 0x01] }
        var list = WireNumbers(.varint)
        var walk = WireReader(WireInput(MappedFile(copying: many)))
        let error = #expect(throws: WireFault.self) {
            while let field = try walk.next() { try list.append(field, "numbers") }
        }
        #expect(error?.error(in: "x").kind == "limitExceeded")
    }

    @Test("an unchanged message is its own bytes; a changed one keeps what is not known")
    func lossless() throws {
        // A blob reference with an integer that is longer than it has to be, fields out of order, a field 9, a group.
        let bytes: [UInt8] =
            [0x10, 0xc0, 0x80, 0x00] + [0x4a, 0x02, 0x01, 0x02] + [0x0a, 0x01, 0x61] + [0x53, 0x08, 0x01, 0x54]
        var reference = try MILBlobReference(wire: WireInput(MappedFile(copying: bytes)))
        #expect(reference.offset == 64)
        #expect(reference.fileName == "a")
        #expect(WireWriter.file(reference).array == bytes)
        reference.offset = 128
        #expect(
            WireWriter.file(reference).array
                == [0x0a, 0x01, 0x61, 0x10, 0x80, 0x01] + [0x4a, 0x02, 0x01, 0x02] + [0x53, 0x08, 0x01, 0x54])
        let again = try MILBlobReference(wire: WireInput(MappedFile(copying: WireWriter.file(reference).array)))
        #expect(again == reference)
        #expect(again != MILBlobReference(fileName: "a", offset: 128))
    }

    @Test("random bytes are read or refused")
    func noise() {
        var random = SeededNumbers(seed: 5)
        for _ in 0..<3000 {
            let bytes = (0..<random.below(60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            do throws(WireFault) {
                let model = try CoreMLSpecification(wire: WireInput(MappedFile(copying: bytes)))
                #expect(WireWriter.file(model).array == bytes)
            } catch {
                #expect(!error.error(in: "noise").location.field.isEmpty)
            }
        }
    }
}
