/// One thing that was looked at.
package struct DoctorCheck: Encodable, Sendable {
    package enum Status: String, Encodable, Sendable {
        case ok
        /// Hearth works, and something will not.
        case warning
        /// Hearth does not work without it.
        case missing
    }

    var name: String
    package var status: Status
    /// What was found, in one line.
    var detail: String
    /// What to do about it; only where something is to be done.
    var todo: String?

    static func ok(_ name: String, _ detail: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .ok, detail: detail.withVisibleControls)
    }
    static func warning(_ name: String, _ detail: String, todo: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .warning, detail: detail.withVisibleControls, todo: todo)
    }
    static func missing(_ name: String, _ detail: String, todo: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .missing, detail: detail.withVisibleControls, todo: todo)
    }

    /// For people: a sign, the name, what was found; below that what to do.
    static func table(_ checks: [DoctorCheck], dim: (String) -> String) -> String {
        let width = checks.map(\.name.count).max() ?? 0
        let signs: [Status: String] = [.ok: "✓", .warning: "!", .missing: "✗"]
        return checks.map { check in
            let line = "\(signs[check.status] ?? " ") \(check.name.padded(to: width))  \(check.detail)\n"
            let indent = String(repeating: " ", count: width + 4)
            return line + (check.todo.map { indent + dim("→ " + $0) + "\n" } ?? "")
        }.joined()
    }
}
