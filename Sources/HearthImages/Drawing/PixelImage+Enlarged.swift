extension PixelImage {
    /// The image with each pixel repeated `factor` times along both axes.
    package func enlarged(by factor: Int) -> PixelImage {
        guard factor > 1 else { return self }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * factor * factor)
        for row in 0..<height {
            var line: [UInt8] = []
            line.reserveCapacity(width * channels * factor)
            for at in stride(from: row * width * channels, to: (row + 1) * width * channels, by: channels) {
                for _ in 0..<factor { line += bytes[at..<at + channels] }
            }
            for _ in 0..<factor { result += line }
        }
        return PixelImage(unchecked: result, width: width * factor, height: height * factor, channels: channels)
    }
}
