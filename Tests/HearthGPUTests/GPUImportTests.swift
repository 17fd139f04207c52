import Foundation
import HearthGPU
import HearthSystem
import HearthTestSupport
import Testing

@Suite("Memory of the process on a GPU", .timeLimit(.minutes(20)))
struct GPUImportTests {
    static let device = try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)

    private func pieces(
        _ parts: [Range<UInt>], alignment: Int = 4096, most: Int = 1 << 30, end: UInt = 1 << 32
    ) -> [Range<UInt>] {
        GPUImport.pieces(for: parts, within: 0..<end, page: 4096, alignment: alignment, most: most)
    }

    @Test("Pieces are whole units around what is needed, and never overlap")
    func planning() {
        #expect(pieces([]) == [] && pieces([5..<5]) == [] && pieces([5..<6], alignment: 0) == [])
        #expect(pieces([5000..<5001]) == [4096..<8192])
        #expect(pieces([4096..<8192]) == [4096..<8192])
        // In any order; a gap of up to 1 MiB is bridged.
        #expect(pieces([1_000_000..<1_000_001, 10..<20]) == [0..<1_003_520])
        #expect(pieces([3_000_000..<3_000_001, 10..<20]) == [0..<4096, 2_998_272..<3_002_368])
        // What would make a piece too large begins the next one, unless they share a unit.
        #expect(pieces([0..<8192, 8192..<12288], most: 8192) == [0..<8192, 8192..<12288])
        #expect(pieces([0..<5000, 5000..<12288, 12288..<12300], most: 8192) == [0..<8192, 12288..<16384])
        #expect(pieces([0..<9000], most: 8192) == [])
        // The last page is the file's, and units that reach beyond it are not.
        #expect(pieces([4096..<5000], end: 5000) == [4096..<8192])
        #expect(pieces([4096..<5000], alignment: 65_536, end: 5000) == [])
        #expect(pieces([0..<10], alignment: 65_536, end: 65_536) == [0..<65_536])
    }

    @Test(
        "A mapped file is read where it lies, and what is not at words is not",
        .enabled(if: (device?.importAlignment ?? 0) > 0, "no device that imports memory"))
    func reading() throws {
        let folder = try TemporaryFolder()
        let (rows, columns) = (40, 256)
        let values = (0..<rows * columns).map { Float(sin(Double($0))) }
        try values.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: folder.path("w")))
        let file = try MappedFile(path: folder.path("w"))
        let info = try #require(Self.device)
        let device = try GPUDevice(info)
        let x = try GPUBuffer(device, byteCount: 4 * columns, .shared)
        try x.upload((0..<columns).map { Float($0 % 11) - 5 })
        let sums = try file.withUnsafeBytes { whole in
            #expect(GPUImport.works(on: info, whole, page: MappedFile.page, owner: file))
            let imported = try GPUImport(device, [whole], of: whole, page: MappedFile.page, owner: file)
            #expect(imported.place(of: UnsafeRawBufferPointer(rebasing: whole[2..<8])) == nil)
            let copies = GPUWeightMemory(device)
            // The second row is the first one of the matrix.
            let part = UnsafeRawBufferPointer(rebasing: whole[(4 * columns)...])
            return try [#require(imported.place(of: part)), copies.keep(part)].map { place in
                let matrix = GPUMatrix(
                    format: .f32, rows: rows - 1, columns: columns, rowBytes: 4 * columns, at: place)
                let y = try GPUBuffer(device, byteCount: 4 * rows, .shared)
                try device.submit { commands throws(GPUError) in
                    try commands.multiply(
                        matrix, GPURows(x.place, stride: columns), count: 1, into: GPURows(y.place, stride: rows))
                }
                return try y.floats(count: rows - 1)
            }
        }
        #expect(sums[0] == sums[1] && sums[0].contains { $0 != 0 })
    }

    @Test("A device that cannot import says so", .enabled(if: device != nil, "no Vulkan device"))
    func refusal() throws {
        let info = try #require(Self.device)
        // Memory in the middle of a page.
        let file = MappedFile(copying: [UInt8](repeating: 1, count: 100))
        let works = file.withUnsafeBytes { whole in
            GPUImport.works(
                on: info, UnsafeRawBufferPointer(rebasing: whole[4...]), page: MappedFile.page, owner: file)
        }
        #expect(!works)
        // A card with memory of its own does not read weights through its bus, and software could not survive a truncated file.
        let usual = try GPUDeviceInfo.preferred(environment: [:])
        #expect(usual.weights == .copied || (usual.kind == .integrated && usual.weights == .imported))
    }
}
