#pragma clang diagnostic ignored "-Wmissing-prototypes"
#pragma clang diagnostic ignored "-Wmissing-braces"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T, size_t Num>
struct spvUnsafeArray
{
    T elements[Num ? Num : 1];
    
    thread T& operator [] (size_t pos) thread
    {
        return elements[pos];
    }
    constexpr const thread T& operator [] (size_t pos) const thread
    {
        return elements[pos];
    }
    
    device T& operator [] (size_t pos) device
    {
        return elements[pos];
    }
    constexpr const device T& operator [] (size_t pos) const device
    {
        return elements[pos];
    }
    
    constexpr const constant T& operator [] (size_t pos) const constant
    {
        return elements[pos];
    }
    
    threadgroup T& operator [] (size_t pos) threadgroup
    {
        return elements[pos];
    }
    constexpr const threadgroup T& operator [] (size_t pos) const threadgroup
    {
        return elements[pos];
    }
};

struct Words;
struct Fours;
struct Pairs;
struct Quads;
struct Floats;

struct Words
{
    uint v[1];
};

struct ResType
{
    uint _m0;
    uint _m1;
};

#ifndef SPIRV_CROSS_CONSTANT_ID_1
#define SPIRV_CROSS_CONSTANT_ID_1 1u
#endif
constant uint TOKENS = SPIRV_CROSS_CONSTANT_ID_1;

struct Fours
{
    float4 v[1];
};

constant uint _198 = (4u * TOKENS);
constant uint TILE = (2u * TOKENS);

struct Pairs
{
    float2 v[1];
};

struct Arguments
{
    uint2 weights;
    uint2 x;
    uint2 y;
    uint rows;
    uint eights;
    uint row_bytes;
    uint x_stride;
    uint y_stride;
    uint tokens;
    uint adds;
    float scale;
    float cap;
};

constant uint FORMAT_tmp [[function_constant(0)]];
constant uint FORMAT = is_function_constant_defined(FORMAT_tmp) ? FORMAT_tmp : 0u;
constant bool _636 = (FORMAT == 2u);
constant bool _664 = (FORMAT == 2u);
constant int _665 = _664 ? 4 : 8;
constant bool _676 = (FORMAT == 2u);
constant bool _749 = (FORMAT == 12u);
constant uint block = _749 ? 144u : 176u;

struct Quads
{
    uint4 v[1];
};

constant uint _859 = (block - 128u);
constant bool _891 = (FORMAT == 13u);
constant bool _1005 = (FORMAT == 12u);
constant uint _1133 = (2u * block);
constant bool _1566 = (FORMAT == 0u);
constant uint bytes = _1566 ? 32u : 16u;
constant bool _1600 = (FORMAT != 0u);
constant bool _1643 = (FORMAT == 0u);
constant bool _1683 = (FORMAT == 1u);
constant uint _1747 = (8u * bytes);
constant bool _1753 = (FORMAT == 8u);
constant bool _1760 = (FORMAT == 2u);
constant bool _1767 = (FORMAT == 12u);
constant bool _1768 = (FORMAT == 13u);
constant bool _1769 = (_1767 || _1768);
constant bool _1777 = (FORMAT == 14u);

struct Floats
{
    float v[1];
};

