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
struct Floats;

constant bool HALF_tmp [[function_constant(0)]];
constant bool HALF = is_function_constant_defined(HALF_tmp) ? HALF_tmp : true;

struct Words
{
    uint v[1];
};

struct Floats
{
    float v[1];
};

struct Arguments
{
    uint2 queries;
    uint2 keys;
    uint2 values;
    uint2 y;
    uint heads;
    uint cache_heads;
    uint width;
    uint stride;
    uint y_stride;
    uint position;
    uint window;
    float scale;
    float cap;
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float query[512];
    threadgroup float weights[64];
    uint _70 = gl_LocalInvocationID.x;
    uint _74 = gl_WorkGroupID.x;
    uint _82 = a.position;
    uint _84 = gl_WorkGroupID.y;
    uint _85 = _82 + _84;
    uint _89 = a.window;
    bool _90 = _89 != 0u;
    bool _98;
    if (_90)
    {
        uint _94 = _85 + 1u;
        bool _97 = _94 > _89;
        _98 = _97;
    }
    else
    {
        _98 = _90;
    }
    uint _526;
    if (_98)
    {
        uint _103 = _85 + 1u;
        uint _106 = _103 - _89;
        _526 = _106;
    }
    else
    {
        _526 = 0u;
    }
    uint _112 = a.cache_heads;
    uint _115 = a.width;
    uint _116 = _112 * _115;
    uint _121 = a.heads;
    uint _124 = _121 / _112;
    uint _125 = _74 / _124;
    uint _128 = _125 * _115;
    uint _134 = a.stride;
    uint _135 = _84 * _134;
    uint _139 = _74 * _115;
    uint _140 = _135 + _139;
    uint _527;
    _527 = _70;
    for (;;)
    {
        bool _151 = _527 < _115;
        if (_151)
        {
            uint2 _159 = a.queries;
            device Floats* _160 = reinterpret_cast<device Floats*>(as_type<ulong>(_159));
            uint _163 = _140 + _527;
            float _165 = _160->v[_163];
            query[_527] = _165;
            uint _170 = _527 + 64u;
            _527 = _170;
            continue;
        }
        else
        {
            break;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _528;
    _528 = 0u;
    spvUnsafeArray<float, 8> sums;
    for (;;)
    {
        bool _181 = _528 < 8u;
        if (_181)
        {
            sums[_528] = 0.0;
            uint _189 = _528 + uint(1);
            _528 = _189;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _529;
    float _532;
    float _538;
    _538 = -3.0000000054977557577780399428115e+38;
    _532 = 0.0;
    _529 = _526;
    float _543;
    float _573;
    for (;;)
    {
        bool _202 = _529 <= _85;
        if (_202)
        {
            uint _205 = _85 + 1u;
            uint _207 = _205 - _529;
            uint _208 = min(64u, _207);
            bool _212 = _70 < _208;
            float _535;
            if (_212)
            {
                uint _218 = _529 + _70;
                uint _220 = _218 * _116;
                uint _222 = _220 + _128;
                uint _533;
                float _534;
                _534 = 0.0;
                _533 = 0u;
                float _247;
                for (;;)
                {
                    bool _233 = _533 < _115;
                    if (_233)
                    {
                        float _236 = query[_533];
                        uint _239 = _222 + _533;
                        uint2 _242 = a.keys;
                        float _575;
                        do
                        {
                            if (HALF)
                            {
                                device Words* _463 = reinterpret_cast<device Words*>(as_type<ulong>(_242));
                                uint _465 = _239 >> uint(1);
                                uint _467 = _463->v[_465];
                                float2 _468 = float2(as_type<half2>(_467));
                                uint _470 = _239 & 1u;
                                bool _471 = _470 == 0u;
                                float _574;
                                if (_471)
                                {
                                    float _474 = _468.x;
                                    _574 = _474;
                                }
                                else
                                {
                                    float _477 = _468.y;
                                    _574 = _477;
                                }
                                _575 = _574;
                                break;
                            }
                            device Floats* _482 = reinterpret_cast<device Floats*>(as_type<ulong>(_242));
                            float _485 = _482->v[_239];
                            _575 = _485;
                            break;
                        } while(false);
                        _247 = fma(_236, _575, _534);
                        uint _249 = _533 + uint(1);
                        _534 = _247;
                        _533 = _249;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                float _254 = a.scale;
                float _255 = _534 * _254;
                float _258 = a.cap;
                bool _259 = _258 > 0.0;
                float _536;
                if (_259)
                {
                    float _267 = _255 / _258;
                    float _268 = precise::tanh(_267);
                    float _269 = _258 * _268;
                    _536 = _269;
                }
                else
                {
                    _536 = _255;
                }
                _535 = _536;
            }
            else
            {
                _535 = -3.0000000054977557577780399428115e+38;
            }
            weights[_70] = _535;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _541;
            _543 = _538;
            _541 = 0u;
            for (;;)
            {
                bool _286 = _541 < _208;
                if (_286)
                {
                    float _290 = weights[_541];
                    float _291 = fast::max(_543, _290);
                    uint _293 = _541 + uint(1);
                    _543 = _291;
                    _541 = _293;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _544;
            if (_212)
            {
                float _304 = exp(_535 - _543);
                _544 = _304;
            }
            else
            {
                _544 = 0.0;
            }
            weights[_70] = _544;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _312 = exp(_538 - _543);
            float _316 = _532 * _312;
            uint _553;
            _573 = _316;
            _553 = 0u;
            for (;;)
            {
                bool _325 = _553 < _208;
                if (_325)
                {
                    float _328 = weights[_553];
                    float _330 = _573 + _328;
                    uint _332 = _553 + uint(1);
                    _573 = _330;
                    _553 = _332;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _554;
            _554 = 0u;
            for (;;)
            {
                bool _340 = _554 < 8u;
                if (_340)
                {
                    uint _343 = _554 * 64u;
                    uint _345 = _343 + _70;
                    bool _349 = _345 >= _115;
                    if (_349)
                    {
                        break;
                    }
                    float _356 = sums[_554];
                    float _358 = _356 * _312;
                    uint _555;
                    float _557;
                    _557 = _358;
                    _555 = 0u;
                    float _388;
                    for (;;)
                    {
                        bool _367 = _555 < _208;
                        if (_367)
                        {
                            float _370 = weights[_555];
                            uint _376 = (_529 + _555) * _116;
                            uint _378 = _376 + _128;
                            uint _380 = _378 + _345;
                            uint2 _383 = a.values;
                            float _567;
                            do
                            {
                                if (HALF)
                                {
                                    device Words* _497 = reinterpret_cast<device Words*>(as_type<ulong>(_383));
                                    uint _499 = _380 >> uint(1);
                                    uint _501 = _497->v[_499];
                                    float2 _502 = float2(as_type<half2>(_501));
                                    uint _504 = _380 & 1u;
                                    bool _505 = _504 == 0u;
                                    float _566;
                                    if (_505)
                                    {
                                        float _508 = _502.x;
                                        _566 = _508;
                                    }
                                    else
                                    {
                                        float _511 = _502.y;
                                        _566 = _511;
                                    }
                                    _567 = _566;
                                    break;
                                }
                                device Floats* _516 = reinterpret_cast<device Floats*>(as_type<ulong>(_383));
                                float _519 = _516->v[_380];
                                _567 = _519;
                                break;
                            } while(false);
                            _388 = fma(_370, _567, _557);
                            uint _390 = _555 + uint(1);
                            _557 = _388;
                            _555 = _390;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    sums[_554] = _557;
                    uint _395 = _554 + uint(1);
                    _554 = _395;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _397 = _529 + 64u;
            _538 = _543;
            _532 = _573;
            _529 = _397;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _403 = a.y_stride;
    uint _404 = _84 * _403;
    uint _409 = _404 + _139;
    uint _530;
    _530 = 0u;
    for (;;)
    {
        bool _417 = _530 < 8u;
        if (_417)
        {
            uint _420 = _530 * 64u;
            uint _422 = _420 + _70;
            bool _426 = _422 >= _115;
            if (_426)
            {
                break;
            }
            uint2 _432 = a.y;
            device Floats* _433 = reinterpret_cast<device Floats*>(as_type<ulong>(_432));
            uint _436 = _409 + _422;
            float _439 = sums[_530];
            float _441 = _439 / _532;
            _433->v[_436] = _441;
            uint _444 = _530 + uint(1);
            _530 = _444;
            continue;
        }
        else
        {
            break;
        }
    }
}

