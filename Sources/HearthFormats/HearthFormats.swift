// HearthFormats
