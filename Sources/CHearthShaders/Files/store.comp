#version 450
// Keeps keys or values of some positions. A thread has two values, or one where they become blocks: then a group has a unit.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "cache.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 cache;
    uint heads;
    uint width;  // of a head
    uint stride;
    uint position;
} a;

// Rounded to the nearest, ties to even, on every device; packHalf2x16 may round as it likes. What is finite stays finite.
uint half_bits(float value) {
    uint bits = floatBitsToUint(value);
    uint sign = (bits >> 16) & 0x8000u;
    uint size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return sign | 0x7e00u;
    if (size == 0x7f800000u) return sign | 0x7c00u;
    size = min(size, 0x477fe000u);
    if (size < 0x38800000u) return sign | uint(roundEven(uintBitsToFloat(size) * 16777216.0));
    size -= 0x38000000u;
    return sign | ((size + 0xfffu + ((size >> 13) & 1u)) >> 13);
}

void keep_two(uint pair) {
    const uint pairs = a.heads * a.width / 2u;
    if (pair >= pairs) return;
    const uint from = gl_WorkGroupID.y * a.stride + pair * 2u;
    const uint to = (a.position + gl_WorkGroupID.y) * pairs + pair;
    float low = Floats(a.x).v[from];
    float high = Floats(a.x).v[from + 1u];
    if (FORMAT == F16) {
        Words(a.cache).v[to] = half_bits(low) | (half_bits(high) << 16);
    } else {
        Floats(a.cache).v[2u * to] = low;
        Floats(a.cache).v[2u * to + 1u] = high;
    }
}

shared float values[64];
shared int quants[64];
shared uint scales[2];

// As the kernels of the CPU pack a block.
void keep_unit(uint unit) {
    const uint lane = gl_LocalInvocationID.x;
    const uint of_head = (a.width + 31u) / 32u;
    const uint block = 2u * unit + lane / 32u;
    const uint column = block % of_head * 32u + lane % 32u;
    const bool is_inside = block < a.heads * of_head && column < a.width;
    const uint from = gl_WorkGroupID.y * a.stride + block / of_head * a.width + column;
    values[lane] = is_inside ? Floats(a.x).v[from] : 0.0;
    barrier();
    const uint first = lane & 32u;
    // As integers, magnitudes order like floats, and what is not finite comes last.
    uint peak = 0u;
    float extreme = 0.0;
    for (uint i = first; i < first + 32u; i++) {
        uint size = floatBitsToUint(values[i]) & 0x7fffffffu;
        if (size > peak) {
            extreme = values[i];
            peak = size;
        }
    }
    const bool is_finite = peak < 0x7f800000u;
    // NaN in the scale makes every product with the block NaN.
    uint bits = 0x7e00u;
    if (is_finite) bits = half_bits(FORMAT == Q8_0 ? abs(extreme) / 127.0 : extreme / -8.0);
    // By the scale as it is kept, so that its rounding is made up for.
    const float scale = unpackHalf2x16(bits).x;
    const float inverse = is_finite && scale != 0.0 ? 1.0 / scale : 0.0;
    const float value = is_finite ? values[lane] * inverse : 0.0;
    quants[lane] = int(roundEven(FORMAT == Q8_0 ? clamp(value, -127.0, 127.0) : clamp(value, -8.0, 7.0)));
    barrier();
    if (FORMAT == Q4_0 && is_finite) {
        // The scale with the least squared error for these numbers.
        float products = 0.0;
        float squares = 0.0;
        for (uint i = first; i < first + 32u; i++) {
            products += values[i] * float(quants[i]);
            squares += float(quants[i] * quants[i]);
        }
        const float best = products / max(squares, 1.0);
        if (squares > 0.0 && (floatBitsToUint(best) & 0x7fffffffu) < 0x7f800000u) bits = half_bits(best);
    }
    if (lane == first) scales[lane / 32u] = bits;
    barrier();
    const uint to = unit_of(a.position + gl_WorkGroupID.y, a.heads * of_head, 2u * unit);
    if (lane == 0u) Words(a.cache).v[to] = scales[0] | (scales[1] << 16);
    if (lane >= 2u * block_words()) return;
    const uint each = 32u / block_words();
    uint word = 0u;
    for (uint i = 0u; i < each; i++) {
        int quant = quants[lane * each + i];
        word |= FORMAT == Q8_0 ? (uint(quant) & 255u) << (8u * i) : uint(quant + 8) << (4u * i);
    }
    Words(a.cache).v[to + 1u + lane] = word;
}

void main() {
    if (FORMAT == F32 || FORMAT == F16) {
        keep_two(gl_GlobalInvocationID.x);
    } else {
        keep_unit(gl_WorkGroupID.x);
    }
}
