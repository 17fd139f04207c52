/// A part of the pictures: every `count`-th, starting with the `index`-th. The shards of a list are disjoint, and their
/// sizes differ by at most one.
package struct EvaluationShard: Sendable, Equatable, Hashable, Codable {
    /// From 1 to `count`.
    package let index: Int
    /// Number of shards.
    package let count: Int

    /// Maximum number of shards.
    package static let most = 1_000_000

    /// All pictures.
    package static let whole = EvaluationShard(checked: 1, of: 1)

    /// nil if there is no such shard.
    package init?(_ index: Int, of count: Int) {
        guard (1...Self.most).contains(count), (1...count).contains(index) else { return nil }
        self.init(checked: index, of: count)
    }

    private init(checked index: Int, of count: Int) { (self.index, self.count) = (index, count) }

    /// Whether a picture belongs to the shard.
    /// - Parameter place: index in the list, from 0.
    package func contains(_ place: Int) -> Bool { place % count == index - 1 }

    private enum CodingKeys: String, CodingKey { case index, count }

    /// Rejects shards that cannot exist.
    package init(from decoder: any Decoder) throws {
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
    package var description: String { "\(index)/\(count)" }
}
