/// The second line of defence of the GGUF reader.
///
/// The first line is the file itself: every count and length is compared with the bytes that are left before it is
/// used. These constants bound what a *large* hostile file may still ask for, and are far above what real files hold.
package enum GGUFLimits {
    /// Metadata entries in a file (real files: under 100).
    package static let metadataEntries = 16_384
    /// Tensors in a file (real files: under 2,000 for Gemma; about 30,000 in old unmerged mixtures of experts).
    package static let tensors = 32_768
    /// Bytes of a metadata key. The specification allows 65,535; real keys stay under 100.
    package static let keyBytes = 1_024
    /// Bytes of a tensor name, as the specification says.
    package static let tensorNameBytes = 64
    /// Bytes of a single string value (a whole `tokenizer.json` is stored as one in some files: about 33 MB).
    package static let stringBytes = 64 << 20
    /// Bytes of one string inside an array (vocabulary entries: under 100).
    package static let arrayStringBytes = 64 << 10
    /// Items of one array (vocabulary: 262,144; merges: 514,906).
    package static let arrayItems = 1 << 24
    /// Items of a numeric array that typed access copies to the heap (8 bytes an item).
    package static let copiedArrayItems = 1 << 22
    /// Levels of arrays inside arrays; 1 is a plain array.
    package static let arrayDepth = 4
    /// Dimensions of a tensor.
    package static let dimensions = 4
    /// Alignment of tensor data, smallest and largest; a power of two. The specification asks for a multiple of 8,
    /// llama.cpp takes 1 too: who loads values of several bytes in place must check the tensor's offset.
    package static let alignment = 1...(1 << 20)
    /// Alignment when the file does not say.
    package static let defaultAlignment = 32
    /// Versions of the container that can be read and written.
    package static let versions: ClosedRange<UInt32> = 2...3

    /// Fewest bytes of a metadata entry: key length, type, one byte of value. (An empty key is refused as such.)
    static let smallestEntry = 8 + 4 + 1
    /// Fewest bytes of a row of the tensor table: name length, number of dimensions, type, offset.
    static let smallestTensor = 8 + 4 + 4 + 8
}
