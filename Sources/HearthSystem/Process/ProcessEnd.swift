internal import CHearthSystem

/// Ends the process at once: unlike `exit`, does not run destructors of objects that other threads may still use. Kills the
/// programs that it has started, and writes the counts of code coverage if it is measured.
package func leaveProcess(_ status: Int32) -> Never {
    RunningPrograms.shared.killAll()
    hearth_leave(status)
}
