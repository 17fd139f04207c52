#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 wanted;
    uint width;
    uint x_stride;
    uint wanted_stride;
    float least;
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
    uint _94 = gl_LocalInvocationID.x;
    uint _98 = gl_WorkGroupID.y;
    uint _106 = a.x_stride;
    uint _107 = _98 * _106;
    uint _113 = a.wanted_stride;
    uint _114 = _98 * _113;
    uint2 _123 = a.x;
    device Floats* _124 = reinterpret_cast<device Floats*>(as_type<ulong>(_123));
    uint2 _127 = a.wanted;
    device Floats* _128 = reinterpret_cast<device Floats*>(as_type<ulong>(_127));
    uint _354;
    float _355;
    float _360;
    _360 = 0.0;
    _355 = 0.0;
    _354 = _94;
    uint _142;
    for (;;)
    {
        _142 = a.width;
        bool _143 = _354 < _142;
        if (_143)
        {
            uint _147 = _107 + _354;
            float _150 = _124->v[_147];
            float _156 = _124->v[_147];
            float _159 = fma(_150, _156, _355);
            uint _163 = _114 + _354;
            float _165 = _128->v[_163];
            float _171 = _128->v[_163];
            float _174 = fma(_165, _171, _360);
            uint _176 = _354 + 64u;
            _360 = _174;
            _355 = _159;
            _354 = _176;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _253;
    bool _254;
    float _358;
    do
    {
        float _252 = simd_sum(_355);
        _253 = gl_NumSubgroups;
        _254 = _253 == 1u;
        if (_254)
        {
            _358 = _252;
            break;
        }
        uint _286 = turn;
        uint _288 = turn ^ 64u;
        turn = _288;
        bool _289 = simd_is_first();
        if (_289)
        {
            uint _293 = _286 + gl_SubgroupID;
            parts[_293] = _252;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float _262 = parts[_286];
        uint _356;
        float _357;
        _357 = _262;
        _356 = 1u;
        for (;;)
        {
            bool _267 = _356 < _253;
            if (_267)
            {
                uint _271 = _286 + _356;
                float _273 = parts[_271];
                float _275 = _357 + _273;
                uint _278 = _356 + uint(1);
                _357 = _275;
                _356 = _278;
                continue;
            }
            else
            {
                break;
            }
        }
        _358 = _357;
        break;
    } while(false);
    float _183 = float(_142);
    float _184 = _358 / _183;
    float _365;
    do
    {
        float _308 = simd_sum(_360);
        if (_254)
        {
            _365 = _308;
            break;
        }
        uint _342 = turn;
        uint _344 = turn ^ 64u;
        turn = _344;
        bool _345 = simd_is_first();
        if (_345)
        {
            uint _349 = _342 + gl_SubgroupID;
            parts[_349] = _308;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float _318 = parts[_342];
        uint _363;
        float _364;
        _364 = _318;
        _363 = 1u;
        for (;;)
        {
            bool _323 = _363 < _253;
            if (_323)
            {
                uint _327 = _342 + _363;
                float _329 = parts[_327];
                float _331 = _364 + _329;
                uint _334 = _363 + uint(1);
                _364 = _331;
                _363 = _334;
                continue;
            }
            else
            {
                break;
            }
        }
        _365 = _364;
        break;
    } while(false);
    float _192 = _365 / _183;
    float _199 = a.least;
    bool _200 = _184 < _199;
    float _366;
    if (_200)
    {
        _366 = _199;
    }
    else
    {
        _366 = _184;
    }
    float _209 = _192 / _366;
    float _210 = sqrt(_209);
    uint _367;
    _367 = _94;
    for (;;)
    {
        bool _221 = _367 < _142;
        if (_221)
        {
            uint _225 = _107 + _367;
            float _228 = _124->v[_225];
            float _229 = _228 * _210;
            _124->v[_225] = _229;
            uint _232 = _367 + 64u;
            _367 = _232;
            continue;
        }
        else
        {
            break;
        }
    }
}

