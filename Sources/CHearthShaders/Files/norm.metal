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

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[64];
    uint _31 = gl_LocalInvocationID.x;
    uint _35 = gl_WorkGroupID.y;
    uint _44 = a.x_stride;
    uint _45 = _35 * _44;
    uint _47 = gl_WorkGroupID.x;
    uint _50 = a.width;
    uint _51 = _47 * _50;
    uint _52 = _45 + _51;
    uint _58 = a.y_stride;
    uint _59 = _35 * _58;
    uint _65 = _59 + _51;
    uint2 _74 = a.x;
    device Floats* _75 = reinterpret_cast<device Floats*>(as_type<ulong>(_74));
    uint2 _79 = a.y;
    device Floats* _80 = reinterpret_cast<device Floats*>(as_type<ulong>(_79));
    uint2 _86 = a.gain;
    uint _242 = _86.x;
    uint _244 = _86.y;
    uint _245 = _242 | _244;
    bool _246 = _245 == 0u;
    bool _88 = !_246;
    bool _93 = !_88;
    bool _100;
    if (_93)
    {
        uint _98 = a.adds;
        bool _99 = _98 == 0u;
        _100 = _99;
    }
    else
    {
        _100 = _88;
    }
    float _254;
    if (_100)
    {
        uint _249;
        float _250;
        _250 = 0.0;
        _249 = _31;
        for (;;)
        {
            bool _115 = _249 < _50;
            if (_115)
            {
                uint _119 = _52 + _249;
                float _122 = _75->v[_119];
                float _128 = _75->v[_119];
                float _131 = fma(_122, _128, _250);
                uint _134 = _249 + 64u;
                _250 = _131;
                _249 = _134;
                continue;
            }
            else
            {
                break;
            }
        }
        parts[_31] = _250;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _251;
        _251 = 32u;
        for (;;)
        {
            bool _152 = _251 > 0u;
            if (_152)
            {
                bool _155 = _31 < _251;
                if (_155)
                {
                    uint _161 = _31 + _251;
                    float _163 = parts[_161];
                    float _165 = parts[_31];
                    float _166 = _165 + _163;
                    parts[_31] = _166;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _169 = _251 / 2u;
                _251 = _169;
                continue;
            }
            else
            {
                break;
            }
        }
        float _171 = parts[0];
        float _174 = float(_50);
        float _175 = _171 / _174;
        float _179 = a.epsilon;
        float _180 = _175 + _179;
        float _181 = sqrt(_180);
        float _182 = 1.0 / _181;
        _254 = _182;
    }
    else
    {
        _254 = 1.0;
    }
    uint _252;
    _252 = _31;
    for (;;)
    {
        bool _193 = _252 < _50;
        if (_193)
        {
            uint _198 = _52 + _252;
            float _200 = _75->v[_198];
            float _202 = _200 * _254;
            float _257;
            if (_88)
            {
                device Floats* _208 = reinterpret_cast<device Floats*>(as_type<ulong>(_86));
                float _211 = _208->v[_252];
                float _213 = _202 * _211;
                _257 = _213;
            }
            else
            {
                _257 = _202;
            }
            uint _217 = _65 + _252;
            uint _219 = a.adds;
            bool _220 = _219 != 0u;
            float _258;
            if (_220)
            {
                float _229 = _80->v[_217];
                float _231 = _229 + _257;
                _258 = _231;
            }
            else
            {
                _258 = _257;
            }
            _80->v[_217] = _258;
            uint _237 = _252 + 64u;
            _252 = _237;
            continue;
        }
        else
        {
            break;
        }
    }
}

