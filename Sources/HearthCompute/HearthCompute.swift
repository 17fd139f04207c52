// HearthCompute
