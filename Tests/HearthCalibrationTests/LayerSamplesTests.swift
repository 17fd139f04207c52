import HearthCalibration
import HearthCompression
import HearthCoreML
import Testing

/// What is taken for a layer's inputs: weights times them have to be what the engine makes, and that is other code.
struct LayerSamplesTests {
    @Test func weightsTimesInputsAreTheOutputs() throws {
        let model = try DigitsTests.model("fp32")
        let values = (0..<3 * 32 * 32).map { (index: Int) -> Float in Float(index * 7919 % 256) }
        let input = ["image": CoreMLTensor(shape: [1, 3, 32, 32], values: values)]
        let layers = model.weightedLayers
        #expect(layers.count == 18 && layers.contains { $0.groups > 1 && $0.inputs == 9 })
        for layer in layers {
            let samples = try #require(LayerSamples.all(layer, of: model).first)
            let places = Array(stride(from: 0, to: samples.count, by: max(1, samples.count / 23)))
            let given = samples.given(try LayerProbe(model, .input(layer), threads: 1).values(input)[0], at: places)
            let made = samples.made(try LayerProbe(model, .output(layer), threads: 1).values(input)[0], at: places)
            let weights = try #require(try model.constant(layer.weight))
            let bias = try #require(try layer.bias.flatMap { try model.constant($0) })
            for group in 0..<layer.groups {
                for place in places.indices {
                    for row in 0..<layer.outputs {
                        let output = group * layer.outputs + row
                        let x = (group * places.count + place) * layer.inputs
                        let sum = (0..<layer.inputs).reduce(Double(bias[output])) {
                            $0 + Double(weights[output * layer.inputs + $1]) * given[x + $1]
                        }
                        let value = made[(group * places.count + place) * layer.outputs + row]
                        #expect(abs(sum - value) <= 1e-3 * max(1, abs(sum)), "\(layer.place): \(sum) and \(value)")
                    }
                }
            }
        }
    }

    @Test func replacedConstantsAreUsed() throws {
        let model = try DigitsTests.model()
        let layer = try #require(model.weightedLayers.first)
        let input = ["image": CoreMLTensor(shape: [1, 3, 32, 32], values: [Float](repeating: 90, count: 3072))]
        let bias = [Float](repeating: 0.25, count: layer.outputs)
        let zeros = [Float](repeating: 0, count: layer.outputs * layer.inputs)
        let probe = try LayerProbe(
            model, .output(layer), replacing: [layer.weight: zeros, try #require(layer.bias): bias], threads: 1)
        #expect(try probe.values(input)[0].values.allSatisfy { $0 == 0.25 })
        #expect(throws: CoreMLError.self) {
            _ = try LayerProbe(model, .result, replacing: [layer.weight: [1]], threads: 1)
        }
    }
}
