import Foundation
import HearthDelivery
import HearthSystem

extension FuzzTarget {
    /// An archive of a Core ML package: what is unpacked stays in its folder, has the digests that are told of it, and no more
    /// bytes than the archive may have; what is refused leaves nothing.
    static let archive = FuzzTarget(name: "archive", longestInput: 16 << 10) {
        let files = SystemFiles()
        let folder = NSTemporaryDirectory() + "hearth-fuzz-archive-\(getpid())"
        try? files.makeFolders(folder)
        return { bytes in
            guard let format = ArchiveUnpacker.Format(bytes.prefix(512)) else { return }
            let path = folder + "/a.part"
            guard (try? Data(bytes).write(to: URL(fileURLWithPath: path))) != nil else { return }
            let unpacked = try? ArchiveUnpacker(files: files, reserve: 0).unpack(
                path, format, name: "a", prefix: folder + "/a", check: {}, progress: { _, _ in })
            for made in unpacked ?? [] {
                require(FilePathRule.objection(to: made.file.path) == nil, "a path that leaves: \(made.file.path)")
                let content = (try? Data(contentsOf: URL(fileURLWithPath: made.place))) ?? Data()
                require(content.count == made.file.bytes, "another size: \(made.file.path)")
                require(SHA256.digest(of: content) == made.file.sha256, "another digest: \(made.file.path)")
                try? files.unlink(made.place)
            }
            require((try? files.list(folder)) == ["a.part"], "something is left")
        }
    } seeds: {
        // Made by Python's zipfile and tarfile; see the corpus.
        [:]
    }
}
