#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 gain;
    uint2 y;
    uint width;
    uint x_stride;
    uint y_stride;
    uint adds;
    float epsilon;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint gl_SubgroupID [[simdgroup_index_in_threadgroup]], uint gl_NumSubgroups [[simdgroups_per_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[128];
    uint turn = 0u;
    uint _108 = gl_LocalInvocationID.x;
    uint _112 = gl_WorkGroupID.y;
    uint _119 = a.x_stride;
    uint _120 = _112 * _119;
    uint _122 = gl_WorkGroupID.x;
    uint _125 = a.width;
    uint _126 = _122 * _125;
    uint _127 = _120 + _126;
    uint _133 = a.y_stride;
    uint _134 = _112 * _133;
    uint _140 = _134 + _126;
    uint2 _149 = a.x;
    device Floats* _150 = reinterpret_cast<device Floats*>(as_type<ulong>(_149));
    uint2 _154 = a.y;
    device Floats* _155 = reinterpret_cast<device Floats*>(as_type<ulong>(_154));
    uint2 _160 = a.gain;
    uint _287 = _160.x;
    uint _289 = _160.y;
    uint _290 = _287 | _289;
    bool _291 = _290 == 0u;
    bool _162 = !_291;
    bool _166 = !_162;
    bool _173;
    if (_166)
    {
        uint _171 = a.adds;
        bool _172 = _171 == 0u;
        _173 = _172;
    }
    else
    {
        _173 = _162;
    }
    float _357;
    if (_173)
    {
        uint _350;
        float _351;
        _351 = 0.0;
        _350 = _108;
        for (;;)
        {
            bool _188 = _350 < _125;
            if (_188)
            {
                uint _192 = _127 + _350;
                float _195 = _150->v[_192];
                float _201 = _150->v[_192];
                float _204 = fma(_195, _201, _351);
                uint _206 = _350 + 64u;
                _351 = _204;
                _350 = _206;
                continue;
            }
            else
            {
                break;
            }
        }
        float _354;
        do
        {
            float _302 = simd_sum(_351);
            bool _304 = gl_NumSubgroups == 1u;
            if (_304)
            {
                _354 = _302;
                break;
            }
            uint _336 = turn;
            uint _338 = turn ^ 64u;
            turn = _338;
            bool _339 = simd_is_first();
            if (_339)
            {
                uint _343 = _336 + gl_SubgroupID;
                parts[_343] = _302;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _312 = parts[_336];
            uint _352;
            float _353;
            _353 = _312;
            _352 = 1u;
            for (;;)
            {
                bool _317 = _352 < gl_NumSubgroups;
                if (_317)
                {
                    uint _321 = _336 + _352;
                    float _323 = parts[_321];
                    float _325 = _353 + _323;
                    uint _328 = _352 + uint(1);
                    _353 = _325;
                    _352 = _328;
                    continue;
                }
                else
                {
                    break;
                }
            }
            _354 = _353;
            break;
        } while(false);
        float _212 = float(_125);
        float _213 = _354 / _212;
        float _217 = a.epsilon;
        float _218 = _213 + _217;
        float _219 = sqrt(_218);
        float _220 = 1.0 / _219;
        _357 = _220;
    }
    else
    {
        _357 = 1.0;
    }
    uint _355;
    _355 = _108;
    for (;;)
    {
        bool _231 = _355 < _125;
        if (_231)
        {
            uint _236 = _127 + _355;
            float _238 = _150->v[_236];
            float _240 = _238 * _357;
            float _360;
            if (_162)
            {
                device Floats* _246 = reinterpret_cast<device Floats*>(as_type<ulong>(_160));
                float _249 = _246->v[_355];
                float _251 = _240 * _249;
                _360 = _251;
            }
            else
            {
                _360 = _240;
            }
            uint _255 = _140 + _355;
            uint _257 = a.adds;
            bool _258 = _257 != 0u;
            float _361;
            if (_258)
            {
                float _267 = _155->v[_255];
                float _269 = _267 + _360;
                _361 = _269;
            }
            else
            {
                _361 = _360;
            }
            _155->v[_255] = _361;
            uint _275 = _355 + 64u;
            _355 = _275;
            continue;
        }
        else
        {
            break;
        }
    }
}

