// The format of a matrix: GGUF's numbers.
layout(constant_id = 0) const uint FORMAT = 0u;

const uint F32 = 0u, F16 = 1u, Q4_0 = 2u, Q8_0 = 8u, Q4_K = 12u, Q5_K = 13u, Q6_K = 14u, BF16 = 30u;
