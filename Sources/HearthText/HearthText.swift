// HearthText
