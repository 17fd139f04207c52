internal import CHearthSystem

/// Ends the process at once: unlike `exit`, does not run destructors of objects that other threads may still use. Writes the
/// counts of code coverage if it is measured.
package func leaveProcess(_ status: Int32) -> Never { hearth_leave(status) }
