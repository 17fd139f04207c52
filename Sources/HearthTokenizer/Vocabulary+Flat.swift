package import HearthSystem

extension Vocabulary {
    /// Sections of a vocabulary file. The numbers are part of the format and are never reused.
    private enum Section {
        static let numbers: UInt32 = 1
        static let stopIDs: UInt32 = 2
        static let byteTokens: UInt32 = 3
        static let kinds: UInt32 = 4
        static let priorities: UInt32 = 5
        static let boundaries: UInt32 = 6
        static let pieces: UInt32 = 16
        static let merges: UInt32 = 24
        static let userDefined: UInt32 = 32
        static let all: UInt32 = 36
        static let harmless: UInt32 = 40
    }

    private static let magic = Array("HearthTk".utf8)
    /// Incremented whenever the meaning of a section changes.
    package static let flatVersion: UInt32 = 1

    /// Serialises the vocabulary to a file image that can be written and later used in place.
    package func flatFile() -> MappedFile {
        var file = SectionFileBuilder(magic: Self.magic, version: Self.flatVersion)
        func number(_ id: TokenID?) -> Int64 { id.map { Int64($0) } ?? -1 }
        let numbers: [Int64] = [
            number(special.bos), number(special.eos), number(special.endOfTurn), number(special.unknown),
            number(special.padding), addsBOS ? 1 : 0, merges == nil ? 0 : 1, Int64(bitPattern: pieces.seed),
            Int64(bitPattern: merges?.seed ?? 0),
        ]
        file.append(Section.numbers, FlatArray(numbers))
        file.append(Section.stopIDs, FlatArray(stopIDs))
        file.append(Section.byteTokens, FlatArray(byteTokens))
        file.append(Section.kinds, kinds)
        file.append(Section.priorities, priorities)
        file.append(Section.boundaries, boundaries.joins)
        pieces.append(to: &file, at: Section.pieces)
        merges?.append(to: &file, at: Section.merges)
        splitter.userDefined.append(to: &file, at: Section.userDefined)
        splitter.all.append(to: &file, at: Section.all)
        splitter.harmless.append(to: &file, at: Section.harmless)
        return file.file()
    }

    /// Opens a vocabulary written by `flatFile()` and uses it in place: nothing is built, and only the header, the section
    /// table and the lists of special tokens are read.
    ///
    /// Undetected damage leads to wrong tokens, but never to access outside the file: every index and offset is checked when it
    /// is used.
    ///
    /// - Throws: `FileError.damagedTable`.
    package convenience init(flat file: MappedFile) throws(FileError) {
        let sections = try SectionFile(file, magic: Self.magic, version: Self.flatVersion)
        func damaged(_ field: String) -> FileError {
            .damagedTable(.init(file: file.path, field: field), problem: "invalid values")
        }
        let numbers = try sections.array(Section.numbers, of: Int64.self)
        guard numbers.count == 9, (0...1).contains(numbers[5]), (0...1).contains(numbers[6]) else {
            throw damaged("numbers")
        }
        let kinds = try sections.array(Section.kinds, of: UInt8.self)
        let count = kinds.count
        guard count > 0, count <= TokenizerLimits.vocabularyCount else { throw damaged("kinds") }
        func id(_ index: Int) throws(FileError) -> TokenID? {
            guard numbers[index] != -1 else { return nil }
            guard numbers[index] >= 0, numbers[index] < count else { throw damaged("numbers") }
            return TokenID(numbers[index])
        }
        func ids(_ section: UInt32, _ field: String) throws(FileError) -> [TokenID] {
            let ids = try sections.array(section, of: TokenID.self)
            guard ids.count <= max(count, 256), ids.allSatisfy({ $0 >= 0 && $0 < count }) else { throw damaged(field) }
            return Array(ids)
        }
        let byteTokens = try ids(Section.byteTokens, "byte tokens")
        guard byteTokens.count == 256 else { throw damaged("byte tokens") }
        let pieces = try ByteStringTable(sections, at: Section.pieces, seed: UInt64(bitPattern: numbers[7]))
        guard pieces.count == count else { throw damaged("pieces") }
        let hasMerges = numbers[6] == 1
        let merges =
            try hasMerges
            ? ByteStringTable(sections, at: Section.merges, seed: UInt64(bitPattern: numbers[8])) : nil
        guard (merges?.salts.count ?? 0) == (merges?.count ?? 0) else { throw damaged("merges") }
        let priorities = try sections.array(Section.priorities, of: UInt32.self)
        guard priorities.count == (hasMerges ? 0 : count) else { throw damaged("priorities") }
        guard let boundaries = MergeBoundaries(joins: try sections.array(Section.boundaries, of: UInt8.self)) else {
            throw damaged("boundaries")
        }
        let splitter = SpecialTokenSplitter(
            userDefined: try SpecialTokenTrie(sections, at: Section.userDefined, count: count),
            all: try SpecialTokenTrie(sections, at: Section.all, count: count),
            harmless: try SpecialTokenTrie(sections, at: Section.harmless, count: count))
        let special = SpecialIDs(
            bos: try id(0), eos: try id(1), endOfTurn: try id(2), unknown: try id(3), padding: try id(4))
        let stops = try ids(Section.stopIDs, "stop ids")
        try file.checkIntact()
        self.init(
            file: file, pieces: pieces, kinds: kinds, priorities: priorities, merges: merges, byteTokens: byteTokens,
            boundaries: boundaries, splitter: splitter, special: special, addsBOS: numbers[5] == 1,
            stopIDs: stops)
    }
}

extension ByteStringTable {
    fileprivate func append(to file: inout SectionFileBuilder, at section: UInt32) {
        file.append(section, bytes)
        file.append(section + 1, offsets)
        file.append(section + 2, salts)
        file.append(section + 3, slots)
    }

    fileprivate init(_ file: SectionFile, at section: UInt32, seed: UInt64) throws(FileError) {
        guard
            let table = ByteStringTable(
                bytes: try file.array(section, of: UInt8.self), offsets: try file.array(section + 1, of: Int32.self),
                salts: try file.array(section + 2, of: UInt16.self),
                slots: try file.array(section + 3, of: UInt64.self), seed: seed)
        else {
            throw .damagedTable(
                .init(file: file.file.path, field: "section \(section)"), problem: "inconsistent arrays")
        }
        self = table
    }
}

extension SpecialTokenTrie {
    fileprivate func append(to file: inout SectionFileBuilder, at section: UInt32) {
        file.append(section, nodes)
        file.append(section + 1, roots)
        file.append(section + 2, tokens)
    }

    fileprivate init(_ file: SectionFile, at section: UInt32, count: Int) throws(FileError) {
        guard
            let trie = SpecialTokenTrie(
                nodes: try file.array(section, of: SIMD4<Int32>.self),
                roots: try file.array(section + 1, of: Int32.self),
                tokens: try file.array(section + 2, of: TokenID.self), count: count)
        else {
            throw .damagedTable(
                .init(file: file.file.path, field: "section \(section)"), problem: "inconsistent arrays")
        }
        self = trie
    }
}
