/// A rectangle in a picture, from its upper left corner. Units are whatever the user says: pixels, or shares of a side.
public struct ImageBox: Sendable, Equatable {
    /// Left edge.
    public var x: Double
    /// Upper edge.
    public var y: Double
    /// Width.
    public var width: Double
    /// Height.
    public var height: Double

    /// A rectangle by its upper left corner and its size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}
