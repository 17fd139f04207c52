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

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[64];
    uint _69 = gl_LocalInvocationID.x;
    uint _74 = gl_WorkGroupID.y;
    uint _82 = a.x_stride;
    uint _83 = _74 * _82;
    uint _89 = a.wanted_stride;
    uint _90 = _74 * _89;
    uint2 _98 = a.x;
    device Floats* _99 = reinterpret_cast<device Floats*>(as_type<ulong>(_98));
    uint2 _103 = a.wanted;
    device Floats* _104 = reinterpret_cast<device Floats*>(as_type<ulong>(_103));
    uint _284;
    float _285;
    float _288;
    _288 = 0.0;
    _285 = 0.0;
    _284 = _69;
    uint _118;
    for (;;)
    {
        _118 = a.width;
        bool _119 = _284 < _118;
        if (_119)
        {
            uint _123 = _83 + _284;
            float _126 = _99->v[_123];
            float _132 = _99->v[_123];
            float _135 = fma(_126, _132, _285);
            uint _139 = _90 + _284;
            float _141 = _104->v[_139];
            float _147 = _104->v[_139];
            float _150 = fma(_141, _147, _288);
            uint _152 = _284 + 64u;
            _288 = _150;
            _285 = _135;
            _284 = _152;
            continue;
        }
        else
        {
            break;
        }
    }
    parts[_69] = _285;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _286;
    _286 = 32u;
    for (;;)
    {
        bool _223 = _286 > 0u;
        if (_223)
        {
            bool _227 = _69 < _286;
            if (_227)
            {
                uint _232 = _69 + _286;
                float _234 = parts[_232];
                float _236 = parts[_69];
                float _237 = _236 + _234;
                parts[_69] = _237;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _242 = _286 / 2u;
            _286 = _242;
            continue;
        }
        else
        {
            break;
        }
    }
    float _245 = parts[0];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _159 = float(_118);
    float _160 = _245 / _159;
    parts[_69] = _288;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _289;
    _289 = 32u;
    for (;;)
    {
        bool _260 = _289 > 0u;
        if (_260)
        {
            bool _264 = _69 < _289;
            if (_264)
            {
                uint _269 = _69 + _289;
                float _271 = parts[_269];
                float _273 = parts[_69];
                float _274 = _273 + _271;
                parts[_69] = _274;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _279 = _289 / 2u;
            _289 = _279;
            continue;
        }
        else
        {
            break;
        }
    }
    float _282 = parts[0];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float _168 = _282 / _159;
    float _175 = a.least;
    bool _176 = _160 < _175;
    float _290;
    if (_176)
    {
        _290 = _175;
    }
    else
    {
        _290 = _160;
    }
    float _185 = _168 / _290;
    float _186 = sqrt(_185);
    uint _291;
    _291 = _69;
    for (;;)
    {
        bool _197 = _291 < _118;
        if (_197)
        {
            uint _201 = _83 + _291;
            float _204 = _99->v[_201];
            float _205 = _204 * _186;
            _99->v[_201] = _205;
            uint _208 = _291 + 64u;
            _291 = _208;
            continue;
        }
        else
        {
            break;
        }
    }
}

