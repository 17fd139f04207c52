import HearthRuntime
import Testing

/// Every decision as a table: events in, actions and state out. The model is a number.
@Suite("Runner machine", .timeLimit(.minutes(20)))
struct RunnerMachineTests {
    typealias Machine = RunnerMachine<Int>

    enum Event {
        case prepare(UInt64), use(UInt64), retry(UInt64), giveUp(UInt64)
        case loaded(UInt64, Int), broken(UInt64), useEnded(UInt64)
        case release(interrupting: Bool), unloaded, suspend, resume
    }
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var steps: [(Event, [String], String)]
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(
            name: "one load for all; those who prepare are told before the first use",
            steps: [
                (.use(1), ["start 1"], "warming"), (.prepare(2), [], "warming"), (.use(3), [], "warming"),
                (.loaded(1, 7), ["confirm 2", "grant 1 7"], "ready"), (.prepare(4), ["confirm 4"], "ready"),
                (.useEnded(1), ["grant 3 7"], "ready"), (.useEnded(3), [], "ready"),
            ]),
        Row(
            name: "the last one to give up cancels the load",
            steps: [
                (.prepare(1), ["start 1"], "warming"), (.prepare(2), [], "warming"),
                (.giveUp(1), ["refuse 1 gone"], "warming"), (.giveUp(2), ["refuse 2 gone", "cancel"], "cold"),
                (.giveUp(2), [], "cold"), (.broken(1), [], "cold"),
            ]),
        Row(
            name: "a caller during the end of a cancelled load gets a new one",
            steps: [
                (.prepare(1), ["start 1"], "warming"), (.giveUp(1), ["refuse 1 gone", "cancel"], "cold"),
                (.prepare(2), [], "cold"), (.broken(1), ["start 2"], "warming"),
                (.loaded(2, 8), ["confirm 2"], "ready"),
            ]),
        Row(
            name: "a load that succeeds after its cancellation is never ready",
            steps: [
                (.prepare(1), ["start 1"], "warming"), (.giveUp(1), ["refuse 1 gone", "cancel"], "cold"),
                (.loaded(1, 7), ["unload 7"], "cold"), (.prepare(2), [], "cold"),
                (.unloaded, ["released", "start 2"], "warming"),
            ]),
        Row(
            name: "a failure is told to all, remembered, and retried on request",
            steps: [
                (.prepare(1), ["start 1"], "warming"), (.use(2), [], "warming"),
                (.broken(1), ["refuse 1 failed", "refuse 2 failed"], "failed"),
                (.prepare(3), ["refuse 3 failed"], "failed"), (.retry(4), ["start 2"], "warming"),
                (.loaded(2, 7), ["confirm 4"], "ready"),
            ]),
        Row(
            name: "a release waits for the use; who waits is told, who comes gets a new load",
            steps: [
                (.use(1), ["start 1"], "warming"), (.loaded(1, 7), ["grant 1 7"], "ready"), (.use(2), [], "ready"),
                (.release(interrupting: false), ["refuse 2 released"], "cold"), (.use(3), [], "cold"),
                (.useEnded(1), ["unload 7"], "cold"), (.unloaded, ["released", "start 2"], "warming"),
                (.loaded(2, 8), ["grant 3 8"], "ready"),
            ]),
        Row(
            name: "an interrupting release tells the use first, once",
            steps: [
                (.use(1), ["start 1"], "warming"), (.loaded(1, 7), ["grant 1 7"], "ready"),
                (.release(interrupting: true), ["interrupt 7"], "cold"), (.useEnded(1), ["unload 7"], "cold"),
                (.release(interrupting: true), [], "cold"), (.unloaded, ["released"], "cold"),
            ]),
        Row(
            name: "nothing to release is released at once",
            steps: [
                (.release(interrupting: false), ["released"], "cold"),
                (.release(interrupting: true), ["released"], "cold"),
            ]),
        Row(
            name: "a release during a load ends it",
            steps: [
                (.prepare(1), ["start 1"], "warming"),
                (.release(interrupting: false), ["refuse 1 released", "cancel"], "cold"),
                (.broken(1), ["released"], "cold"),
            ]),
        Row(
            name: "while suspended everybody is refused and nothing starts",
            steps: [
                (.use(1), ["start 1"], "warming"), (.suspend, ["refuse 1 unavailable", "cancel"], "unavailable"),
                (.retry(2), ["refuse 2 unavailable"], "unavailable"), (.broken(1), ["released"], "unavailable"),
                (.prepare(3), ["refuse 3 unavailable"], "unavailable"), (.resume, [], "cold"),
                (.prepare(4), ["start 2"], "warming"),
            ]),
        Row(
            name: "a failure outlasts a suspension",
            steps: [
                (.prepare(1), ["start 1"], "warming"), (.broken(1), ["refuse 1 failed"], "failed"),
                (.suspend, ["released"], "unavailable"), (.resume, [], "failed"),
            ]),
        Row(
            name: "a result of an earlier load changes nothing",
            steps: [
                (.prepare(1), ["start 1"], "warming"), (.loaded(9, 7), [], "warming"), (.broken(0), [], "warming"),
                (.useEnded(5), [], "warming"), (.loaded(1, 7), ["confirm 1"], "ready"),
            ]),
    ]

    @Test("Events, actions, state", arguments: rows)
    func table(row: Row) {
        var machine = Machine()
        for (index, (event, actions, state)) in row.steps.enumerated() {
            apply(event, to: &machine)
            var seen: [String] = []
            while let action = machine.nextAction() { seen.append(text(action)) }
            #expect(seen == actions, "step \(index + 1)")
            #expect(machine.state.name == state, "step \(index + 1)")
        }
    }

    private func apply(_ event: Event, to machine: inout Machine) {
        switch event {
        case .prepare(let ticket): machine.asked(ticket, wantsModel: false, retries: false)
        case .use(let ticket): machine.asked(ticket, wantsModel: true, retries: false)
        case .retry(let ticket): machine.asked(ticket, wantsModel: false, retries: true)
        case .giveUp(let ticket): machine.gaveUp(ticket, CancellationError())
        case .loaded(let load, let model): machine.loadEnded(load, .success(model))
        case .broken(let load): machine.loadEnded(load, .failure(ControlledEngine.Failure()))
        case .useEnded(let ticket): machine.useEnded(ticket)
        case .release(let interrupting): machine.releaseAsked(interrupting: interrupting)
        case .unloaded: machine.unloadEnded()
        case .suspend: machine.suspended("too hot", interrupting: true)
        case .resume: machine.resumed()
        }
    }

    private func text(_ action: Machine.Action) -> String {
        switch action {
        case .startLoad(let load): "start \(load)"
        case .cancelLoad: "cancel"
        case .interrupt(let model): "interrupt \(model)"
        case .unload(let model): "unload \(model)"
        case .confirm(let ticket): "confirm \(ticket)"
        case .grant(let ticket, let model): "grant \(ticket) \(model)"
        case .refuse(let ticket, let error): "refuse \(ticket) \(name(error))"
        case .confirmRelease: "released"
        }
    }

    private func name(_ error: any Error) -> String {
        switch error {
        case RunnerError.failed: "failed"
        case RunnerError.released: "released"
        case RunnerError.unavailable: "unavailable"
        default: "gone"
        }
    }
}
