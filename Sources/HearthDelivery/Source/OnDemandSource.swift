#if os(iOS) || os(tvOS) || os(visionOS)
package import Foundation

/// Files that the App Store keeps until they are asked for, under one tag.
package actor OnDemandSource: ModelSource {
    private let tag: String
    private let bundle: Bundle
    private var request: NSBundleResourceRequest?

    /// Resources of a bundle under a tag.
    package init(tag: String, bundle: Bundle = .main) {
        self.tag = tag
        self.bundle = bundle
    }

    /// Asks the system for the tag, once, and waits until it is there.
    package func location(of file: ManifestFile) async throws -> FileLocation {
        if request == nil {
            let new = NSBundleResourceRequest(tags: [tag], bundle: bundle)
            try await new.beginAccessingResources()
            request = new
        }
        guard let path = bundle.path(forResource: file.path, ofType: nil) else {
            throw DeliveryError.storage(path: file.path, reason: "it is not in the resources tagged \(tag)")
        }
        return .local(path: path)
    }

    /// The system may remove the resources again.
    package func release() async {
        request?.endAccessingResources()
        request = nil
    }
}
#endif
