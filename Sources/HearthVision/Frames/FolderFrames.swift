package import HearthImages
internal import HearthSystem

/// The images of a folder in natural sort order of their names: `frame9` before `frame10`.
///
/// Files are recognized as images by their content. A file that is an image by its name only, or cannot be opened, is an image
/// that cannot be read; other files and subfolders are skipped. If an image cannot be read, `next()` throws, and the following
/// call returns the next image.
package actor FolderFrames: FrameSource {
    /// nil: a folder of images has no frame rate.
    package nonisolated let framesPerSecond: Double? = nil
    /// The names of the images, in order.
    package nonisolated let names: [String]
    private nonisolated let flag = CancellationFlag()
    private let folder: String
    private let target: ImageTarget?
    private let decoder: ImageDecoder
    private var count = 0

    /// The maximum number of files in a folder.
    private static let maximumFiles = 1 << 20

    /// Lists the folder.
    /// - Parameter target: the size that images will be scaled to, as for `ImageDecoder`.
    /// - Throws: `ImageError.unreadable`, `.noPictures`.
    package init(
        _ folder: String, for target: ImageTarget? = nil, decoder: ImageDecoder = ImageDecoder()
    ) throws(ImageError) {
        let all: [String]
        do throws(FileFailure) {
            all = try SystemFiles().list(folder)
        } catch {
            throw .unreadable(file: folder, reason: error.reason)
        }
        guard all.count <= Self.maximumFiles else {
            throw .tooLarge(file: folder, what: "files", claimed: all.count, limit: Self.maximumFiles)
        }
        names = all.filter { !$0.hasPrefix(".") && Self.isImage($0, in: folder) }.sorted(by: Self.precedes)
        guard !names.isEmpty else { throw .noPictures(folder: folder) }
        (self.folder, self.target, self.decoder) = (folder, target, decoder)
    }

    private static func isImage(_ name: String, in folder: String) -> Bool {
        let path = "\(folder)/\(name)"
        if let start = SmallFile.bytes(path, limit: ImageFormat.prefix), ImageFormat(start) != nil { return true }
        return ImageFormat.isNamed(by: name) && !FileAccess.isFolder(path)
    }

    /// Ends the source; an image that is being decoded is discarded.
    package nonisolated func stop() { flag.set() }

    /// Decodes the next image.
    /// - Throws: ``ImageError`` for that image, `CancellationError`.
    package func next() async throws -> Frame? {
        try Task.checkCancellation()
        guard count < names.count, !flag.isSet else { return nil }
        let (number, name) = (count, names[count])
        count += 1
        let (folder, target, decoder) = (folder, target, decoder)
        let picture = try await OwnThread.run(priority: .userInitiated) { _ in
            try decoder.picture(at: "\(folder)/\(name)", for: target)
        }
        return flag.isSet ? nil : Frame(number: number, name: name, picture: picture)
    }

    /// Compares names by characters, and runs of digits by value.
    package static func precedes(_ first: String, _ second: String) -> Bool {
        let (a, b) = (Array(first.utf8), Array(second.utf8))
        var (i, j) = (0, 0)
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        while i < a.count, j < b.count {
            if isDigit(a[i]), isDigit(b[j]) {
                let x = a[i...].prefix(while: isDigit)
                let y = b[j...].prefix(while: isDigit)
                let (p, q) = (x.drop { $0 == 0x30 }, y.drop { $0 == 0x30 })
                if p.count != q.count { return p.count < q.count }
                if !p.elementsEqual(q) { return p.lexicographicallyPrecedes(q) }
                (i, j) = (x.endIndex, y.endIndex)
            } else {
                if a[i] != b[j] { return a[i] < b[j] }
                (i, j) = (i + 1, j + 1)
            }
        }
        let (left, right) = (a.count - i, b.count - j)
        // The names differ only in leading zeros.
        return left != right ? left < right : first < second
    }
}
