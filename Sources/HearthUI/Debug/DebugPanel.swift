#if canImport(SwiftUI)
internal import Foundation
internal import HearthApple
public import HearthRuntime
public import SwiftUI

extension View {
    /// Presents a sheet for developers with the model's state, the device's conditions, and the latest starts in the log.
    ///
    ///     .modelDebugPanel(isPresented: $showsPanel, store: store, log: StartupLog(folders: folders))
    ///
    /// - Parameters:
    ///   - isPresented: whether the sheet is shown.
    ///   - store: the model to observe.
    ///   - log: the log whose starts are listed, newest first; nil for none.
    public func modelDebugPanel<Engine>(
        isPresented: Binding<Bool>, store: ModelStore<Engine>, log: StartupLog? = nil
    ) -> some View {
        sheet(isPresented: isPresented) { DebugPanel(store: store, log: log) }
    }
}

private struct DebugPanel<Engine: ModelEngine>: View {
    let store: ModelStore<Engine>
    let log: StartupLog?
    @State private var samples: [StartupSample] = []
    @State private var system = SystemModelAvailability.noFramework
    @Environment(\.dismiss) private var dismiss

    private var report: DebugReport {
        DebugReport(
            state: store.state, activity: store.activity, budget: store.budget, notice: store.notice,
            conditions: store.conditions, samples: samples, system: system)
    }

    var body: some View {
        NavigationStack {
            Form {
                section("Model", report.model)
                section("Device", report.device)
                section("Starts", report.starts)
            }
            .navigationTitle(Text(verbatim: "Hearth"))
            .toolbar {
                ToolbarItem(placement: .confirmationAction) {
                    Button("Done") { dismiss() }
                }
            }
        }
        // When the model is ready again, another start may have been logged.
        .task(id: store.state) {
            system = SystemModel.availability(for: Locale.current.identifier(.bcp47))
            samples = await latest()
        }
    }

    private func section(_ title: String, _ rows: [DebugReport.Row]) -> some View {
        Section {
            ForEach(rows) { row in
                VStack(alignment: .leading) {
                    HStack {
                        Text(verbatim: row.name)
                        Spacer()
                        Text(verbatim: row.value).foregroundStyle(.secondary)
                    }
                    if !row.note.isEmpty { Text(verbatim: row.note).font(.footnote).foregroundStyle(.secondary) }
                }
                .accessibilityElement(children: .ignore)
                .accessibilityLabel(row.name)
                .accessibilityValue(row.spoken)
            }
        } header: {
            Text(verbatim: title)
        }
    }

    /// Reads the log off the main actor, because its database may be locked by a writer.
    private func latest() async -> [StartupSample] {
        guard let log else { return [] }
        return await Task.detached { (try? log.samples().samples) ?? [] }.value
    }
}
#endif
