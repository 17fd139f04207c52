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
    threadgroup float parts[128];
    uint turn = 0u;
    uint _76 = gl_LocalInvocationID.x;
    uint _81 = gl_WorkGroupID.y;
    uint _90 = a.stride;
    uint _91 = _81 * _90;
    uint2 _100 = a.x;
    device Floats* _101 = reinterpret_cast<device Floats*>(as_type<ulong>(_100));
    uint _296;
    float _297;
    _297 = 0.0;
    _296 = _76;
    uint _114;
    for (;;)
    {
        _114 = a.width;
        bool _115 = _296 < _114;
        if (_115)
        {
            uint _119 = _91 + _296;
            float _122 = _101->v[_119];
            float _124 = _297 + _122;
            uint _126 = _296 + 64u;
            _297 = _124;
            _296 = _126;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _218 = turn + _76;
    uint _219 = turn;
    uint _221 = turn ^ 64u;
    turn = _221;
    parts[_218] = _297;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _298;
    _298 = 32u;
    for (;;)
    {
        bool _228 = _298 > 0u;
        if (_228)
        {
            bool _233 = _76 < _298;
            if (_233)
            {
                uint _238 = _218 + _298;
                float _240 = parts[_238];
                float _242 = parts[_218];
                float _243 = _242 + _240;
                parts[_218] = _243;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _248 = _298 / 2u;
            _298 = _248;
            continue;
        }
        else
        {
            break;
        }
    }
    float _252 = parts[_219];
    float _133 = float(_114);
    float _134 = _252 / _133;
    uint _299;
    float _300;
    _300 = 0.0;
    _299 = _76;
    for (;;)
    {
        bool _145 = _299 < _114;
        if (_145)
        {
            uint _150 = _91 + _299;
            float _152 = _101->v[_150];
            float _154 = _152 - _134;
            float _159 = fma(_154, _154, _300);
            uint _161 = _299 + 64u;
            _300 = _159;
            _299 = _161;
            continue;
        }
        else
        {
            break;
        }
    }
    float _167 = a.deviations;
    uint _261 = turn + _76;
    uint _262 = turn;
    uint _264 = turn ^ 64u;
    turn = _264;
    parts[_261] = _300;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _301;
    _301 = 32u;
    for (;;)
    {
        bool _271 = _301 > 0u;
        if (_271)
        {
            bool _276 = _76 < _301;
            if (_276)
            {
                uint _281 = _261 + _301;
                float _283 = parts[_281];
                float _285 = parts[_261];
                float _286 = _285 + _283;
                parts[_261] = _286;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _291 = _301 / 2u;
            _301 = _291;
            continue;
        }
        else
        {
            break;
        }
    }
    float _295 = parts[_262];
    float _174 = _295 / _133;
    float _175 = sqrt(_174);
    float _177 = fma(_167, _175, _134);
    uint _302;
    _302 = _76;
    for (;;)
    {
        bool _188 = _302 < _114;
        if (_188)
        {
            uint _193 = _91 + _302;
            float _195 = _101->v[_193];
            float _197 = _195 - _177;
            bool _203 = 0.0 > _197;
            float _205 = _203 ? 0.0 : _197;
            _101->v[_193] = _205;
            uint _208 = _302 + 64u;
            _302 = _208;
            continue;
        }
        else
        {
            break;
        }
    }
}

