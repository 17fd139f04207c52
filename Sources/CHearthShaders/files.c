// Data, no code: the shaders of `Files/`, in the program's constants.
#include "CHearthShaders.h"

#include <string.h>

#if !defined(__has_embed)
#error "CHearthShaders needs a C compiler that knows #embed: clang 19 or later"
#endif

// `#embed` is of C23; the package is C17.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

#ifdef __APPLE__
_Alignas(4) static const unsigned char attention[] = {
#embed "Files/attention.metal"
};
_Alignas(4) static const unsigned char embed[] = {
#embed "Files/embed.metal"
};
_Alignas(4) static const unsigned char gate[] = {
#embed "Files/gate.metal"
};
_Alignas(4) static const unsigned char norm[] = {
#embed "Files/norm.metal"
};
_Alignas(4) static const unsigned char product[] = {
#embed "Files/product.metal"
};
_Alignas(4) static const unsigned char rotary[] = {
#embed "Files/rotary.metal"
};
_Alignas(4) static const unsigned char store[] = {
#embed "Files/store.metal"
};
#else
_Alignas(4) static const unsigned char attention[] = {
#embed "Files/attention.spv"
};
_Alignas(4) static const unsigned char embed[] = {
#embed "Files/embed.spv"
};
_Alignas(4) static const unsigned char gate[] = {
#embed "Files/gate.spv"
};
_Alignas(4) static const unsigned char norm[] = {
#embed "Files/norm.spv"
};
_Alignas(4) static const unsigned char product[] = {
#embed "Files/product.spv"
};
_Alignas(4) static const unsigned char rotary[] = {
#embed "Files/rotary.spv"
};
_Alignas(4) static const unsigned char store[] = {
#embed "Files/store.spv"
};
#endif

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} shaders[] = {
    {"attention", attention, sizeof attention},
    {"embed", embed, sizeof embed},
    {"gate", gate, sizeof gate},
    {"norm", norm, sizeof norm},
    {"product", product, sizeof product},
    {"rotary", rotary, sizeof rotary},
    {"store", store, sizeof store},
};

hearth_shader_code hearth_shader(const char *name) {
    for (size_t i = 0; i < sizeof shaders / sizeof shaders[0]; i++) {
        if (strcmp(shaders[i].name, name) != 0) continue;
        return (hearth_shader_code){shaders[i].bytes, shaders[i].count};
    }
    return (hearth_shader_code){NULL, 0};
}

size_t hearth_shader_count(void) { return sizeof shaders / sizeof shaders[0]; }

const char *hearth_shader_name(size_t index) {
    return index < sizeof shaders / sizeof shaders[0] ? shaders[index].name : NULL;
}
