#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 y;
    uint rows;
    uint count;
    uint stride;
    uint operation;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    threadgroup float parts[64];
    uint _127 = gl_LocalInvocationID.x;
    uint _131 = gl_WorkGroupID.x;
    uint _548;
    _548 = _131;
    for (;;)
    {
        uint _145 = a.rows;
        bool _146 = _548 < _145;
        if (_146)
        {
            uint _151 = a.stride;
            uint _152 = _548 / _151;
            uint _155 = _152 * _151;
            uint _158 = a.count;
            uint _159 = _155 * _158;
            uint _163 = _548 % _151;
            uint _164 = _159 + _163;
            uint _169 = a.operation;
            bool _171 = _169 == 1u;
            bool _172 = !_171;
            bool _178;
            if (_172)
            {
                bool _177 = _169 == 2u;
                _178 = _177;
            }
            else
            {
                _178 = _171;
            }
            bool _183 = _169 == 4u;
            float _186 = _183 ? (-1.0) : 1.0;
            uint2 _191 = a.x;
            device Floats* _195 = reinterpret_cast<device Floats*>(as_type<ulong>(_191));
            float _199 = _195->v[_164];
            float _200 = _186 * _199;
            uint _549;
            float _550;
            float _564;
            _564 = 0.0;
            _550 = _200;
            _549 = _127;
            for (;;)
            {
                bool _213 = _549 < _158;
                if (_213)
                {
                    uint _223 = _549 * _151;
                    uint _224 = _164 + _223;
                    float _226 = _195->v[_224];
                    float _227 = _186 * _226;
                    bool _232 = _550 >= _227;
                    bool _233 = isnan(_550) || _232;
                    float _236 = _233 ? _550 : _227;
                    float _239 = fma(_186, _226, _564);
                    uint _241 = _549 + 64u;
                    _564 = _239;
                    _550 = _236;
                    _549 = _241;
                    continue;
                }
                else
                {
                    break;
                }
            }
            bool _244 = _169 != 0u;
            if (_244)
            {
                float _566;
                if (_178)
                {
                    parts[_127] = _564;
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _565;
                    _565 = 32u;
                    for (;;)
                    {
                        bool _377 = _565 > 0u;
                        if (_377)
                        {
                            bool _381 = _127 < _565;
                            if (_381)
                            {
                                uint _386 = _127 + _565;
                                float _388 = parts[_386];
                                float _390 = parts[_127];
                                float _391 = _390 + _388;
                                parts[_127] = _391;
                            }
                            threadgroup_barrier(mem_flags::mem_threadgroup);
                            uint _396 = _565 / 2u;
                            _565 = _396;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    float _399 = parts[0];
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    _566 = _399;
                }
                else
                {
                    parts[_127] = _550;
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _560;
                    _560 = 32u;
                    for (;;)
                    {
                        bool _414 = _560 > 0u;
                        if (_414)
                        {
                            bool _418 = _127 < _560;
                            bool _431;
                            if (_418)
                            {
                                float _422 = parts[_127];
                                uint _425 = _127 + _560;
                                float _427 = parts[_425];
                                bool _428 = _422 >= _427;
                                bool _429 = !_428;
                                _431 = _429;
                            }
                            else
                            {
                                _431 = _418;
                            }
                            bool _439;
                            if (_431)
                            {
                                float _435 = parts[_127];
                                bool _436 = isnan(_435);
                                bool _437 = !_436;
                                _439 = _437;
                            }
                            else
                            {
                                _439 = _431;
                            }
                            if (_439)
                            {
                                uint _444 = _127 + _560;
                                float _446 = parts[_444];
                                parts[_127] = _446;
                            }
                            threadgroup_barrier(mem_flags::mem_threadgroup);
                            uint _451 = _560 / 2u;
                            _560 = _451;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    float _454 = parts[0];
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    float _260 = _186 * _454;
                    _566 = _260;
                }
                bool _264 = _169 == 2u;
                float _576;
                if (_264)
                {
                    float _269 = float(_158);
                    float _271 = _566 / _269;
                    _576 = _271;
                }
                else
                {
                    _576 = _566;
                }
                bool _273 = _127 == 0u;
                if (_273)
                {
                    uint2 _278 = a.y;
                    device Floats* _279 = reinterpret_cast<device Floats*>(as_type<ulong>(_278));
                    _279->v[_548] = _576;
                }
                uint _359 = gl_NumWorkGroups.x;
                uint _361 = _548 + _359;
                _548 = _361;
                continue;
            }
            parts[_127] = _550;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _551;
            _551 = 32u;
            for (;;)
            {
                bool _469 = _551 > 0u;
                if (_469)
                {
                    bool _473 = _127 < _551;
                    bool _486;
                    if (_473)
                    {
                        float _477 = parts[_127];
                        uint _480 = _127 + _551;
                        float _482 = parts[_480];
                        bool _483 = _477 >= _482;
                        bool _484 = !_483;
                        _486 = _484;
                    }
                    else
                    {
                        _486 = _473;
                    }
                    bool _494;
                    if (_486)
                    {
                        float _490 = parts[_127];
                        bool _491 = isnan(_490);
                        bool _492 = !_491;
                        _494 = _492;
                    }
                    else
                    {
                        _494 = _486;
                    }
                    if (_494)
                    {
                        uint _499 = _127 + _551;
                        float _501 = parts[_499];
                        parts[_127] = _501;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _506 = _551 / 2u;
                    _551 = _506;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _509 = parts[0];
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _552;
            float _553;
            _553 = 0.0;
            _552 = _127;
            for (;;)
            {
                bool _298 = _552 < _158;
                if (_298)
                {
                    uint _306 = _552 * _151;
                    uint _307 = _164 + _306;
                    float _309 = _195->v[_307];
                    float _311 = _309 - _509;
                    float _312 = exp(_311);
                    float _314 = _553 + _312;
                    uint _316 = _552 + 64u;
                    _553 = _314;
                    _552 = _316;
                    continue;
                }
                else
                {
                    break;
                }
            }
            parts[_127] = _553;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _554;
            _554 = 32u;
            for (;;)
            {
                bool _524 = _554 > 0u;
                if (_524)
                {
                    bool _528 = _127 < _554;
                    if (_528)
                    {
                        uint _533 = _127 + _554;
                        float _535 = parts[_533];
                        float _537 = parts[_127];
                        float _538 = _537 + _535;
                        parts[_127] = _538;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _543 = _554 / 2u;
                    _554 = _543;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _546 = parts[0];
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _555;
            _555 = _127;
            for (;;)
            {
                bool _331 = _555 < _158;
                if (_331)
                {
                    uint _337 = _555 * _151;
                    uint _338 = _164 + _337;
                    uint2 _340 = a.y;
                    device Floats* _341 = reinterpret_cast<device Floats*>(as_type<ulong>(_340));
                    float _348 = _195->v[_338];
                    float _350 = _348 - _509;
                    float _351 = exp(_350);
                    float _353 = _351 / _546;
                    _341->v[_338] = _353;
                    uint _356 = _555 + 64u;
                    _555 = _356;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _359 = gl_NumWorkGroups.x;
            uint _361 = _548 + _359;
            _548 = _361;
            continue;
        }
        else
        {
            break;
        }
    }
}

