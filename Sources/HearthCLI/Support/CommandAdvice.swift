import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthGPU
import HearthModels
import HearthServer
import HearthStory
import HearthSystem
import HearthText
import HearthTokenizer

/// Which option or command of this program helps with an error of a library, whose own message is for every app.
enum CommandAdvice {
    /// A sentence after the error's own message; nil if that says it all.
    static func after(_ error: any HearthError) -> String? {
        switch error {
        case let error as DeliveryError: delivery(error)
        case let error as TextError: text(error)
        case let error as CoreMLError: coreML(error)
        case is GPUError: "That is --compute cpu."
        // Other ids are checked where they are read.
        case TokenizerError.tokenOutOfRange: "That is --logit-bias."
        case ComputeError.threadsUnavailable: "That is --threads 1."
        case ModelCatalogError.unknownModel:
            "'hearth models' lists what is installed and 'hearth pull' installs."
        case StoryError.modelUnavailable: "Leave out --source model for that."
        case StoryError.bundledModelKnowsNoWants:
            "Leave out --source model for the tale. See 'hearth help story'."
        default: nil
        }
    }

    private static func delivery(_ error: DeliveryError) -> String? {
        switch error {
        case .diskFull: "'hearth prune --to 2GB' removes the least recently used models."
        case .unknownLength: "Pass it as --sha256."
        case .noNameInAddress: "Pass it as --name."
        case .olderRevision: "Pass --allow-downgrade for that."
        case .tooLittleMemory: "Pass --allow-little-memory for that."
        case .notInstalled, .nothingBefore: "'hearth models' lists what is installed."
        default: nil
        }
    }

    private static func text(_ error: TextError) -> String? {
        switch error {
        case .embeddingModel: "'hearth embed' computes embeddings."
        case .contextMemory: "Pass --kv int8 or int4 for that."
        case .contextTooLong: "That is --context."
        case .invalidOption(let name, _, _) where !name.contains(" "): "The option is --\(name)."
        case .invalidAdapter(_, field: "general.type", _): "Pass models as --model, and adapters as --lora."
        default: nil
        }
    }

    private static func coreML(_ error: CoreMLError) -> String? {
        switch error {
        case .takesNoPicture, .notAClassifier, .notADetector:
            "'hearth predict' takes tensors, and gives them as they are."
        default: nil
        }
    }

    /// The same for what keeps `hearth serve` from starting.
    static func after(_ error: ServerError) -> String? {
        switch error {
        case .cannotListen: "The port is that of --port."
        case .tokenMissing: "Pass --token-file, or set HEARTH_TOKEN."
        case .weakToken: "It is read from --token-file, or from HEARTH_TOKEN."
        case .badAddress: "It is that of --host."
        case .noModel: "Pass --model; 'hearth models' lists what is installed."
        case .system: nil
        }
    }
}
