#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint width;
    uint stride;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float values[512];
    uint _15 = gl_LocalInvocationID.x;
    uint _20 = gl_WorkGroupID.y;
    uint _29 = a.stride;
    uint _30 = _20 * _29;
    uint _32 = gl_WorkGroupID.x;
    uint _35 = a.width;
    uint _36 = _32 * _35;
    uint _37 = _30 + _36;
    uint2 _47 = a.x;
    device Floats* _48 = reinterpret_cast<device Floats*>(as_type<ulong>(_47));
    uint _177;
    _177 = _15;
    for (;;)
    {
        bool _60 = _177 < _35;
        if (_60)
        {
            uint _69 = _37 + _177;
            float _72 = _48->v[_69];
            values[_177] = _72;
            uint _77 = _177 + 64u;
            _177 = _77;
            continue;
        }
        else
        {
            break;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _85 = ~_35;
    uint _86 = _85 + 1u;
    uint _87 = _35 & _86;
    uint _178;
    _178 = 1u;
    for (;;)
    {
        bool _96 = _178 < _87;
        if (_96)
        {
            uint _180;
            _180 = _15;
            for (;;)
            {
                uint _107 = _35 / 2u;
                bool _108 = _180 < _107;
                if (_108)
                {
                    uint _113 = (_180 / _178) * 2u;
                    uint _115 = _113 * _178;
                    uint _119 = _115 + (_180 % _178);
                    float _124 = values[_119];
                    uint _128 = _119 + _178;
                    float _130 = values[_128];
                    float _134 = _124 + _130;
                    values[_119] = _134;
                    float _141 = _124 - _130;
                    values[_128] = _141;
                    uint _144 = _180 + 64u;
                    _180 = _144;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _146 = _178 * 2u;
            _178 = _146;
            continue;
        }
        else
        {
            break;
        }
    }
    float _150 = float(_87);
    float _151 = sqrt(_150);
    float _152 = 1.0 / _151;
    uint _179;
    _179 = _15;
    for (;;)
    {
        bool _163 = _179 < _35;
        if (_163)
        {
            uint _167 = _37 + _179;
            float _170 = values[_179];
            float _172 = _170 * _152;
            _48->v[_167] = _172;
            uint _175 = _179 + 64u;
            _179 = _175;
            continue;
        }
        else
        {
            break;
        }
    }
}

