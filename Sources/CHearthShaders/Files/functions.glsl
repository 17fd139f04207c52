// What happens to results of a network before they are stored: the functions of HearthCompute's ElementFunction, by their numbers
// in CHearthKernels.
float sigmoid_of(float x) { return 1.0 / (1.0 + exp(clamp(-x, -87.0, 87.0))); }

// exp(|x|) of large numbers would be infinite.
float tanh_of(float x) { return tanh(clamp(x, -15.0, 15.0)); }

// erfc(|x|) = exp(-x^2) t q(t) with t = 1 / (1 + |x| / 2), as on the CPU.
float erfc_of_magnitude(float x) {
    const float t = 1.0 / (1.0 + 0.5 * abs(x));
    float q = 0.0154464246 * t - 0.138722607;
    q = q * t + 0.461040788;
    q = q * t - 0.706877168;
    q = q * t + 0.446779586;
    q = q * t - 0.109197147;
    q = q * t + 0.228339106;
    q = q * t + 0.238243389;
    q = q * t + 0.282883511;
    q = q * t + 0.282064109;
    return exp(max(-x * x, -87.0)) * (t * q);
}

float erf_of(float x) {
    const float u = x * x;
    if (u < 1.0) {
        float p = 7.87587506e-5 * u - 8.01686429e-4;
        p = p * u + 5.18908742e-3;
        p = p * u - 2.6854212e-2;
        p = p * u + 0.112835947;
        p = p * u - 0.376126267;
        return x * (p * u + 1.12837917);
    }
    const float tail = 1.0 - erfc_of_magnitude(x);
    return x < 0.0 ? -tail : tail;
}

float hard_of(float x, float a, float b) { return min(1.0, max(0.0, a * x + b)); }

float function_of(uint number, float a, float b, float x) {
    // Comparisons and selections keep NaN; max and min need not.
    switch (number) {
    case 0u: return x;
    case 1u: return x < 0.0 ? 0.0 : x;
    case 2u: return x < a ? a : x > b ? b : x;
    case 3u: return x < 0.0 ? a * x : x;
    case 4u: return x < a ? 0.0 : x;
    case 5u: {
        float y = x < 0.0 ? a * x : x;
        return y > b ? b : y;
    }
    case 6u: return a * x + b;
    case 7u: return x < -87.0 ? 0.0 : sigmoid_of(x);
    case 8u: return isnan(x) ? x : hard_of(x, a, b);
    case 9u: return x * hard_of(x, a, b);
    case 10u: return x < -87.0 ? 0.0 : x * sigmoid_of(x);
    case 11u: {
        const float half_tail = 0.5 * erfc_of_magnitude(x * 0.70710678118654752);
        return x * (x < 0.0 ? half_tail : 1.0 - half_tail);
    }
    case 12u: return x * sigmoid_of(1.5957691216057308 * (x + 0.044715 * x * x * x));
    case 13u: return x * sigmoid_of(1.702 * x);
    case 14u: return isnan(x) ? x : tanh_of(x);
    case 15u: return isnan(x) ? x : a * tanh_of(b * x);
    // Without cancellation near 0.
    case 16u: return x < 0.0 ? a * (tanh_of(0.5 * x) * (exp(x) + 1.0)) : x;
    case 17u: return (x > 0.0 ? x : 0.0) + log(1.0 + exp(-abs(x)));
    case 18u: return x / (1.0 + abs(x));
    case 19u: return exp(x);
    case 20u: return log(x + a);
    case 21u: return sqrt(x);
    case 22u: return 1.0 / sqrt(x + a);
    case 23u: return 1.0 / (x + a);
    case 24u: return isnan(x) ? x : erf_of(x);
    case 25u: return abs(x);
    case 26u: return x * x;
    case 27u: return floor(x);
    case 28u: return ceil(x);
    case 29u: return roundEven(x);
    case 30u: return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
    }
    return x;
}
