internal import HearthSystem

/// The tables of the startup log, and the migration of older ones.
///
/// | version | what changed |
/// |---|---|
/// | 1 | `samples`, each with the whole profile as JSON |
/// | 2 | profiles in a separate table, each once; with each sample the program's version, and whether the start was made to be measured |
package enum StartupSchema {
    /// `Hrth`: marks an SQLite file as a startup log (`PRAGMA application_id`).
    package static let applicationID = 0x4872_7468
    package static let version = 2

    /// Why a database cannot be used.
    enum Finding: Error, Equatable {
        /// A database of another program.
        case foreign
        case newer(Int)
    }

    /// Creates the tables of an empty database, or migrates older ones. Databases of other programs are not touched.
    /// - Throws: `Finding`, `SQLiteError`.
    static func prepare(_ database: SQLiteDatabase) throws {
        let found = try database.snapshot { try identify(database) }
        if found == 0 {
            // Before the first page is written, so that deleted rows can free space.
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        }
        if try database.rows("PRAGMA journal_mode").first?.first?.text != "wal" {
            try database.execute("PRAGMA journal_mode = WAL")
        }
        try database.execute("PRAGMA synchronous = NORMAL")
        // The write-ahead log stays small, too.
        try database.execute("PRAGMA wal_autocheckpoint = 64")
        try database.execute("PRAGMA journal_size_limit = \(256 << 10)")
        if found < version { try migrate(database) }
    }

    /// The version of the file's tables; 0 for a database without any. Inside a transaction: another process may be
    /// making them.
    static func identify(_ database: SQLiteDatabase) throws -> Int {
        let application = try database.integer("PRAGMA application_id") ?? 0
        let found = try database.integer("PRAGMA user_version") ?? 0
        let tables = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
        if application == 0, found == 0, tables == 0 { return 0 }
        guard application == applicationID, found > 0 else { throw Finding.foreign }
        guard found <= version else { throw Finding.newer(found) }
        // A file may claim to be a log and have other tables.
        for (table, expected) in columns[found - 1] {
            let names = try database.rows("SELECT name FROM pragma_table_info(?)", .text(table))
            guard Set(names.compactMap { $0.first?.text }).isSuperset(of: expected) else { throw Finding.foreign }
        }
        return found
    }

    /// All steps in one transaction: if the process ends in between, the old version remains.
    private static func migrate(_ database: SQLiteDatabase) throws {
        try database.transaction {
            // Another process may have migrated it.
            let found = try identify(database)
            for step in steps.dropFirst(found).joined() { try database.execute(step) }
            try database.execute("PRAGMA application_id = \(applicationID)")
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    /// The columns of each version's tables.
    private static let columns: [[String: Set<String>]] = [
        [
            "samples": [
                "id", "time", "kind", "device", "os", "digest", "profile", "compile_ms", "load_ms", "first_ms",
                "steady_ms", "peak_bytes", "dirty_bytes",
            ]
        ],
        [
            "profiles": ["digest", "model", "fields"],
            "samples": [
                "id", "time", "kind", "device", "os", "profile", "compile_ms", "load_ms", "first_ms", "steady_ms",
                "peak_bytes", "dirty_bytes", "process_version", "measured",
            ],
        ],
    ]

    /// Statements that lead from each version to the next.
    private static let steps: [[String]] = [
        [
            """
            CREATE TABLE samples (
                id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, device TEXT NOT NULL,
                os TEXT NOT NULL, digest TEXT NOT NULL, profile TEXT NOT NULL, compile_ms REAL NOT NULL,
                load_ms REAL NOT NULL, first_ms REAL NOT NULL, steady_ms REAL, peak_bytes INTEGER NOT NULL,
                dirty_bytes INTEGER NOT NULL)
            """
        ],
        [
            "CREATE TABLE profiles (digest TEXT PRIMARY KEY, model TEXT NOT NULL, fields TEXT NOT NULL) WITHOUT ROWID",
            // A row whose profile is not valid JSON cannot be shown, and is dropped.
            """
            INSERT OR IGNORE INTO profiles
                SELECT digest, json_extract(profile, '$.model'), profile FROM samples
                WHERE json_valid(profile) AND json_type(profile, '$.model') = 'text'
            """,
            "ALTER TABLE samples RENAME TO samples_1",
            """
            CREATE TABLE samples (
                id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, device TEXT NOT NULL,
                os TEXT NOT NULL, profile TEXT NOT NULL REFERENCES profiles (digest), compile_ms REAL NOT NULL,
                load_ms REAL NOT NULL, first_ms REAL NOT NULL, steady_ms REAL, peak_bytes INTEGER NOT NULL,
                dirty_bytes INTEGER NOT NULL, process_version TEXT NOT NULL, measured INTEGER NOT NULL)
            """,
            """
            INSERT INTO samples
                SELECT id, time, kind, device, os, digest, compile_ms, load_ms, first_ms, steady_ms, peak_bytes,
                    dirty_bytes, '', 0
                FROM samples_1 WHERE digest IN (SELECT digest FROM profiles) ORDER BY id
            """,
            "DROP TABLE samples_1",
            "CREATE INDEX samples_profile ON samples (profile, id)",
        ],
    ]
}
