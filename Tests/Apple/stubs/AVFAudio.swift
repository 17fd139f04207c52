// swift-format-ignore-file
// AVFAudio: speech synthesis, audio buffers and formats, engine, player node, session. Declarations only: nothing runs.
// Apple's documentation: "AVFAudio", "AVSpeechSynthesizer", "AVSpeechUtterance", "AVAudioPCMBuffer", "AVAudioEngine", "AVAudioPlayerNode", "AVAudioSession"
// None of these classes is Sendable in Apple's headers, but AVAudioFormat's and AVAudioTime's values and AVSpeechSynthesisVoice are treated as plain classes too.
@_exported import Foundation

public typealias AVAudioFrameCount = UInt32
public typealias AVAudioChannelCount = UInt32
public typealias AVAudioFramePosition = Int64
public typealias AVAudioNodeBus = Int
public enum AVAudioCommonFormat: UInt, Sendable { case otherFormat, pcmFormatFloat32, pcmFormatFloat64, pcmFormatInt16, pcmFormatInt32 }
open class AVAudioFormat: NSObject {
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) { fatalError() }
    public convenience init?(commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool) { fatalError() }
    public convenience init?(settings: [String: Any]) { fatalError() }
    open var sampleRate: Double { fatalError() }
    open var channelCount: AVAudioChannelCount { fatalError() }
    open var commonFormat: AVAudioCommonFormat { fatalError() }
    open var isInterleaved: Bool { fatalError() }
    open var isStandard: Bool { fatalError() }
    open var settings: [String: Any] { fatalError() }
}
open class AVAudioBuffer: NSObject {
    open var format: AVAudioFormat { fatalError() }
}
open class AVAudioPCMBuffer: AVAudioBuffer {
    public convenience init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) { fatalError() }
    open var frameCapacity: AVAudioFrameCount { fatalError() }
    open var frameLength: AVAudioFrameCount { get { fatalError() } set {} }
    open var stride: Int { fatalError() }
    open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { fatalError() }
    open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { fatalError() }
    open var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? { fatalError() }
}
open class AVAudioTime: NSObject {
    public convenience init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) { fatalError() }
    open var sampleTime: AVAudioFramePosition { fatalError() }
    open var sampleRate: Double { fatalError() }
}
open class AVAudioFile: NSObject {
    public convenience init(forReading fileURL: URL) throws { fatalError() }
    public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws { fatalError() }
    open var processingFormat: AVAudioFormat { fatalError() }
    open var fileFormat: AVAudioFormat { fatalError() }
    open var length: AVAudioFramePosition { fatalError() }
    open func read(into buffer: AVAudioPCMBuffer) throws {}
    open func write(from buffer: AVAudioPCMBuffer) throws {}
}
public enum AVAudioConverterInputStatus: Int, Sendable { case haveData, noDataNow, endOfStream }
public typealias AVAudioConverterInputBlock = @Sendable (AVAudioFrameCount, UnsafeMutablePointer<AVAudioConverterInputStatus>) -> AVAudioBuffer?
public enum AVAudioConverterOutputStatus: Int, Sendable { case haveData, inputRanDry, endOfStream, error }
open class AVAudioConverter: NSObject {
    public convenience init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) { fatalError() }
    open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {}
    open func convert(to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer, withInputFrom inputBlock: AVAudioConverterInputBlock) -> AVAudioConverterOutputStatus { fatalError() }
}
open class AVAudioNode: NSObject {
    open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { fatalError() }
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { fatalError() }
    open func installTap(onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?, block tapBlock: @escaping @Sendable (AVAudioPCMBuffer, AVAudioTime) -> Void) {}
    open func removeTap(onBus bus: AVAudioNodeBus) {}
    open var lastRenderTime: AVAudioTime? { fatalError() }
}
open class AVAudioMixerNode: AVAudioNode { open var outputVolume: Float { get { fatalError() } set {} } }
open class AVAudioOutputNode: AVAudioNode {}
open class AVAudioInputNode: AVAudioNode {}
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable { case dataConsumed, dataRendered, dataPlayedBack }
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1), interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 2), interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 4)
}
open class AVAudioPlayerNode: AVAudioNode {
    public override init() { super.init() }
    open func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionHandler: (@Sendable () -> Void)? = nil) {}
    open func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionCallbackType: AVAudioPlayerNodeCompletionCallbackType, completionHandler: (@Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void)? = nil) {}
    open func scheduleBuffer(_ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [], completionHandler: (@Sendable () -> Void)? = nil) {}
    @discardableResult open func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionCallbackType: AVAudioPlayerNodeCompletionCallbackType) async -> AVAudioPlayerNodeCompletionCallbackType { fatalError() }
    open func play() {}
    open func pause() {}
    open func stop() {}
    open var isPlaying: Bool { fatalError() }
    open var volume: Float { get { fatalError() } set {} }
    open func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? { fatalError() }
}
open class AVAudioEngine: NSObject {
    public override init() { super.init() }
    open func attach(_ node: AVAudioNode) {}
    open func detach(_ node: AVAudioNode) {}
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {}
    open func disconnectNodeOutput(_ node: AVAudioNode) {}
    open func prepare() {}
    open func start() throws {}
    open func pause() {}
    open func stop() {}
    open func reset() {}
    open var isRunning: Bool { fatalError() }
    open var mainMixerNode: AVAudioMixerNode { fatalError() }
    open var outputNode: AVAudioOutputNode { fatalError() }
    open var inputNode: AVAudioInputNode { fatalError() }
}
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
}
open class AVAudioPlayer: NSObject {
    public convenience init(contentsOf url: URL) throws { fatalError() }
    public convenience init(data: Data) throws { fatalError() }
    @discardableResult open func prepareToPlay() -> Bool { fatalError() }
    @discardableResult open func play() -> Bool { fatalError() }
    open func pause() {}
    open func stop() {}
    open weak var delegate: (any AVAudioPlayerDelegate)? { get { fatalError() } set {} }
    open var duration: TimeInterval { fatalError() }
    open var currentTime: TimeInterval { get { fatalError() } set {} }
    open var volume: Float { get { fatalError() } set {} }
}

