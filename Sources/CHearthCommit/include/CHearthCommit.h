#ifndef CHEARTH_COMMIT_H
#define CHEARTH_COMMIT_H

// The commit that the program is built from, in place of the empty one of CHearthSystem, whose definition is weak. Package.swift
// takes it from the environment variable HEARTH_COMMIT. Nothing that is compiled depends on this target, only the program's
// link does: another commit costs one C file and a link.
const char *_Nonnull hearth_commit(void);

#endif
