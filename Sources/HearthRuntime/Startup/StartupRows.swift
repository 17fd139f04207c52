internal import Foundation
internal import HearthSystem

/// Starts as rows of the log's tables.
enum StartupRows {
    /// The maximum length of a text; no real device or model has longer ones.
    private static let longestText = 4096

    /// The year 2554, where nanoseconds in 64 bits end, in seconds since 1970.
    private static let latestTime = 18_446_744_073.0
    /// A hundred years in milliseconds. No start took longer, and sums of such times can be printed.
    private static let longestMS = 3_155_760_000_000.0

    /// - Throws: `StartupLogError.notLoggable` if a value is impossible for a start.
    static func check(_ sample: StartupSample) throws {
        let numbers: [(String, Double?, most: Double)] = [
            ("compileMS", sample.compileMS, longestMS), ("loadMS", sample.loadMS, longestMS),
            ("firstInferenceMS", sample.firstInferenceMS, longestMS), ("steadyMS", sample.steadyMS, longestMS),
            ("time", sample.time.timeIntervalSince1970, latestTime),
            ("peakResidentBytes", Double(sample.peakResidentBytes), .infinity),
            ("dirtyBytes", Double(sample.dirtyBytes), .infinity),
        ]
        for (name, value, most) in numbers where value.map({ !(0...most).contains($0) }) ?? false {
            throw StartupLogError.notLoggable(field: name)
        }
        let texts =
            [("device", sample.device), ("osVersion", sample.osVersion), ("processVersion", sample.processVersion)]
            + sample.profile.fields.map { ("profile." + $0.name, $0.value) }
        for (name, text) in texts where text.utf8.count > longestText {
            throw StartupLogError.notLoggable(field: name)
        }
    }

    static func insert(_ sample: StartupSample, into database: SQLiteDatabase) throws {
        let digest = sample.profile.digest
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let fields = String(decoding: try encoder.encode(sample.profile), as: UTF8.self)
        try database.execute(
            "INSERT OR IGNORE INTO profiles (digest, model, fields) VALUES (?, ?, ?)", .text(digest),
            .text(sample.profile.model), .text(fields))
        try database.execute(
            """
            INSERT INTO samples (time, kind, device, os, profile, compile_ms, load_ms, first_ms, steady_ms, peak_bytes,
                dirty_bytes, process_version, measured)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .real(sample.time.timeIntervalSince1970), .text(sample.kind.rawValue), .text(sample.device),
            .text(sample.osVersion), .text(digest), .real(sample.compileMS), .real(sample.loadMS),
            .real(sample.firstInferenceMS), sample.steadyMS.map { .real($0) } ?? .null,
            .integer(sample.peakResidentBytes), .integer(sample.dirtyBytes), .text(sample.processVersion),
            .integer(sample.isMeasured ? 1 : 0))
    }

    /// Oldest first; invalid rows are left out.
    static func all(_ database: SQLiteDatabase) throws -> [StartupSample] {
        var profiles: [String: RuntimeProfile] = [:]
        for row in try database.rows("SELECT digest, fields FROM profiles") {
            guard let digest = row[0].text, let fields = row[1].text else { continue }
            profiles[digest] = profile(fields)
        }
        return try database.rows(
            """
            SELECT time, kind, device, os, profile, compile_ms, load_ms, first_ms, steady_ms, peak_bytes, dirty_bytes,
                process_version, measured
            FROM samples ORDER BY id
            """
        ).compactMap { sample($0, profiles) }
    }

    /// The profile of a model's last start.
    static func lastProfile(of model: String, _ database: SQLiteDatabase) throws -> RuntimeProfile? {
        let row = try database.rows(
            """
            SELECT profiles.fields FROM samples JOIN profiles ON profiles.digest = samples.profile
            WHERE profiles.model = ? ORDER BY samples.id DESC LIMIT 1
            """, .text(model)
        ).first
        return row?.first?.text.flatMap(profile)
    }

    /// Deletes the oldest rows above the limits.
    static func trim(_ database: SQLiteDatabase, to limits: StartupLog.Limits) throws {
        let before = try count(database)
        try database.execute(
            "DELETE FROM samples WHERE id <= (SELECT id FROM samples ORDER BY id DESC LIMIT 1 OFFSET ?)",
            .integer(limits.rows))
        var rows = try count(database)
        if rows < before { try deleteUnusedProfiles(database) }
        while rows > 1, try usedBytes(database) > limits.bytes {
            // An eighth at a time, so that the next starts find room.
            let surplus = max(1, rows / 8)
            try database.execute(
                "DELETE FROM samples WHERE id IN (SELECT id FROM samples ORDER BY id LIMIT ?)", .integer(surplus))
            try deleteUnusedProfiles(database)
            rows -= surplus
        }
    }

    private static func count(_ database: SQLiteDatabase) throws -> Int {
        try database.integer("SELECT count(*) FROM samples") ?? 0
    }

    private static func usedBytes(_ database: SQLiteDatabase) throws -> Int {
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * (try database.integer("PRAGMA page_size") ?? 4096)
    }

    private static func deleteUnusedProfiles(_ database: SQLiteDatabase) throws {
        try database.execute("DELETE FROM profiles WHERE digest NOT IN (SELECT profile FROM samples)")
    }

    private static func profile(_ fields: String) -> RuntimeProfile? {
        try? JSONDecoder().decode(RuntimeProfile.self, from: Data(fields.utf8))
    }

    private static func sample(_ row: [SQLiteValue], _ profiles: [String: RuntimeProfile]) -> StartupSample? {
        guard let time = row[0].number, let kind = row[1].text.flatMap(StartupSample.Kind.init(rawValue:)),
            let device = row[2].text, let os = row[3].text, let profile = row[4].text.flatMap({ profiles[$0] }),
            let compile = row[5].number, let load = row[6].number, let first = row[7].number,
            let peak = row[9].integer, let dirty = row[10].integer, let version = row[11].text,
            let measured = row[12].integer
        else { return nil }
        let sample = StartupSample(
            kind: kind,
            times: PreparationTimes(
                reused: kind != .coldCompile, compileMS: compile, loadMS: load, firstInferenceMS: first),
            steadyMS: row[8].number, peakResidentBytes: peak, dirtyBytes: dirty, device: device, osVersion: os,
            profile: profile, time: Date(timeIntervalSince1970: time), processVersion: version,
            isMeasured: measured != 0)
        // Rows are validated when they are read as well: another program may have written them.
        return (try? check(sample)).map { sample }
    }
}
