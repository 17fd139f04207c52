/// The average precision of a detector as COCO defines it, from 0 to 1.
package struct AveragePrecision: Sendable, Equatable {
    /// The mean over the overlaps (intersection over union) 0.50, 0.55 … 0.95, and over the classes that are labelled.
    package var average: Double
    /// At an overlap of 0.50.
    package var at50: Double
    /// At an overlap of 0.75.
    package var at75: Double
    /// `average` of each class; nil for a class that is not labelled.
    package var classes: [Double?]
}

/// Detections matched to labelled boxes by the rules of COCO, with the results of pycocotools: greedily by confidence,
/// at most one detection for a labelled box; what lies in a crowd does not count.
///
/// The matches of a picture do not depend on other pictures. They are kept, so that the precision of any resample of the
/// pictures is a short computation.
package struct DetectionMatches: Sendable {
    /// The labelled boxes and the detections of a picture.
    package typealias PictureBoxes = (labelled: [LabelledBox], found: [FoundBox])

    /// Number of detections of a class that count in a picture: the most confident.
    static let limit = 100
    // Both as numpy computes them: a limit that differs in its last digit would change the result.
    private static let overlapStep: Double = (0.95 - 0.5) / 9
    private static let overlaps = (0..<10).map { Double($0) * overlapStep + 0.5 }
    private static let recalls = (0...100).map { Double($0) * 0.01 }

    /// What became of a detection at the overlaps, a bit for each.
    private struct Outcome {
        /// It has a labelled box.
        var matched: UInt16 = 0
        /// That box is a crowd.
        var ignored: UInt16 = 0
    }

    /// The detections of a class in all pictures, most confident first.
    private struct Ranking {
        /// The picture of each detection.
        var pictures: [Int] = []
        /// For each overlap the detections that have a labelled box, in order.
        var matches: [[(place: Int, isIgnored: Bool)]] = []
        /// The picture of each labelled box that is not a crowd.
        var labelled: [Int] = []
    }

    private let rankings: [Ranking]
    private let pictures: Int

    /// Matches detections.
    /// - Parameter classes: number of classes; those of boxes are below.
    package init(_ pictures: [PictureBoxes], classes: Int) {
        var rankings = [Ranking](repeating: Ranking(), count: classes)
        var found = [[(picture: Int, confidence: Double, outcome: Outcome)]](repeating: [], count: classes)
        for (place, picture) in pictures.enumerated() {
            let labelled = Dictionary(grouping: picture.labelled, by: \.label)
            for box in picture.labelled where !box.isCrowd { rankings[box.label].labelled.append(place) }
            for (label, boxes) in Dictionary(grouping: picture.found, by: \.label) {
                let best = Self.ranked(boxes, by: \.confidence).prefix(Self.limit)
                for (box, outcome) in zip(best, Self.outcomes(Array(best), labelled[label] ?? [])) {
                    found[label].append((place, box.confidence, outcome))
                }
            }
        }
        for label in rankings.indices {
            let ranked = Self.ranked(found[label], by: \.confidence)
            rankings[label].pictures = ranked.map(\.picture)
            rankings[label].matches = Self.overlaps.indices.map { overlap in
                let bit = UInt16(1) << overlap
                return ranked.indices.filter { ranked[$0].outcome.matched & bit != 0 }.map {
                    ($0, ranked[$0].outcome.ignored & bit != 0)
                }
            }
        }
        (self.rankings, self.pictures) = (rankings, pictures.count)
    }

    /// Sorted by descending confidence; equal ones keep their order.
    private static func ranked<Value>(_ values: [Value], by confidence: (Value) -> Double) -> [Value] {
        let keys = values.map(confidence)
        return keys.indices.sorted { (keys[$1], $0) < (keys[$0], $1) }.map { values[$0] }
    }

    /// The outcomes of the detections of a class in a picture, most confident first.
    private static func outcomes(_ found: [FoundBox], _ labelled: [LabelledBox]) -> [Outcome] {
        var outcomes = [Outcome](repeating: Outcome(), count: found.count)
        // Crowds last: a detection belongs to one only if no single box fits.
        let boxes = labelled.filter { !$0.isCrowd } + labelled.filter(\.isCrowd)
        let shared = found.map { detection in boxes.map { detection.overlap(with: $0) } }
        for (number, limit) in overlaps.enumerated() {
            let bit = UInt16(1) << number
            var taken = [Bool](repeating: false, count: boxes.count)
            for place in found.indices {
                var (best, match) = (limit, Int?.none)
                for (candidate, box) in boxes.enumerated() {
                    if taken[candidate], !box.isCrowd { continue }
                    if match != nil, box.isCrowd, !boxes[match ?? 0].isCrowd { break }
                    // Of equally good ones the last.
                    if shared[place][candidate] >= best { (best, match) = (shared[place][candidate], candidate) }
                }
                guard let match else { continue }
                taken[match] = true
                outcomes[place].matched |= bit
                if boxes[match].isCrowd { outcomes[place].ignored |= bit }
            }
        }
        return outcomes
    }

    /// The precision.
    /// - Parameter weights: how often each picture counts; nil for once.
    /// - Returns: nil if these pictures have no labelled box.
    package func precision(weights: [Int]? = nil) -> AveragePrecision? {
        let weights = weights ?? [Int](repeating: 1, count: pictures)
        let areas = rankings.map { Self.areas($0, weights) }
        let known = areas.compactMap { $0 }
        guard !known.isEmpty else { return nil }
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        return AveragePrecision(
            average: mean(known.map(mean)), at50: mean(known.map { $0[0] }), at75: mean(known.map { $0[5] }),
            classes: areas.map { $0.map(mean) })
    }

    /// The area under the curve of precision over recall, interpolated at 101 points, for each overlap.
    private static func areas(_ ranking: Ranking, _ weights: [Int]) -> [Double]? {
        let total = ranking.labelled.reduce(0) { $0 + weights[$1] }
        guard total > 0 else { return nil }
        // Number of detections up to each place, those in crowds included.
        var (count, counts) = (0, [Int]())
        counts.reserveCapacity(ranking.pictures.count)
        for picture in ranking.pictures {
            count += weights[picture]
            counts.append(count)
        }
        var curve: [(recall: Double, precision: Double)] = []
        return ranking.matches.map { matches in
            var (right, ignored) = (0, 0)
            curve.removeAll(keepingCapacity: true)
            // Recall and the envelope of the precision change at right detections only.
            for match in matches {
                let weight = weights[ranking.pictures[match.place]]
                if weight == 0 { continue }
                if match.isIgnored {
                    ignored += weight
                } else {
                    right += weight
                    let all = Double(counts[match.place] - ignored)
                    curve.append((Double(right) / Double(total), Double(right) / (all + .ulpOfOne)))
                }
            }
            return area(curve)
        }
    }

    /// At each recall, the best precision at that recall or a higher one; 0 where the curve does not reach.
    private static func area(_ curve: [(recall: Double, precision: Double)]) -> Double {
        var (sum, best, place) = (0.0, 0.0, recalls.count - 1)
        for point in curve.reversed() {
            while recalls[place] > point.recall {
                sum += best
                place -= 1
            }
            best = max(best, point.precision)
        }
        return (sum + best * Double(place + 1)) / Double(recalls.count)
    }
}
