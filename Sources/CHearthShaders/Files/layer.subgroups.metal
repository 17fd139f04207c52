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

kernel void main0(constant Arguments& a [[buffer(0)]], uint gl_SubgroupID [[simdgroup_index_in_threadgroup]], uint gl_NumSubgroups [[simdgroups_per_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    threadgroup float parts[128];
    uint turn = 0u;
    uint _108 = gl_LocalInvocationID.x;
    uint _112 = gl_WorkGroupID.x;
    uint _429;
    _429 = _112;
    for (;;)
    {
        uint _125 = a.rows;
        bool _126 = _429 < _125;
        if (_126)
        {
            uint _131 = a.width;
            uint _132 = _429 * _131;
            uint _430;
            float _431;
            _431 = 0.0;
            _430 = _108;
            for (;;)
            {
                bool _145 = _430 < _131;
                if (_145)
                {
                    uint2 _149 = a.x;
                    device Floats* _153 = reinterpret_cast<device Floats*>(as_type<ulong>(_149));
                    uint _156 = _132 + _430;
                    float _159 = _153->v[_156];
                    float _161 = _431 + _159;
                    uint _163 = _430 + 64u;
                    _431 = _161;
                    _430 = _163;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _308;
            bool _309;
            float _434;
            do
            {
                float _307 = simd_sum(_431);
                _308 = gl_NumSubgroups;
                _309 = _308 == 1u;
                if (_309)
                {
                    _434 = _307;
                    break;
                }
                uint _341 = turn;
                uint _343 = turn ^ 64u;
                turn = _343;
                bool _344 = simd_is_first();
                if (_344)
                {
                    uint _348 = _341 + gl_SubgroupID;
                    parts[_348] = _307;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float _317 = parts[_341];
                uint _432;
                float _433;
                _433 = _317;
                _432 = 1u;
                for (;;)
                {
                    bool _322 = _432 < _308;
                    if (_322)
                    {
                        uint _326 = _341 + _432;
                        float _328 = parts[_326];
                        float _330 = _433 + _328;
                        uint _333 = _432 + uint(1);
                        _433 = _330;
                        _432 = _333;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                _434 = _433;
                break;
            } while(false);
            float _170 = float(_131);
            float _171 = _434 / _170;
            uint _435;
            float _436;
            _436 = 0.0;
            _435 = _108;
            for (;;)
            {
                bool _182 = _435 < _131;
                if (_182)
                {
                    uint2 _185 = a.x;
                    device Floats* _186 = reinterpret_cast<device Floats*>(as_type<ulong>(_185));
                    uint _189 = _132 + _435;
                    float _191 = _186->v[_189];
                    float _193 = _191 - _171;
                    float _198 = fma(_193, _193, _436);
                    uint _200 = _435 + 64u;
                    _436 = _198;
                    _435 = _200;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _439;
            do
            {
                float _363 = simd_sum(_436);
                if (_309)
                {
                    _439 = _363;
                    break;
                }
                uint _397 = turn;
                uint _399 = turn ^ 64u;
                turn = _399;
                bool _400 = simd_is_first();
                if (_400)
                {
                    uint _404 = _397 + gl_SubgroupID;
                    parts[_404] = _363;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float _373 = parts[_397];
                uint _437;
                float _438;
                _438 = _373;
                _437 = 1u;
                for (;;)
                {
                    bool _378 = _437 < _308;
                    if (_378)
                    {
                        uint _382 = _397 + _437;
                        float _384 = parts[_382];
                        float _386 = _438 + _384;
                        uint _389 = _437 + uint(1);
                        _438 = _386;
                        _437 = _389;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                _439 = _438;
                break;
            } while(false);
            float _209 = _439 / _170;
            float _213 = a.epsilon;
            float _214 = _209 + _213;
            float _215 = sqrt(_214);
            float _216 = 1.0 / _215;
            uint _440;
            _440 = _108;
            for (;;)
            {
                bool _227 = _440 < _131;
                if (_227)
                {
                    uint2 _230 = a.x;
                    device Floats* _231 = reinterpret_cast<device Floats*>(as_type<ulong>(_230));
                    uint _234 = _132 + _440;
                    float _236 = _231->v[_234];
                    float _238 = _236 - _171;
                    float _240 = _238 * _216;
                    uint2 _243 = a.gain;
                    uint _412 = _243.x;
                    uint _414 = _243.y;
                    uint _415 = _412 | _414;
                    bool _416 = _415 == 0u;
                    bool _245 = !_416;
                    float _451;
                    if (_245)
                    {
                        device Floats* _250 = reinterpret_cast<device Floats*>(as_type<ulong>(_243));
                        float _253 = _250->v[_440];
                        float _255 = _240 * _253;
                        _451 = _255;
                    }
                    else
                    {
                        _451 = _240;
                    }
                    uint2 _259 = a.shift;
                    uint _420 = _259.x;
                    uint _422 = _259.y;
                    uint _423 = _420 | _422;
                    bool _424 = _423 == 0u;
                    bool _261 = !_424;
                    float _453;
                    if (_261)
                    {
                        device Floats* _266 = reinterpret_cast<device Floats*>(as_type<ulong>(_259));
                        float _269 = _266->v[_440];
                        float _271 = _451 + _269;
                        _453 = _271;
                    }
                    else
                    {
                        _453 = _451;
                    }
                    uint2 _274 = a.y;
                    device Floats* _275 = reinterpret_cast<device Floats*>(as_type<ulong>(_274));
                    _275->v[_234] = _453;
                    uint _282 = _440 + 64u;
                    _440 = _282;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _285 = gl_NumWorkGroups.x;
            uint _287 = _429 + _285;
            _429 = _287;
            continue;
        }
        else
        {
            break;
        }
    }
}

