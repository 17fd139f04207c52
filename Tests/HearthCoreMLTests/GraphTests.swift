import HearthCoreML
import HearthCoreMLFormat
import Testing

@Suite("graphs", .timeLimit(.minutes(20)))
struct GraphTests {
    @Test("a tensor's elements are the product of its dimensions; a scalar has one")
    func counts() {
        #expect(GraphTensor(name: "x", shape: [1, 3, 4, 5], type: .float16).count == 60)
        #expect(GraphTensor(name: "s", shape: [], type: .float32).count == 1)
    }
}
