#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 gain;
    uint2 shift;
    uint2 y;
    uint rows;
    uint width;
    float epsilon;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    threadgroup float parts[64];
    uint _84 = gl_LocalInvocationID.x;
    uint _88 = gl_WorkGroupID.x;
    uint _360;
    _360 = _88;
    for (;;)
    {
        uint _101 = a.rows;
        bool _102 = _360 < _101;
        if (_102)
        {
            uint _107 = a.width;
            uint _108 = _360 * _107;
            uint _361;
            float _362;
            _362 = 0.0;
            _361 = _84;
            for (;;)
            {
                bool _121 = _361 < _107;
                if (_121)
                {
                    uint2 _124 = a.x;
                    device Floats* _128 = reinterpret_cast<device Floats*>(as_type<ulong>(_124));
                    uint _131 = _108 + _361;
                    float _134 = _128->v[_131];
                    float _136 = _362 + _134;
                    uint _138 = _361 + 64u;
                    _362 = _136;
                    _361 = _138;
                    continue;
                }
                else
                {
                    break;
                }
            }
            parts[_84] = _362;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _363;
            _363 = 32u;
            for (;;)
            {
                bool _278 = _363 > 0u;
                if (_278)
                {
                    bool _282 = _84 < _363;
                    if (_282)
                    {
                        uint _287 = _84 + _363;
                        float _289 = parts[_287];
                        float _291 = parts[_84];
                        float _292 = _291 + _289;
                        parts[_84] = _292;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _297 = _363 / 2u;
                    _363 = _297;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _300 = parts[0];
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _145 = float(_107);
            float _146 = _300 / _145;
            uint _364;
            float _365;
            _365 = 0.0;
            _364 = _84;
            for (;;)
            {
                bool _157 = _364 < _107;
                if (_157)
                {
                    uint2 _160 = a.x;
                    device Floats* _161 = reinterpret_cast<device Floats*>(as_type<ulong>(_160));
                    uint _164 = _108 + _364;
                    float _166 = _161->v[_164];
                    float _168 = _166 - _146;
                    float _173 = fma(_168, _168, _365);
                    uint _175 = _364 + 64u;
                    _365 = _173;
                    _364 = _175;
                    continue;
                }
                else
                {
                    break;
                }
            }
            parts[_84] = _365;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _366;
            _366 = 32u;
            for (;;)
            {
                bool _315 = _366 > 0u;
                if (_315)
                {
                    bool _319 = _84 < _366;
                    if (_319)
                    {
                        uint _324 = _84 + _366;
                        float _326 = parts[_324];
                        float _328 = parts[_84];
                        float _329 = _328 + _326;
                        parts[_84] = _329;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _334 = _366 / 2u;
                    _366 = _334;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _337 = parts[0];
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _184 = _337 / _145;
            float _188 = a.epsilon;
            float _189 = _184 + _188;
            float _190 = sqrt(_189);
            float _191 = 1.0 / _190;
            uint _367;
            _367 = _84;
            for (;;)
            {
                bool _202 = _367 < _107;
                if (_202)
                {
                    uint2 _205 = a.x;
                    device Floats* _206 = reinterpret_cast<device Floats*>(as_type<ulong>(_205));
                    uint _209 = _108 + _367;
                    float _211 = _206->v[_209];
                    float _213 = _211 - _146;
                    float _215 = _213 * _191;
                    uint2 _219 = a.gain;
                    uint _343 = _219.x;
                    uint _345 = _219.y;
                    uint _346 = _343 | _345;
                    bool _347 = _346 == 0u;
                    bool _221 = !_347;
                    float _374;
                    if (_221)
                    {
                        device Floats* _226 = reinterpret_cast<device Floats*>(as_type<ulong>(_219));
                        float _229 = _226->v[_367];
                        float _231 = _215 * _229;
                        _374 = _231;
                    }
                    else
                    {
                        _374 = _215;
                    }
                    uint2 _235 = a.shift;
                    uint _351 = _235.x;
                    uint _353 = _235.y;
                    uint _354 = _351 | _353;
                    bool _355 = _354 == 0u;
                    bool _237 = !_355;
                    float _376;
                    if (_237)
                    {
                        device Floats* _242 = reinterpret_cast<device Floats*>(as_type<ulong>(_235));
                        float _245 = _242->v[_367];
                        float _247 = _374 + _245;
                        _376 = _247;
                    }
                    else
                    {
                        _376 = _374;
                    }
                    uint2 _250 = a.y;
                    device Floats* _251 = reinterpret_cast<device Floats*>(as_type<ulong>(_250));
                    _251->v[_209] = _376;
                    uint _258 = _367 + 64u;
                    _367 = _258;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _261 = gl_NumWorkGroups.x;
            uint _263 = _360 + _261;
            _360 = _263;
            continue;
        }
        else
        {
            break;
        }
    }
}

