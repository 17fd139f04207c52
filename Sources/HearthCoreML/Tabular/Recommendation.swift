internal import HearthCoreMLFormat

extension CoreMLRecommender {
    /// The score of every item: for each item that was rated, how similar they are, times by how much the rating is above the
    /// usual one of the item that is scored.
    func scores(_ rated: [(item: Int, score: Double)]) -> [Double] {
        var scores = [Double](repeating: 0, count: labels.count)
        for (item, score) in rated {
            for other in similar[item] ?? [] { scores[other.item] += other.score * (score - (shifts[other.item] ?? 0)) }
        }
        return scores
    }

    /// Items by the scores that others have given them, in the order of items; what the model does not know is left out.
    func rated(_ value: FeatureValue) -> [(item: Int, score: Double)]? {
        let pairs: [(item: Int, score: Double)]
        switch (labels, value) {
        case (.strings(let texts), .texts(let scores)):
            pairs = texts.enumerated().compactMap { index, text in scores[text].map { (index, $0) } }
        case (.integers(let integers), .integers(let scores)):
            pairs = integers.enumerated().compactMap { index, integer in scores[integer].map { (index, $0) } }
        default:
            // A list: each item counts once.
            return items(value).map { $0.sorted().map { ($0, 1) } }
        }
        return pairs.filter { !$0.score.isNaN }
    }

    /// Items of a list; nil for what is none.
    func items(_ value: FeatureValue) -> Set<Int>? {
        switch (labels, value) {
        case (.strings(let texts), .textList(let list)):
            let listed = Set(list)
            return Set(texts.indices.filter { listed.contains(texts[$0]) })
        case (.integers(let integers), .integerList(let list)):
            let listed = Set(list)
            return Set(integers.indices.filter { listed.contains(integers[$0]) })
        // A list without elements has no kind.
        case (_, .textList(let list)): return list.isEmpty ? [] : nil
        case (_, .integerList(let list)): return list.isEmpty ? [] : nil
        default: return nil
        }
    }
}

extension TabularStage {
    /// The most similar items that were not rated yet, or those that the row asks for.
    func run(_ recommender: CoreMLRecommender, _ scope: [String: FeatureValue]) throws -> [String: FeatureValue] {
        func given(_ name: String) -> FeatureValue? { scope[name].flatMap { $0.isMissing ? nil : $0 } }
        func items(_ name: String) throws -> Set<Int>? {
            guard let value = given(name) else { return nil }
            guard let items = recommender.items(value) else {
                throw CoreMLError.inputKind(name: name, expected: "a list of items", found: value.kindName)
            }
            return items
        }
        var rated: [(item: Int, score: Double)] = []
        if let value = given(recommender.itemsName) {
            guard let pairs = recommender.rated(value) else {
                throw CoreMLError.inputKind(
                    name: recommender.itemsName, expected: "a dictionary of scores by item", found: value.kindName)
            }
            rated = pairs
        } else if !description.inputs.contains(where: { $0.name == recommender.itemsName && $0.isOptional }) {
            throw CoreMLError.missingInput(name: recommender.itemsName)
        }
        var count = recommender.labels.count
        if let value = given(recommender.countName) {
            guard let number = value.number, let wanted = Int(exactly: number), wanted > 0 else {
                throw CoreMLError.inputKind(
                    name: recommender.countName, expected: "a number of items, 1 or more", found: value.kindName)
            }
            count = wanted
        }
        let restriction = try items(recommender.restrictionName)
        let exclusion = try items(recommender.exclusionName) ?? Set(rated.map(\.item))
        let scores = recommender.scores(rated)
        let order = scores.indices.filter { restriction?.contains($0) ?? true && !exclusion.contains($0) }
            .sorted { (scores[$1], $0) < (scores[$0], $1) }.prefix(count)
        var made: [String: FeatureValue] = [:]
        switch recommender.labels {
        case .strings(let texts):
            made[recommender.listName] = .textList(order.map { texts[$0] })
            made[recommender.scoresName] = .shares(order.map { texts[$0] }, order.map { scores[$0] })
        case .integers(let integers):
            made[recommender.listName] = .integerList(order.map { integers[$0] })
            made[recommender.scoresName] = .shares(order.map { integers[$0] }, order.map { scores[$0] })
        }
        made[""] = nil
        return made
    }
}
