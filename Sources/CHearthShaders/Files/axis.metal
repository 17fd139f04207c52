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
    threadgroup float parts[128];
    uint turn = 0u;
    uint _141 = gl_LocalInvocationID.x;
    uint _145 = gl_WorkGroupID.x;
    uint _587;
    _587 = _145;
    for (;;)
    {
        uint _160 = a.rows;
        bool _161 = _587 < _160;
        if (_161)
        {
            uint _166 = a.stride;
            uint _167 = _587 / _166;
            uint _170 = _167 * _166;
            uint _173 = a.count;
            uint _174 = _170 * _173;
            uint _178 = _587 % _166;
            uint _179 = _174 + _178;
            uint _184 = a.operation;
            bool _186 = _184 == 1u;
            bool _187 = !_186;
            bool _193;
            if (_187)
            {
                bool _192 = _184 == 2u;
                _193 = _192;
            }
            else
            {
                _193 = _186;
            }
            bool _198 = _184 == 4u;
            float _201 = _198 ? (-1.0) : 1.0;
            uint2 _207 = a.x;
            device Floats* _211 = reinterpret_cast<device Floats*>(as_type<ulong>(_207));
            float _215 = _211->v[_179];
            float _216 = _201 * _215;
            uint _588;
            float _589;
            float _599;
            _599 = 0.0;
            _589 = _216;
            _588 = _141;
            for (;;)
            {
                bool _229 = _588 < _173;
                if (_229)
                {
                    uint _239 = _588 * _166;
                    uint _240 = _179 + _239;
                    float _242 = _211->v[_240];
                    float _243 = _201 * _242;
                    bool _382 = _589 >= _243;
                    bool _383 = isnan(_589) || _382;
                    float _386 = _383 ? _589 : _243;
                    float _251 = fma(_201, _242, _599);
                    uint _253 = _588 + 64u;
                    _599 = _251;
                    _589 = _386;
                    _588 = _253;
                    continue;
                }
                else
                {
                    break;
                }
            }
            bool _256 = _184 != 0u;
            if (_256)
            {
                float _601;
                if (_193)
                {
                    uint _395 = turn + _141;
                    uint _396 = turn;
                    uint _398 = turn ^ 64u;
                    turn = _398;
                    parts[_395] = _599;
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _600;
                    _600 = 32u;
                    for (;;)
                    {
                        bool _405 = _600 > 0u;
                        if (_405)
                        {
                            bool _410 = _141 < _600;
                            if (_410)
                            {
                                uint _415 = _395 + _600;
                                float _417 = parts[_415];
                                float _419 = parts[_395];
                                float _420 = _419 + _417;
                                parts[_395] = _420;
                            }
                            threadgroup_barrier(mem_flags::mem_threadgroup);
                            uint _425 = _600 / 2u;
                            _600 = _425;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    float _429 = parts[_396];
                    _601 = _429;
                }
                else
                {
                    uint _440 = turn + _141;
                    uint _441 = turn;
                    uint _443 = turn ^ 64u;
                    turn = _443;
                    parts[_440] = _589;
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _597;
                    _597 = 32u;
                    for (;;)
                    {
                        bool _450 = _597 > 0u;
                        if (_450)
                        {
                            bool _455 = _141 < _597;
                            if (_455)
                            {
                                uint _461 = _440 + _597;
                                float _463 = parts[_440];
                                float _465 = parts[_461];
                                bool _479 = isnan(_463);
                                bool _482 = _463 >= _465;
                                bool _483 = _479 || _482;
                                float _486 = _483 ? _463 : _465;
                                parts[_440] = _486;
                            }
                            threadgroup_barrier(mem_flags::mem_threadgroup);
                            uint _471 = _597 / 2u;
                            _597 = _471;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    float _475 = parts[_441];
                    float _272 = _201 * _475;
                    _601 = _272;
                }
                bool _276 = _184 == 2u;
                float _609;
                if (_276)
                {
                    float _281 = float(_173);
                    float _283 = _601 / _281;
                    _609 = _283;
                }
                else
                {
                    _609 = _601;
                }
                bool _285 = _141 == 0u;
                if (_285)
                {
                    uint2 _290 = a.y;
                    device Floats* _291 = reinterpret_cast<device Floats*>(as_type<ulong>(_290));
                    _291->v[_587] = _609;
                }
                uint _371 = gl_NumWorkGroups.x;
                uint _373 = _587 + _371;
                _587 = _373;
                continue;
            }
            uint _497 = turn + _141;
            uint _498 = turn;
            uint _500 = turn ^ 64u;
            turn = _500;
            parts[_497] = _589;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _590;
            _590 = 32u;
            for (;;)
            {
                bool _507 = _590 > 0u;
                if (_507)
                {
                    bool _512 = _141 < _590;
                    if (_512)
                    {
                        uint _518 = _497 + _590;
                        float _520 = parts[_497];
                        float _522 = parts[_518];
                        bool _536 = isnan(_520);
                        bool _539 = _520 >= _522;
                        bool _540 = _536 || _539;
                        float _543 = _540 ? _520 : _522;
                        parts[_497] = _543;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _528 = _590 / 2u;
                    _590 = _528;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _532 = parts[_498];
            uint _591;
            float _592;
            _592 = 0.0;
            _591 = _141;
            for (;;)
            {
                bool _310 = _591 < _173;
                if (_310)
                {
                    uint _318 = _591 * _166;
                    uint _319 = _179 + _318;
                    float _321 = _211->v[_319];
                    float _323 = _321 - _532;
                    float _324 = exp(_323);
                    float _326 = _592 + _324;
                    uint _328 = _591 + 64u;
                    _592 = _326;
                    _591 = _328;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _552 = turn + _141;
            uint _553 = turn;
            uint _555 = turn ^ 64u;
            turn = _555;
            parts[_552] = _592;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _593;
            _593 = 32u;
            for (;;)
            {
                bool _562 = _593 > 0u;
                if (_562)
                {
                    bool _567 = _141 < _593;
                    if (_567)
                    {
                        uint _572 = _552 + _593;
                        float _574 = parts[_572];
                        float _576 = parts[_552];
                        float _577 = _576 + _574;
                        parts[_552] = _577;
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _582 = _593 / 2u;
                    _593 = _582;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _586 = parts[_553];
            uint _594;
            _594 = _141;
            for (;;)
            {
                bool _343 = _594 < _173;
                if (_343)
                {
                    uint _349 = _594 * _166;
                    uint _350 = _179 + _349;
                    uint2 _352 = a.y;
                    device Floats* _353 = reinterpret_cast<device Floats*>(as_type<ulong>(_352));
                    float _360 = _211->v[_350];
                    float _362 = _360 - _532;
                    float _363 = exp(_362);
                    float _365 = _363 / _586;
                    _353->v[_350] = _365;
                    uint _368 = _594 + 64u;
                    _594 = _368;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _371 = gl_NumWorkGroups.x;
            uint _373 = _587 + _371;
            _587 = _373;
            continue;
        }
        else
        {
            break;
        }
    }
}

