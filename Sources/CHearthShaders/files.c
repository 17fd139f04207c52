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

// In the language of the system's driver.
#define QUOTED(path) #path
#ifdef __APPLE__
#define SHADER(name) QUOTED(Files/name.metal)
#else
#define SHADER(name) QUOTED(Files/name.spv)
#endif

_Alignas(4) static const unsigned char apply[] = {
#embed SHADER(apply)
};
_Alignas(4) static const unsigned char attention[] = {
#embed SHADER(attention)
};
_Alignas(4) static const unsigned char attention_subgroups[] = {
#embed SHADER(attention.subgroups)
};
_Alignas(4) static const unsigned char axis[] = {
#embed SHADER(axis)
};
_Alignas(4) static const unsigned char axis_subgroups[] = {
#embed SHADER(axis.subgroups)
};
_Alignas(4) static const unsigned char blend[] = {
#embed SHADER(blend)
};
_Alignas(4) static const unsigned char channels[] = {
#embed SHADER(channels)
};
_Alignas(4) static const unsigned char combine[] = {
#embed SHADER(combine)
};
_Alignas(4) static const unsigned char convolve[] = {
#embed SHADER(convolve)
};
_Alignas(4) static const unsigned char cut[] = {
#embed SHADER(cut)
};
_Alignas(4) static const unsigned char cut_subgroups[] = {
#embed SHADER(cut.subgroups)
};
_Alignas(4) static const unsigned char embed[] = {
#embed SHADER(embed)
};
_Alignas(4) static const unsigned char gate[] = {
#embed SHADER(gate)
};
_Alignas(4) static const unsigned char layer[] = {
#embed SHADER(layer)
};
_Alignas(4) static const unsigned char layer_subgroups[] = {
#embed SHADER(layer.subgroups)
};
_Alignas(4) static const unsigned char linear[] = {
#embed SHADER(linear)
};
_Alignas(4) static const unsigned char match[] = {
#embed SHADER(match)
};
_Alignas(4) static const unsigned char match_subgroups[] = {
#embed SHADER(match.subgroups)
};
_Alignas(4) static const unsigned char move[] = {
#embed SHADER(move)
};
_Alignas(4) static const unsigned char norm[] = {
#embed SHADER(norm)
};
_Alignas(4) static const unsigned char norm_subgroups[] = {
#embed SHADER(norm.subgroups)
};
_Alignas(4) static const unsigned char pool[] = {
#embed SHADER(pool)
};
_Alignas(4) static const unsigned char product[] = {
#embed SHADER(product)
};
_Alignas(4) static const unsigned char rotary[] = {
#embed SHADER(rotary)
};
_Alignas(4) static const unsigned char spread[] = {
#embed SHADER(spread)
};
_Alignas(4) static const unsigned char store[] = {
#embed SHADER(store)
};
_Alignas(4) static const unsigned char streams[] = {
#embed SHADER(streams)
};

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} shaders[] = {
    {"apply", apply, sizeof apply},
    {"attention", attention, sizeof attention},
    {"attention.subgroups", attention_subgroups, sizeof attention_subgroups},
    {"axis", axis, sizeof axis},
    {"axis.subgroups", axis_subgroups, sizeof axis_subgroups},
    {"blend", blend, sizeof blend},
    {"channels", channels, sizeof channels},
    {"combine", combine, sizeof combine},
    {"convolve", convolve, sizeof convolve},
    {"cut", cut, sizeof cut},
    {"cut.subgroups", cut_subgroups, sizeof cut_subgroups},
    {"embed", embed, sizeof embed},
    {"gate", gate, sizeof gate},
    {"layer", layer, sizeof layer},
    {"layer.subgroups", layer_subgroups, sizeof layer_subgroups},
    {"linear", linear, sizeof linear},
    {"match", match, sizeof match},
    {"match.subgroups", match_subgroups, sizeof match_subgroups},
    {"move", move, sizeof move},
    {"norm", norm, sizeof norm},
    {"norm.subgroups", norm_subgroups, sizeof norm_subgroups},
    {"pool", pool, sizeof pool},
    {"product", product, sizeof product},
    {"rotary", rotary, sizeof rotary},
    {"spread", spread, sizeof spread},
    {"store", store, sizeof store},
    {"streams", streams, sizeof streams},
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