constant uint _1952 = (64u * TILE);
constant uint _1976 = (8u * TILE);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    threadgroup float parts_of_all[_1952];
    uint _1847 = gl_LocalInvocationID.x;
    uint _1851 = gl_WorkGroupID.y;
    uint _1852 = _1851 * TOKENS;
    uint _1855 = gl_WorkGroupID.x;
    uint _1856 = _1855 * 16u;
    spvUnsafeArray<uint2, 2> at;
    spvUnsafeArray<uint2, TOKENS> x_at;
    spvUnsafeArray<float, _198> x;
    spvUnsafeArray<float, TILE> parts;
    spvUnsafeArray<float, TILE> sums;
    uint _6214;
    _6214 = _1856;
    spvUnsafeArray<uint, 2> _2120;
    spvUnsafeArray<uint, 2> _2124;
    spvUnsafeArray<uint, 2> _2937;
    spvUnsafeArray<uint, 2> _2941;
    spvUnsafeArray<float2, 2> _3753;
    spvUnsafeArray<uint, 2> _3757;
    spvUnsafeArray<uint, 2> _3759;
    spvUnsafeArray<uint4, 4> _3765;
    spvUnsafeArray<uint4, 4> _3766;
    spvUnsafeArray<float, TOKENS> _3769;
    spvUnsafeArray<uint, 16> _4553;
    spvUnsafeArray<uint, 8> _4554;
    spvUnsafeArray<uint, 4> _4569;
    spvUnsafeArray<float, 2> _4570;
    spvUnsafeArray<uint4, 2> _5448;
    uint _1864;
    for (;;)
    {
        _1864 = a.rows;
        bool _1865 = _6214 < _1864;
        if (_1865)
        {
            uint _6215;
            _6215 = 0u;
            for (;;)
            {
                bool _1873 = _6215 < 2u;
                if (_1873)
                {
                    uint _1877 = _1847 / 8u;
                    uint _1878 = _6214 + _1877;
                    uint _1880 = _6215 * 8u;
                    uint _1881 = _1878 + _1880;
                    uint _1884 = _1864 - 1u;
                    uint _1885 = min(_1881, _1884);
                    uint _1890 = a.row_bytes;
                    uint _1891 = _1885 * _1890;
                    uint2 _1894 = a.weights;
                    uint _2057 = _1894.x;
                    ResType _2059;
                    _2059._m0 = _2057 + _1891;
                    _2059._m1 = select(uint(1), uint(0), _2059._m0 >= max(_2057, _1891));
                    uint _2060 = _2059._m1;
                    uint _2061 = _2059._m0;
                    uint _2064 = _1894.y;
                    uint _2066 = _2064 + _2060;
                    uint2 _2067 = uint2(_2061, _2066);
                    at[_6215] = _2067;
                    uint _1899 = _6215 + uint(1);
                    _6215 = _1899;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _6216;
            _6216 = 0u;
            for (;;)
            {
                bool _1907 = _6216 < TOKENS;
                if (_1907)
                {
                    uint _1911 = _1852 + _6216;
                    uint _1913 = a.tokens;
                    uint _1914 = _1913 - 1u;
                    uint _1915 = min(_1911, _1914);
                    uint _1917 = a.x_stride;
                    uint _1918 = _1915 * _1917;
                    uint _1919 = _1918 * 4u;
                    uint2 _1922 = a.x;
                    uint _2073 = _1922.x;
                    ResType _2075;
                    _2075._m0 = _2073 + _1919;
                    _2075._m1 = select(uint(1), uint(0), _2075._m0 >= max(_2073, _1919));
                    uint _2076 = _2075._m1;
                    uint _2077 = _2075._m0;
                    uint _2080 = _1922.y;
                    uint _2082 = _2080 + _2076;
                    uint2 _2083 = uint2(_2077, _2082);
                    x_at[_6216] = _2083;
                    uint _1927 = _6216 + uint(1);
                    _6216 = _1927;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _6217;
            _6217 = 0u;
            for (;;)
            {
                bool _1935 = _6217 < TILE;
                if (_1935)
                {
                    sums[_6217] = 0.0;
                    uint _1939 = _6217 + uint(1);
                    _6217 = _1939;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _1941 = _1847 % 8u;
            if (_1753)
            {
                uint _2157 = _1941 * 34u;
                uint _2159 = _1941 * 128u;
                uint _6377;
                _6377 = 0u;
                for (;;)
                {
                    bool _2314 = _6377 < 2u;
                    if (_2314)
                    {
                        uint2 _2319 = at[_6377];
                        uint _2348 = _2319.x;
                        ResType _2350;
                        _2350._m0 = _2348 + _2157;
                        _2350._m1 = select(uint(1), uint(0), _2350._m0 >= max(_2348, _2157));
                        uint _2351 = _2350._m1;
                        uint _2352 = _2350._m0;
                        uint _2355 = _2319.y;
                        uint _2357 = _2355 + _2351;
                        uint2 _2358 = uint2(_2352, _2357);
                        at[_6377] = _2358;
                        uint _2325 = _6377 + uint(1);
                        _6377 = _2325;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                uint _6378;
                _6378 = 0u;
                for (;;)
                {
                    bool _2330 = _6378 < TOKENS;
                    if (_2330)
                    {
                        uint2 _2335 = x_at[_6378];
                        uint _2364 = _2335.x;
                        ResType _2366;
                        _2366._m0 = _2364 + _2159;
                        _2366._m1 = select(uint(1), uint(0), _2366._m0 >= max(_2364, _2159));
                        uint _2367 = _2366._m1;
                        uint _2368 = _2366._m0;
                        uint _2371 = _2335.y;
                        uint _2373 = _2371 + _2367;
                        uint2 _2374 = uint2(_2368, _2373);
                        x_at[_6378] = _2374;
                        uint _2341 = _6378 + uint(1);
                        _6378 = _2341;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                uint _6379;
                _6379 = _1941;
                for (;;)
                {
                    uint _2166 = a.eights;
                    uint _2167 = _2166 / 4u;
                    bool _2168 = _6379 < _2167;
                    if (_2168)
                    {
                        uint _2171 = at[0].x;
                        uint _2172 = _2171 & 2u;
                        uint _2173 = _2172 * 8u;
                        bool _2175 = _2173 == 0u;
                        uint _2379 = _2175 ? 65535u : 4294967295u;
                        uint _6489;
                        _6489 = 0u;
                        for (;;)
                        {
                            bool _2180 = _6489 < 2u;
                            if (_2180)
                            {
                                uint _2385 = at[_6489].x;
                                uint _2386 = _2385 & 4294967292u;
                                uint _2389 = at[_6489].y;
                                uint2 _2390 = uint2(_2386, _2389);
                                device Words* _2391 = reinterpret_cast<device Words*>(as_type<ulong>(_2390));
                                uint _2186 = _2391->v[0];
                                _2120[_6489] = _2186;
                                uint _2190 = _6489 + uint(1);
                                _6489 = _2190;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _6490;
                        _6490 = 0u;
                        for (;;)
                        {
                            bool _2397 = _6490 < TILE;
                            if (_2397)
                            {
                                parts[_6490] = 0.0;
                                uint _2403 = _6490 + uint(1);
                                _6490 = _2403;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _6491;
                        _6491 = 0u;
                        for (;;)
                        {
                            bool _2196 = _6491 < 8u;
                            if (_2196)
                            {
                                uint _6503;
                                _6503 = 0u;
                                for (;;)
                                {
                                    bool _2201 = _6503 < 2u;
                                    if (_2201)
                                    {
                                        uint _2409 = at[_6503].x;
                                        uint _2410 = _2409 & 4294967292u;
                                        uint _2413 = at[_6503].y;
                                        uint2 _2414 = uint2(_2410, _2413);
                                        device Words* _2415 = reinterpret_cast<device Words*>(as_type<ulong>(_2414));
                                        uint _2207 = 1u + _6491;
                                        uint _2209 = _2415->v[_2207];
                                        _2124[_6503] = _2209;
                                        bool _2213 = _6491 == 7u;
                                        if (_2213)
                                        {
                                            uint _2220 = _2120[_6503];
                                            uint _2222 = _2124[_6503];
                                            uint _2421 = _2222 & _2379;
                                            uint _2425 = ~_2379;
                                            uint _2426 = _2220 & _2425;
                                            uint _2427 = _2421 | _2426;
                                            _2124[_6503] = _2427;
                                        }
                                        if (_636)
                                        {
                                            uint _2229 = _2124[_6503];
                                            uint _2230 = _2229 ^ 2290649224u;
                                            _2124[_6503] = _2230;
                                        }
                                        uint _2235 = _6503 + uint(1);
                                        _6503 = _2235;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _6505;
                                _6505 = 0u;
                                for (;;)
                                {
                                    bool _2439 = _6505 < TOKENS;
                                    if (_2439)
                                    {
                                        uint _2443 = x_at[_6505].x;
                                        uint _2446 = _2175 ? 8u : 0u;
                                        uint _2447 = _2443 | _2446;
                                        uint _2450 = x_at[_6505].y;
                                        uint2 _2451 = uint2(_2447, _2450);
                                        device Pairs* _2453 = reinterpret_cast<device Pairs*>(as_type<ulong>(_2451));
                                        uint _2457 = 2u * _6491;
                                        float2 _2460 = _2453->v[_2457];
                                        uint _2462 = 4u * _6491;
                                        uint _2463 = _2462 + 4u;
                                        bool _2465 = _2463 < 32u;
                                        float2 _6525;
                                        if (_2465)
                                        {
                                            uint _2474 = _2457 + 1u;
                                            float2 _2476 = _2453->v[_2474];
                                            _6525 = _2476;
                                        }
                                        else
                                        {
                                            uint _6663 = _2175 ? 0u : 120u;
                                            uint2 _2488 = x_at[_6505];
                                            uint _2529 = _2488.x;
                                            ResType _2531;
                                            _2531._m0 = _2529 + _6663;
                                            _2531._m1 = select(uint(1), uint(0), _2531._m0 >= max(_2529, _6663));
                                            uint _2532 = _2531._m1;
                                            uint _2533 = _2531._m0;
                                            uint _2536 = _2488.y;
                                            uint _2538 = _2536 + _2532;
                                            uint2 _2539 = uint2(_2533, _2538);
                                            device Pairs* _2491 = reinterpret_cast<device Pairs*>(as_type<ulong>(_2539));
                                            float2 _2495 = _2491->v[0u];
                                            _6525 = _2495;
                                        }
                                        uint _2498 = 4u * _6505;
                                        float _2500 = _2460.x;
                                        x[_2498] = _2500;
                                        uint _2504 = _2498 + 1u;
                                        float _2506 = _2460.y;
                                        x[_2504] = _2506;
                                        uint _2510 = _2498 + 2u;
                                        x[_2510] = _6525.x;
                                        uint _2516 = _2498 + 3u;
                                        x[_2516] = _6525.y;
                                        uint _2522 = _6505 + uint(1);
                                        _6505 = _2522;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _6506;
                                _6506 = 0u;
                                for (;;)
                                {
                                    bool _2244 = _6506 < 2u;
                                    if (_2244)
                                    {
                                        uint _2249 = _2124[_6506];
                                        int _2548 = int(_2249);
                                        int _2552 = extract_bits(_2548, uint(0), uint(_665));
                                        float _2553 = float(_2552);
                                        int _2558 = extract_bits(_2548, uint(8), uint(_665));
                                        float _2559 = float(_2558);
                                        int _2564 = extract_bits(_2548, uint(16), uint(_665));
                                        float _2565 = float(_2564);
                                        int _2570 = extract_bits(_2548, uint(24), uint(_665));
                                        float _2571 = float(_2570);
                                        uint _6520;
                                        _6520 = 0u;
                                        for (;;)
                                        {
                                            bool _2580 = _6520 < TOKENS;
                                            if (_2580)
                                            {
                                                uint _2583 = _6506 * TOKENS;
                                                uint _2585 = _2583 + _6520;
                                                float _2587 = parts[_2585];
                                                uint _2590 = 4u * _6520;
                                                float _2592 = x[_2590];
                                                float _2594 = fma(_2553, _2592, _2587);
                                                uint _2598 = _2590 + 1u;
                                                float _2600 = x[_2598];
                                                float _2602 = fma(_2559, _2600, _2594);
                                                uint _2606 = _2590 + 2u;
                                                float _2608 = x[_2606];
                                                float _2610 = fma(_2565, _2608, _2602);
                                                uint _2618 = _2590 + 3u;
                                                float _2620 = x[_2618];
                                                float _2622 = fma(_2571, _2620, _2610);
                                                parts[_2585] = _2622;
                                                uint _2626 = _6520 + uint(1);
                                                _6520 = _2626;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                        uint _2253 = _6506 + uint(1);
                                        _6506 = _2253;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                if (_676)
                                {
                                    uint _6509;
                                    _6509 = 0u;
                                    for (;;)
                                    {
                                        bool _2639 = _6509 < TOKENS;
                                        if (_2639)
                                        {
                                            uint _2643 = x_at[_6509].x;
                                            uint _2646 = _2175 ? 8u : 0u;
                                            uint _2647 = _2643 | _2646;
                                            uint _2650 = x_at[_6509].y;
                                            uint2 _2651 = uint2(_2647, _2650);
                                            device Pairs* _2653 = reinterpret_cast<device Pairs*>(as_type<ulong>(_2651));
                                            uint _2657 = 2u * _6491;
                                            uint _2658 = 8u + _2657;
                                            float2 _2660 = _2653->v[_2658];
                                            uint _2662 = 4u * _6491;
                                            uint _2663 = _2662 + 4u;
                                            bool _2665 = _2663 < 32u;
                                            float2 _6519;
                                            if (_2665)
                                            {
                                                uint _2674 = _2657 + 9u;
                                                float2 _2676 = _2653->v[_2674];
                                                _6519 = _2676;
                                            }
                                            else
                                            {
                                                uint _6664 = _2175 ? 0u : 120u;
                                                uint2 _2688 = x_at[_6509];
                                                uint _2729 = _2688.x;
                                                ResType _2731;
                                                _2731._m0 = _2729 + _6664;
                                                _2731._m1 = select(uint(1), uint(0), _2731._m0 >= max(_2729, _6664));
                                                uint _2732 = _2731._m1;
                                                uint _2733 = _2731._m0;
                                                uint _2736 = _2688.y;
                                                uint _2738 = _2736 + _2732;
                                                uint2 _2739 = uint2(_2733, _2738);
                                                device Pairs* _2691 = reinterpret_cast<device Pairs*>(as_type<ulong>(_2739));
                                                float2 _2695 = _2691->v[8u];
                                                _6519 = _2695;
                                            }
                                            uint _2698 = 4u * _6509;
                                            float _2700 = _2660.x;
                                            x[_2698] = _2700;
                                            uint _2704 = _2698 + 1u;
                                            float _2706 = _2660.y;
                                            x[_2704] = _2706;
                                            uint _2710 = _2698 + 2u;
                                            x[_2710] = _6519.x;
                                            uint _2716 = _2698 + 3u;
                                            x[_2716] = _6519.y;
                                            uint _2722 = _6509 + uint(1);
                                            _6509 = _2722;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6510;
                                    _6510 = 0u;
                                    for (;;)
                                    {
                                        bool _2263 = _6510 < 2u;
                                        if (_2263)
                                        {
                                            uint _2268 = _2124[_6510];
                                            int _2748 = int(_2268);
                                            int _2752 = extract_bits(_2748, uint(4), uint(4));
                                            float _2753 = float(_2752);
                                            int _2758 = extract_bits(_2748, uint(12), uint(4));
                                            float _2759 = float(_2758);
                                            int _2764 = extract_bits(_2748, uint(20), uint(4));
                                            float _2765 = float(_2764);
                                            int _2770 = extract_bits(_2748, uint(28), uint(4));
                                            float _2771 = float(_2770);
                                            uint _6514;
                                            _6514 = 0u;
                                            for (;;)
                                            {
                                                bool _2780 = _6514 < TOKENS;
                                                if (_2780)
                                                {
                                                    uint _2783 = _6510 * TOKENS;
                                                    uint _2785 = _2783 + _6514;
                                                    float _2787 = parts[_2785];
                                                    uint _2790 = 4u * _6514;
                                                    float _2792 = x[_2790];
                                                    float _2794 = fma(_2753, _2792, _2787);
                                                    uint _2798 = _2790 + 1u;
                                                    float _2800 = x[_2798];
                                                    float _2802 = fma(_2759, _2800, _2794);
                                                    uint _2806 = _2790 + 2u;
                                                    float _2808 = x[_2806];
                                                    float _2810 = fma(_2765, _2808, _2802);
                                                    uint _2818 = _2790 + 3u;
                                                    float _2820 = x[_2818];
                                                    float _2822 = fma(_2771, _2820, _2810);
                                                    parts[_2785] = _2822;
                                                    uint _2826 = _6514 + uint(1);
                                                    _6514 = _2826;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _2272 = _6510 + uint(1);
                                            _6510 = _2272;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                }
                                uint _2277 = _6491 + uint(1);
                                _6491 = _2277;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _6492;
                        _6492 = 0u;
                        for (;;)
                        {
                            bool _2282 = _6492 < 2u;
                            if (_2282)
                            {
                                uint _2286 = _2120[_6492];
                                uint _2288 = _2286 >> _2173;
                                float2 _2289 = float2(as_type<half2>(_2288));
                                float _2291 = _2289.x;
                                uint _6501;
                                _6501 = 0u;
                                for (;;)
                                {
                                    bool _2833 = _6501 < TOKENS;
                                    if (_2833)
                                    {
                                        uint _2836 = _6492 * TOKENS;
                                        uint _2838 = _2836 + _6501;
                                        float _2845 = parts[_2838];
                                        float _2851 = sums[_2838];
                                        float _2852 = fma(_2291, _2845, _2851);
                                        sums[_2838] = _2852;
                                        uint _2856 = _6501 + uint(1);
                                        _6501 = _2856;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _2295 = _6492 + uint(1);
                                _6492 = _2295;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _6493;
                        _6493 = 0u;
                        for (;;)
                        {
                            bool _2868 = _6493 < 2u;
                            if (_2868)
                            {
                                uint2 _2873 = at[_6493];
                                uint _2902 = _2873.x;
                                ResType _2904;
                                _2904._m0 = _2902 + 272u;
                                _2904._m1 = select(uint(1), uint(0), _2904._m0 >= max(_2902, 272u));
                                uint _2905 = _2904._m1;
                                uint _2906 = _2904._m0;
                                uint _2909 = _2873.y;
                                uint _2911 = _2909 + _2905;
                                uint2 _2912 = uint2(_2906, _2911);
                                at[_6493] = _2912;
                                uint _2879 = _6493 + uint(1);
                                _6493 = _2879;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _6494;
                        _6494 = 0u;
                        for (;;)
                        {
                            bool _2884 = _6494 < TOKENS;
                            if (_2884)
                            {
                                uint2 _2889 = x_at[_6494];
                                uint _2918 = _2889.x;
                                ResType _2920;
                                _2920._m0 = _2918 + 1024u;
                                _2920._m1 = select(uint(1), uint(0), _2920._m0 >= max(_2918, 1024u));
                                uint _2921 = _2920._m1;
                                uint _2922 = _2920._m0;
                                uint _2925 = _2889.y;
                                uint _2927 = _2925 + _2921;
                                uint2 _2928 = uint2(_2922, _2927);
                                x_at[_6494] = _2928;
                                uint _2895 = _6494 + uint(1);
                                _6494 = _2895;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _2302 = _6379 + 8u;
                        _6379 = _2302;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            else
            {
                if (_1760)
                {
                    uint _2974 = _1941 * 18u;
                    uint _2976 = _1941 * 128u;
                    uint _6335;
                    _6335 = 0u;
                    for (;;)
                    {
                        bool _3131 = _6335 < 2u;
                        if (_3131)
                        {
                            uint2 _3136 = at[_6335];
                            uint _3165 = _3136.x;
                            ResType _3167;
                            _3167._m0 = _3165 + _2974;
                            _3167._m1 = select(uint(1), uint(0), _3167._m0 >= max(_3165, _2974));
                            uint _3168 = _3167._m1;
                            uint _3169 = _3167._m0;
                            uint _3172 = _3136.y;
                            uint _3174 = _3172 + _3168;
                            uint2 _3175 = uint2(_3169, _3174);
                            at[_6335] = _3175;
                            uint _3142 = _6335 + uint(1);
                            _6335 = _3142;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    uint _6336;
                    _6336 = 0u;
                    for (;;)
                    {
                        bool _3147 = _6336 < TOKENS;
                        if (_3147)
                        {
                            uint2 _3152 = x_at[_6336];
                            uint _3181 = _3152.x;
                            ResType _3183;
                            _3183._m0 = _3181 + _2976;
                            _3183._m1 = select(uint(1), uint(0), _3183._m0 >= max(_3181, _2976));
                            uint _3184 = _3183._m1;
                            uint _3185 = _3183._m0;
                            uint _3188 = _3152.y;
                            uint _3190 = _3188 + _3184;
                            uint2 _3191 = uint2(_3185, _3190);
                            x_at[_6336] = _3191;
                            uint _3158 = _6336 + uint(1);
                            _6336 = _3158;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    uint _6337;
                    _6337 = _1941;
                    for (;;)
                    {
                        uint _2983 = a.eights;
                        uint _2984 = _2983 / 4u;
                        bool _2985 = _6337 < _2984;
                        if (_2985)
                        {
                            uint _2988 = at[0].x;
                            uint _2989 = _2988 & 2u;
                            uint _2990 = _2989 * 8u;
                            bool _2992 = _2990 == 0u;
                            uint _3196 = _2992 ? 65535u : 4294967295u;
                            uint _6338;
                            _6338 = 0u;
                            for (;;)
                            {
                                bool _2997 = _6338 < 2u;
                                if (_2997)
                                {
                                    uint _3202 = at[_6338].x;
                                    uint _3203 = _3202 & 4294967292u;
                                    uint _3206 = at[_6338].y;
                                    uint2 _3207 = uint2(_3203, _3206);
                                    device Words* _3208 = reinterpret_cast<device Words*>(as_type<ulong>(_3207));
                                    uint _3003 = _3208->v[0];
                                    _2937[_6338] = _3003;
                                    uint _3007 = _6338 + uint(1);
                                    _6338 = _3007;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6339;
                            _6339 = 0u;
                            for (;;)
                            {
                                bool _3214 = _6339 < TILE;
                                if (_3214)
                                {
                                    parts[_6339] = 0.0;
                                    uint _3220 = _6339 + uint(1);
                                    _6339 = _3220;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6340;
                            _6340 = 0u;
                            for (;;)
                            {
                                bool _3013 = _6340 < 4u;
                                if (_3013)
                                {
                                    uint _6352;
                                    _6352 = 0u;
                                    for (;;)
                                    {
                                        bool _3018 = _6352 < 2u;
                                        if (_3018)
                                        {
                                            uint _3226 = at[_6352].x;
                                            uint _3227 = _3226 & 4294967292u;
                                            uint _3230 = at[_6352].y;
                                            uint2 _3231 = uint2(_3227, _3230);
                                            device Words* _3232 = reinterpret_cast<device Words*>(as_type<ulong>(_3231));
                                            uint _3024 = 1u + _6340;
                                            uint _3026 = _3232->v[_3024];
                                            _2941[_6352] = _3026;
                                            bool _3030 = _6340 == 3u;
                                            if (_3030)
                                            {
                                                uint _3037 = _2937[_6352];
                                                uint _3039 = _2941[_6352];
                                                uint _3238 = _3039 & _3196;
                                                uint _3242 = ~_3196;
                                                uint _3243 = _3037 & _3242;
                                                uint _3244 = _3238 | _3243;
                                                _2941[_6352] = _3244;
                                            }
                                            if (_636)
                                            {
                                                uint _3046 = _2941[_6352];
                                                uint _3047 = _3046 ^ 2290649224u;
                                                _2941[_6352] = _3047;
                                            }
                                            uint _3052 = _6352 + uint(1);
                                            _6352 = _3052;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6354;
                                    _6354 = 0u;
                                    for (;;)
                                    {
                                        bool _3256 = _6354 < TOKENS;
                                        if (_3256)
                                        {
                                            uint _3260 = x_at[_6354].x;
                                            uint _3263 = _2992 ? 8u : 0u;
                                            uint _3264 = _3260 | _3263;
                                            uint _3267 = x_at[_6354].y;
                                            uint2 _3268 = uint2(_3264, _3267);
                                            device Pairs* _3270 = reinterpret_cast<device Pairs*>(as_type<ulong>(_3268));
                                            uint _3274 = 2u * _6340;
                                            float2 _3277 = _3270->v[_3274];
                                            uint _3279 = 4u * _6340;
                                            uint _3280 = _3279 + 4u;
                                            bool _3282 = _3280 < 16u;
                                            float2 _6374;
                                            if (_3282)
                                            {
                                                uint _3291 = _3274 + 1u;
                                                float2 _3293 = _3270->v[_3291];
                                                _6374 = _3293;
                                            }
                                            else
                                            {
                                                uint _6665 = _2992 ? 0u : 56u;
                                                uint2 _3305 = x_at[_6354];
                                                uint _3346 = _3305.x;
                                                ResType _3348;
                                                _3348._m0 = _3346 + _6665;
                                                _3348._m1 = select(uint(1), uint(0), _3348._m0 >= max(_3346, _6665));
                                                uint _3349 = _3348._m1;
                                                uint _3350 = _3348._m0;
                                                uint _3353 = _3305.y;
                                                uint _3355 = _3353 + _3349;
                                                uint2 _3356 = uint2(_3350, _3355);
                                                device Pairs* _3308 = reinterpret_cast<device Pairs*>(as_type<ulong>(_3356));
                                                float2 _3312 = _3308->v[0u];
                                                _6374 = _3312;
                                            }
                                            uint _3315 = 4u * _6354;
                                            float _3317 = _3277.x;
                                            x[_3315] = _3317;
                                            uint _3321 = _3315 + 1u;
                                            float _3323 = _3277.y;
                                            x[_3321] = _3323;
                                            uint _3327 = _3315 + 2u;
                                            x[_3327] = _6374.x;
                                            uint _3333 = _3315 + 3u;
                                            x[_3333] = _6374.y;
                                            uint _3339 = _6354 + uint(1);
                                            _6354 = _3339;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6355;
                                    _6355 = 0u;
                                    for (;;)
                                    {
                                        bool _3061 = _6355 < 2u;
                                        if (_3061)
                                        {
                                            uint _3066 = _2941[_6355];
                                            int _3365 = int(_3066);
                                            int _3369 = extract_bits(_3365, uint(0), uint(_665));
                                            float _3370 = float(_3369);
                                            int _3375 = extract_bits(_3365, uint(8), uint(_665));
                                            float _3376 = float(_3375);
                                            int _3381 = extract_bits(_3365, uint(16), uint(_665));
                                            float _3382 = float(_3381);
                                            int _3387 = extract_bits(_3365, uint(24), uint(_665));
                                            float _3388 = float(_3387);
                                            uint _6369;
                                            _6369 = 0u;
                                            for (;;)
                                            {
                                                bool _3397 = _6369 < TOKENS;
                                                if (_3397)
                                                {
                                                    uint _3400 = _6355 * TOKENS;
                                                    uint _3402 = _3400 + _6369;
                                                    float _3404 = parts[_3402];
                                                    uint _3407 = 4u * _6369;
                                                    float _3409 = x[_3407];
                                                    float _3411 = fma(_3370, _3409, _3404);
                                                    uint _3415 = _3407 + 1u;
                                                    float _3417 = x[_3415];
                                                    float _3419 = fma(_3376, _3417, _3411);
                                                    uint _3423 = _3407 + 2u;
                                                    float _3425 = x[_3423];
                                                    float _3427 = fma(_3382, _3425, _3419);
                                                    uint _3435 = _3407 + 3u;
                                                    float _3437 = x[_3435];
                                                    float _3439 = fma(_3388, _3437, _3427);
                                                    parts[_3402] = _3439;
                                                    uint _3443 = _6369 + uint(1);
                                                    _6369 = _3443;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _3070 = _6355 + uint(1);
                                            _6355 = _3070;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    if (_676)
                                    {
                                        uint _6358;
                                        _6358 = 0u;
                                        for (;;)
                                        {
                                            bool _3456 = _6358 < TOKENS;
                                            if (_3456)
                                            {
                                                uint _3460 = x_at[_6358].x;
                                                uint _3463 = _2992 ? 8u : 0u;
                                                uint _3464 = _3460 | _3463;
                                                uint _3467 = x_at[_6358].y;
                                                uint2 _3468 = uint2(_3464, _3467);
                                                device Pairs* _3470 = reinterpret_cast<device Pairs*>(as_type<ulong>(_3468));
                                                uint _3474 = 2u * _6340;
                                                uint _3475 = 8u + _3474;
                                                float2 _3477 = _3470->v[_3475];
                                                uint _3479 = 4u * _6340;
                                                uint _3480 = _3479 + 4u;
                                                bool _3482 = _3480 < 16u;
                                                float2 _6368;
                                                if (_3482)
                                                {
                                                    uint _3491 = _3474 + 9u;
                                                    float2 _3493 = _3470->v[_3491];
                                                    _6368 = _3493;
                                                }
                                                else
                                                {
                                                    uint _6666 = _2992 ? 0u : 56u;
                                                    uint2 _3505 = x_at[_6358];
                                                    uint _3546 = _3505.x;
                                                    ResType _3548;
                                                    _3548._m0 = _3546 + _6666;
                                                    _3548._m1 = select(uint(1), uint(0), _3548._m0 >= max(_3546, _6666));
                                                    uint _3549 = _3548._m1;
                                                    uint _3550 = _3548._m0;
                                                    uint _3553 = _3505.y;
                                                    uint _3555 = _3553 + _3549;
                                                    uint2 _3556 = uint2(_3550, _3555);
                                                    device Pairs* _3508 = reinterpret_cast<device Pairs*>(as_type<ulong>(_3556));
                                                    float2 _3512 = _3508->v[8u];
                                                    _6368 = _3512;
                                                }
                                                uint _3515 = 4u * _6358;
                                                float _3517 = _3477.x;
                                                x[_3515] = _3517;
                                                uint _3521 = _3515 + 1u;
                                                float _3523 = _3477.y;
                                                x[_3521] = _3523;
                                                uint _3527 = _3515 + 2u;
                                                x[_3527] = _6368.x;
                                                uint _3533 = _3515 + 3u;
                                                x[_3533] = _6368.y;
                                                uint _3539 = _6358 + uint(1);
                                                _6358 = _3539;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                        uint _6359;
                                        _6359 = 0u;
                                        for (;;)
                                        {
                                            bool _3080 = _6359 < 2u;
                                            if (_3080)
                                            {
                                                uint _3085 = _2941[_6359];
                                                int _3565 = int(_3085);
                                                int _3569 = extract_bits(_3565, uint(4), uint(4));
                                                float _3570 = float(_3569);
                                                int _3575 = extract_bits(_3565, uint(12), uint(4));
                                                float _3576 = float(_3575);
                                                int _3581 = extract_bits(_3565, uint(20), uint(4));
                                                float _3582 = float(_3581);
                                                int _3587 = extract_bits(_3565, uint(28), uint(4));
                                                float _3588 = float(_3587);
                                                uint _6363;
                                                _6363 = 0u;
                                                for (;;)
                                                {
                                                    bool _3597 = _6363 < TOKENS;
                                                    if (_3597)
                                                    {
                                                        uint _3600 = _6359 * TOKENS;
                                                        uint _3602 = _3600 + _6363;
                                                        float _3604 = parts[_3602];
                                                        uint _3607 = 4u * _6363;
                                                        float _3609 = x[_3607];
                                                        float _3611 = fma(_3570, _3609, _3604);
                                                        uint _3615 = _3607 + 1u;
                                                        float _3617 = x[_3615];
                                                        float _3619 = fma(_3576, _3617, _3611);
                                                        uint _3623 = _3607 + 2u;
                                                        float _3625 = x[_3623];
                                                        float _3627 = fma(_3582, _3625, _3619);
                                                        uint _3635 = _3607 + 3u;
                                                        float _3637 = x[_3635];
                                                        float _3639 = fma(_3588, _3637, _3627);
                                                        parts[_3602] = _3639;
                                                        uint _3643 = _6363 + uint(1);
                                                        _6363 = _3643;
                                                        continue;
                                                    }
                                                    else
                                                    {
                                                        break;
                                                    }
                                                }
                                                uint _3089 = _6359 + uint(1);
                                                _6359 = _3089;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                    }
                                    uint _3094 = _6340 + uint(1);
                                    _6340 = _3094;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6341;
                            _6341 = 0u;
                            for (;;)
                            {
                                bool _3099 = _6341 < 2u;
                                if (_3099)
                                {
                                    uint _3103 = _2937[_6341];
                                    uint _3105 = _3103 >> _2990;
                                    float2 _3106 = float2(as_type<half2>(_3105));
                                    float _3108 = _3106.x;
                                    uint _6350;
                                    _6350 = 0u;
                                    for (;;)
                                    {
                                        bool _3650 = _6350 < TOKENS;
                                        if (_3650)
                                        {
                                            uint _3653 = _6341 * TOKENS;
                                            uint _3655 = _3653 + _6350;
                                            float _3662 = parts[_3655];
                                            float _3668 = sums[_3655];
                                            float _3669 = fma(_3108, _3662, _3668);
                                            sums[_3655] = _3669;
                                            uint _3673 = _6350 + uint(1);
                                            _6350 = _3673;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _3112 = _6341 + uint(1);
                                    _6341 = _3112;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6342;
                            _6342 = 0u;
                            for (;;)
                            {
                                bool _3685 = _6342 < 2u;
                                if (_3685)
                                {
                                    uint2 _3690 = at[_6342];
                                    uint _3719 = _3690.x;
                                    ResType _3721;
                                    _3721._m0 = _3719 + 144u;
                                    _3721._m1 = select(uint(1), uint(0), _3721._m0 >= max(_3719, 144u));
                                    uint _3722 = _3721._m1;
                                    uint _3723 = _3721._m0;
                                    uint _3726 = _3690.y;
                                    uint _3728 = _3726 + _3722;
                                    uint2 _3729 = uint2(_3723, _3728);
                                    at[_6342] = _3729;
                                    uint _3696 = _6342 + uint(1);
                                    _6342 = _3696;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6343;
                            _6343 = 0u;
                            for (;;)
                            {
                                bool _3701 = _6343 < TOKENS;
                                if (_3701)
                                {
                                    uint2 _3706 = x_at[_6343];
                                    uint _3735 = _3706.x;
                                    ResType _3737;
                                    _3737._m0 = _3735 + 1024u;
                                    _3737._m1 = select(uint(1), uint(0), _3737._m0 >= max(_3735, 1024u));
                                    uint _3738 = _3737._m1;
                                    uint _3739 = _3737._m0;
                                    uint _3742 = _3706.y;
                                    uint _3744 = _3742 + _3738;
                                    uint2 _3745 = uint2(_3739, _3744);
                                    x_at[_6343] = _3745;
                                    uint _3712 = _6343 + uint(1);
                                    _6343 = _3712;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _3119 = _6337 + 8u;
                            _6337 = _3119;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                }
                else
                {
                    if (_1769)
                    {
                        uint _3794 = _1941 & 3u;
                        uint _3796 = _3794 & 1u;
                        uint _3797 = _3796 * 16u;
                        uint _3799 = _1941 >> uint(2);
                        uint _3800 = _3799 * block;
                        uint _3802 = _1941 * 256u;
                        uint _6288;
                        _6288 = 0u;
                        for (;;)
                        {
                            bool _4126 = _6288 < 2u;
                            if (_4126)
                            {
                                uint2 _4131 = at[_6288];
                                uint _4160 = _4131.x;
                                ResType _4162;
                                _4162._m0 = _4160 + _3800;
                                _4162._m1 = select(uint(1), uint(0), _4162._m0 >= max(_4160, _3800));
                                uint _4163 = _4162._m1;
                                uint _4164 = _4162._m0;
                                uint _4167 = _4131.y;
                                uint _4169 = _4167 + _4163;
                                uint2 _4170 = uint2(_4164, _4169);
                                at[_6288] = _4170;
                                uint _4137 = _6288 + uint(1);
                                _6288 = _4137;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _6289;
                        _6289 = 0u;
                        for (;;)
                        {
                            bool _4142 = _6289 < TOKENS;
                            if (_4142)
                            {
                                uint2 _4147 = x_at[_6289];
                                uint _4176 = _4147.x;
                                ResType _4178;
                                _4178._m0 = _4176 + _3802;
                                _4178._m1 = select(uint(1), uint(0), _4178._m0 >= max(_4176, _3802));
                                uint _4179 = _4178._m1;
                                uint _4180 = _4178._m0;
                                uint _4183 = _4147.y;
                                uint _4185 = _4183 + _4179;
                                uint2 _4186 = uint2(_4180, _4185);
                                x_at[_6289] = _4186;
                                uint _4153 = _6289 + uint(1);
                                _6289 = _4153;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _6290;
                        _6290 = _1941;
                        for (;;)
                        {
                            uint _3809 = a.eights;
                            uint _3810 = _3809 / 8u;
                            bool _3811 = _6290 < _3810;
                            if (_3811)
                            {
                                uint _6291;
                                _6291 = 0u;
                                for (;;)
                                {
                                    bool _3816 = _6291 < 2u;
                                    if (_3816)
                                    {
                                        uint2 _3820 = at[_6291];
                                        device Quads* _3821 = reinterpret_cast<device Quads*>(as_type<ulong>(_3820));
                                        uint4 _3823 = _3821->v[0];
                                        uint _3826 = _3823.x;
                                        float2 _3827 = float2(as_type<half2>(_3826));
                                        _3753[_6291] = _3827;
                                        uint _3830 = _3823.y;
                                        uint _3832 = _3830 >> _3797;
                                        uint _3834 = _3823.z;
                                        uint _3836 = _3834 >> _3797;
                                        uint _3838 = _3823.w;
                                        uint _3840 = _3838 >> _3797;
                                        bool _3843 = _3794 < 2u;
                                        uint _6328;
                                        if (_3843)
                                        {
                                            uint _3846 = _3832 & 16191u;
                                            _6328 = _3846;
                                        }
                                        else
                                        {
                                            uint _3849 = _3840 & 3855u;
                                            uint _3851 = _3832 >> uint(2);
                                            uint _3852 = _3851 & 12336u;
                                            uint _3853 = _3849 | _3852;
                                            _6328 = _3853;
                                        }
                                        _3757[_6291] = _6328;
                                        uint _6330;
                                        if (_3843)
                                        {
                                            uint _3862 = _3836 & 16191u;
                                            _6330 = _3862;
                                        }
                                        else
                                        {
                                            uint _3865 = _3840 >> uint(4);
                                            uint _3866 = _3865 & 3855u;
                                            uint _3868 = _3836 >> uint(2);
                                            uint _3869 = _3868 & 12336u;
                                            uint _3870 = _3866 | _3869;
                                            _6330 = _3870;
                                        }
                                        _3759[_6291] = _6330;
                                        uint _3876 = 32u * _3794;
                                        uint _3877 = _859 + _3876;
                                        uint2 _3879 = at[_6291];
                                        uint _4192 = _3879.x;
                                        ResType _4194;
                                        _4194._m0 = _4192 + _3877;
                                        _4194._m1 = select(uint(1), uint(0), _4194._m0 >= max(_4192, _3877));
                                        uint _4195 = _4194._m1;
                                        uint _4196 = _4194._m0;
                                        uint _4199 = _3879.y;
                                        uint _4201 = _4199 + _4195;
                                        uint2 _4202 = uint2(_4196, _4201);
                                        device Quads* _3881 = reinterpret_cast<device Quads*>(as_type<ulong>(_4202));
                                        uint _6332;
                                        _6332 = 0u;
                                        for (;;)
                                        {
                                            bool _3885 = _6332 < 2u;
                                            if (_3885)
                                            {
                                                uint _3888 = 2u * _6291;
                                                uint _3890 = _3888 + _6332;
                                                uint4 _3894 = _3881->v[_6332];
                                                _3765[_3890] = _3894;
                                                if (_891)
                                                {
                                                    uint2 _3903 = at[_6291];
                                                    device Quads* _3904 = reinterpret_cast<device Quads*>(as_type<ulong>(_3903));
                                                    uint _3906 = 1u + _6332;
                                                    uint4 _3908 = _3904->v[_3906];
                                                    _3766[_3890] = _3908;
                                                }
                                                uint _3913 = _6332 + uint(1);
                                                _6332 = _3913;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                        uint _3917 = _6291 + uint(1);
                                        _6291 = _3917;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _6292;
                                _6292 = 0u;
                                for (;;)
                                {
                                    bool _3922 = _6292 < 2u;
                                    if (_3922)
                                    {
                                        uint _6299;
                                        _6299 = 0u;
                                        for (;;)
                                        {
                                            bool _4208 = _6299 < TILE;
                                            if (_4208)
                                            {
                                                parts[_6299] = 0.0;
                                                uint _4214 = _6299 + uint(1);
                                                _6299 = _4214;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                        uint _6300;
                                        _6300 = 0u;
                                        for (;;)
                                        {
                                            bool _3928 = _6300 < TOKENS;
                                            if (_3928)
                                            {
                                                _3769[_6300] = 0.0;
                                                uint _3934 = _6300 + uint(1);
                                                _6300 = _3934;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                        uint _6301;
                                        _6301 = 0u;
                                        for (;;)
                                        {
                                            bool _3939 = _6301 < 8u;
                                            if (_3939)
                                            {
                                                uint _3942 = 8u * _6292;
                                                uint _3944 = _3942 + _6301;
                                                uint _6312;
                                                _6312 = 0u;
                                                for (;;)
                                                {
                                                    bool _4222 = _6312 < TOKENS;
                                                    if (_4222)
                                                    {
                                                        uint2 _4226 = x_at[_6312];
                                                        device Fours* _4227 = reinterpret_cast<device Fours*>(as_type<ulong>(_4226));
                                                        float4 _4230 = _4227->v[_3944];
                                                        uint _4232 = 4u * _6312;
                                                        float _4234 = _4230.x;
                                                        x[_4232] = _4234;
                                                        uint _4238 = _4232 + 1u;
                                                        float _4240 = _4230.y;
                                                        x[_4238] = _4240;
                                                        uint _4244 = _4232 + 2u;
                                                        float _4246 = _4230.z;
                                                        x[_4244] = _4246;
                                                        uint _4250 = _4232 + 3u;
                                                        float _4252 = _4230.w;
                                                        x[_4250] = _4252;
                                                        uint _4256 = _6312 + uint(1);
                                                        _6312 = _4256;
                                                        continue;
                                                    }
                                                    else
                                                    {
                                                        break;
                                                    }
                                                }
                                                uint _6313;
                                                _6313 = 0u;
                                                for (;;)
                                                {
                                                    bool _3949 = _6313 < TOKENS;
                                                    if (_3949)
                                                    {
                                                        uint _3953 = 4u * _6313;
                                                        float _3955 = x[_3953];
                                                        uint _3958 = _3953 + 1u;
                                                        float _3960 = x[_3958];
                                                        float _3961 = _3955 + _3960;
                                                        uint _3964 = _3953 + 2u;
                                                        float _3966 = x[_3964];
                                                        uint _3969 = _3953 + 3u;
                                                        float _3971 = x[_3969];
                                                        float _3972 = _3966 + _3971;
                                                        float _3973 = _3961 + _3972;
                                                        float _3975 = _3769[_6313];
                                                        float _3976 = _3975 + _3973;
                                                        _3769[_6313] = _3976;
                                                        uint _3980 = _6313 + uint(1);
                                                        _6313 = _3980;
                                                        continue;
                                                    }
                                                    else
                                                    {
                                                        break;
                                                    }
                                                }
                                                uint _6314;
                                                _6314 = 0u;
                                                for (;;)
                                                {
                                                    bool _3985 = _6314 < 2u;
                                                    if (_3985)
                                                    {
                                                        uint _3988 = 2u * _6314;
                                                        uint _3990 = _6301 / 4u;
                                                        uint _3991 = _3988 + _3990;
                                                        uint _3993 = _6301 % 4u;
                                                        uint _3995 = _3765[_3991][_3993];
                                                        if (_1005)
                                                        {
                                                            uint _3998 = 4u * _6292;
                                                            int _3999 = int(_3998);
                                                            uint _4267 = extract_bits(_3995, uint(_3999), uint(4));
                                                            float _4268 = float(_4267);
                                                            int _4271 = _3999 + 8;
                                                            uint _4273 = extract_bits(_3995, uint(_4271), uint(4));
                                                            float _4274 = float(_4273);
                                                            int _4277 = _3999 + 16;
                                                            uint _4279 = extract_bits(_3995, uint(_4277), uint(4));
                                                            float _4280 = float(_4279);
                                                            int _4283 = _3999 + 24;
                                                            uint _4285 = extract_bits(_3995, uint(_4283), uint(4));
                                                            float _4286 = float(_4285);
                                                            uint _6324;
                                                            _6324 = 0u;
                                                            for (;;)
                                                            {
                                                                bool _4295 = _6324 < TOKENS;
                                                                if (_4295)
                                                                {
                                                                    uint _4298 = _6314 * TOKENS;
                                                                    uint _4300 = _4298 + _6324;
                                                                    float _4302 = parts[_4300];
                                                                    uint _4305 = 4u * _6324;
                                                                    float _4307 = x[_4305];
                                                                    float _4309 = fma(_4268, _4307, _4302);
                                                                    uint _4313 = _4305 + 1u;
                                                                    float _4315 = x[_4313];
                                                                    float _4317 = fma(_4274, _4315, _4309);
                                                                    uint _4321 = _4305 + 2u;
                                                                    float _4323 = x[_4321];
                                                                    float _4325 = fma(_4280, _4323, _4317);
                                                                    uint _4333 = _4305 + 3u;
                                                                    float _4335 = x[_4333];
                                                                    float _4337 = fma(_4286, _4335, _4325);
                                                                    parts[_4300] = _4337;
                                                                    uint _4341 = _6324 + uint(1);
                                                                    _6324 = _4341;
                                                                    continue;
                                                                }
                                                                else
                                                                {
                                                                    break;
                                                                }
                                                            }
                                                        }
                                                        else
                                                        {
                                                            uint _4012 = _3766[_3991][_3993];
                                                            uint _4014 = 2u * _3794;
                                                            uint _4015 = _4012 >> _4014;
                                                            bool _4017 = _6292 == 0u;
                                                            uint _6322;
                                                            if (_4017)
                                                            {
                                                                uint _4020 = _3995 & 252645135u;
                                                                uint _4022 = _4015 << uint(4);
                                                                uint _4023 = _4022 & 269488144u;
                                                                uint _4024 = _4020 | _4023;
                                                                _6322 = _4024;
                                                            }
                                                            else
                                                            {
                                                                uint _4027 = _3995 >> uint(4);
                                                                uint _4028 = _4027 & 252645135u;
                                                                uint _4030 = _4015 << uint(3);
                                                                uint _4031 = _4030 & 269488144u;
                                                                uint _4032 = _4028 | _4031;
                                                                _6322 = _4032;
                                                            }
                                                            uint _4352 = extract_bits(_6322, uint(0), uint(8));
                                                            float _4353 = float(_4352);
                                                            uint _4358 = extract_bits(_6322, uint(8), uint(8));
                                                            float _4359 = float(_4358);
                                                            uint _4364 = extract_bits(_6322, uint(16), uint(8));
                                                            float _4365 = float(_4364);
                                                            uint _4370 = extract_bits(_6322, uint(24), uint(8));
                                                            float _4371 = float(_4370);
                                                            uint _6323;
                                                            _6323 = 0u;
                                                            for (;;)
                                                            {
                                                                bool _4380 = _6323 < TOKENS;
                                                                if (_4380)
                                                                {
                                                                    uint _4383 = _6314 * TOKENS;
                                                                    uint _4385 = _4383 + _6323;
                                                                    float _4387 = parts[_4385];
                                                                    uint _4390 = 4u * _6323;
                                                                    float _4392 = x[_4390];
                                                                    float _4394 = fma(_4353, _4392, _4387);
                                                                    uint _4398 = _4390 + 1u;
                                                                    float _4400 = x[_4398];
                                                                    float _4402 = fma(_4359, _4400, _4394);
                                                                    uint _4406 = _4390 + 2u;
                                                                    float _4408 = x[_4406];
                                                                    float _4410 = fma(_4365, _4408, _4402);
                                                                    uint _4418 = _4390 + 3u;
                                                                    float _4420 = x[_4418];
                                                                    float _4422 = fma(_4371, _4420, _4410);
                                                                    parts[_4385] = _4422;
                                                                    uint _4426 = _6323 + uint(1);
                                                                    _6323 = _4426;
                                                                    continue;
                                                                }
                                                                else
                                                                {
                                                                    break;
                                                                }
                                                            }
                                                        }
                                                        uint _4040 = _6314 + uint(1);
                                                        _6314 = _4040;
                                                        continue;
                                                    }
                                                    else
                                                    {
                                                        break;
                                                    }
                                                }
                                                uint _4044 = _6301 + uint(1);
                                                _6301 = _4044;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                        uint _6302;
                                        _6302 = 0u;
                                        for (;;)
                                        {
                                            bool _4049 = _6302 < 2u;
                                            if (_4049)
                                            {
                                                float _4053 = _3753[_6302].x;
                                                uint _4056 = _3757[_6302];
                                                uint _4058 = 8u * _6292;
                                                int _4059 = int(_4058);
                                                uint _4060 = extract_bits(_4056, uint(_4059), uint(8));
                                                float _4061 = float(_4060);
                                                float _4062 = _4053 * _4061;
                                                uint _6307;
                                                _6307 = 0u;
                                                for (;;)
                                                {
                                                    bool _4433 = _6307 < TOKENS;
                                                    if (_4433)
                                                    {
                                                        uint _4436 = _6302 * TOKENS;
                                                        uint _4438 = _4436 + _6307;
                                                        float _4445 = parts[_4438];
                                                        float _4451 = sums[_4438];
                                                        float _4452 = fma(_4062, _4445, _4451);
                                                        sums[_4438] = _4452;
                                                        uint _4456 = _6307 + uint(1);
                                                        _6307 = _4456;
                                                        continue;
                                                    }
                                                    else
                                                    {
                                                        break;
                                                    }
                                                }
                                                float _4067 = _3753[_6302].y;
                                                float _4068 = -_4067;
                                                uint _4071 = _3759[_6302];
                                                uint _4075 = extract_bits(_4071, uint(_4059), uint(8));
                                                float _4076 = float(_4075);
                                                float _4077 = _4068 * _4076;
                                                uint _6310;
                                                _6310 = 0u;
                                                for (;;)
                                                {
                                                    bool _4081 = _6310 < TOKENS;
                                                    if (_4081)
                                                    {
                                                        uint _4084 = _6302 * TOKENS;
                                                        uint _4086 = _4084 + _6310;
                                                        float _4090 = _3769[_6310];
                                                        float _4096 = sums[_4086];
                                                        float _4097 = fma(_4077, _4090, _4096);
                                                        sums[_4086] = _4097;
                                                        uint _4101 = _6310 + uint(1);
                                                        _6310 = _4101;
                                                        continue;
                                                    }
                                                    else
                                                    {
                                                        break;
                                                    }
                                                }
                                                uint _4105 = _6302 + uint(1);
                                                _6302 = _4105;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                        uint _4109 = _6292 + uint(1);
                                        _6292 = _4109;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _6293;
                                _6293 = 0u;
                                for (;;)
                                {
                                    bool _4468 = _6293 < 2u;
                                    if (_4468)
                                    {
                                        uint2 _4473 = at[_6293];
                                        uint _4502 = _4473.x;
                                        ResType _4504;
                                        _4504._m0 = _4502 + _1133;
                                        _4504._m1 = select(uint(1), uint(0), _4504._m0 >= max(_4502, _1133));
                                        uint _4505 = _4504._m1;
                                        uint _4506 = _4504._m0;
                                        uint _4509 = _4473.y;
                                        uint _4511 = _4509 + _4505;
                                        uint2 _4512 = uint2(_4506, _4511);
                                        at[_6293] = _4512;
                                        uint _4479 = _6293 + uint(1);
                                        _6293 = _4479;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _6294;
                                _6294 = 0u;
                                for (;;)
                                {
                                    bool _4484 = _6294 < TOKENS;
                                    if (_4484)
                                    {
                                        uint2 _4489 = x_at[_6294];
                                        uint _4518 = _4489.x;
                                        ResType _4520;
                                        _4520._m0 = _4518 + 2048u;
                                        _4520._m1 = select(uint(1), uint(0), _4520._m0 >= max(_4518, 2048u));
                                        uint _4521 = _4520._m1;
                                        uint _4522 = _4520._m0;
                                        uint _4525 = _4489.y;
                                        uint _4527 = _4525 + _4521;
                                        uint2 _4528 = uint2(_4522, _4527);
                                        x_at[_6294] = _4528;
                                        uint _4495 = _6294 + uint(1);
                                        _6294 = _4495;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _4114 = _6290 + 8u;
                                _6290 = _4114;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                    }
                    else
                    {
                        if (_1777)
                        {
                            uint _4596 = _1941 >> uint(1);
                            uint _4597 = _4596 & 1u;
                            uint _4599 = _1941 & 1u;
                            uint _4601 = _1941 >> uint(2);
                            uint _4602 = _4601 * 210u;
                            uint _4605 = _4601 * 1024u;
                            uint _4607 = _4597 * 512u;
                            uint _4608 = _4605 + _4607;
                            uint _4610 = _4599 * 64u;
                            uint _4611 = _4608 + _4610;
                            uint _6246;
                            _6246 = 0u;
                            for (;;)
                            {
                                bool _4946 = _6246 < 2u;
                                if (_4946)
                                {
                                    uint2 _4951 = at[_6246];
                                    uint _4980 = _4951.x;
                                    ResType _4982;
                                    _4982._m0 = _4980 + _4602;
                                    _4982._m1 = select(uint(1), uint(0), _4982._m0 >= max(_4980, _4602));
                                    uint _4983 = _4982._m1;
                                    uint _4984 = _4982._m0;
                                    uint _4987 = _4951.y;
                                    uint _4989 = _4987 + _4983;
                                    uint2 _4990 = uint2(_4984, _4989);
                                    at[_6246] = _4990;
                                    uint _4957 = _6246 + uint(1);
                                    _6246 = _4957;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6247;
                            _6247 = 0u;
                            for (;;)
                            {
                                bool _4962 = _6247 < TOKENS;
                                if (_4962)
                                {
                                    uint2 _4967 = x_at[_6247];
                                    uint _4996 = _4967.x;
                                    ResType _4998;
                                    _4998._m0 = _4996 + _4611;
                                    _4998._m1 = select(uint(1), uint(0), _4998._m0 >= max(_4996, _4611));
                                    uint _4999 = _4998._m1;
                                    uint _5000 = _4998._m0;
                                    uint _5003 = _4967.y;
                                    uint _5005 = _5003 + _4999;
                                    uint2 _5006 = uint2(_5000, _5005);
                                    x_at[_6247] = _5006;
                                    uint _4973 = _6247 + uint(1);
                                    _6247 = _4973;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6248;
                            _6248 = _1941;
                            for (;;)
                            {
                                uint _4618 = a.eights;
                                uint _4619 = _4618 / 8u;
                                bool _4620 = _6248 < _4619;
                                if (_4620)
                                {
                                    uint _4623 = at[0].x;
                                    uint _4624 = _4623 & 2u;
                                    uint _4625 = _4624 * 8u;
                                    bool _4627 = _4625 != 0u;
                                    uint _5011 = _4627 ? 65535u : 4294967295u;
                                    uint _4631 = _4627 ? 4u : 0u;
                                    uint _6249;
                                    _6249 = 0u;
                                    for (;;)
                                    {
                                        bool _4635 = _6249 < 2u;
                                        if (_4635)
                                        {
                                            uint _4639 = at[_6249].x;
                                            uint _4640 = _4639 & 4294967292u;
                                            uint _4643 = at[_6249].y;
                                            uint2 _4644 = uint2(_4640, _4643);
                                            uint _4646 = _4597 * 64u;
                                            uint _4648 = _4599 * 16u;
                                            uint _4649 = _4646 + _4648;
                                            ResType _5020;
                                            _5020._m0 = _4640 + _4649;
                                            _5020._m1 = select(uint(1), uint(0), _5020._m0 >= max(_4640, _4649));
                                            uint _5021 = _5020._m1;
                                            uint _5022 = _5020._m0;
                                            uint _5027 = _4643 + _5021;
                                            uint2 _5028 = uint2(_5022, _5027);
                                            uint _4653 = _4597 * 32u;
                                            uint _4654 = 128u + _4653;
                                            uint _4657 = _4654 + _4648;
                                            ResType _5036;
                                            _5036._m0 = _4640 + _4657;
                                            _5036._m1 = select(uint(1), uint(0), _5036._m0 >= max(_4640, _4657));
                                            uint _5037 = _5036._m1;
                                            uint _5038 = _5036._m0;
                                            uint _5043 = _4643 + _5037;
                                            uint2 _5044 = uint2(_5038, _5043);
                                            ResType _5052;
                                            _5052._m0 = _5022 + _4631;
                                            _5052._m1 = select(uint(1), uint(0), _5052._m0 >= max(_5022, _4631));
                                            uint _5053 = _5052._m1;
                                            uint _5054 = _5052._m0;
                                            uint _5059 = _5027 + _5053;
                                            uint2 _5060 = uint2(_5054, _5059);
                                            device Words* _4663 = reinterpret_cast<device Words*>(as_type<ulong>(_5060));
                                            ResType _5068;
                                            _5068._m0 = _5038 + _4631;
                                            _5068._m1 = select(uint(1), uint(0), _5068._m0 >= max(_5038, _4631));
                                            uint _5069 = _5068._m1;
                                            uint _5070 = _5068._m0;
                                            uint _5075 = _5043 + _5069;
                                            uint2 _5076 = uint2(_5070, _5075);
                                            device Words* _4667 = reinterpret_cast<device Words*>(as_type<ulong>(_5076));
                                            uint _6282;
                                            _6282 = 0u;
                                            for (;;)
                                            {
                                                bool _4671 = _6282 < 4u;
                                                if (_4671)
                                                {
                                                    uint _4674 = 8u * _6249;
                                                    uint _4676 = _4674 + _6282;
                                                    uint _4680 = _4663->v[_6282];
                                                    _4553[_4676] = _4680;
                                                    uint _4684 = _4674 + 4u;
                                                    uint _4686 = _4684 + _6282;
                                                    uint _4689 = 8u + _6282;
                                                    uint _4691 = _4663->v[_4689];
                                                    _4553[_4686] = _4691;
                                                    uint _4694 = 4u * _6249;
                                                    uint _4696 = _4694 + _6282;
                                                    uint _4700 = _4667->v[_6282];
                                                    _4554[_4696] = _4700;
                                                    uint _4704 = _6282 + uint(1);
                                                    _6282 = _4704;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _4707 = 8u * _6249;
                                            uint _4708 = _4707 + 3u;
                                            device Words* _4710 = reinterpret_cast<device Words*>(as_type<ulong>(_5028));
                                            uint _4716 = _4710->v[0];
                                            uint _4718 = _4553[_4708];
                                            uint _5082 = _4718 & _5011;
                                            uint _5086 = ~_5011;
                                            uint _5087 = _4716 & _5086;
                                            uint _5088 = _5082 | _5087;
                                            _4553[_4708] = _5088;
                                            uint _4723 = _4707 + 7u;
                                            uint _4731 = _4710->v[8];
                                            uint _4733 = _4553[_4723];
                                            uint _5094 = _4733 & _5011;
                                            uint _5099 = _4731 & _5086;
                                            uint _5100 = _5094 | _5099;
                                            _4553[_4723] = _5100;
                                            uint _4737 = 4u * _6249;
                                            uint _4738 = _4737 + 3u;
                                            device Words* _4740 = reinterpret_cast<device Words*>(as_type<ulong>(_5044));
                                            uint _4746 = _4740->v[0];
                                            uint _4748 = _4554[_4738];
                                            uint _5106 = _4748 & _5011;
                                            uint _5111 = _4746 & _5086;
                                            uint _5112 = _5106 | _5111;
                                            _4554[_4738] = _5112;
                                            uint _6284;
                                            _6284 = 0u;
                                            for (;;)
                                            {
                                                bool _4754 = _6284 < 4u;
                                                if (_4754)
                                                {
                                                    uint _4759 = _4737 + _6284;
                                                    uint _4761 = _4554[_4759];
                                                    uint _4762 = _4761 ^ 2863311530u;
                                                    _4554[_4759] = _4762;
                                                    uint _4766 = _6284 + uint(1);
                                                    _6284 = _4766;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _4769 = _4597 * 8u;
                                            uint _4770 = 192u + _4769;
                                            ResType _5120;
                                            _5120._m0 = _4640 + _4770;
                                            _5120._m1 = select(uint(1), uint(0), _5120._m0 >= max(_4640, _4770));
                                            uint _5121 = _5120._m1;
                                            uint _5122 = _5120._m0;
                                            uint _5127 = _4643 + _5121;
                                            uint2 _5128 = uint2(_5122, _5127);
                                            device Words* _4773 = reinterpret_cast<device Words*>(as_type<ulong>(_5128));
                                            uint _6285;
                                            _6285 = 0u;
                                            for (;;)
                                            {
                                                bool _4777 = _6285 < 2u;
                                                if (_4777)
                                                {
                                                    uint _4780 = 2u * _6249;
                                                    uint _4782 = _4780 + _6285;
                                                    uint _4786 = _4773->v[_6285];
                                                    uint _4788 = _4786 >> _4625;
                                                    uint _4791 = _6285 + 1u;
                                                    uint _4793 = _4773->v[_4791];
                                                    int _4795 = int(_4625);
                                                    uint _4796 = insert_bits(_4788, _4793, uint(16), uint(_4795));
                                                    uint _4798 = 8u * _4599;
                                                    uint _4799 = _4796 >> _4798;
                                                    _4569[_4782] = _4799;
                                                    uint _4803 = _6285 + uint(1);
                                                    _6285 = _4803;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            device Words* _4807 = reinterpret_cast<device Words*>(as_type<ulong>(_4644));
                                            uint _4809 = _4807->v[52];
                                            uint _4811 = _4809 >> _4625;
                                            float2 _4812 = float2(as_type<half2>(_4811));
                                            float _4813 = _4812.x;
                                            _4570[_6249] = _4813;
                                            uint _4817 = _6249 + uint(1);
                                            _6249 = _4817;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6250;
                                    _6250 = 0u;
                                    for (;;)
                                    {
                                        bool _4822 = _6250 < 4u;
                                        if (_4822)
                                        {
                                            uint _6257;
                                            _6257 = 0u;
                                            for (;;)
                                            {
                                                bool _5134 = _6257 < TILE;
                                                if (_5134)
                                                {
                                                    parts[_6257] = 0.0;
                                                    uint _5140 = _6257 + uint(1);
                                                    _6257 = _5140;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _6258;
                                            _6258 = 0u;
                                            for (;;)
                                            {
                                                bool _4828 = _6258 < 4u;
                                                if (_4828)
                                                {
                                                    uint _4831 = 32u * _6250;
                                                    uint _6265;
                                                    _6265 = 0u;
                                                    for (;;)
                                                    {
                                                        bool _5153 = _6265 < TOKENS;
                                                        if (_5153)
                                                        {
                                                            uint _5157 = x_at[_6265].x;
                                                            uint _5160 = _4627 ? 8u : 0u;
                                                            uint _5161 = _5157 | _5160;
                                                            uint _5164 = x_at[_6265].y;
                                                            uint2 _5165 = uint2(_5161, _5164);
                                                            device Pairs* _5167 = reinterpret_cast<device Pairs*>(as_type<ulong>(_5165));
                                                            uint _5169 = _4831 / 2u;
                                                            uint _5171 = 2u * _6258;
                                                            uint _5172 = _5169 + _5171;
                                                            float2 _5174 = _5167->v[_5172];
                                                            uint _5176 = 4u * _6258;
                                                            uint _5177 = _5176 + 4u;
                                                            bool _5179 = _5177 < 16u;
                                                            float2 _6281;
                                                            if (_5179)
                                                            {
                                                                uint _5188 = _5172 + 1u;
                                                                float2 _5190 = _5167->v[_5188];
                                                                _6281 = _5190;
                                                            }
                                                            else
                                                            {
                                                                uint _6667 = _4627 ? 0u : 56u;
                                                                uint2 _5202 = x_at[_6265];
                                                                uint _5243 = _5202.x;
                                                                ResType _5245;
                                                                _5245._m0 = _5243 + _6667;
                                                                _5245._m1 = select(uint(1), uint(0), _5245._m0 >= max(_5243, _6667));
                                                                uint _5246 = _5245._m1;
                                                                uint _5247 = _5245._m0;
                                                                uint _5250 = _5202.y;
                                                                uint _5252 = _5250 + _5246;
                                                                uint2 _5253 = uint2(_5247, _5252);
                                                                device Pairs* _5205 = reinterpret_cast<device Pairs*>(as_type<ulong>(_5253));
                                                                float2 _5209 = _5205->v[_5169];
                                                                _6281 = _5209;
                                                            }
                                                            uint _5212 = 4u * _6265;
                                                            float _5214 = _5174.x;
                                                            x[_5212] = _5214;
                                                            uint _5218 = _5212 + 1u;
                                                            float _5220 = _5174.y;
                                                            x[_5218] = _5220;
                                                            uint _5224 = _5212 + 2u;
                                                            x[_5224] = _6281.x;
                                                            uint _5230 = _5212 + 3u;
                                                            x[_5230] = _6281.y;
                                                            uint _5236 = _6265 + uint(1);
                                                            _6265 = _5236;
                                                            continue;
                                                        }
                                                        else
                                                        {
                                                            break;
                                                        }
                                                    }
                                                    uint _6266;
                                                    _6266 = 0u;
                                                    for (;;)
                                                    {
                                                        bool _4838 = _6266 < 2u;
                                                        if (_4838)
                                                        {
                                                            uint _4841 = 8u * _6266;
                                                            uint _4843 = _6250 % 2u;
                                                            uint _4844 = _4843 * 4u;
                                                            uint _4845 = _4841 + _4844;
                                                            uint _4847 = _4845 + _6258;
                                                            uint _4849 = _4553[_4847];
                                                            uint _4851 = 4u * _6266;
                                                            uint _4853 = _4851 + _6258;
                                                            uint _4855 = _4554[_4853];
                                                            bool _4857 = _6250 < 2u;
                                                            uint _6271;
                                                            if (_4857)
                                                            {
                                                                uint _4860 = _4849 & 252645135u;
                                                                _6271 = _4860;
                                                            }
                                                            else
                                                            {
                                                                uint _4863 = _4849 >> uint(4);
                                                                uint _4864 = _4863 & 252645135u;
                                                                _6271 = _4864;
                                                            }
                                                            uint _6273;
                                                            if (_4857)
                                                            {
                                                                uint _4872 = 2u * _6250;
                                                                uint _4873 = 4u - _4872;
                                                                uint _4874 = _4855 << _4873;
                                                                _6273 = _4874;
                                                            }
                                                            else
                                                            {
                                                                uint _4878 = 2u * _6250;
                                                                uint _4879 = _4878 - 4u;
                                                                uint _4880 = _4855 >> _4879;
                                                                _6273 = _4880;
                                                            }
                                                            uint _4885 = _6273 & 808464432u;
                                                            uint _4886 = _6271 | _4885;
                                                            int _5262 = int(_4886);
                                                            int _5266 = extract_bits(_5262, uint(0), uint(6));
                                                            float _5267 = float(_5266);
                                                            int _5272 = extract_bits(_5262, uint(8), uint(6));
                                                            float _5273 = float(_5272);
                                                            int _5278 = extract_bits(_5262, uint(16), uint(6));
                                                            float _5279 = float(_5278);
                                                            int _5284 = extract_bits(_5262, uint(24), uint(6));
                                                            float _5285 = float(_5284);
                                                            uint _6276;
                                                            _6276 = 0u;
                                                            for (;;)
                                                            {
                                                                bool _5294 = _6276 < TOKENS;
                                                                if (_5294)
                                                                {
                                                                    uint _5297 = _6266 * TOKENS;
                                                                    uint _5299 = _5297 + _6276;
                                                                    float _5301 = parts[_5299];
                                                                    uint _5304 = 4u * _6276;
                                                                    float _5306 = x[_5304];
                                                                    float _5308 = fma(_5267, _5306, _5301);
                                                                    uint _5312 = _5304 + 1u;
                                                                    float _5314 = x[_5312];
                                                                    float _5316 = fma(_5273, _5314, _5308);
                                                                    uint _5320 = _5304 + 2u;
                                                                    float _5322 = x[_5320];
                                                                    float _5324 = fma(_5279, _5322, _5316);
                                                                    uint _5332 = _5304 + 3u;
                                                                    float _5334 = x[_5332];
                                                                    float _5336 = fma(_5285, _5334, _5324);
                                                                    parts[_5299] = _5336;
                                                                    uint _5340 = _6276 + uint(1);
                                                                    _6276 = _5340;
                                                                    continue;
                                                                }
                                                                else
                                                                {
                                                                    break;
                                                                }
                                                            }
                                                            uint _4891 = _6266 + uint(1);
                                                            _6266 = _4891;
                                                            continue;
                                                        }
                                                        else
                                                        {
                                                            break;
                                                        }
                                                    }
                                                    uint _4895 = _6258 + uint(1);
                                                    _6258 = _4895;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _6259;
                                            _6259 = 0u;
                                            for (;;)
                                            {
                                                bool _4900 = _6259 < 2u;
                                                if (_4900)
                                                {
                                                    uint _4903 = 2u * _6259;
                                                    uint _4905 = _6250 / 2u;
                                                    uint _4906 = _4903 + _4905;
                                                    uint _4908 = _4569[_4906];
                                                    int _4909 = int(_4908);
                                                    uint _4911 = _6250 % 2u;
                                                    uint _4912 = _4911 * 16u;
                                                    int _4913 = int(_4912);
                                                    int _4914 = extract_bits(_4909, uint(_4913), uint(8));
                                                    float _4917 = _4570[_6259];
                                                    float _4919 = float(_4914);
                                                    float _4920 = _4917 * _4919;
                                                    uint _6263;
                                                    _6263 = 0u;
                                                    for (;;)
                                                    {
                                                        bool _5347 = _6263 < TOKENS;
                                                        if (_5347)
                                                        {
                                                            uint _5350 = _6259 * TOKENS;
                                                            uint _5352 = _5350 + _6263;
                                                            float _5359 = parts[_5352];
                                                            float _5365 = sums[_5352];
                                                            float _5366 = fma(_4920, _5359, _5365);
                                                            sums[_5352] = _5366;
                                                            uint _5370 = _6263 + uint(1);
                                                            _6263 = _5370;
                                                            continue;
                                                        }
                                                        else
                                                        {
                                                            break;
                                                        }
                                                    }
                                                    uint _4925 = _6259 + uint(1);
                                                    _6259 = _4925;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _4929 = _6250 + uint(1);
                                            _6250 = _4929;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6251;
                                    _6251 = 0u;
                                    for (;;)
                                    {
                                        bool _5382 = _6251 < 2u;
                                        if (_5382)
                                        {
                                            uint2 _5387 = at[_6251];
                                            uint _5416 = _5387.x;
                                            ResType _5418;
                                            _5418._m0 = _5416 + 420u;
                                            _5418._m1 = select(uint(1), uint(0), _5418._m0 >= max(_5416, 420u));
                                            uint _5419 = _5418._m1;
                                            uint _5420 = _5418._m0;
                                            uint _5423 = _5387.y;
                                            uint _5425 = _5423 + _5419;
                                            uint2 _5426 = uint2(_5420, _5425);
                                            at[_6251] = _5426;
                                            uint _5393 = _6251 + uint(1);
                                            _6251 = _5393;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6252;
                                    _6252 = 0u;
                                    for (;;)
                                    {
                                        bool _5398 = _6252 < TOKENS;
                                        if (_5398)
                                        {
                                            uint2 _5403 = x_at[_6252];
                                            uint _5432 = _5403.x;
                                            ResType _5434;
                                            _5434._m0 = _5432 + 2048u;
                                            _5434._m1 = select(uint(1), uint(0), _5434._m0 >= max(_5432, 2048u));
                                            uint _5435 = _5434._m1;
                                            uint _5436 = _5434._m0;
                                            uint _5439 = _5403.y;
                                            uint _5441 = _5439 + _5435;
                                            uint2 _5442 = uint2(_5436, _5441);
                                            x_at[_6252] = _5442;
                                            uint _5409 = _6252 + uint(1);
                                            _6252 = _5409;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _4934 = _6248 + 8u;
                                    _6248 = _4934;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                        }
                        else
                        {
                            uint _5477 = _1941 * bytes;
                            uint _5479 = _1941 * 32u;
                            uint _6218;
                            _6218 = 0u;
                            for (;;)
                            {
                                bool _5633 = _6218 < 2u;
                                if (_5633)
                                {
                                    uint2 _5638 = at[_6218];
                                    uint _5667 = _5638.x;
                                    ResType _5669;
                                    _5669._m0 = _5667 + _5477;
                                    _5669._m1 = select(uint(1), uint(0), _5669._m0 >= max(_5667, _5477));
                                    uint _5670 = _5669._m1;
                                    uint _5671 = _5669._m0;
                                    uint _5674 = _5638.y;
                                    uint _5676 = _5674 + _5670;
                                    uint2 _5677 = uint2(_5671, _5676);
                                    at[_6218] = _5677;
                                    uint _5644 = _6218 + uint(1);
                                    _6218 = _5644;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6219;
                            _6219 = 0u;
                            for (;;)
                            {
                                bool _5649 = _6219 < TOKENS;
                                if (_5649)
                                {
                                    uint2 _5654 = x_at[_6219];
                                    uint _5683 = _5654.x;
                                    ResType _5685;
                                    _5685._m0 = _5683 + _5479;
                                    _5685._m1 = select(uint(1), uint(0), _5685._m0 >= max(_5683, _5479));
                                    uint _5686 = _5685._m1;
                                    uint _5687 = _5685._m0;
                                    uint _5690 = _5654.y;
                                    uint _5692 = _5690 + _5686;
                                    uint2 _5693 = uint2(_5687, _5692);
                                    x_at[_6219] = _5693;
                                    uint _5660 = _6219 + uint(1);
                                    _6219 = _5660;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                            uint _6220;
                            _6220 = _1941;
                            for (;;)
                            {
                                uint _5486 = a.eights;
                                bool _5487 = _6220 < _5486;
                                if (_5487)
                                {
                                    uint _6221;
                                    _6221 = 0u;
                                    for (;;)
                                    {
                                        bool _5492 = _6221 < TILE;
                                        if (_5492)
                                        {
                                            float _5497 = sums[_6221];
                                            parts[_6221] = _5497;
                                            uint _5501 = _6221 + uint(1);
                                            _6221 = _5501;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    if (_1600)
                                    {
                                        uint _6222;
                                        _6222 = 0u;
                                        for (;;)
                                        {
                                            bool _5507 = _6222 < 2u;
                                            if (_5507)
                                            {
                                                uint2 _5512 = at[_6222];
                                                device Quads* _5513 = reinterpret_cast<device Quads*>(as_type<ulong>(_5512));
                                                uint4 _5515 = _5513->v[0];
                                                _5448[_6222] = _5515;
                                                uint _5519 = _6222 + uint(1);
                                                _6222 = _5519;
                                                continue;
                                            }
                                            else
                                            {
                                                break;
                                            }
                                        }
                                    }
                                    uint _6223;
                                    _6223 = 0u;
                                    for (;;)
                                    {
                                        bool _5525 = _6223 < 2u;
                                        if (_5525)
                                        {
                                            uint _6234;
                                            _6234 = 0u;
                                            for (;;)
                                            {
                                                bool _5700 = _6234 < TOKENS;
                                                if (_5700)
                                                {
                                                    uint2 _5704 = x_at[_6234];
                                                    device Fours* _5705 = reinterpret_cast<device Fours*>(as_type<ulong>(_5704));
                                                    float4 _5708 = _5705->v[_6223];
                                                    uint _5710 = 4u * _6234;
                                                    float _5712 = _5708.x;
                                                    x[_5710] = _5712;
                                                    uint _5716 = _5710 + 1u;
                                                    float _5718 = _5708.y;
                                                    x[_5716] = _5718;
                                                    uint _5722 = _5710 + 2u;
                                                    float _5724 = _5708.z;
                                                    x[_5722] = _5724;
                                                    uint _5728 = _5710 + 3u;
                                                    float _5730 = _5708.w;
                                                    x[_5728] = _5730;
                                                    uint _5734 = _6234 + uint(1);
                                                    _6234 = _5734;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _6235;
                                            _6235 = 0u;
                                            for (;;)
                                            {
                                                bool _5532 = _6235 < 2u;
                                                if (_5532)
                                                {
                                                    if (_1643)
                                                    {
                                                        uint2 _5537 = at[_6235];
                                                        device Fours* _5538 = reinterpret_cast<device Fours*>(as_type<ulong>(_5537));
                                                        float4 _5541 = _5538->v[_6223];
                                                        float _5544 = _5541.x;
                                                        float _5546 = _5541.y;
                                                        float _5548 = _5541.z;
                                                        float _5550 = _5541.w;
                                                        uint _6240;
                                                        _6240 = 0u;
                                                        for (;;)
                                                        {
                                                            bool _5742 = _6240 < TOKENS;
                                                            if (_5742)
                                                            {
                                                                uint _5745 = _6235 * TOKENS;
                                                                uint _5747 = _5745 + _6240;
                                                                float _5749 = parts[_5747];
                                                                uint _5752 = 4u * _6240;
                                                                float _5754 = x[_5752];
                                                                float _5756 = fma(_5544, _5754, _5749);
                                                                uint _5760 = _5752 + 1u;
                                                                float _5762 = x[_5760];
                                                                float _5764 = fma(_5546, _5762, _5756);
                                                                uint _5768 = _5752 + 2u;
                                                                float _5770 = x[_5768];
                                                                float _5772 = fma(_5548, _5770, _5764);
                                                                uint _5780 = _5752 + 3u;
                                                                float _5782 = x[_5780];
                                                                float _5784 = fma(_5550, _5782, _5772);
                                                                parts[_5747] = _5784;
                                                                uint _5788 = _6240 + uint(1);
                                                                _6240 = _5788;
                                                                continue;
                                                            }
                                                            else
                                                            {
                                                                break;
                                                            }
                                                        }
                                                    }
                                                    else
                                                    {
                                                        uint _5555 = 2u * _6223;
                                                        uint _5557 = _5448[_6235][_5555];
                                                        uint _5561 = _5555 + 1u;
                                                        uint _5563 = _5448[_6235][_5561];
                                                        if (_1683)
                                                        {
                                                            float2 _5566 = float2(as_type<half2>(_5557));
                                                            float2 _5568 = float2(as_type<half2>(_5563));
                                                            float _5571 = _5566.x;
                                                            float _5573 = _5566.y;
                                                            float _5575 = _5568.x;
                                                            float _5577 = _5568.y;
                                                            uint _6239;
                                                            _6239 = 0u;
                                                            for (;;)
                                                            {
                                                                bool _5796 = _6239 < TOKENS;
                                                                if (_5796)
                                                                {
                                                                    uint _5799 = _6235 * TOKENS;
                                                                    uint _5801 = _5799 + _6239;
                                                                    float _5803 = parts[_5801];
                                                                    uint _5806 = 4u * _6239;
                                                                    float _5808 = x[_5806];
                                                                    float _5810 = fma(_5571, _5808, _5803);
                                                                    uint _5814 = _5806 + 1u;
                                                                    float _5816 = x[_5814];
                                                                    float _5818 = fma(_5573, _5816, _5810);
                                                                    uint _5822 = _5806 + 2u;
                                                                    float _5824 = x[_5822];
                                                                    float _5826 = fma(_5575, _5824, _5818);
                                                                    uint _5834 = _5806 + 3u;
                                                                    float _5836 = x[_5834];
                                                                    float _5838 = fma(_5577, _5836, _5826);
                                                                    parts[_5801] = _5838;
                                                                    uint _5842 = _6239 + uint(1);
                                                                    _6239 = _5842;
                                                                    continue;
                                                                }
                                                                else
                                                                {
                                                                    break;
                                                                }
                                                            }
                                                        }
                                                        else
                                                        {
                                                            uint _5581 = _5557 << uint(16);
                                                            float _5582 = as_type<float>(_5581);
                                                            uint _5584 = _5557 & 4294901760u;
                                                            float _5585 = as_type<float>(_5584);
                                                            uint _5587 = _5563 << uint(16);
                                                            float _5588 = as_type<float>(_5587);
                                                            uint _5590 = _5563 & 4294901760u;
                                                            float _5591 = as_type<float>(_5590);
                                                            uint _6238;
                                                            _6238 = 0u;
                                                            for (;;)
                                                            {
                                                                bool _5850 = _6238 < TOKENS;
                                                                if (_5850)
                                                                {
                                                                    uint _5853 = _6235 * TOKENS;
                                                                    uint _5855 = _5853 + _6238;
                                                                    float _5857 = parts[_5855];
                                                                    uint _5860 = 4u * _6238;
                                                                    float _5862 = x[_5860];
                                                                    float _5864 = fma(_5582, _5862, _5857);
                                                                    uint _5868 = _5860 + 1u;
                                                                    float _5870 = x[_5868];
                                                                    float _5872 = fma(_5585, _5870, _5864);
                                                                    uint _5876 = _5860 + 2u;
                                                                    float _5878 = x[_5876];
                                                                    float _5880 = fma(_5588, _5878, _5872);
                                                                    uint _5888 = _5860 + 3u;
                                                                    float _5890 = x[_5888];
                                                                    float _5892 = fma(_5591, _5890, _5880);
                                                                    parts[_5855] = _5892;
                                                                    uint _5896 = _6238 + uint(1);
                                                                    _6238 = _5896;
                                                                    continue;
                                                                }
                                                                else
                                                                {
                                                                    break;
                                                                }
                                                            }
                                                        }
                                                    }
                                                    uint _5598 = _6235 + uint(1);
                                                    _6235 = _5598;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            uint _5602 = _6223 + uint(1);
                                            _6223 = _5602;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6224;
                                    _6224 = 0u;
                                    for (;;)
                                    {
                                        bool _5607 = _6224 < TILE;
                                        if (_5607)
                                        {
                                            float _5612 = parts[_6224];
                                            sums[_6224] = _5612;
                                            uint _5616 = _6224 + uint(1);
                                            _6224 = _5616;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6225;
                                    _6225 = 0u;
                                    for (;;)
                                    {
                                        bool _5908 = _6225 < 2u;
                                        if (_5908)
                                        {
                                            uint2 _5913 = at[_6225];
                                            uint _5942 = _5913.x;
                                            ResType _5944;
                                            _5944._m0 = _5942 + _1747;
                                            _5944._m1 = select(uint(1), uint(0), _5944._m0 >= max(_5942, _1747));
                                            uint _5945 = _5944._m1;
                                            uint _5946 = _5944._m0;
                                            uint _5949 = _5913.y;
                                            uint _5951 = _5949 + _5945;
                                            uint2 _5952 = uint2(_5946, _5951);
                                            at[_6225] = _5952;
                                            uint _5919 = _6225 + uint(1);
                                            _6225 = _5919;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _6226;
                                    _6226 = 0u;
                                    for (;;)
                                    {
                                        bool _5924 = _6226 < TOKENS;
                                        if (_5924)
                                        {
                                            uint2 _5929 = x_at[_6226];
                                            uint _5958 = _5929.x;
                                            ResType _5960;
                                            _5960._m0 = _5958 + 256u;
                                            _5960._m1 = select(uint(1), uint(0), _5960._m0 >= max(_5958, 256u));
                                            uint _5961 = _5960._m1;
                                            uint _5962 = _5960._m0;
                                            uint _5965 = _5929.y;
                                            uint _5967 = _5965 + _5961;
                                            uint2 _5968 = uint2(_5962, _5967);
                                            x_at[_6226] = _5968;
                                            uint _5935 = _6226 + uint(1);
                                            _6226 = _5935;
                                            continue;
                                        }
                                        else
                                        {
                                            break;
                                        }
                                    }
                                    uint _5621 = _6220 + 8u;
                                    _6220 = _5621;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                        }
                    }
                }
            }
            uint _6380;
            _6380 = 0u;
            for (;;)
            {
                bool _1951 = _6380 < TILE;
                if (_1951)
                {
                    uint _1957 = _6380 * 64u;
                    uint _1959 = _1957 + _1847;
                    float _1962 = sums[_6380];
                    parts_of_all[_1959] = _1962;
                    uint _1966 = _6380 + uint(1);
                    _6380 = _1966;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _6381;
            _6381 = _1847;
            for (;;)
            {
                bool _1977 = _6381 < _1976;
                if (_1977)
                {
                    uint _1981 = _6381 % 16u;
                    uint _1982 = _6214 + _1981;
                    uint _1986 = _6381 / 16u;
                    uint _1987 = _1852 + _1986;
                    bool _1991 = _1982 < _1864;
                    bool _1998;
                    if (_1991)
                    {
                        uint _1996 = a.tokens;
                        bool _1997 = _1987 < _1996;
                        _1998 = _1997;
                    }
                    else
                    {
                        _1998 = _1991;
                    }
                    if (_1998)
                    {
                        uint _2003 = _6381 / 8u;
                        uint _2004 = _2003 % 2u;
                        uint _2005 = _2004 * TOKENS;
                        uint _2008 = _2005 + _1986;
                        uint _2009 = _2008 * 64u;
                        uint _2011 = _6381 % 8u;
                        uint _2012 = _2011 * 8u;
                        uint _2013 = _2009 + _2012;
                        float _2017 = parts_of_all[_2013];
                        uint _6481;
                        float _6482;
                        _6482 = _2017;
                        _6481 = 1u;
                        for (;;)
                        {
                            bool _2025 = _6481 < 8u;
                            if (_2025)
                            {
                                uint _2028 = _2013 + _6481;
                                float _2030 = parts_of_all[_2028];
                                float _2032 = _6482 + _2030;
                                uint _2034 = _6481 + uint(1);
                                _6482 = _2032;
                                _6481 = _2034;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _5974 = a.y_stride;
                        uint _5975 = _1987 * _5974;
                        uint _5977 = _5975 + _1982;
                        float _5980 = a.scale;
                        float _5981 = _6482 * _5980;
                        uint _5983 = a.adds;
                        bool _5984 = _5983 != 0u;
                        float _6483;
                        if (_5984)
                        {
                            uint2 _5987 = a.y;
                            device Floats* _5988 = reinterpret_cast<device Floats*>(as_type<ulong>(_5987));
                            float _5991 = _5988->v[_5977];
                            float _5993 = fma(_6482, _5980, _5991);
                            _6483 = _5993;
                        }
                        else
                        {
                            _6483 = _5981;
                        }
                        float _5996 = a.cap;
                        bool _5997 = _5996 > 0.0;
                        float _6484;
                        if (_5997)
                        {
                            float _6004 = _6483 / _5996;
                            float _6005 = precise::tanh(_6004);
                            float _6006 = _5996 * _6005;
                            _6484 = _6006;
                        }
                        else
                        {
                            _6484 = _6483;
                        }
                        uint2 _6009 = a.y;
                        device Floats* _6010 = reinterpret_cast<device Floats*>(as_type<ulong>(_6009));
                        _6010->v[_5977] = _6484;
                    }
                    uint _2043 = _6381 + 64u;
                    _6381 = _2043;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _2046 = gl_NumWorkGroups.x;
            uint _2047 = _2046 * 16u;
            uint _2049 = _6214 + _2047;
            _6214 = _2049;
            continue;
        }
        else
        {
            break;
        }
    }
}

