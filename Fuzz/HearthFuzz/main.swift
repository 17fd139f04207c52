import Foundation

/// `hearth-fuzz`: one program for all fuzz targets. `HEARTH_FUZZ_TARGET` names the one that runs, because libFuzzer starts
/// this program again with arguments of its own when it merges corpora; arguments are libFuzzer's.
///
///     hearth-fuzz --list            names and longest inputs of the targets
///     hearth-fuzz --seeds FOLDER    writes what each target begins with, made of the tests' fixtures
///
/// Runs in the repository's root: models come from Tests/Fixtures.

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("hearth-fuzz: error: \(message)\n".utf8))
    exit(2)
}

switch CommandLine.arguments.dropFirst().first {
case "--list":
    for target in FuzzTarget.all { print(target.name, target.longestInput) }
case "--seeds":
    guard CommandLine.arguments.count == 3 else { fail("no folder (--seeds). Name one.") }
    do {
        for target in FuzzTarget.all { try target.writeSeeds(to: CommandLine.arguments[2]) }
    } catch {
        fail("\(error) (--seeds). Run this in the repository's root.")
    }
default:
    let name = ProcessInfo.processInfo.environment["HEARTH_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fail("there is no target '\(name)' (HEARTH_FUZZ_TARGET). See hearth-fuzz --list.")
    }
    do {
        CurrentTarget.body = try target.prepare()
    } catch {
        fail("\(error) (\(name)). Run this in the repository's root.")
    }
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(
        runFuzzer(&count, &arguments) { start, count in
            CurrentTarget.body(Array(UnsafeBufferPointer(start: start, count: count)))
            return 0
        })
}
