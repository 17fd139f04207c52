internal import CHearthSystem

/// A map that survives the loss of its file's bytes: where a page is missing, the whole map becomes zeros, and `isLost` says so.
///
/// The first one installs a SIGBUS handler, which passes on signals that do not concern a watched map.
package struct WatchedMapping: Sendable {
    // The table that it points into lives as long as the process; its fields are atomic.
    private nonisolated(unsafe) let row: OpaquePointer?

    /// - Parameters:
    ///   - base: the address of the map, on a page boundary.
    ///   - count: its bytes.
    ///   - isWritable: whether it is private and may be written to; if so, the zeros may be written to as well.
    package init(base: UnsafeMutableRawPointer, count: Int, isWritable: Bool = false) {
        row = hearth_mapping_watch(base, count, isWritable)
    }

    /// Ends the watching; to be called once, before munmap.
    package func end() {
        if let row { hearth_mapping_forget(row) }
    }

    /// Whether a page was missing since then. One atomic load.
    package var isLost: Bool { row.map { hearth_mapping_is_lost($0) } ?? false }

    /// From now on no map is watched, and the program's handling of SIGBUS stays as it is.
    package static func switchOff() { hearth_mapping_switch_off() }
}
