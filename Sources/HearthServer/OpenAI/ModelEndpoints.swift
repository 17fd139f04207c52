internal import Foundation

/// `/v1/models`: what is served, by name.
struct ModelEndpoints: Sendable {
    private struct Model: Encodable {
        var id: String
        var object = "model"
        var created: Int
        var owned_by = "hearth"
    }
    private struct List: Encodable {
        var object = "list"
        var data: [Model]
    }

    private let models: [Model]

    init(_ models: [ServedModel]) {
        self.models = models.map { model in
            let date = (try? FileManager.default.attributesOfItem(atPath: model.path)[.modificationDate]) as? Date
            return Model(id: model.name, created: Int(date?.timeIntervalSince1970 ?? 0))
        }
    }

    func list() -> HTTPResponse { HTTPResponse(json: List(data: models)) }

    /// - Throws: `HTTPFailure` for a name that is not served.
    func one(_ name: String) throws(HTTPFailure) -> HTTPResponse {
        guard let model = models.first(where: { $0.id == name }) else {
            throw HTTPFailure(
                404, "model_not_found", "There is no model of that name here. GET /v1/models lists what there is.",
                field: "model")
        }
        return HTTPResponse(json: model)
    }
}
