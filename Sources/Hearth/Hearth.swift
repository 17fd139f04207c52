// All modules for apps in a single import. The CLI imports the individual modules.
@_exported public import HearthApple
@_exported public import HearthCompute
@_exported public import HearthCoreML
@_exported public import HearthDelivery
@_exported public import HearthImages
@_exported public import HearthModels
@_exported public import HearthRuntime
@_exported public import HearthSafety
@_exported public import HearthSpeech
@_exported public import HearthStory
@_exported public import HearthSystem
@_exported public import HearthText
@_exported public import HearthTokenizer
@_exported public import HearthVision
