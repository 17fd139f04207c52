import HearthCompute

extension KernelSet {
    /// The keys of every set, and of those with activations of 8 bits that text is generated with by default.
    static let forms = available.flatMap { set in
        let usual = set.forText()
        return usual == set ? [set.key] : [set.key, usual.key]
    }

    /// The set with this key; nil is what text is generated with by default.
    static func form(_ key: String?) throws -> KernelSet {
        guard let key else { return try selected(by: nil).forText() }
        let name = String(key.prefix { $0 != "-" })
        return try selected(by: name).withActivations(bits: key == name ? 16 : 8)
    }
}
