import Foundation
public import HearthTokenizer

/// The model's own probability of a token, before penalties, filters and temperature, and the most likely tokens.
public struct TokenLikelihood: Sendable, Equatable {
    /// A token with its probability's natural logarithm.
    public struct Entry: Sendable, Equatable {
        /// The token.
        public var id: TokenID
        /// Natural logarithm of its probability, at most 0.
        public var logProbability: Float
    }

    /// The chosen token.
    public var chosen: Entry
    /// The most likely tokens in descending order; of equal ones the lower id comes first.
    public var top: [Entry]
}

extension TokenLikelihood {
    /// - Parameters:
    ///   - top: number of most likely tokens to include.
    ///   - logits: the model's raw output, finite; those from `count` on belong to no token.
    init(of token: TokenID, top: Int, logits: Span<Float>, count: Int) {
        var heap = CandidateHeap()
        heap.begin(limit: max(1, min(top, count)))
        for index in 0..<count { heap.offer(logits[index], index) }
        let most = Double(heap.maximum)
        var sum = 0.0
        for index in 0..<count { sum += exp(Double(logits[index]) - most) }
        let logSum = log(sum)
        func logProbability(_ logit: Float) -> Float { Float(min(0, Double(logit) - most - logSum)) }
        chosen = Entry(id: token, logProbability: logProbability(logits[Int(token)]))
        self.top = []
        heap.beginDescending()
        while self.top.count < top, let logit = heap.nextDescending() {
            self.top.append(Entry(id: heap.descending(self.top.count), logProbability: logProbability(logit)))
        }
    }
}
