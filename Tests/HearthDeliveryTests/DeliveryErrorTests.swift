import HearthDelivery
import Testing

@Suite("Delivery errors", .timeLimit(.minutes(20)))
struct DeliveryErrorTests {
    @Test("A message names the file and what to do")
    func message() {
        let text = DeliveryError.storage(path: "/m/x", reason: "No space left on device").errorDescription ?? ""
        #expect(text.contains("/m/x") && text.contains("No space left") && text.contains("Check"))
    }
}
