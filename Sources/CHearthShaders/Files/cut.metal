#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint width;
    uint stride;
    float deviations;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[64];
    uint _69 = gl_LocalInvocationID.x;
    uint _74 = gl_WorkGroupID.y;
    uint _82 = a.stride;
    uint _83 = _74 * _82;
    uint2 _91 = a.x;
    device Floats* _92 = reinterpret_cast<device Floats*>(as_type<ulong>(_91));
    uint _275;
    float _276;
    _276 = 0.0;
    _275 = _69;
    uint _105;
    for (;;)
    {
        _105 = a.width;
        bool _106 = _275 < _105;
        if (_106)
        {
            uint _110 = _83 + _275;
            float _113 = _92->v[_110];
            float _115 = _276 + _113;
            uint _117 = _275 + 64u;
            _276 = _115;
            _275 = _117;
            continue;
        }
        else
        {
            break;
        }
    }
    parts[_69] = _276;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _277;
    _277 = 32u;
    for (;;)
    {
        bool _214 = _277 > 0u;
        if (_214)
        {
            bool _218 = _69 < _277;
            if (_218)
            {
                uint _223 = _69 + _277;
                float _225 = parts[_223];
                float _227 = parts[_69];
                float _228 = _227 + _225;
                parts[_69] = _228;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _233 = _277 / 2u;
            _277 = _233;
            continue;
        }
        else
        {
            break;
        }
    }
    float _236 = parts[0];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _124 = float(_105);
    float _125 = _236 / _124;
    uint _278;
    float _279;
    _279 = 0.0;
    _278 = _69;
    for (;;)
    {
        bool _136 = _278 < _105;
        if (_136)
        {
            uint _141 = _83 + _278;
            float _143 = _92->v[_141];
            float _145 = _143 - _125;
            float _150 = fma(_145, _145, _279);
            uint _152 = _278 + 64u;
            _279 = _150;
            _278 = _152;
            continue;
        }
        else
        {
            break;
        }
    }
    float _158 = a.deviations;
    parts[_69] = _279;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _280;
    _280 = 32u;
    for (;;)
    {
        bool _251 = _280 > 0u;
        if (_251)
        {
            bool _255 = _69 < _280;
            if (_255)
            {
                uint _260 = _69 + _280;
                float _262 = parts[_260];
                float _264 = parts[_69];
                float _265 = _264 + _262;
                parts[_69] = _265;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _270 = _280 / 2u;
            _280 = _270;
            continue;
        }
        else
        {
            break;
        }
    }
    float _273 = parts[0];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _165 = _273 / _124;
    float _166 = sqrt(_165);
    float _168 = fma(_158, _166, _125);
    uint _281;
    _281 = _69;
    for (;;)
    {
        bool _179 = _281 < _105;
        if (_179)
        {
            uint _184 = _83 + _281;
            float _186 = _92->v[_184];
            float _188 = _186 - _168;
            bool _194 = 0.0 > _188;
            float _196 = _194 ? 0.0 : _188;
            _92->v[_184] = _196;
            uint _199 = _281 + 64u;
            _281 = _199;
            continue;
        }
        else
        {
            break;
        }
    }
}

