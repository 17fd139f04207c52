/// Which shapes an input may have besides its usual one (`RangeDim` and `EnumeratedShapes` of coremltools).
package enum CoreMLShapes: Sendable, Equatable, Codable {
    /// These and no others.
    case listed([[Int]])
    /// Each dimension within its range. One without an upper end goes to `Int.max`.
    case ranges([ClosedRange<Int>])

    /// Whether a shape is one of them. Ranges of another rank say nothing.
    package func allows(_ shape: [Int]) -> Bool {
        switch self {
        case .listed(let shapes): shapes.isEmpty || shapes.contains(shape)
        case .ranges(let ranges):
            ranges.count != shape.count || zip(ranges, shape).allSatisfy { $0.contains($1) }
        }
    }

    /// For people: `[1...4, 3, 2...]`, or the shapes themselves.
    package var description: String {
        switch self {
        case .listed(let shapes):
            let shown = shapes.prefix(CoreMLLimits.listed).map { "\($0)" }.joined(separator: ", ")
            return shapes.count > CoreMLLimits.listed
                ? "\(shown) and \(shapes.count - CoreMLLimits.listed) more" : shown
        case .ranges(let ranges):
            let shown = ranges.map { range in
                range.count == 1
                    ? "\(range.lowerBound)"
                    : range.upperBound == .max
                        ? "\(range.lowerBound)..." : "\(range.lowerBound)...\(range.upperBound)"
            }
            return "[\(shown.joined(separator: ", "))]"
        }
    }

    /// Most shapes, and dimensions of one, that a file may list.
    private static let most = 1 << 14

    /// A message of shapes, field 1, each with its dimensions in field 1, or of pictures' sizes with width and height.
    init(list field: WireField, areSizes: Bool) throws(WireFault) {
        var shapes: [[Int]] = []
        var reader = WireReader(try field.input.child(field.bytes("enumeratedShapes")))
        while let entry = try reader.next() {
            guard entry.number == 1 else { continue }
            guard shapes.count < Self.most else { throw .limit("enumeratedShapes", shapes.count + 1, Self.most) }
            shapes.append(try Self.shape(entry, isSize: areSizes))
        }
        self = .listed(shapes)
    }

    private static func shape(_ entry: WireField, isSize: Bool) throws(WireFault) -> [Int] {
        var reader = WireReader(try entry.input.child(entry.bytes("shapes")))
        var numbers = WireNumbers(.varint)
        var (width, height) = (0, 0)
        while let field = try reader.next() {
            switch (field.number, isSize) {
            case (1, false): try numbers.append(field, "shape")
            case (1, true): width = try field.integer("width")
            case (2, true): height = try field.integer("height")
            default: break
            }
        }
        guard numbers.count <= CoreMLLimits.rank else { throw .limit("shape", numbers.count, CoreMLLimits.rank) }
        return isSize ? [height, width] : numbers.integers
    }

    /// A message of ranges, field 1 for each dimension in turn.
    init(ranges field: WireField) throws(WireFault) {
        var ranges: [ClosedRange<Int>] = []
        var reader = WireReader(try field.input.child(field.bytes("shapeRange")))
        while let entry = try reader.next() {
            guard entry.number == 1 else { continue }
            guard ranges.count < CoreMLLimits.rank else {
                throw .limit("shapeRange", ranges.count + 1, CoreMLLimits.rank)
            }
            ranges.append(try Self.range(entry))
        }
        self = .ranges(ranges)
    }

    /// A message of the ranges of a picture's width and height.
    init(sizeRanges field: WireField) throws(WireFault) {
        var (width, height) = (1...Int.max, 1...Int.max)
        var reader = WireReader(try field.input.child(field.bytes("imageSizeRange")))
        while let entry = try reader.next() {
            if entry.number == 1 { width = try Self.range(entry) }
            if entry.number == 2 { height = try Self.range(entry) }
        }
        self = .ranges([height, width])
    }

    /// Lower end, field 1; upper end, field 2, −1 for none.
    private static func range(_ entry: WireField) throws(WireFault) -> ClosedRange<Int> {
        var (low, high) = (0, 0)
        var reader = WireReader(try entry.input.child(entry.bytes("sizeRanges")))
        while let field = try reader.next() {
            if field.number == 1 { low = try field.integer("lowerBound") }
            if field.number == 2 { high = try field.integer("upperBound") }
        }
        let end = high < 0 ? Int.max : high
        guard low >= 0, low <= end else { throw .malformed("sizeRanges", "sizes from \(low) to \(high)") }
        return low...end
    }
}

extension CoreMLFeature {
    /// The shapes that the model allows for this input; nil where it says nothing.
    package var allowedShapes: CoreMLShapes? {
        switch kind {
        case .multiArray(let array):
            guard case .listed(let shapes)? = array.shapes else { return array.shapes }
            return .listed(array.shape.isEmpty || shapes.contains(array.shape) ? shapes : [array.shape] + shapes)
        case .image(let image):
            let channels = image.colorSpace.channels
            switch image.sizes {
            case .listed(let sizes)?:
                let own = [image.height, image.width]
                return .listed((sizes.contains(own) ? sizes : [own] + sizes).map { [1, channels] + $0 })
            case .ranges(let ranges)?: return .ranges([1...1, channels...channels] + ranges)
            case nil: return nil
            }
        default: return nil
        }
    }
}
