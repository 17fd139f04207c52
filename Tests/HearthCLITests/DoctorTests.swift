import Foundation
import HearthCLI
import HearthModels
import HearthSystem
import HearthTestSupport
import Testing

@Suite("hearth doctor", .timeLimit(.minutes(20)))
struct DoctorTests {
    private func names(_ outcome: HearthProcess.Outcome) -> [String: String] {
        let checks = outcome.json["checks"] as? [[String: Any]] ?? []
        return Dictionary(checks.map { ($0["name"] as? String ?? "", $0["status"] as? String ?? "") }) { $1 }
    }

    @Test("Every check has a name, a status and a detail; a todo where something is to be done")
    func fields() throws {
        let outcome = try HearthProcess.run(["doctor", "--json"])
        #expect(outcome.status == 0, "\(outcome.output)")
        let checks = try #require(outcome.json["checks"] as? [[String: Any]])
        for check in checks {
            #expect(["ok", "warning", "missing"].contains(check["status"] as? String))
            #expect((check["detail"] as? String)?.isEmpty == false)
            #expect((check["todo"] == nil) == (check["status"] as? String == "ok"))
        }
        let found = names(outcome)
        for name in [
            "kernels", "threads", "memory", "limits", "sqlite3", "libcrypto", "libcurl", "speech", "piper", "video",
            "folder",
            "model",
            "clock",
        ] {
            #expect(found[name] != nil, "\(name)")
        }
        #expect(found["model"] == "ok")
        #expect(try HearthProcess.run(["doctor"]).output.split(separator: "\n").count >= checks.count)
    }

    @Test("What is needed and missing ends it with status 1")
    func missing() throws {
        let kernels = try HearthProcess.run(["doctor", "--json"], environment: ["HEARTH_KERNELS": "mmx"])
        #expect(kernels.status == 1)
        #expect(names(kernels)["kernels"] == "missing")

        let file = try HearthProcess.temporaryFolder() + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: (file as NSString).deletingLastPathComponent) }
        let folder = try HearthProcess.run(["doctor", "--json"], environment: ["HEARTH_HOME": file])
        #expect(folder.status == 1)
        #expect(names(folder)["folder"] == "missing")
    }

    @Test("Speech and videos are conveniences")
    func speechless() throws {
        let outcome = try HearthProcess.run(["doctor", "--json"], environment: ["PATH": "/nowhere"])
        #expect(outcome.status == 0)
        #if os(Linux)
        #expect(names(outcome)["speech"] == "warning")
        #endif
        #expect(names(outcome)["piper"] == "warning")
        // So are videos; images are decoded by libraries, which are not looked for on the path.
        #expect(names(outcome)["video"] == "warning")
        #if os(Linux)
        #expect(names(outcome)["libturbojpeg"] == "ok" && names(outcome)["libpng"] == "ok")
        #endif
    }

    @Test("Another program with the name of piper is not taken for it")
    func otherPiper() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/piper"
        for (help, status) in [("usage: piper [-h] -m MODEL [-c CONFIG]", "ok"), ("Usage: piper [OPTION…]", "warning")]
        {
            try ShellScript.write("echo '\(help)'", to: path)
            let outcome = try HearthProcess.run(["doctor", "--json"], environment: ["PATH": folder])
            #expect(names(outcome)["piper"] == status, "\(outcome.output)")
        }
    }

    @Test("Folders are probed without a trace")
    func folders() throws {
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(FolderProbe.check("x", home).status != .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
        let absent = home + "/a/b/c"
        #expect(FolderProbe.check("x", absent).status != .missing)
        #expect(!FileManager.default.fileExists(atPath: home + "/a"))
        let inFile = home + "/file"
        try Data().write(to: URL(fileURLWithPath: inFile))
        #expect(FolderProbe.check("x", inFile).status == .missing)
        #expect(FolderProbe.check("x", inFile + "/below").status == .missing)
    }

    @Test("A program that hangs, fails or says nothing is left behind in time")
    func programs() throws {
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        func script(_ name: String, _ body: String) throws -> String {
            let path = home + "/" + name
            try ShellScript.write(body, to: path)
            return path
        }
        #expect(ProgramProbe.firstLine(try script("talks", "echo ' one '; echo two"), [], limit: 600) == "one")
        #expect(ProgramProbe.firstLine(try script("silent", "exit 3"), [], limit: 600) == nil)
        #expect(ProgramProbe.firstLine(home + "/absent", [], limit: 600) == nil)
        // Longer than the time limit of this suite. It does not go on after that, nor does what it has started.
        let hanging = try script("hangs", "sleep 100000 & echo $! > '\(home)/started'; wait")
        var (started, limit) = (pid_t(0), 0.05)
        while started == 0 {
            #expect(ProgramProbe.firstLine(hanging, [], limit: limit) == nil)
            let text = try? String(contentsOfFile: "\(home)/started", encoding: .utf8)
            started = text.flatMap { pid_t($0.trimmingCharacters(in: .newlines)) } ?? 0
            limit *= 2
        }
        #expect(HearthProcess.wait { kill(started, 0) != 0 && errno == ESRCH })
        #expect(ProgramPath.find("talks", in: "relative:/nowhere:\(home)") == home + "/talks")
        #expect(ProgramPath.find("nothing", in: home) == nil)
    }

    @Test("A clock that is years off is worth a warning")
    func clock() {
        let doctor = Doctor(environment: [:])
        #expect(doctor.clock().status == .ok)
        #expect(doctor.clock(now: Date(timeIntervalSince1970: 0)).status == .warning)
        #expect(doctor.clock(now: .distantFuture).status == .warning)
    }
}
