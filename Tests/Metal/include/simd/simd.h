// The shaders include it, and use nothing of it.
