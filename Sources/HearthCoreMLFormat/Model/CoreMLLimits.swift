/// The second line of defence of the Core ML reader.
///
/// The first is the file itself: every length is compared with the bytes that are left. These constants bound what a
/// large hostile file may still ask for, and are far above what real models hold.
package enum CoreMLLimits {
    /// Messages inside messages. A plain program needs 15 levels, each level of control flow 4 more.
    package static let depth = 64
    /// Messages in a file; a program of 2,000 operations has about 200,000.
    package static let messages = 1 << 21
    /// Bytes of a single text.
    package static let stringBytes = 16 << 20
    /// Numbers of a repeated field that are written one by one, where every writer packs them.
    package static let unpackedNumbers = 1 << 16
    /// Dimensions of a tensor. Core ML runs five; a palette has two more than its weight.
    package static let rank = 16
    /// Elements of a tensor.
    package static let elements = 1 << 40
    /// Elements that one palette index may stand for.
    package static let paletteVector = 64
    /// Elements of a compressed weight that is expanded in memory.
    package static let expandedElements = 1 << 28
    /// Bytes of a manifest.
    package static let manifestBytes = 1 << 20
    /// Items of a manifest.
    package static let manifestItems = 1024
    /// Weight files of a package.
    package static let weightFiles = 64
    /// Models of a pipeline; detectors have two or three.
    package static let pipelineModels = 16
    /// Faults of one kind that a message lists.
    static let listed = 8
}
