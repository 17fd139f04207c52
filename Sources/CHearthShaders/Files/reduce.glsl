// The sum over the 64 threads of a group, for all of them.
shared float parts[64];

float sum_of_all(float value) {
    const uint lane = gl_LocalInvocationID.x;
    parts[lane] = value;
    barrier();
    for (uint half_of = 32u; half_of > 0u; half_of /= 2u) {
        if (lane < half_of) parts[lane] += parts[lane + half_of];
        barrier();
    }
    const float sum = parts[0];
    // The next sum begins when everyone has this one.
    barrier();
    return sum;
}
