/// How one frame of a live feed was handled, and the device at that time.
package struct FeedMoment: Encodable, Sendable {
    /// A label, and the box of an object.
    package struct Result: Encodable, Sendable {
        /// As fractions of the picture's sides, from its top left corner.
        package struct Box: Encodable, Sendable {
            package var x: Double
            package var y: Double
            package var width: Double
            package var height: Double

            package init(x: Double, y: Double, width: Double, height: Double) {
                (self.x, self.y, self.width, self.height) = (x, y, width, height)
            }
        }

        package var label: String
        package var confidence: Float
        package var box: Box?

        package init(label: String, confidence: Float, box: Box? = nil) {
            (self.label, self.confidence, self.box) = (label, confidence, box)
        }
    }

    package var frame: Int
    /// `run`, `reuse`, `drop` or `fallback`.
    package var decision: String
    /// `full`, `reduced` or `suspended`.
    package var budget: String
    package var ms: Double
    package var results: [Result]
    /// Why, in one sentence.
    package var reason: String
    /// As Apple's names of thermal states; nil without a sensor.
    package var heat: String?
    /// `normal`, `warning` or `critical`.
    package var memory: String
    /// Where power comes from, for people.
    package var power: String

    package init(
        frame: Int, decision: String, budget: String, ms: Double, results: [Result], reason: String, heat: String?,
        memory: String, power: String
    ) {
        (self.frame, self.decision, self.budget, self.ms, self.results) = (frame, decision, budget, ms, results)
        (self.reason, self.heat, self.memory, self.power) = (reason, heat, memory, power)
    }
}
