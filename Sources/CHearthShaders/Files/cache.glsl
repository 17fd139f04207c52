// Keys and values as they are kept: float32, two float16 in a word, or blocks of 32 values of one head with a float16 scale.
// Two blocks are a unit of whole words, so that no word belongs to two rows: a word with both scales, then the signed bytes of
// one block and of the other, or their values of four bits, 8 more than they mean. Heads are padded to whole blocks, rows to units.
layout(constant_id = 0) const uint FORMAT = 1u;

const uint F32 = 0u, F16 = 1u, Q4_0 = 2u, Q8_0 = 8u;

// Words of a block, without its scale.
uint block_words() { return FORMAT == Q8_0 ? 8u : 4u; }
// The word with the scales of a block: the `block`th of the row at `position`, whose heads have `blocks` together.
uint unit_of(uint position, uint blocks, uint block) {
    return (position * ((blocks + 1u) >> 1) + (block >> 1)) * (1u + 2u * block_words());
}
