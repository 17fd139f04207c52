package import HearthCompute

/// A stretch of weights as it is stored in a compact file.
package struct WeightSegment: Codable, Sendable, Equatable {
    /// Where it belongs among the floats of the plan.
    package var target: PlanWeights
    package var coding: WeightCoding
    /// First byte in the file.
    package var offset: Int

    /// Rows of 16, the last one perhaps filled up.
    var rows: Int { MemoryPlan.aligned(target.count) / 16 }

    /// An error in the segments for a plan and a file of these sizes; nil if there is none.
    ///
    /// They come in the order of their targets, which do not overlap. That the plan's weights are all there is seen when
    /// its steps ask for them.
    static func problem(_ segments: [WeightSegment], floats: Int, bytes: Int) -> String? {
        var end = 0
        for (place, segment) in segments.enumerated() {
            let target = segment.target
            guard target.offset >= end, target.offset % MemoryPlan.alignment == 0, target.count > 0,
                target.count <= floats, target.offset <= floats - target.count
            else { return "stretch \(place) of the weights lies outside the plan's, or overlaps the one before it" }
            end = target.offset + target.count
            if let problem = segment.coding.problem(rows: segment.rows) {
                return "stretch \(place) of the weights has \(problem)"
            }
            let size = segment.coding.byteCount(rows: segment.rows)
            guard segment.offset >= 0, segment.offset % 64 == 0, size <= bytes, segment.offset <= bytes - size else {
                return "stretch \(place) of the weights lies outside the file of \(bytes) bytes"
            }
        }
        return nil
    }
}
