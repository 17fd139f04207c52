import Foundation
import HearthGPU
import Synchronization
import Testing

@Suite("Weights on their way to a device", .timeLimit(.minutes(20)))
struct GPUWeightStreamTests {
    static let device = try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)

    /// Bytes in memory of their own, to be kept by whoever reads them.
    private final class Bytes: Sendable {
        private let memory: UncheckedBytes
        var all: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory.pointer) }

        init(_ count: Int, seed: Int) {
            let pointer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
            for index in 0..<count { pointer[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index / 251 &+ seed) }
            memory = UncheckedBytes(pointer: pointer)
        }

        deinit { memory.pointer.deallocate() }

        private struct UncheckedBytes: @unchecked Sendable {
            // Sendable: not written after `init`.
            let pointer: UnsafeMutableRawBufferPointer
        }
    }

    /// Holds the copying thread in front of a part until it is opened; not for ever, as a test that fails never opens it.
    private final class Gate: Sendable {
        let part: Int
        private let reached = DispatchSemaphore(value: 0)
        let opened = DispatchSemaphore(value: 0)
        let order = Mutex<[Int]>([])

        init(part: Int) { self.part = part }

        func waitUntilReached() { #expect(reached.wait(timeout: .now() + 600) == .success) }

        func pass(_ part: Int) {
            order.withLock { $0.append(part) }
            guard part == self.part else { return }
            reached.signal()
            _ = opened.wait(timeout: .now() + 600)
        }
    }

    /// Reads bytes back by commands that are submitted after the copies of a part.
    private func read(_ place: GPUPlace, _ count: Int, on device: GPUDevice, after copies: UInt64) throws -> [UInt8] {
        let back = try GPUBuffer(device, byteCount: max(count, 4), .shared)
        try device.submit(after: copies) { commands throws(GPUError) in
            commands.copy(place.buffer, place.offset, to: back, 0, byteCount: count)
        }
        return Array(try #require(back.bytes).prefix(count))
    }

    @Test(
        "Parts come in their order, and commands use the first ones while the next are not there",
        .enabled(if: device != nil, "no Vulkan device"), arguments: [GPUWeightWay.copied, .staged])
    func order(way: GPUWeightWay) throws {
        let device = try GPUDevice(#require(Self.device))
        let gate = Gate(part: 2)
        // Smaller than most weights, which therefore go through it in pieces.
        let stream = GPUWeightStream(device, way, stageBytes: 4096) { gate.pass($0) }
        let sizes = [[12, 4096, 5000], [100_000, 4], [64, 8192, 12_288, 20], [], [70_000]]
        var sources: [[(bytes: Bytes, place: GPUPlace)]] = []
        for (part, counts) in sizes.enumerated() {
            sources.append(
                try counts.enumerated().map { index, count in
                    let bytes = Bytes(count, seed: 7 * part + index)
                    return (bytes, try stream.add(bytes.all, owner: bytes))
                })
            #expect(stream.endPart() == part)
        }
        let values: [Float] = [1, -2.5, 3]
        let valuePlace = try stream.add(values)
        #expect(stream.endPart() == 5)
        try stream.start()
        #expect(way == .copied || stream.isStaged)

        func check(_ part: Int) throws {
            let copies = try stream.wait(for: part) { false }
            for (bytes, place) in sources[part] {
                let found = try read(place, bytes.all.count, on: device, after: copies)
                #expect(found.elementsEqual(bytes.all))
            }
        }
        gate.waitUntilReached()
        #expect(stream.has(1) && !stream.has(2) && !stream.isComplete && stream.copyMS == nil)
        try check(0)
        try check(1)
        #expect(stream.waits == 0)
        #expect(throws: CancellationError.self) { try stream.wait(for: 4) { true } }
        #expect(!stream.has(2))
        #expect(stream.waits == 1 && stream.waitedMS > 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { gate.opened.signal() }
        // The last first: all others are there then.
        let copies = try stream.wait(for: 5) { false }
        let found = try read(valuePlace, 12, on: device, after: copies)
        #expect(found == values.withUnsafeBytes { Array($0) })
        for part in 0..<5 { try check(part) }
        while stream.copyMS == nil { Thread.sleep(forTimeInterval: 0.002) }
        #expect(stream.isComplete)
        #expect(gate.order.withLock { $0 } == Array(0..<6))
    }

    @Test(
        "A second stream on the same device begins where the first one ended",
        .enabled(if: device != nil, "no Vulkan device"), arguments: [GPUWeightWay.copied, .staged])
    func again(way: GPUWeightWay) throws {
        let device = try GPUDevice(#require(Self.device))
        for round in 1...3 {
            let stream = GPUWeightStream(device, way, stageBytes: 1000)
            let bytes = Bytes(1000 * round + 24, seed: round)
            let place = try stream.add(bytes.all, owner: bytes)
            let part = stream.endPart()
            try stream.start()
            let found = try read(place, bytes.all.count, on: device, after: stream.wait(for: part) { false })
            #expect(found.elementsEqual(bytes.all))
        }
    }

    @Test(
        "Closing in the middle copies no further part, and frees everything",
        .enabled(if: device != nil, "no Vulkan device"), arguments: [GPUWeightWay.copied, .staged])
    func closing(way: GPUWeightWay) throws {
        weak var openDevice: GPUDevice?
        weak var kept: Bytes?
        let gate = Gate(part: 1)
        do {
            let device = try GPUDevice(#require(Self.device))
            openDevice = device
            let stream = GPUWeightStream(device, way, stageBytes: 4096) { gate.pass($0) }
            for part in 0..<4 {
                let bytes = Bytes(50_000, seed: part)
                kept = bytes
                _ = try stream.add(bytes.all, owner: bytes)
                _ = stream.endPart()
            }
            try stream.start()
            gate.waitUntilReached()
            #expect(kept != nil)
            stream.cancel()
            gate.opened.signal()
            stream.stop()
            #expect(kept == nil)
            #expect(!stream.isComplete && stream.copyMS == nil)
            #expect(throws: CancellationError.self) { try stream.wait(for: 3) { false } }
        }
        #expect(openDevice == nil)
        #expect(gate.order.withLock { $0 } == [0, 1])
    }

    @Test(
        "A stream that was never started is closed like any other",
        .enabled(if: device != nil, "no Vulkan device"))
    func unstarted() throws {
        weak var kept: Bytes?
        do {
            let device = try GPUDevice(#require(Self.device))
            let stream = GPUWeightStream(device, .copied)
            let bytes = Bytes(100, seed: 1)
            kept = bytes
            _ = try stream.add(bytes.all, owner: bytes)
        }
        #expect(kept == nil)
    }

    // Skipped under the validation layers by its name.
    @Test(
        "A device that is lost by a command in the middle ends the copying, at once",
        .enabled(if: device != nil, "no Vulkan device"))
    func timeouts() throws {
        let device = try GPUDevice(#require(Self.device))
        let gate = Gate(part: 1)
        let stream = GPUWeightStream(device, .staged, stageBytes: 4096) { gate.pass($0) }
        let bytes = Bytes(40_000, seed: 3)
        var places: [GPUPlace] = []
        for _ in 0..<3 {
            places.append(try stream.add(bytes.all, owner: bytes))
            _ = stream.endPart()
        }
        try stream.start()
        gate.waitUntilReached()
        device.timeoutMS = 0
        let copies = try stream.wait(for: 0) { false }
        #expect(throws: GPUError.timedOut(milliseconds: 0)) {
            _ = try read(places[0], 40_000, on: device, after: copies)
        }
        gate.opened.signal()
        #expect(throws: GPUError.deviceLost) { try stream.wait(for: 2) { false } }
        #expect(!stream.isComplete && stream.copyMS == nil)
    }

    @Test("HEARTH_GPU_WEIGHTS selects a way", .enabled(if: device != nil, "no Vulkan device"))
    func selection() throws {
        let usual = try GPUDeviceInfo.preferred(environment: [:]).weights
        for way in GPUWeightWay.allCases {
            #expect(try GPUDeviceInfo.preferred(environment: ["HEARTH_GPU_WEIGHTS": way.rawValue]).weights == way)
        }
        for other in ["", "0", "Copied"] {
            #expect(try GPUDeviceInfo.preferred(environment: ["HEARTH_GPU_WEIGHTS": other]).weights == usual)
        }
        #expect(usual != .staged)
    }
}
