// HearthStory
