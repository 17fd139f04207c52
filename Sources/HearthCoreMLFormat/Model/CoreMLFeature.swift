import HearthSystem

/// An input or output of a model: a name, and what it stands for.
package struct CoreMLFeature: Sendable, Equatable {
    /// What a feature can be.
    package enum Kind: Sendable, Equatable {
        /// One integer.
        case int64
        /// One number.
        case double
        /// One text.
        case string
        /// A picture.
        case image(CoreMLImageType)
        /// A tensor.
        case multiArray(CoreMLArrayType)
        /// Numbers by label: texts, or integers.
        case dictionary(keysAreIntegers: Bool)
        /// A sequence of integers or texts.
        case sequence
        /// State that outlives a prediction.
        case state
    }

    /// The name.
    package private(set) var name = ""
    /// What people wrote about it.
    package private(set) var documentation = ""
    /// What it is.
    package private(set) var kind = Kind.double
    /// Whether it may be left out.
    package private(set) var isOptional = false
    package var origin = WireOrigin()
}

/// A picture that a model takes or gives. Sizes are pixels.
package struct CoreMLImageType: Sendable, Equatable, Codable {
    /// How pixels are laid out.
    package enum ColorSpace: Int, Sendable, Codable {
        case grayscale = 10
        case rgb = 20
        case bgr = 30
        case grayscaleFloat16 = 40

        /// Planes of the tensor that represents the picture.
        package var channels: Int { self == .rgb || self == .bgr ? 3 : 1 }

        /// Short name, such as `RGB`.
        package var name: String {
            switch self {
            case .grayscale: "grayscale"
            case .rgb: "RGB"
            case .bgr: "BGR"
            case .grayscaleFloat16: "grayscale fp16"
            }
        }
    }

    /// The width.
    package let width: Int
    /// The height.
    package let height: Int
    /// How pixels are laid out.
    package let colorSpace: ColorSpace
    /// Whether other sizes are allowed too.
    package let isFlexible: Bool
    /// Which sizes [height, width] are allowed, where the model says so.
    package private(set) var sizes: CoreMLShapes?

    /// A picture of one size, or of any.
    package init(width: Int, height: Int, colorSpace: ColorSpace, isFlexible: Bool) {
        (self.width, self.height, self.colorSpace, self.isFlexible) = (width, height, colorSpace, isFlexible)
    }
}

/// A tensor that a model takes or gives.
package struct CoreMLArrayType: Sendable, Equatable {
    /// The type of elements.
    package enum Element: Int, Sendable {
        case float32 = 65568
        case double = 65600
        case int32 = 131_104
        case float16 = 65552
        case int8 = 131_080

        /// Short name, such as `fp32`.
        package var name: String {
            switch self {
            case .float32: "fp32"
            case .double: "fp64"
            case .int32: "int32"
            case .float16: "fp16"
            case .int8: "int8"
            }
        }
    }

    /// The dimensions, slowest first; empty where only a range is given.
    package let shape: [Int]
    /// The type of elements.
    package let element: Element
    /// Whether other shapes are allowed too.
    package let isFlexible: Bool
    /// Which shapes are allowed, where the model says so.
    package let shapes: CoreMLShapes?
    /// What every element is where an optional input is left out; nil where the model does not say it.
    package let usual: Double?
}

extension CoreMLFeature: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init()
        var hasType = false
        var reader = WireReader(input)
        do throws(WireFault) {
            while let field = try reader.next() {
                switch field.number {
                case 1: name = try field.string("name")
                case 2: documentation = try field.string("shortDescription")
                case 3:
                    guard !hasType else { throw .malformed("type", "the field occurs twice") }
                    hasType = true
                    let input = try field.input.child(field.bytes("type"))
                    try inside("type") { () throws(WireFault) in try readType(input) }
                default: origin.keep(field)
                }
            }
        } catch {
            throw name.isEmpty ? error : error.inside("(\(name))")
        }
        guard hasType else { throw .missing("type", "the type of '\(name)'") }
        origin.settle(input)
    }

    private mutating func readType(_ input: WireInput) throws(WireFault) {
        var found: Kind?
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: found = .int64
            case 2: found = .double
            case 3: found = .string
            case 4: found = .image(try field.message("imageType", as: CoreMLImageType.self))
            case 5: found = .multiArray(try field.message("multiArrayType", as: CoreMLArrayType.self))
            case 6: found = .dictionary(keysAreIntegers: try Self.hasIntegerKeys(field))
            case 7: found = .sequence
            case 8: found = .state
            case 1000: isOptional = try field.bool("isOptional")
            default: continue
            }
            if field.number < 1000 { _ = try field.bytes("type") }
        }
        guard let found else { throw .missing(nil, "the kind of a feature") }
        kind = found
    }

    private static func hasIntegerKeys(_ field: WireField) throws(WireFault) -> Bool {
        var result: Bool?
        var reader = WireReader(try field.input.child(field.bytes("dictionaryType")))
        while let inner = try reader.next() {
            if inner.number == 1 { result = true }
            if inner.number == 2 { result = false }
        }
        guard let result else { throw .missing("dictionaryType", "the type of the keys") }
        return result
    }

    // A feature is only ever written as it was read.
    package func encode(into writer: inout WireWriter) {}
}

extension CoreMLImageType: WireMessage {
    package var origin: WireOrigin { WireOrigin() }

    package init(wire input: WireInput) throws(WireFault) {
        var (width, height, color) = (0, 0, 0)
        var sizes: CoreMLShapes?
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: width = try field.integer("width")
            case 2: height = try field.integer("height")
            case 3: color = try field.integer("colorSpace")
            case 21: sizes = try CoreMLShapes(list: field, areSizes: true)
            case 31: sizes = try CoreMLShapes(sizeRanges: field)
            default: break
            }
        }
        guard let space = ColorSpace(rawValue: color) else {
            throw .malformed("colorSpace", "the color space \(color) does not exist")
        }
        for (name, value) in [("width", width), ("height", height)] where !(1...1 << 20).contains(value) {
            throw WireFault(name) { .outOfRange($0, value: "\(value)") }
        }
        (self.width, self.height, colorSpace, isFlexible) = (width, height, space, sizes != nil)
        self.sizes = sizes
    }

    package func encode(into writer: inout WireWriter) {}
}

extension CoreMLArrayType: WireMessage {
    package var origin: WireOrigin { WireOrigin() }

    package init(wire input: WireInput) throws(WireFault) {
        var shape = WireNumbers(.varint)
        var type = 0
        var shapes: CoreMLShapes?
        var usual: Double?
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 41: usual = Double(try field.integer("intDefaultValue"))
            case 51: usual = Double(try field.float("floatDefaultValue"))
            case 61: usual = try field.double("doubleDefaultValue")
            case 1: try shape.append(field, "shape")
            case 2: type = try field.integer("dataType")
            case 21: shapes = try CoreMLShapes(list: field, areSizes: false)
            case 31: shapes = try CoreMLShapes(ranges: field)
            default: break
            }
        }
        guard let element = Element(rawValue: type) else {
            throw .malformed("dataType", "the element type \(type) does not exist")
        }
        guard shape.count <= CoreMLLimits.rank else { throw .limit("shape", shape.count, CoreMLLimits.rank) }
        for size in shape.integers where !(1...CoreMLLimits.elements).contains(size) {
            throw WireFault("shape") { .badDimension($0, value: UInt64(bitPattern: Int64(size))) }
        }
        (self.shape, self.element, isFlexible) = (shape.integers, element, shapes != nil)
        self.shapes = shapes
        self.usual = usual
    }

    package func encode(into writer: inout WireWriter) {}
}
