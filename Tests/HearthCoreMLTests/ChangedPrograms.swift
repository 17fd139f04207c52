import HearthCoreMLFormat
import HearthGraphProof
import HearthSystem

extension VisionFixtures {
    /// A package of the fixtures whose program was changed.
    static func changed(_ name: String, _ change: (inout MILBlock) throws -> Void) throws -> CoreMLPackage {
        let data = path("\(name).mlpackage/Data/com.apple.CoreML")
        let package = try CoreMLPackage(path: path("\(name).mlpackage"))
        var model = package.model
        guard case .program(var program) = model.kind else { return package }
        try change(&program.functions[0].value.specializations[0].value)
        model.kind = .program(program)
        // Networks without weights have no such file.
        let weights = try? MappedFile(path: "\(data)/weights/weight.bin")
        return try CoreMLPackage(
            MappedFile(copying: model.encoded), weights: weights.map { [WeightFiles.usualName: $0] } ?? [:])
    }
}
