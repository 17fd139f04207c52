/// A part of the pictures: every `count`-th, beginning with the `index`-th. Parts of one list are equally large and share nothing.
public struct EvaluationShard: Sendable, Equatable, Hashable, Codable {
    /// From 1 to `count`.
    public let index: Int
    /// Parts in all.
    public let count: Int

    /// Most parts.
    public static let most = 1_000_000

    /// All pictures.
    public static let whole = EvaluationShard(checked: 1, of: 1)

    /// nil where there is no such part.
    public init?(_ index: Int, of count: Int) {
        guard (1...Self.most).contains(count), (1...count).contains(index) else { return nil }
        self.init(checked: index, of: count)
    }

    private init(checked index: Int, of count: Int) { (self.index, self.count) = (index, count) }

    /// Whether a picture belongs to the part.
    /// - Parameter place: in the list, from 0.
    public func contains(_ place: Int) -> Bool { place % count == index - 1 }

    private enum CodingKeys: String, CodingKey { case index, count }

    /// Refuses parts that there are not.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let (index, count) = (try values.decode(Int.self, forKey: .index), try values.decode(Int.self, forKey: .count))
        guard let shard = EvaluationShard(index, of: count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .index, in: values, debugDescription: "there is no part \(index) of \(count)")
        }
        self = shard
    }
}

extension EvaluationShard: CustomStringConvertible {
    /// `2/3`
    public var description: String { "\(index)/\(count)" }
}
