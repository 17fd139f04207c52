// swift-format-ignore-file
// UniformTypeIdentifiers: UTType and its common constants. Declarations only: nothing runs.
// Apple's documentation: "UTType"
import Foundation
public struct UTType: Hashable, Codable, Sendable {
    public init?(_ identifier: String) { fatalError() }
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) { fatalError() }
    public init?(mimeType: String, conformingTo supertype: UTType = .data) { fatalError() }
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) { fatalError() }
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) { fatalError() }
    public var identifier: String { fatalError() }
    public var preferredFilenameExtension: String? { fatalError() }
    public func conforms(to type: UTType) -> Bool { fatalError() }
    public static var data: UTType { fatalError() }
    public static var item: UTType { fatalError() }
    public static var folder: UTType { fatalError() }
    public static var image: UTType { fatalError() }
    public static var jpeg: UTType { fatalError() }
    public static var png: UTType { fatalError() }
    public static var heic: UTType { fatalError() }
    public static var json: UTType { fatalError() }
    public static var plainText: UTType { fatalError() }
    public static var audio: UTType { fatalError() }
    public static var wav: UTType { fatalError() }
    public static var zip: UTType { fatalError() }
}
