// A task-local value whose type is an optional closure crashes optimised programs of Swift 6.3.1.
//
//     swiftc -O docs/compiler-defects/task-local-optional-closure.swift -o /tmp/task-local && /tmp/task-local
//
// Expected: prints "computed". Found with Swift 6.3.1 on Linux x86-64: SIGSEGV in `swift_task_localValuePush`, which is
// handed null as the metadata of `Optional<@Sendable () -> Bool>` and dereferences it. Without -O the program is right.
//
// In Hearth: nothing that computes has task-local values. What may stop a step is an argument that is passed down
// (`ReferenceExecutor.isStopped`), which also works where there is no task. To lift the rule: run this file with the new
// compiler.

enum Work {
    @TaskLocal static var isStopped: (@Sendable () -> Bool)?

    @inline(never)
    static func step() throws {
        if isStopped?() == true { throw CancellationError() }
        print("computed")
    }
}

final class Engine: Sendable {
    let isCancelled = false

    @inline(never)
    func run() throws {
        try Work.$isStopped.withValue({ self.isCancelled }) { try Work.step() }
    }
}

try Engine().run()
