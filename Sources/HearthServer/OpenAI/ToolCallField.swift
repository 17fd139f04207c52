/// A call of a function in an answer, whole or a piece of it.
struct ToolCallField: Encodable, Sendable {
    struct Function: Encodable, Sendable {
        var name: String?
        /// JSON, as a string.
        var arguments: String
    }

    /// Of a piece: which call it belongs to.
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
