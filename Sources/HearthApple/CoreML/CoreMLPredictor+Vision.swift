#if canImport(Vision)
internal import CoreML
public import CoreVideo
internal import Foundation
public import HearthCoreML
public import HearthImages
public import ImageIO
internal import Synchronization
internal import Vision

extension CoreMLPredictor {
    /// The results for an image that Vision rotates, crops and scales (`VNCoreMLRequest`) instead of Hearth: without copying
    /// its pixels, and possibly on the GPU. The pixels that the model receives may differ from Hearth's by rounding.
    /// `ImageClassifier.results(of:)` interprets the outputs.
    ///
    ///     let outputs = try await model.predict(frame, orientation: .right, crop: .centerCrop)
    ///
    /// An inference that has started runs to its end.
    /// - Parameters:
    ///   - picture: a frame of a camera or a video.
    ///   - orientation: the orientation of the image.
    ///   - crop: how an image with a different aspect ratio is fitted.
    /// - Throws: `CoreMLError.unsupported` for a model that runs on Hearth's kernels, one with several inputs, and results that
    ///   are not outputs of the model, such as the objects of a pipeline with built-in non-maximum suppression; errors of
    ///   Vision.
    public func predict(
        _ picture: CVPixelBuffer, orientation: CGImagePropertyOrientation = .up, crop: CropAndScale = .centerCrop
    ) async throws -> [String: CoreMLTensor] {
        guard let session = self as? SystemCoreMLSession else {
            throw CoreMLError.unsupported(
                .init(file: "model", field: "backend"), what: "Vision runs the system's Core ML, not Hearth's kernels")
        }
        let picture = VisionPicture(pixels: picture, orientation: orientation)
        return try await session.predict { model in
            // Wherever Vision exists, the system's models have this type.
            try await (model as? AppleCoreMLModel)?.findings(picture, crop) ?? []
        }
    }
}

/// Sendable: the pixels are not modified while a request reads them.
struct VisionPicture: @unchecked Sendable {
    var pixels: CVPixelBuffer
    var orientation: CGImagePropertyOrientation
}

/// Sendable: requests only read it.
private struct VisionWrapper: @unchecked Sendable { let model: VNCoreMLModel }

extension AppleCoreMLModel {
    /// Performs one request, on a global dispatch queue because it blocks.
    func findings(_ picture: VisionPicture, _ crop: CropAndScale) async throws -> [VisionFinding] {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Result { try self.request(picture, crop) })
            }
        }
    }

    private func request(_ picture: VisionPicture, _ crop: CropAndScale) throws -> [VisionFinding] {
        let kept = try vision.withLock { kept in
            if let made = kept as? VisionWrapper { return made }
            let made = VisionWrapper(model: try VNCoreMLModel(for: model))
            kept = made
            return made
        }
        let request = VNCoreMLRequest(model: kept.model)
        if let option = VNImageCropAndScaleOption(rawValue: crop.visionOption) {
            request.imageCropAndScaleOption = option
        }
        try VNImageRequestHandler(cvPixelBuffer: picture.pixels, orientation: picture.orientation).perform([request])
        return try (request.results ?? []).map { observation in
            switch observation {
            case let found as VNClassificationObservation:
                .label(found.identifier, confidence: Double(found.confidence))
            case let found as VNCoreMLFeatureValueObservation:
                .value(name: found.featureName, try SystemValue(found.featureValue))
            default: .other("\(type(of: observation))")
            }
        }
    }
}
#endif
