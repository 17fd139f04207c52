internal import HearthSystem

/// The result of one check.
package struct DoctorCheck: Encodable, Sendable {
    package enum Status: String, Encodable, Sendable {
        case ok
        /// Hearth works, but some feature does not.
        case warning
        /// Hearth does not work without it.
        case missing
    }

    package var name: String
    package var status: Status
    /// What was found, in one line.
    package var detail: String
    /// What to do; nil if nothing needs to be done.
    package var todo: String?

    static func ok(_ name: String, _ detail: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .ok, detail: detail.withVisibleControls)
    }
    static func warning(_ name: String, _ detail: String, todo: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .warning, detail: detail.withVisibleControls, todo: todo)
    }
    static func missing(_ name: String, _ detail: String, todo: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .missing, detail: detail.withVisibleControls, todo: todo)
    }
}
