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
    threadgroup float parts[128];
    uint turn = 0u;
    uint _91 = gl_LocalInvocationID.x;
    uint _95 = gl_WorkGroupID.x;
    uint _381;
    _381 = _95;
    for (;;)
    {
        uint _109 = a.rows;
        bool _110 = _381 < _109;
        if (_110)
        {
            uint _115 = a.width;
            uint _116 = _381 * _115;
            uint _382;
            float _383;
            _383 = 0.0;
            _382 = _91;
            for (;;)
            {
                bool _129 = _382 < _115;
                if (_129)
                {
                    uint2 _133 = a.x;
                    device Floats* _137 = reinterpret_cast<device Floats*>(as_type<ulong>(_133));
                    uint _140 = _116 + _382;
                    float _143 = _137->v[_140];
                    float _145 = _383 + _143;
                    uint _147 = _382 + 64u;
                    _383 = _145;
                    _382 = _147;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _282 = turn + _91;
            uint _283 = turn;
            uint _285 = turn ^ 64u;
            turn = _285;
            parts[_282] = _383;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _384;
            _384 = 32u;
            for (;;)
            {
                bool _292 = _384 > 0u;
                if (_292)
                {
                    bool _297 = _91 < _384;
                    if (_297)
                    {
                        uint _302 = _282 + _384;
                        float _304 = parts[_302];
                        float _306 = parts[_282];
                        float _307 = _306 + _304;
                        parts[_282] = _307;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _312 = _384 / 2u;
                    _384 = _312;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _316 = parts[_283];
            float _154 = float(_115);
            float _155 = _316 / _154;
            uint _385;
            float _386;
            _386 = 0.0;
            _385 = _91;
            for (;;)
            {
                bool _166 = _385 < _115;
                if (_166)
                {
                    uint2 _169 = a.x;
                    device Floats* _170 = reinterpret_cast<device Floats*>(as_type<ulong>(_169));
                    uint _173 = _116 + _385;
                    float _175 = _170->v[_173];
                    float _177 = _175 - _155;
                    float _182 = fma(_177, _177, _386);
                    uint _184 = _385 + 64u;
                    _386 = _182;
                    _385 = _184;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _325 = turn + _91;
            uint _326 = turn;
            uint _328 = turn ^ 64u;
            turn = _328;
            parts[_325] = _386;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _387;
            _387 = 32u;
            for (;;)
            {
                bool _335 = _387 > 0u;
                if (_335)
                {
                    bool _340 = _91 < _387;
                    if (_340)
                    {
                        uint _345 = _325 + _387;
                        float _347 = parts[_345];
                        float _349 = parts[_325];
                        float _350 = _349 + _347;
                        parts[_325] = _350;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _355 = _387 / 2u;
                    _387 = _355;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _359 = parts[_326];
            float _193 = _359 / _154;
            float _197 = a.epsilon;
            float _198 = _193 + _197;
            float _199 = sqrt(_198);
            float _200 = 1.0 / _199;
            uint _388;
            _388 = _91;
            for (;;)
            {
                bool _211 = _388 < _115;
                if (_211)
                {
                    uint2 _214 = a.x;
                    device Floats* _215 = reinterpret_cast<device Floats*>(as_type<ulong>(_214));
                    uint _218 = _116 + _388;
                    float _220 = _215->v[_218];
                    float _222 = _220 - _155;
                    float _224 = _222 * _200;
                    uint2 _228 = a.gain;
                    uint _364 = _228.x;
                    uint _366 = _228.y;
                    uint _367 = _364 | _366;
                    bool _368 = _367 == 0u;
                    bool _230 = !_368;
                    float _395;
                    if (_230)
                    {
                        device Floats* _235 = reinterpret_cast<device Floats*>(as_type<ulong>(_228));
                        float _238 = _235->v[_388];
                        float _240 = _224 * _238;
                        _395 = _240;
                    }
                    else
                    {
                        _395 = _224;
                    }
                    uint2 _244 = a.shift;
                    uint _372 = _244.x;
                    uint _374 = _244.y;
                    uint _375 = _372 | _374;
                    bool _376 = _375 == 0u;
                    bool _246 = !_376;
                    float _397;
                    if (_246)
                    {
                        device Floats* _251 = reinterpret_cast<device Floats*>(as_type<ulong>(_244));
                        float _254 = _251->v[_388];
                        float _256 = _395 + _254;
                        _397 = _256;
                    }
                    else
                    {
                        _397 = _395;
                    }
                    uint2 _259 = a.y;
                    device Floats* _260 = reinterpret_cast<device Floats*>(as_type<ulong>(_259));
                    _260->v[_218] = _397;
                    uint _267 = _388 + 64u;
                    _388 = _267;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _270 = gl_NumWorkGroups.x;
            uint _272 = _381 + _270;
            _381 = _272;
            continue;
        }
        else
        {
            break;
        }
    }
}

