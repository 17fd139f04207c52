// The compute shaders as SPIR-V, as part of the program. `Files/` holds them beside the GLSL that they are made of by
// scripts/shaders.
#ifndef CHEARTHSHADERS_H
#define CHEARTHSHADERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Words of a shader that live as long as the program.
typedef struct hearth_shader_code {
    const uint32_t *words;
    size_t byte_count;
} hearth_shader_code;

// The shader of that name, such as "product"; no words where there is none.
hearth_shader_code hearth_shader(const char *name);

// How many shaders there are.
size_t hearth_shader_count(void);

// The name of a shader, by its number from 0; null beyond the last.
const char *hearth_shader_name(size_t index);

#ifdef __cplusplus
}
#endif

#endif
