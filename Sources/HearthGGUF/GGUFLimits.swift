/// Limits of the GGUF reader, as a second line of defence.
///
/// First of all, every count and length is checked against the number of bytes left in the file. These constants limit what a
/// *large* hostile file can request; they are far above what real files contain.
package enum GGUFLimits {
    /// Metadata entries in a file (real files: under 100).
    package static let metadataEntries = 16_384
    /// Tensors in a file (real files: under 2,000 for Gemma; about 30,000 in old unmerged mixtures of experts).
    package static let tensors = 32_768
    /// Bytes of a metadata key. The specification allows 65,535; real keys stay under 100.
    package static let keyBytes = 1_024
    /// Bytes of a tensor name, as specified.
    package static let tensorNameBytes = 64
    /// Bytes of a single string value (a whole `tokenizer.json` is stored as one in some files: about 33 MB).
    package static let stringBytes = 64 << 20
    /// Bytes of one string inside an array (vocabulary entries: under 100).
    package static let arrayStringBytes = 64 << 10
    /// Elements of one array (vocabulary: 262,144; merges: 514,906).
    package static let arrayItems = 1 << 24
    /// Elements of a numeric array that typed access copies to the heap (8 bytes per element).
    package static let copiedArrayItems = 1 << 22
    /// Levels of nested arrays; 1 is a plain array.
    package static let arrayDepth = 4
    /// Dimensions of a tensor.
    package static let dimensions = 4
    /// Range of the alignment of tensor data, a power of two. The specification requires a multiple of 8, but llama.cpp accepts
    /// 1 too: code that loads multi-byte values in place must check the tensor's offset.
    package static let alignment = 1...(1 << 20)
    /// Alignment if the file does not specify one.
    package static let defaultAlignment = 32
    /// Supported container versions, for reading and writing.
    package static let versions: ClosedRange<UInt32> = 2...3

    /// Minimum bytes of a metadata entry: key length, type, one byte of value. (Empty keys are rejected separately.)
    static let smallestEntry = 8 + 4 + 1
    /// Minimum bytes of a row of the tensor table: name length, number of dimensions, type, offset.
    static let smallestTensor = 8 + 4 + 4 + 8
}
