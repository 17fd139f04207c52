// swift-format-ignore-file
// AVFoundation: re-exports AVFAudio, as Apple's does. Declarations only: nothing runs.
@_exported import AVFAudio
