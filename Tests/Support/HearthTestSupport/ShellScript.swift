internal import Foundation

/// A program in the shell's language, for tests that have programs run.
package enum ShellScript {
    /// Writes a program that can be run at once.
    ///
    /// Another process brings it to its place: a file that this one had open for writing may still be open in a child that another
    /// test starts at the same moment, and is "busy" until that child is a program of its own.
    package static func write(_ text: String, to path: String) throws {
        let draft = path + ".text"
        try "#!/bin/sh\n\(text)\n".write(toFile: draft, atomically: false, encoding: .utf8)
        let copying = try Process.run(
            URL(fileURLWithPath: "/bin/sh"),
            arguments: ["-c", #"cp "$1.text" "$1" && chmod 755 "$1" && rm "$1.text""#, "sh", path])
        copying.waitUntilExit()
        guard copying.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
