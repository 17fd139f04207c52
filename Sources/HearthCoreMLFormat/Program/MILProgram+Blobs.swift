/// Walking the values of a program. Replacing touches only what changes: everything else is written as it was read.
extension MILProgram {
    /// Calls `body` with every reference to a weight file and the value that it is the content of.
    func forEachBlob(_ body: (MILBlobReference, MILValue) throws(WireFault) -> Void) throws(WireFault) {
        try attributes.forEachBlob("attributes") { value throws(WireFault) in try value.forEachBlob(body) }
        try functions.forEachBlob("functions") { function throws(WireFault) in
            try function.attributes.forEachBlob("attributes") { value throws(WireFault) in
                try value.forEachBlob(body)
            }
            try function.specializations.forEachBlob("block_specializations") { block throws(WireFault) in
                try block.forEachBlob(body)
            }
        }
    }

    /// The program with other references; nil where none changes.
    /// - Parameter transform: the new reference, or nil to leave it.
    package func replacingBlobs(_ transform: (MILBlobReference) throws -> MILBlobReference?) rethrows -> MILProgram? {
        var changes = Changes(self)
        changes.set(\.attributes, try attributes.replacing({ try $0.replacingBlobs(transform) }))
        changes.set(\.functions, try functions.replacing({ try $0.replacingBlobs(transform) }))
        return changes.result
    }
}

/// A copy of a value with other parts.
private struct Changes<Whole> {
    private var whole: Whole
    private var isChanged = false

    init(_ whole: Whole) { self.whole = whole }

    /// Replaces a part; nil leaves it.
    mutating func set<Part>(_ path: WritableKeyPath<Whole, Part>, _ new: Part?) {
        guard let new else { return }
        whole[keyPath: path] = new
        isChanged = true
    }

    /// The copy; nil where nothing was replaced.
    var result: Whole? { isChanged ? whole : nil }
}

extension Array {
    /// Calls `body` with each value of a map; faults in it name the entry.
    fileprivate func forEachBlob<Value>(
        _ map: String, _ body: (Value) throws(WireFault) -> Void
    ) throws(WireFault) where Element == MILEntry<Value> {
        for entry in self {
            try inside("\(map)[\(entry.key)]") { () throws(WireFault) in try body(entry.value) }
        }
    }

    /// The entries with new values where `transform` gives one; nil where it gives none at all.
    fileprivate func replacing<Value>(
        _ transform: (Value) throws -> Value?
    ) rethrows -> [MILEntry<Value>]? where Element == MILEntry<Value> {
        try replacingElements { entry in
            guard let new = try transform(entry.value) else { return nil }
            var copy = entry
            copy.value = new
            return copy
        }
    }

    /// The same for plain elements.
    fileprivate func replacingElements(_ transform: (Element) throws -> Element?) rethrows -> [Element]? {
        var copy = self
        var changed = false
        for index in indices {
            if let new = try transform(self[index]) {
                copy[index] = new
                changed = true
            }
        }
        return changed ? copy : nil
    }
}

extension MILFunction {
    fileprivate func replacingBlobs(_ transform: (MILBlobReference) throws -> MILBlobReference?) rethrows -> Self? {
        var changes = Changes(self)
        changes.set(\.attributes, try attributes.replacing({ try $0.replacingBlobs(transform) }))
        changes.set(\.specializations, try specializations.replacing({ try $0.replacingBlobs(transform) }))
        return changes.result
    }
}

extension MILBlock {
    fileprivate func forEachBlob(
        _ body: (MILBlobReference, MILValue) throws(WireFault) -> Void
    ) throws(WireFault) {
        try attributes.forEachBlob("attributes") { value throws(WireFault) in try value.forEachBlob(body) }
        for (index, operation) in operations.enumerated() {
            try inside("operations[\(index)](\(operation.label))") { () throws(WireFault) in
                try operation.forEachBlob(body)
            }
        }
    }

    fileprivate func replacingBlobs(_ transform: (MILBlobReference) throws -> MILBlobReference?) rethrows -> Self? {
        var changes = Changes(self)
        changes.set(\.attributes, try attributes.replacing({ try $0.replacingBlobs(transform) }))
        changes.set(\.operations, try operations.replacingElements({ try $0.replacingBlobs(transform) }))
        return changes.result
    }
}

extension MILOperation {
    fileprivate func forEachBlob(
        _ body: (MILBlobReference, MILValue) throws(WireFault) -> Void
    ) throws(WireFault) {
        try attributes.forEachBlob("attributes") { value throws(WireFault) in try value.forEachBlob(body) }
        try inputs.forEachBlob("inputs") { argument throws(WireFault) in
            for binding in argument.bindings {
                if case .value(let value) = binding.kind { try value.forEachBlob(body) }
            }
        }
        for (index, block) in blocks.enumerated() {
            try inside("blocks[\(index)]") { () throws(WireFault) in try block.forEachBlob(body) }
        }
    }

    fileprivate func replacingBlobs(_ transform: (MILBlobReference) throws -> MILBlobReference?) rethrows -> Self? {
        var changes = Changes(self)
        changes.set(\.attributes, try attributes.replacing({ try $0.replacingBlobs(transform) }))
        changes.set(\.inputs, try inputs.replacing({ try $0.replacingBlobs(transform) }))
        changes.set(\.blocks, try blocks.replacingElements({ try $0.replacingBlobs(transform) }))
        return changes.result
    }
}

extension MILArgument {
    fileprivate func replacingBlobs(_ transform: (MILBlobReference) throws -> MILBlobReference?) rethrows -> Self? {
        let new = try bindings.replacingElements { binding in
            guard case .value(let value) = binding.kind, let new = try value.replacingBlobs(transform) else {
                return nil
            }
            var copy = binding
            copy.kind = .value(new)
            return copy
        }
        guard let new else { return nil }
        var copy = self
        copy.bindings = new
        return copy
    }
}

extension MILValue {
    /// The values inside a value that is a list, a tuple or a dictionary.
    package var members: [MILValue] {
        guard case .immediate(let immediate) = content else { return [] }
        switch immediate.kind {
        case .tensor: return []
        case .tuple(let values), .list(let values), .dictionary(let values): return values
        }
    }

    func forEachBlob(_ body: (MILBlobReference, MILValue) throws(WireFault) -> Void) throws(WireFault) {
        if case .blob(let reference) = content { return try body(reference, self) }
        for member in members { try member.forEachBlob(body) }
    }

    fileprivate func replacingBlobs(_ transform: (MILBlobReference) throws -> MILBlobReference?) rethrows -> Self? {
        var copy = self
        switch content {
        case .blob(let reference):
            guard let new = try transform(reference) else { return nil }
            copy.content = .blob(new)
        case .immediate(let immediate):
            guard !members.isEmpty, let new = try members.replacingElements({ try $0.replacingBlobs(transform) })
            else { return nil }
            var changed = immediate
            switch immediate.kind {
            case .tensor: return nil
            case .tuple: changed.kind = .tuple(new)
            case .list: changed.kind = .list(new)
            case .dictionary: changed.kind = .dictionary(new)
            }
            copy.content = .immediate(changed)
        }
        return copy
    }
}
