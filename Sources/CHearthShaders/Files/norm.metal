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
    threadgroup float parts[128];
    uint turn = 0u;
    uint _91 = gl_LocalInvocationID.x;
    uint _95 = gl_WorkGroupID.y;
    uint _103 = a.x_stride;
    uint _104 = _95 * _103;
    uint _106 = gl_WorkGroupID.x;
    uint _109 = a.width;
    uint _110 = _106 * _109;
    uint _111 = _104 + _110;
    uint _117 = a.y_stride;
    uint _118 = _95 * _117;
    uint _124 = _118 + _110;
    uint2 _133 = a.x;
    device Floats* _134 = reinterpret_cast<device Floats*>(as_type<ulong>(_133));
    uint2 _138 = a.y;
    device Floats* _139 = reinterpret_cast<device Floats*>(as_type<ulong>(_138));
    uint2 _145 = a.gain;
    uint _265 = _145.x;
    uint _267 = _145.y;
    uint _268 = _265 | _267;
    bool _269 = _268 == 0u;
    bool _147 = !_269;
    bool _151 = !_147;
    bool _158;
    if (_151)
    {
        uint _156 = a.adds;
        bool _157 = _156 == 0u;
        _158 = _157;
    }
    else
    {
        _158 = _147;
    }
    float _320;
    if (_158)
    {
        uint _315;
        float _316;
        _316 = 0.0;
        _315 = _91;
        for (;;)
        {
            bool _173 = _315 < _109;
            if (_173)
            {
                uint _177 = _111 + _315;
                float _180 = _134->v[_177];
                float _186 = _134->v[_177];
                float _189 = fma(_180, _186, _316);
                uint _191 = _315 + 64u;
                _316 = _189;
                _315 = _191;
                continue;
            }
            else
            {
                break;
            }
        }
        uint _278 = turn + _91;
        uint _279 = turn;
        uint _281 = turn ^ 64u;
        turn = _281;
        parts[_278] = _316;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _317;
        _317 = 32u;
        for (;;)
        {
            bool _288 = _317 > 0u;
            if (_288)
            {
                bool _293 = _91 < _317;
                if (_293)
                {
                    uint _298 = _278 + _317;
                    float _300 = parts[_298];
                    float _302 = parts[_278];
                    float _303 = _302 + _300;
                    parts[_278] = _303;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                uint _308 = _317 / 2u;
                _317 = _308;
                continue;
            }
            else
            {
                break;
            }
        }
        float _312 = parts[_279];
        float _197 = float(_109);
        float _198 = _312 / _197;
        float _202 = a.epsilon;
        float _203 = _198 + _202;
        float _204 = sqrt(_203);
        float _205 = 1.0 / _204;
        _320 = _205;
    }
    else
    {
        _320 = 1.0;
    }
    uint _318;
    _318 = _91;
    for (;;)
    {
        bool _216 = _318 < _109;
        if (_216)
        {
            uint _221 = _111 + _318;
            float _223 = _134->v[_221];
            float _225 = _223 * _320;
            float _323;
            if (_147)
            {
                device Floats* _231 = reinterpret_cast<device Floats*>(as_type<ulong>(_145));
                float _234 = _231->v[_318];
                float _236 = _225 * _234;
                _323 = _236;
            }
            else
            {
                _323 = _225;
            }
            uint _240 = _124 + _318;
            uint _242 = a.adds;
            bool _243 = _242 != 0u;
            float _324;
            if (_243)
            {
                float _252 = _139->v[_240];
                float _254 = _252 + _323;
                _324 = _254;
            }
            else
            {
                _324 = _323;
            }
            _139->v[_240] = _324;
            uint _260 = _318 + 64u;
            _318 = _260;
            continue;
        }
        else
        {
            break;
        }
    }
}

