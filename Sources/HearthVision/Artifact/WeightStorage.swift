internal import HearthCompute
internal import HearthFormats

/// How an artifact keeps weights.
public enum WeightStorage: String, Sendable, CaseIterable, Codable {
    /// As the kernels read them: loading is mapping, and the system may drop pages and read them again.
    case mapped
    /// In as few bytes as hold them exactly, palettes as palettes and half precision as half precision: a small file, and
    /// memory of the process's own that is filled at each start.
    case compact
}

/// A stretch of weights as it is stored in a compact file.
struct WeightSegment: Codable, Sendable, Equatable {
    /// Where it belongs among the floats of the plan.
    var target: PlanWeights
    var encoding: WeightEncoding
    /// First byte in the file.
    var offset: Int

    /// What is wrong with segments for a plan and a file of these sizes; nil where all is well.
    static func problem(_ segments: [WeightSegment], floats: Int, bytes: Int) -> String? {
        for segment in segments {
            let (target, size) = (segment.target, segment.encoding.byteCount(min(segment.target.count, floats)))
            guard target.offset >= 0, target.count >= 0, target.count <= floats, target.offset <= floats - target.count,
                segment.offset >= 0, segment.offset % 64 == 0, size <= bytes, segment.offset <= bytes - size
            else { return "a stretch of weights lies outside the file" }
        }
        return nil
    }
}

extension PackedWeights {
    /// Everything in as few bytes as hold it.
    func compacted(
        _ requests: [PackRequest], isCancelled: () -> Bool
    ) throws -> (segments: [WeightSegment], bytes: [UInt8]) {
        var segments: [WeightSegment] = []
        var bytes: [UInt8] = []
        try withValues { values in
            for request in requests where request.target.count > 0 {
                if isCancelled() { throw CancellationError() }
                let part = UnsafeBufferPointer(
                    rebasing: values[request.target.offset..<request.target.offset + request.target.count])
                let encoding = WeightEncoding.shortest(part)
                segments.append(WeightSegment(target: request.target, encoding: encoding, offset: bytes.count))
                bytes += encoding.encoded(part)
                bytes += [UInt8](repeating: 0, count: (64 - bytes.count % 64) % 64)
            }
        }
        return (segments, bytes)
    }
}

extension MappedFile {
    /// The weights of a compact file in full, spread over the threads of `compute`.
    func expanded(_ segments: [WeightSegment], floats: Int, _ compute: Compute) throws -> FloatWeights {
        let region = try FloatRegion(count: max(floats, 1))
        try withUnsafeBytes { bytes in
            for segment in segments {
                try compute.expand(
                    segment.encoding, UnsafeRawBufferPointer(rebasing: bytes[segment.offset...]),
                    into: region.part(segment.target.offset, segment.target.count))
            }
        }
        return FloatWeights(region)
    }
}
