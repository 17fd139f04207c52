// The compute shaders as part of the program: as SPIR-V, on Apple systems in the Metal Shading Language. `Files/` holds them beside
// the GLSL that they are made of by scripts/shaders.
#ifndef CHEARTHSHADERS_H
#define CHEARTHSHADERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A shader's words, or its text without a zero at the end, which live as long as the program.
typedef struct hearth_shader_code {
    const void *bytes;
    size_t byte_count;
} hearth_shader_code;

// The shader of that name, such as "norm", or its form for devices that reduce within subgroups, such as "norm.subgroups"; no
// bytes where there is none.
hearth_shader_code hearth_shader(const char *name);

// How many shaders and forms there are.
size_t hearth_shader_count(void);

// The name of a shader, by its number from 0; null beyond the last.
const char *hearth_shader_name(size_t index);

#ifdef __cplusplus
}
#endif

#endif
