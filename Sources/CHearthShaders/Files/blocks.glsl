// Weights as they lie in a GGUF file: eight values at a time. A row is a whole number of blocks, and a block a whole number of
// eights, which share their scale in every format here.
#include "formats.glsl"

// Scale and minimum of a stretch of 32 values in a block of Q4_K or Q5_K, 6 bits each, packed in 12 bytes.
uvec2 scale_and_minimum(Words w, uint scales, uint stretch) {
    if (stretch < 4u) return uvec2(u8(w, scales + stretch) & 63u, u8(w, scales + stretch + 4u) & 63u);
    uint low = u8(w, scales + stretch + 4u);
    return uvec2(
        (low & 15u) | ((u8(w, scales + stretch - 4u) >> 6) << 4), (low >> 4) | ((u8(w, scales + stretch) >> 6) << 4));
}

// The `eight`th eight values of the row that begins at byte `row`.
void decode_eight(Words w, uint row, uint eight, out float x[8]) {
    if (FORMAT == F32) {
        for (uint i = 0u; i < 8u; i++) x[i] = uintBitsToFloat(w.v[(row >> 2) + eight * 8u + i]);
    } else if (FORMAT == F16) {
        for (uint i = 0u; i < 4u; i++) {
            vec2 two = unpackHalf2x16(w.v[(row >> 2) + eight * 4u + i]);
            x[2u * i] = two.x;
            x[2u * i + 1u] = two.y;
        }
    } else if (FORMAT == BF16) {
        for (uint i = 0u; i < 4u; i++) {
            uint two = w.v[(row >> 2) + eight * 4u + i];
            x[2u * i] = uintBitsToFloat(two << 16);
            x[2u * i + 1u] = uintBitsToFloat(two & 0xffff0000u);
        }
    } else if (FORMAT == Q8_0) {
        uint block = row + (eight >> 2) * 34u;
        float scale = half_at(w, block);
        uint quants = block + 2u + (eight & 3u) * 8u;
        for (uint i = 0u; i < 4u; i++) {
            int two = int(u16(w, quants + 2u * i));
            x[2u * i] = scale * float(bitfieldExtract(two, 0, 8));
            x[2u * i + 1u] = scale * float(bitfieldExtract(two, 8, 8));
        }
    } else if (FORMAT == Q4_0) {
        // The low halves of 16 bytes are the first 16 values, the high halves the others.
        uint block = row + (eight >> 2) * 18u;
        float scale = half_at(w, block);
        uint quants = block + 2u + (eight & 1u) * 8u;
        uint shift = (eight & 2u) * 2u;
        for (uint i = 0u; i < 4u; i++) {
            uint two = u16(w, quants + 2u * i) >> shift;
            x[2u * i] = scale * (float(two & 15u) - 8.0);
            x[2u * i + 1u] = scale * (float((two >> 8) & 15u) - 8.0);
        }
    } else if (FORMAT == Q4_K || FORMAT == Q5_K) {
        uint block = row + (eight >> 5) * (FORMAT == Q4_K ? 144u : 176u);
        uint place = (eight & 31u) * 8u;
        uint stretch = place >> 5;
        uvec2 pair = scale_and_minimum(w, block + 4u, stretch);
        float scale = half_at(w, block) * float(pair.x);
        float minimum = half_at(w, block + 2u) * float(pair.y);
        // 32 bytes hold two stretches, one in their low and one in their high halves.
        uint quants = block + (FORMAT == Q4_K ? 16u : 48u) + (place >> 6) * 32u + (place & 31u);
        uint shift = (stretch & 1u) * 4u;
        for (uint i = 0u; i < 8u; i++) {
            uint quant = (u8(w, quants + i) >> shift) & 15u;
            if (FORMAT == Q5_K) quant |= ((u8(w, block + 16u + (place & 31u) + i) >> stretch) & 1u) << 4;
            x[i] = scale * float(quant) - minimum;
        }
    } else {
        // Q6_K: in each half of the block 128 values, four to the low and high parts of two bytes and to one of upper bits.
        uint block = row + (eight >> 5) * 210u;
        uint place = (eight & 31u) * 8u;
        uint upper = place >> 7;
        uint quad = (place >> 5) & 3u;
        uint column = place & 31u;
        int whole = bitfieldExtract(int(u8(w, block + 192u + upper * 8u + quad * 2u + (column >> 4))), 0, 8);
        float scale = half_at(w, block + 208u) * float(whole);
        uint low = block + upper * 64u + (quad & 1u) * 32u + column;
        uint high = block + 128u + upper * 32u + column;
        for (uint i = 0u; i < 8u; i++) {
            uint quant = (u8(w, low + i) >> ((quad >> 1) * 4u)) & 15u;
            quant |= ((u8(w, high + i) >> (quad * 2u)) & 3u) << 4;
            x[i] = scale * (float(quant) - 32.0);
        }
    }
}
