// What a thread adds up of its rows, unit by unit: as many values as it decodes together. Addresses are advanced with each unit, so
// that what is read has a constant distance from them. Every sum has the same order, whatever the number of rows and tokens.
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Pairs { vec2 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Fours { vec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Quads { uvec4 v[]; };

// Addresses of the unit at hand, or of its block, in each row, and of the values that it is multiplied with.
uvec2 at[ROWS];
uvec2 x_at[TOKENS];
// Of each row and token: of all units, and of the values that share a scale.
float sums[TILE];
float parts[TILE];
// Four values of each token.
float x[4u * TOKENS];

uvec2 advanced(uvec2 address, uint bytes) {
    uint carry;
    const uint low = uaddCarry(address.x, bytes, carry);
    return uvec2(low, address.y + carry);
}

void advance(uint bytes, uint x_bytes) {
    [[unroll]] for (uint r = 0u; r < ROWS; r++) at[r] = advanced(at[r], bytes);
    [[unroll]] for (uint t = 0u; t < TOKENS; t++) x_at[t] = advanced(x_at[t], x_bytes);
}

// The `four`th four values of the unit.
void load_x(uint four) {
    [[unroll]] for (uint t = 0u; t < TOKENS; t++) {
        const vec4 values = Fours(x_at[t]).v[four];
        x[4u * t] = values.x;
        x[4u * t + 1u] = values.y;
        x[4u * t + 2u] = values.z;
        x[4u * t + 3u] = values.w;
    }
}

void multiply(uint row, float w0, float w1, float w2, float w3) {
    [[unroll]] for (uint t = 0u; t < TOKENS; t++) {
        // Single operations, so that every number of tokens gives a token the same bits.
        float part = parts[row * TOKENS + t];
        part = fma(w0, x[4u * t], part);
        part = fma(w1, x[4u * t + 1u], part);
        part = fma(w2, x[4u * t + 2u], part);
        parts[row * TOKENS + t] = fma(w3, x[4u * t + 3u], part);
    }
}

// Signed and unsigned numbers of a word, one in each byte.
void multiply_signed(uint row, uint word, int first, int bits) {
    const int numbers = int(word);
    multiply(
        row, float(bitfieldExtract(numbers, first, bits)), float(bitfieldExtract(numbers, first + 8, bits)),
        float(bitfieldExtract(numbers, first + 16, bits)), float(bitfieldExtract(numbers, first + 24, bits)));
}

void multiply_unsigned(uint row, uint word, int first, int bits) {
    multiply(
        row, float(bitfieldExtract(word, first, bits)), float(bitfieldExtract(word, first + 8, bits)),
        float(bitfieldExtract(word, first + 16, bits)), float(bitfieldExtract(word, first + 24, bits)));
}

void begin_parts() {
    [[unroll]] for (uint i = 0u; i < TILE; i++) parts[i] = 0.0;
}

void add_parts(uint row, float scale) {
    [[unroll]] for (uint t = 0u; t < TOKENS; t++) {
        sums[row * TOKENS + t] = fma(scale, parts[row * TOKENS + t], sums[row * TOKENS + t]);
    }
}

// Bytes at an even address that is no multiple of four are *turned*: they are taken in the order 2, 3, … 15, 0, 1, so that all but
// the last word are whole ones of the file, and so are the values that they are multiplied with.
struct Turn {
    bool is_turned;
    // Of the last word; the other bits are those of the word before the first one.
    uint mask;
};

Turn turn_if(bool is_turned) { return Turn(is_turned, is_turned ? 0xffffu : 0xffffffffu); }

uint last_word(Turn turn, uint before, uint last) { return (last & turn.mask) | (before & ~turn.mask); }

// The `four`th four values of `count` that begin `first` values behind the address, in the order of the bytes.
void load_turned_x(Turn turn, uint first, uint four, uint count) {
    [[unroll]] for (uint t = 0u; t < TOKENS; t++) {
        const uvec2 from = uvec2(x_at[t].x | (turn.is_turned ? 8u : 0u), x_at[t].y);
        const vec2 low = Pairs(from).v[first / 2u + 2u * four];
        vec2 high;
        if (4u * four + 4u < count) {
            high = Pairs(from).v[first / 2u + 2u * four + 1u];
        } else {
            high = Pairs(advanced(x_at[t], turn.is_turned ? 0u : 4u * count - 8u)).v[first / 2u];
        }
        x[4u * t] = low.x;
        x[4u * t + 1u] = low.y;
        x[4u * t + 2u] = high.x;
        x[4u * t + 3u] = high.y;
    }
}

Words whole_words(uint row) { return Words(uvec2(at[row].x & ~3u, at[row].y)); }

// Blocks of 32 values: a scale, then bytes, which are turned if the block begins a word.
void add_blocks(uint lane, const uint words) {
    const uint block = 2u + 4u * words;
    advance(lane * block, lane * 128u);
    for (uint unit = lane; unit < a.eights / 4u; unit += LANES) {
        const uint shift = (at[0].x & 2u) * 8u;
        const Turn turn = turn_if(shift == 0u);
        uint first[ROWS];
        [[unroll]] for (uint r = 0u; r < ROWS; r++) first[r] = whole_words(r).v[0];
        begin_parts();
        [[unroll]] for (uint word = 0u; word < words; word++) {
            uint quants[ROWS];
            [[unroll]] for (uint r = 0u; r < ROWS; r++) {
                quants[r] = whole_words(r).v[1u + word];
                if (word == words - 1u) quants[r] = last_word(turn, first[r], quants[r]);
                // Numbers of four bits without a sign are 8 more than they mean.
                if (FORMAT == Q4_0) quants[r] ^= 0x88888888u;
            }
            load_turned_x(turn, 0u, word, 4u * words);
            [[unroll]] for (uint r = 0u; r < ROWS; r++) multiply_signed(r, quants[r], 0, FORMAT == Q4_0 ? 4 : 8);
            if (FORMAT == Q4_0) {
                load_turned_x(turn, 16u, word, 4u * words);
                [[unroll]] for (uint r = 0u; r < ROWS; r++) multiply_signed(r, quants[r], 4, 4);
            }
        }
        [[unroll]] for (uint r = 0u; r < ROWS; r++) add_parts(r, unpackHalf2x16(first[r] >> shift).x);
        advance(LANES * block, LANES * 128u);
    }
}

// Q4_K and Q5_K: a unit is two stretches of 32 values, one in the low and one in the high halves of 32 bytes.
void add_stretches(uint lane) {
    const uint block = FORMAT == Q4_K ? 144u : 176u;
    const uint pair = lane & 3u;
    const uint shift = (pair & 1u) * 16u;
    advance((lane >> 2) * block, lane * 256u);
    for (uint unit = lane; unit < a.eights / 8u; unit += LANES) {
        uint scales[ROWS], minima[ROWS];
        uvec4 quants[2u * ROWS], bits[2u * ROWS];
        vec2 factors[ROWS];
        [[unroll]] for (uint r = 0u; r < ROWS; r++) {
            // Scales and minima of 6 bits each, packed in 12 bytes.
            const uvec4 head = Quads(at[r]).v[0];
            factors[r] = unpackHalf2x16(head.x);
            const uint low = head.y >> shift, middle = head.z >> shift, high = head.w >> shift;
            scales[r] = pair < 2u ? low & 0x3f3fu : (high & 0x0f0fu) | ((low >> 2) & 0x3030u);
            minima[r] = pair < 2u ? middle & 0x3f3fu : ((high >> 4) & 0x0f0fu) | ((middle >> 2) & 0x3030u);
            Quads from = Quads(advanced(at[r], block - 128u + 32u * pair));
            [[unroll]] for (uint i = 0u; i < 2u; i++) {
                quants[2u * r + i] = from.v[i];
                if (FORMAT == Q5_K) bits[2u * r + i] = Quads(at[r]).v[1u + i];
            }
        }
        [[unroll]] for (uint stretch = 0u; stretch < 2u; stretch++) {
            begin_parts();
            float x_sums[TOKENS];
            [[unroll]] for (uint t = 0u; t < TOKENS; t++) x_sums[t] = 0.0;
            [[unroll]] for (uint word = 0u; word < 8u; word++) {
                load_x(8u * stretch + word);
                [[unroll]] for (uint t = 0u; t < TOKENS; t++) {
                    x_sums[t] += (x[4u * t] + x[4u * t + 1u]) + (x[4u * t + 2u] + x[4u * t + 3u]);
                }
                [[unroll]] for (uint r = 0u; r < ROWS; r++) {
                    const uint four = quants[2u * r + word / 4u][word % 4u];
                    if (FORMAT == Q4_K) {
                        multiply_unsigned(r, four, int(4u * stretch), 4);
                    } else {
                        const uint fifth = bits[2u * r + word / 4u][word % 4u] >> (2u * pair);
                        multiply_unsigned(
                            r, stretch == 0u ? (four & 0x0f0f0f0fu) | ((fifth << 4) & 0x10101010u)
                                             : ((four >> 4) & 0x0f0f0f0fu) | ((fifth << 3) & 0x10101010u), 0, 8);
                    }
                }
            }
            [[unroll]] for (uint r = 0u; r < ROWS; r++) {
                add_parts(r, factors[r].x * float(bitfieldExtract(scales[r], int(8u * stretch), 8)));
                const float minimum = -factors[r].y * float(bitfieldExtract(minima[r], int(8u * stretch), 8));
                [[unroll]] for (uint t = 0u; t < TOKENS; t++) {
                    sums[r * TOKENS + t] = fma(minimum, x_sums[t], sums[r * TOKENS + t]);
                }
            }
        }
        advance(2u * block, LANES * 256u);
    }
}

// Q6_K: a unit is the same 16 of the 32 columns of each quarter of 128 values.
void add_columns(uint lane) {
    const uint upper = (lane >> 1) & 1u, half_of = lane & 1u;
    advance((lane >> 2) * 210u, (lane >> 2) * 1024u + upper * 512u + half_of * 64u);
    for (uint unit = lane; unit < a.eights / 8u; unit += LANES) {
        const uint shift = (at[0].x & 2u) * 8u;
        const Turn turn = turn_if(shift != 0u);
        const uint behind = turn.is_turned ? 4u : 0u;
        // Numbers of 6 bits of the four columns in a word, with their sign; and scales of two quarters.
        uint low[8u * ROWS], high[4u * ROWS], scales[2u * ROWS];
        float factors[ROWS];
        [[unroll]] for (uint r = 0u; r < ROWS; r++) {
            const uvec2 begin = uvec2(at[r].x & ~3u, at[r].y);
            const uvec2 of_low = advanced(begin, upper * 64u + half_of * 16u);
            const uvec2 of_high = advanced(begin, 128u + upper * 32u + half_of * 16u);
            Words lows = Words(advanced(of_low, behind)), highs = Words(advanced(of_high, behind));
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                low[8u * r + i] = lows.v[i];
                low[8u * r + 4u + i] = lows.v[8u + i];
                high[4u * r + i] = highs.v[i];
            }
            low[8u * r + 3u] = last_word(turn, Words(of_low).v[0], low[8u * r + 3u]);
            low[8u * r + 7u] = last_word(turn, Words(of_low).v[8], low[8u * r + 7u]);
            high[4u * r + 3u] = last_word(turn, Words(of_high).v[0], high[4u * r + 3u]);
            // Numbers without a sign are 32 more than they mean.
            [[unroll]] for (uint i = 0u; i < 4u; i++) high[4u * r + i] ^= 0xaaaaaaaau;
            Words of_scales = Words(advanced(begin, 192u + upper * 8u));
            [[unroll]] for (uint i = 0u; i < 2u; i++) {
                scales[2u * r + i] =
                    bitfieldInsert(of_scales.v[i] >> shift, of_scales.v[i + 1u], 16, int(shift)) >> (8u * half_of);
            }
            factors[r] = unpackHalf2x16(Words(begin).v[52] >> shift).x;
        }
        [[unroll]] for (uint quarter = 0u; quarter < 4u; quarter++) {
            begin_parts();
            [[unroll]] for (uint word = 0u; word < 4u; word++) {
                load_turned_x(turn, 32u * quarter, word, 16u);
                [[unroll]] for (uint r = 0u; r < ROWS; r++) {
                    const uint of_low = low[8u * r + quarter % 2u * 4u + word], of_high = high[4u * r + word];
                    const uint fours = quarter < 2u ? of_low & 0x0f0f0f0fu : (of_low >> 4) & 0x0f0f0f0fu;
                    const uint twos = quarter < 2u ? of_high << (4u - 2u * quarter) : of_high >> (2u * quarter - 4u);
                    multiply_signed(r, fours | (twos & 0x30303030u), 0, 6);
                }
            }
            [[unroll]] for (uint r = 0u; r < ROWS; r++) {
                const int scale = bitfieldExtract(int(scales[2u * r + quarter / 2u]), int(quarter % 2u * 16u), 8);
                add_parts(r, factors[r] * float(scale));
            }
        }
        advance(420u, 2048u);
    }
}

// Floats: a unit is eight of them.
void add_eights(uint lane) {
    const uint bytes = FORMAT == F32 ? 32u : 16u;
    advance(lane * bytes, lane * 32u);
    for (uint unit = lane; unit < a.eights; unit += LANES) {
        [[unroll]] for (uint i = 0u; i < TILE; i++) parts[i] = sums[i];
        uvec4 halves[ROWS];
        if (FORMAT != F32) {
            [[unroll]] for (uint r = 0u; r < ROWS; r++) halves[r] = Quads(at[r]).v[0];
        }
        [[unroll]] for (uint four = 0u; four < 2u; four++) {
            load_x(four);
            [[unroll]] for (uint r = 0u; r < ROWS; r++) {
                if (FORMAT == F32) {
                    const vec4 w = Fours(at[r]).v[four];
                    multiply(r, w.x, w.y, w.z, w.w);
                } else {
                    const uint first = halves[r][2u * four], second = halves[r][2u * four + 1u];
                    if (FORMAT == F16) {
                        const vec2 low = unpackHalf2x16(first), high = unpackHalf2x16(second);
                        multiply(r, low.x, low.y, high.x, high.y);
                    } else {
                        multiply(
                            r, uintBitsToFloat(first << 16), uintBitsToFloat(first & 0xffff0000u),
                            uintBitsToFloat(second << 16), uintBitsToFloat(second & 0xffff0000u));
                    }
                }
            }
        }
        [[unroll]] for (uint i = 0u; i < TILE; i++) sums[i] = parts[i];
        advance(LANES * bytes, LANES * 32u);
    }
}

void add_units(uint lane) {
    if (FORMAT == Q8_0) {
        add_blocks(lane, 8u);
    } else if (FORMAT == Q4_0) {
        add_blocks(lane, 4u);
    } else if (FORMAT == Q4_K || FORMAT == Q5_K) {
        add_stretches(lane);
    } else if (FORMAT == Q6_K) {
        add_columns(lane);
    } else {
        add_eights(lane);
    }
}
