import HearthSystem

/// Items that are similar to others: what is recommended to those who like some of them. Read-only.
///
/// Fields and rules are those of Core ML's `ItemSimilarityRecommender.proto`.
package struct CoreMLRecommender: Sendable, Equatable {
    /// An item that is similar to another one.
    package struct Similar: Sendable, Equatable {
        package let item: Int
        package let score: Double
    }

    /// Those that are similar to an item.
    package private(set) var similar: [Int: [Similar]] = [:]
    /// What is taken from each score that counts for an item; 0 where there is none.
    package private(set) var shifts: [Int: Double] = [:]
    /// A name for each item.
    package let labels: CoreMLTabular.Labels
    /// The feature with scores by item.
    package let itemsName: String
    /// Features that may be given: how many items are wanted, and out of which, and without which; empty for none.
    package let countName: String, restrictionName: String, exclusionName: String
    /// Features that are made: the items in order, and their scores; empty for none.
    package let listName: String, scoresName: String

    init(_ record: WireRecord) throws(WireFault) {
        itemsName = try record.string(10, "itemInputFeatureName")
        countName = try record.string(11, "numRecommendationsInputFeatureName")
        restrictionName = try record.string(12, "itemRestrictionInputFeatureName")
        exclusionName = try record.string(13, "itemExclusionInputFeatureName")
        listName = try record.string(20, "recommendedItemListOutputFeatureName")
        scoresName = try record.string(21, "recommendedItemScoreOutputFeatureName")
        guard !itemsName.isEmpty else { throw .missing("itemInputFeatureName", "the name of the items") }
        guard !listName.isEmpty || !scoresName.isEmpty else {
            throw .missing("recommendedItemListOutputFeatureName", "the name of an output")
        }
        var known: CoreMLTabular.Labels?
        if let texts = try record.record(2) {
            known = .strings(try texts.strings(1, "itemStringIds"))
        } else if let integers = try record.record(3) {
            known = .integers(try integers.integers(1, "itemInt64Ids"))
        }
        let limit = known.flatMap { $0.count > 0 ? $0.count : nil } ?? 1 << 20
        var count = 0
        func item(_ record: WireRecord) throws(WireFault) -> Int {
            let item = try record.integer(1, "itemId")
            guard (0..<limit).contains(item) else { throw WireFault("itemId") { .outOfRange($0, value: "\(item)") } }
            count = max(count, item + 1)
            return item
        }
        for entry in try record.records(1) {
            let base = try item(entry)
            var list: [Similar] = []
            for other in try entry.records(2) {
                list.append(Similar(item: try item(other), score: try other.double(2, "similarityScore")))
            }
            guard similar.updateValue(list, forKey: base) == nil else {
                throw .malformed("itemItemSimilarities", "the item \(base) occurs twice")
            }
            shifts[base] = try entry.double(3, "itemScoreAdjustment")
        }
        guard count > 0 else { throw .missing("itemItemSimilarities", "every item") }
        labels = known.flatMap { $0.count > 0 ? $0 : nil } ?? .integers(Array(0..<count))
    }
}
