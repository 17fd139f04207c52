// One body, compiled for several widths of registers; the widest that the processor has is taken at load time. Not under the
// thread sanitizer: the loader asks which one before that is awake, and its own calls in there end the program.
#if defined(__x86_64__) && defined(__linux__) && defined(__has_attribute) && defined(__has_feature)
#if __has_attribute(target_clones) && !__has_feature(thread_sanitizer)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef WIDE
#define WIDE
#endif
