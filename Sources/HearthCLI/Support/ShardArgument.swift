import HearthReports

extension EvaluationShard: ExpressibleByArgument {
    /// Parses `2/5`, the second of five shards.
    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1],
            let shard = EvaluationShard(index, of: count)
        else { return nil }
        self = shard
    }

    static var expectation: String { "a part of all, such as 2/5" }
    var argument: String { description }
}
