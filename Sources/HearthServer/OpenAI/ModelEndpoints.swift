/// `/v1/models`: the served models by name, without one that is still being fetched.
struct ModelEndpoints: Sendable {
    var shelf: ModelShelf

    private struct Model: Encodable {
        var id: String
        var object = "model"
        var created: Int
        var owned_by = "hearth"

        init(_ offer: ModelShelf.Offer) { (id, created) = (offer.model.name, offer.created) }
    }
    private struct List: Encodable {
        var object = "list"
        var data: [Model]
    }

    func list() -> ServerResponse { ServerResponse(json: List(data: shelf.offers.map(Model.init))) }

    /// - Throws: `HTTPFailure` for a name that is not served.
    func one(_ name: String) throws(HTTPFailure) -> ServerResponse {
        guard let offer = shelf.offers.first(where: { $0.model.name == name }) else { throw .noModel }
        return ServerResponse(json: Model(offer))
    }
}
