import HearthTestSupport
import HearthVision
import Testing

@Suite("Frames in their order, at an even pace", .timeLimit(.minutes(20)))
struct FrameOrderTests {
    @Test("Frames that become known out of order are printed in order, each once", arguments: 0..<20)
    func order(seed: Int) {
        var generator = SeededNumbers.fresh()
        // Each frame is known at most eight frames late.
        let known = (0..<200).map { ($0, $0 + Int.random(in: 0...8, using: &generator)) }.sorted { $0.1 < $1.1 }.map(
            \.0)
        var order = FrameOrder<Int>()
        var printed: [Int] = []
        for frame in known { printed += order.take(frame, number: frame) }
        #expect(printed == Array(0..<200))
    }

    @Test("What waits for an earlier frame waits no longer than for that")
    func orderAtOnce() {
        var order = FrameOrder<String>()
        #expect(order.take("b", number: 1).isEmpty)
        #expect(order.take("a", number: 0) == ["a", "b"])
        #expect(order.take("c", number: 2) == ["c"])
    }

    @Test("Frames are due at an even pace; who is late goes on from there")
    func pace() {
        var pacer = FramePacer(framesPerSecond: 50)
        #expect(pacer.interval == .milliseconds(20))
        #expect(pacer.next(at: .milliseconds(3)) == .milliseconds(3), "the first at once")
        #expect(pacer.next(at: .milliseconds(4)) == .milliseconds(23))
        #expect(pacer.next(at: .milliseconds(23)) == .milliseconds(43))
        #expect(pacer.next(at: .milliseconds(500)) == .milliseconds(500))
        #expect(pacer.next(at: .milliseconds(501)) == .milliseconds(520))
    }
}
