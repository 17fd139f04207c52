/// The weights of the sentence classifier, as written by `Training/safety/train.py`.
///
/// `meaning.bin`, little-endian: "HMG2"; the number of words, columns, hidden units, outputs, buckets and languages (u32); word
/// keys (u32, ascending); column scales (f32); word vectors, the unknown word first (4 bits per value, the low nibble first);
/// feature weights (i8), their scale and bias (f32); the network's tensors (f32); a threshold for each language (f32) in the
/// order of `FilterLanguage.allCases`, and one for an unknown language; a `CheckSum`.
struct MeaningModel: Sendable {
    static let file = "meaning.bin"
    /// The themes of the outputs after the first one.
    static let themes = [
        "violence", "abuse", "self-harm", "luring", "undressing", "challenge", "medicine", "danger", "private",
        "bullying", "drugs-alcohol", "horror", "hate",
    ]
    /// The number of hidden units; the kernels are written for it.
    static let hidden = 64

    let vocabulary: MeaningVocabulary
    let columns: Int
    /// Two values per byte, `columns / 2` bytes per word.
    let vectors: [UInt8]
    let steps: [Float]
    let features: [Int8]
    let featureStep: Float
    let featureBias: Float
    /// Shape (3 × columns, hidden): the previous word, the word, the next word.
    let kernel: [Float]
    /// Shape (2, hidden): for the sentence and for its context.
    let segments: [Float]
    /// Shape (4 × hidden, hidden).
    let dense: [Float]
    let denseBias: [Float]
    /// Shape (hidden, outputs).
    let output: [Float]
    let outputBias: [Float]
    /// The thresholds of each language, then of an unknown one.
    let thresholds: [Float]

    var outputs: Int { outputBias.count }

    /// Loads the model.
    /// - Parameter files: returns a file's bytes by name; nil if there is none.
    /// - Throws: `LexiconError` if the file is missing or damaged.
    static func load(_ files: (String) -> [UInt8]?) throws(LexiconError) -> MeaningModel {
        guard let bytes = files(file) else { throw .missing(file: file) }
        let content = try UnicodeTable.checked(bytes, file)
        guard let model = MeaningModel(content) else {
            throw .damaged(file: file, problem: "its sections have unexpected sizes")
        }
        return model
    }

    private init?(_ bytes: ArraySlice<UInt8>) {
        var reader = EmbeddedReader(bytes)
        guard reader.bytes(4).map(Array.init) == Array("HMG2".utf8),
            let counts = reader.array(6, of: UInt32.self)?.map(Int.init),
            (1...1 << 20).contains(counts[0]), counts[1] > 0, counts[1] <= 1024, counts[1] % 2 == 0,
            counts[2] == Self.hidden, counts[3] == Self.themes.count + 1, counts[4] == SentenceFeatures.buckets,
            counts[5] == FilterLanguage.allCases.count,
            let keys = reader.array(counts[0], of: UInt32.self), let steps = reader.floats(counts[1]),
            let vectors = reader.bytes((counts[0] + 1) * counts[1] / 2),
            let features = reader.array(counts[4], of: Int8.self), let feature = reader.floats(2),
            let kernel = reader.floats(3 * counts[1] * Self.hidden), let segments = reader.floats(2 * Self.hidden),
            let dense = reader.floats(4 * Self.hidden * Self.hidden), let denseBias = reader.floats(Self.hidden),
            let output = reader.floats(Self.hidden * counts[3]), let outputBias = reader.floats(counts[3]),
            let thresholds = reader.floats(counts[5] + 1), reader.isAtEnd, zip(keys, keys.dropFirst()).allSatisfy(<)
        else { return nil }
        vocabulary = MeaningVocabulary(keys: keys)
        columns = counts[1]
        self.vectors = Array(vectors)
        self.steps = steps
        self.features = features
        (featureStep, featureBias) = (feature[0], feature[1])
        (self.kernel, self.segments, self.dense, self.denseBias) = (kernel, segments, dense, denseBias)
        (self.output, self.outputBias, self.thresholds) = (output, outputBias, thresholds)
    }

    func threshold(_ language: FilterLanguage?) -> Float {
        thresholds[language.flatMap { FilterLanguage.allCases.firstIndex(of: $0) } ?? thresholds.count - 1]
    }
}

extension EmbeddedReader {
    /// The next floats; nil if there are fewer, or if one is not finite.
    fileprivate mutating func floats(_ count: Int) -> [Float]? {
        guard let values = array(count, of: UInt32.self)?.map(Float.init(bitPattern:)), values.allSatisfy(\.isFinite)
        else { return nil }
        return values
    }
}
