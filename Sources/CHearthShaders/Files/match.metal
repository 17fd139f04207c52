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
    threadgroup float parts[128];
    uint turn = 0u;
    uint _76 = gl_LocalInvocationID.x;
    uint _81 = gl_WorkGroupID.y;
    uint _90 = a.x_stride;
    uint _91 = _81 * _90;
    uint _97 = a.wanted_stride;
    uint _98 = _81 * _97;
    uint2 _107 = a.x;
    device Floats* _108 = reinterpret_cast<device Floats*>(as_type<ulong>(_107));
    uint2 _112 = a.wanted;
    device Floats* _113 = reinterpret_cast<device Floats*>(as_type<ulong>(_112));
    uint _305;
    float _306;
    float _309;
    _309 = 0.0;
    _306 = 0.0;
    _305 = _76;
    uint _127;
    for (;;)
    {
        _127 = a.width;
        bool _128 = _305 < _127;
        if (_128)
        {
            uint _132 = _91 + _305;
            float _135 = _108->v[_132];
            float _141 = _108->v[_132];
            float _144 = fma(_135, _141, _306);
            uint _148 = _98 + _305;
            float _150 = _113->v[_148];
            float _156 = _113->v[_148];
            float _159 = fma(_150, _156, _309);
            uint _161 = _305 + 64u;
            _309 = _159;
            _306 = _144;
            _305 = _161;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _227 = turn + _76;
    uint _228 = turn;
    uint _230 = turn ^ 64u;
    turn = _230;
    parts[_227] = _306;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _307;
    _307 = 32u;
    for (;;)
    {
        bool _237 = _307 > 0u;
        if (_237)
        {
            bool _242 = _76 < _307;
            if (_242)
            {
                uint _247 = _227 + _307;
                float _249 = parts[_247];
                float _251 = parts[_227];
                float _252 = _251 + _249;
                parts[_227] = _252;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _257 = _307 / 2u;
            _307 = _257;
            continue;
        }
        else
        {
            break;
        }
    }
    float _261 = parts[_228];
    float _168 = float(_127);
    float _169 = _261 / _168;
    uint _270 = turn + _76;
    uint _271 = turn;
    uint _273 = turn ^ 64u;
    turn = _273;
    parts[_270] = _309;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _310;
    _310 = 32u;
    for (;;)
    {
        bool _280 = _310 > 0u;
        if (_280)
        {
            bool _285 = _76 < _310;
            if (_285)
            {
                uint _290 = _270 + _310;
                float _292 = parts[_290];
                float _294 = parts[_270];
                float _295 = _294 + _292;
                parts[_270] = _295;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _300 = _310 / 2u;
            _310 = _300;
            continue;
        }
        else
        {
            break;
        }
    }
    float _304 = parts[_271];
    float _177 = _304 / _168;
    float _184 = a.least;
    bool _185 = _169 < _184;
    float _311;
    if (_185)
    {
        _311 = _184;
    }
    else
    {
        _311 = _169;
    }
    float _194 = _177 / _311;
    float _195 = sqrt(_194);
    uint _312;
    _312 = _76;
    for (;;)
    {
        bool _206 = _312 < _127;
        if (_206)
        {
            uint _210 = _91 + _312;
            float _213 = _108->v[_210];
            float _214 = _213 * _195;
            _108->v[_210] = _214;
            uint _217 = _312 + 64u;
            _312 = _217;
            continue;
        }
        else
        {
            break;
        }
    }
}

