/// A tool call in a response, whole or in pieces.
struct ToolCallField: Encodable, Sendable {
    struct Function: Encodable, Sendable {
        var name: String?
        /// JSON text.
        var arguments: String
    }

    /// Which call a streamed piece belongs to.
    var index: Int?
    var id: String?
    var type: String?
    var function: Function

    /// A call without its arguments.
    init(beginning name: String, index: Int?) {
        self.index = index
        id = "call_" + Identifier.random().prefix(24)
        type = "function"
        function = Function(name: name, arguments: "")
    }

    init(continuing arguments: String, index: Int) {
        self.index = index
        function = Function(arguments: arguments)
    }
}