#if !os(macOS)
open class AVAudioSession: NSObject {
    public struct Category: RawRepresentable, Hashable, Sendable { public let rawValue: String; public init(rawValue: String) { self.rawValue = rawValue }
        public static let ambient = Category(rawValue: ""), soloAmbient = Category(rawValue: ""), playback = Category(rawValue: ""), record = Category(rawValue: ""), playAndRecord = Category(rawValue: "") }
    public struct Mode: RawRepresentable, Hashable, Sendable { public let rawValue: String; public init(rawValue: String) { self.rawValue = rawValue }
        public static let `default` = Mode(rawValue: ""), spokenAudio = Mode(rawValue: ""), voicePrompt = Mode(rawValue: "") }
    public struct CategoryOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let mixWithOthers = CategoryOptions(rawValue: 1), duckOthers = CategoryOptions(rawValue: 2), interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17) }
    public struct SetActiveOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1) }
    public enum InterruptionType: UInt, Sendable { case ended = 0, began = 1 }
    open class func sharedInstance() -> AVAudioSession { fatalError() }
    open func setCategory(_ category: Category, mode: Mode = .default, options: CategoryOptions = []) throws {}
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}
    open var category: Category { fatalError() }
    open var sampleRate: Double { fatalError() }
    open var outputVolume: Float { fatalError() }
    public static let interruptionNotification = NSNotification.Name("")
    public static let routeChangeNotification = NSNotification.Name("")
    public static let mediaServicesWereResetNotification = NSNotification.Name("")
}
public let AVAudioSessionInterruptionTypeKey = ""
public let AVAudioSessionInterruptionOptionKey = ""
public let AVAudioSessionInterruptionReasonKey = ""
public let AVAudioSessionRouteChangeReasonKey = ""
#endif

public let AVSpeechUtteranceMinimumSpeechRate: Float = 0
public let AVSpeechUtteranceMaximumSpeechRate: Float = 1
public let AVSpeechUtteranceDefaultSpeechRate: Float = 0.5
public enum AVSpeechBoundary: Int, Sendable { case immediate, word }
public enum AVSpeechSynthesisVoiceQuality: Int, Sendable { case `default` = 1, enhanced, premium }
public struct AVSpeechSynthesisVoiceTraits: OptionSet, Sendable {  // "AVSpeechSynthesisVoice.Traits" (iOS 17, macOS 14)
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let isNoveltyVoice = AVSpeechSynthesisVoiceTraits(rawValue: 1), isPersonalVoice = AVSpeechSynthesisVoiceTraits(rawValue: 2)
}
public enum AVSpeechSynthesisVoiceGender: Int, Sendable { case unspecified, male, female }
open class AVSpeechSynthesisVoice: NSObject {
    open class func speechVoices() -> [AVSpeechSynthesisVoice] { fatalError() }
    open class func currentLanguageCode() -> String { fatalError() }
    public convenience init?(language languageCode: String?) { fatalError() }
    public convenience init?(identifier: String) { fatalError() }
    open var language: String { fatalError() }
    open var identifier: String { fatalError() }
    open var name: String { fatalError() }
    open var quality: AVSpeechSynthesisVoiceQuality { fatalError() }
    public typealias Traits = AVSpeechSynthesisVoiceTraits
    open var voiceTraits: Traits { fatalError() }
    open var gender: AVSpeechSynthesisVoiceGender { fatalError() }
}
open class AVSpeechUtterance: NSObject {
    public init(string: String) { fatalError() }
    public init?(ssmlRepresentation string: String) { fatalError() }
    open var speechString: String { fatalError() }
    open var voice: AVSpeechSynthesisVoice? { get { fatalError() } set {} }
    open var rate: Float { get { fatalError() } set {} }
    open var pitchMultiplier: Float { get { fatalError() } set {} }
    open var volume: Float { get { fatalError() } set {} }
    open var prefersAssistiveTechnologySettings: Bool { get { fatalError() } set {} }
    open var preUtteranceDelay: TimeInterval { get { fatalError() } set {} }
    open var postUtteranceDelay: TimeInterval { get { fatalError() } set {} }
}
public protocol AVSpeechSynthesizerDelegate: NSObjectProtocol {
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance)
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance)
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance)
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange, utterance: AVSpeechUtterance)
}
extension AVSpeechSynthesizerDelegate {
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {}
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange, utterance: AVSpeechUtterance) {}
}
open class AVSpeechSynthesizer: NSObject {
    public typealias BufferCallback = (AVAudioBuffer) -> Void
    public override init() { super.init() }
    open weak var delegate: (any AVSpeechSynthesizerDelegate)? { get { fatalError() } set {} }
    open var isSpeaking: Bool { fatalError() }
    open var isPaused: Bool { fatalError() }
    open var usesApplicationAudioSession: Bool { get { fatalError() } set {} }
    open func speak(_ utterance: AVSpeechUtterance) {}
    open func write(_ utterance: AVSpeechUtterance, toBufferCallback bufferCallback: @escaping BufferCallback) {}
    @discardableResult open func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool { fatalError() }
    @discardableResult open func pauseSpeaking(at boundary: AVSpeechBoundary) -> Bool { fatalError() }
    @discardableResult open func continueSpeaking() -> Bool { fatalError() }
}
extension NSNotification.Name { public static let AVAudioEngineConfigurationChange = NSNotification.Name("") }
