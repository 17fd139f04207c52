// What all shaders share: memory by its address (no descriptors, no limit on a buffer's range but the device's memory), and
// numbers out of words. Nothing here needs 8 or 16 bit types of the device.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Shaders that reduce have a second form, made with SUBGROUPS: a device without these operations may not load it at all.
#ifdef SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint v[]; };

// A value of 16 bits at an even byte.
uint u16(Words w, uint at) { return (w.v[at >> 2] >> ((at & 2u) * 8u)) & 0xffffu; }
uint u8(Words w, uint at) { return (w.v[at >> 2] >> ((at & 3u) * 8u)) & 0xffu; }
float half_at(Words w, uint at) { return unpackHalf2x16(u16(w, at)).x; }

bool is_null(uvec2 address) { return (address.x | address.y) == 0u; }
