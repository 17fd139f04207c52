import HearthRuntime
import HearthSystem

/// A row of the table of devices: the measurements of one story on this device.
struct DeviceRow: Encodable {
    var device: String
    var cpu: String
    var os: String
    var model: String
    @ExplicitNull var quantization: String?
    /// Time to compile the model or find its artifact, to map it, and for the first inference.
    @ExplicitNull var coldLoadMS: Double?
    @ExplicitNull var firstTokenMS: Double?
    @ExplicitNull var firstAudioMS: Double?
    @ExplicitNull var tokensPerSecond: Double?
    @ExplicitNull var peakMemoryMB: Double?
    @ExplicitNull var energyJ: Double?
    /// The source of the energy figure, or why there is none.
    var energy: String

    init(model: String, quantization: String?, energy measured: EnergyMeter.Energy) {
        let identity = DeviceIdentity.current()
        device = identity.model
        cpu = "\(DeviceIdentity.processor() ?? "unknown"), \(identity.processors) threads"
        os = identity.osVersion
        (self.model, self.quantization) = (model, quantization)
        peakMemoryMB = ProcessMemory.current().map { Double($0.peakResident) / 1e6 }
        switch measured {
        case .joules(let joules, let source): (energyJ, energy) = (joules, "counted by the \(source)")
        case .notMeasurable(let reason): (energyJ, energy) = (nil, "not measurable here: \(reason)")
        }
    }

    /// Header, separator and row in Markdown, followed by the source of the energy figure.
    var table: String {
        func number(_ value: Double?, _ digits: Int = 0) -> String { value.map { Self.fixed($0, digits) } ?? "–" }
        let cells: [(String, String)] = [
            ("device", device), ("CPU", cpu), ("model", model), ("quantization", quantization ?? "–"),
            ("cold load ms", number(coldLoadMS)), ("first token ms", number(firstTokenMS)),
            ("first audio ms", number(firstAudioMS)), ("tokens/s", number(tokensPerSecond, 1)),
            ("peak memory MB", number(peakMemoryMB)), ("energy per story J", number(energyJ, 1)),
        ]
        func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
        let text = cells.map { $0.1.withVisibleControls.replacing("|", with: "/") }
        return row(cells.map(\.0)) + row(cells.map { _ in "---" }) + row(text) + "\nEnergy: \(energy).\n"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "–" }
        let scaled = Int((abs(value) * (digits == 1 ? 10 : 1)).rounded())
        let sign = value < 0 ? "-" : ""
        return digits == 1 ? "\(sign)\(scaled / 10).\(scaled % 10)" : "\(sign)\(scaled)"
    }
}
