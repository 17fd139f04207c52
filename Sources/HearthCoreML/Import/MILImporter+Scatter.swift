/// What writes into a copy of a tensor at places that are given, or computed: assignments to slices become that.
extension MILImporter {
    static let scatterLowerings: [String: Lowering] = [
        "scatter": { try [$0.scatter { .slices(axis: try $0.scatterAxis()) }] },
        "scatter_along_axis": { try [$0.scatter { .elements(axis: try $0.scatterAxis()) }] },
        "scatter_nd": { try [$0.scatter { _ in .places }] },
    ]

    private mutating func scatterAxis() throws -> Int {
        try emitter.axis(try integer("axis") ?? 0, rank: emitter.rank(try tensor("data")))
    }

    private mutating func scatter(
        _ target: (inout MILImporter) throws -> GraphScatter.Target
    ) throws -> GraphBuilder.TensorID {
        let (data, indices, updates) = (try tensor("data"), try tensor("indices"), try tensor("updates"))
        let name = try text("mode") ?? "add"
        guard let mode = GraphScatter.Mode(rawValue: name) else {
            throw emitter.invalid("the mode '\(name)' does not exist")
        }
        let scatter = GraphScatter(target: try target(&self), mode: mode)
        let shapes = [data, indices, updates].map { emitter.shape($0) }
        guard scatter.fits(shapes[0], indices: shapes[1], updates: shapes[2]) else {
            throw emitter.invalid("updates of shape \(shapes[2]) at \(shapes[1]) places of \(shapes[0])")
        }
        return try emitter.emit(.scatter(scatter), [data, indices, updates], shapes[0], emitter.type(data))
    }
}
