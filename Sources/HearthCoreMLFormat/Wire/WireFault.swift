package import HearthSystem

/// An error inside a message, before its file is known: its description, and the path of fields.
///
/// Decoders throw it with the innermost field; each level on the way out adds its own name, so that a path costs
/// nothing where nothing is wrong.
package struct WireFault: Error {
    /// Innermost first.
    private var path: [String]
    private let make: @Sendable (FileError.Location) -> FileError

    @inline(never)
    init(_ field: String? = nil, _ make: @escaping @Sendable (FileError.Location) -> FileError) {
        path = field.map { [$0] } ?? []
        self.make = make
    }

    @inline(never)
    static func malformed(_ field: String? = nil, _ problem: String) -> WireFault {
        WireFault(field) { .malformed($0, problem: problem) }
    }

    @inline(never)
    static func missing(_ field: String? = nil, _ what: String) -> WireFault {
        WireFault(field) { .missing($0, what: what) }
    }

    @inline(never)
    static func wrongType(_ field: String? = nil, expected: String, found: String) -> WireFault {
        WireFault(field) { .wrongType($0, expected: expected, found: found) }
    }

    @inline(never)
    static func limit(_ field: String? = nil, _ claimed: Int, _ limit: Int) -> WireFault {
        WireFault(field) { .limitExceeded($0, claimed: UInt64(clamping: claimed), limit: limit) }
    }

    /// The same, seen from outside of `field`.
    @inline(never)
    func inside(_ field: String) -> WireFault {
        var fault = self
        fault.path.append(field)
        return fault
    }

    /// The error as the module throws it.
    package func error(in file: String) -> FileError {
        var field = ""
        for part in path.reversed() {
            // An index or a remark belongs to the part before it.
            field += field.isEmpty || part.hasPrefix("[") || part.hasPrefix("(") ? part : "." + part
        }
        return make(.init(file: file, field: field.isEmpty ? "model" : field))
    }
}

/// Runs `body`; a fault in it is named `place`, which is made only then.
func inside<R>(_ place: @autoclosure () -> String, _ body: () throws(WireFault) -> R) throws(WireFault) -> R {
    do throws(WireFault) {
        return try body()
    } catch {
        throw error.inside(place())
    }
}
