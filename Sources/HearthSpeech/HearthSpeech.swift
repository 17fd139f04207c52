// HearthSpeech
