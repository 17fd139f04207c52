// Sums and maxima over the 64 threads of a group, for all of them. With SUBGROUPS they are reduced within subgroups first: these
// may have any size, and need not be full.
shared float parts[128];
// Results take turns with two halves of it, as slower threads may still read the last one.
uint turn = 0u;

// The larger one; NaN stays.
float larger_of(float a, float b) { return isnan(a) || a >= b ? a : b; }

#ifdef SUBGROUPS
// Shares the result of each subgroup with all others. Returns where they are.
uint share(float result) {
    const uint first = turn;
    turn ^= 64u;
    if (subgroupElect()) parts[first + gl_SubgroupID] = result;
    barrier();
    return first;
}

float sum_of_all(float value) {
    float sum = subgroupAdd(value);
    if (gl_NumSubgroups == 1u) return sum;
    const uint first = share(sum);
    sum = parts[first];
    for (uint i = 1u; i < gl_NumSubgroups; i++) sum += parts[first + i];
    return sum;
}

float largest_of_all(float value) {
    // As integers in the same order, with NaN above all: what a maximum of floats makes of NaN is left to the device.
    const uint bits = floatBitsToUint(value);
    const uint order = isnan(value) ? 0xffffffffu : (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
    const uint highest = subgroupMax(order);
    float largest = uintBitsToFloat((highest & 0x80000000u) != 0u ? highest & 0x7fffffffu : ~highest);
    if (gl_NumSubgroups == 1u) return largest;
    const uint first = share(largest);
    largest = parts[first];
    for (uint i = 1u; i < gl_NumSubgroups; i++) largest = larger_of(largest, parts[first + i]);
    return largest;
}
#else
float sum_of_all(float value) {
    const uint at = turn + gl_LocalInvocationID.x;
    const uint first = turn;
    turn ^= 64u;
    parts[at] = value;
    barrier();
    for (uint half_of = 32u; half_of > 0u; half_of /= 2u) {
        if (gl_LocalInvocationID.x < half_of) parts[at] += parts[at + half_of];
        barrier();
    }
    return parts[first];
}

float largest_of_all(float value) {
    const uint at = turn + gl_LocalInvocationID.x;
    const uint first = turn;
    turn ^= 64u;
    parts[at] = value;
    barrier();
    for (uint half_of = 32u; half_of > 0u; half_of /= 2u) {
        if (gl_LocalInvocationID.x < half_of) parts[at] = larger_of(parts[at], parts[at + half_of]);
        barrier();
    }
    return parts[first];
}
#endif
