#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 weights;
    uint2 routed;
    uint2 h;
    uint2 y;
    uint count;
    uint width;
    uint stride;
    uint routed_stride;
    uint h_stride;
    uint active_stream;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]])
{
    threadgroup float factors[64];
    do
    {
        uint _31 = gl_LocalInvocationID.x;
        uint _35 = gl_WorkGroupID.y;
        uint2 _46 = a.h;
        uint _268 = _46.x;
        uint _270 = _46.y;
        uint _271 = _268 | _270;
        bool _272 = _271 == 0u;
        bool _48 = !_272;
        uint _275;
        if (_48)
        {
            uint _57 = a.count;
            _275 = _57;
        }
        else
        {
            uint _60 = a.count;
            uint _63 = _60 * _60;
            _275 = _63;
        }
        bool _65 = _31 < _275;
        if (_65)
        {
            uint _276;
            float _277;
            _277 = 0.0;
            _276 = 0u;
            uint _80;
            for (;;)
            {
                _80 = a.count;
                bool _81 = _276 < _80;
                if (_81)
                {
                    uint2 _84 = a.weights;
                    device Floats* _88 = reinterpret_cast<device Floats*>(as_type<ulong>(_84));
                    uint _93 = _31 * _80;
                    uint _95 = _93 + _276;
                    float _98 = _88->v[_95];
                    uint2 _101 = a.routed;
                    device Floats* _102 = reinterpret_cast<device Floats*>(as_type<ulong>(_101));
                    uint _106 = a.routed_stride;
                    uint _107 = _35 * _106;
                    uint _109 = _107 + _276;
                    float _111 = _102->v[_109];
                    float _114 = fma(_98, _111, _277);
                    uint _116 = _276 + uint(1);
                    _277 = _114;
                    _276 = _116;
                    continue;
                }
                else
                {
                    break;
                }
            }
            factors[_31] = _277;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _130 = gl_GlobalInvocationID.x;
        uint _134 = a.width;
        bool _135 = _130 >= _134;
        if (_135)
        {
            break;
        }
        uint _143 = a.stride;
        uint _144 = _35 * _143;
        uint _146 = _144 + _130;
        uint2 _150 = a.x;
        device Floats* _151 = reinterpret_cast<device Floats*>(as_type<ulong>(_150));
        float _283;
        if (_48)
        {
            device Floats* _158 = reinterpret_cast<device Floats*>(as_type<ulong>(_46));
            uint _162 = a.h_stride;
            uint _163 = _35 * _162;
            uint _165 = _163 + _130;
            float _167 = _158->v[_165];
            uint _172 = a.active_stream;
            uint _175 = _172 * _134;
            uint _176 = _146 + _175;
            float _178 = _151->v[_176];
            float _179 = _167 - _178;
            _283 = _179;
        }
        else
        {
            _283 = 0.0;
        }
        uint _278;
        _278 = 0u;
        uint _188;
        for (;;)
        {
            _188 = a.count;
            bool _189 = _278 < _188;
            if (_189)
            {
                uint _196 = _278 * _134;
                uint _197 = _146 + _196;
                float _199 = _151->v[_197];
                float _285;
                if (_48)
                {
                    float _206 = factors[_278];
                    float _207 = 1.0 + _206;
                    float _211 = fma(_207, _283, _199);
                    _285 = _211;
                }
                else
                {
                    uint _279;
                    float _281;
                    _281 = _199;
                    _279 = 0u;
                    for (;;)
                    {
                        bool _222 = _279 < _188;
                        if (_222)
                        {
                            uint _226 = _278 * _188;
                            uint _228 = _226 + _279;
                            float _230 = factors[_228];
                            uint _236 = _279 * _134;
                            uint _237 = _146 + _236;
                            float _239 = _151->v[_237];
                            float _242 = fma(_230, _239, _281);
                            uint _244 = _279 + uint(1);
                            _281 = _242;
                            _279 = _244;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    _285 = _281;
                }
                uint2 _247 = a.y;
                device Floats* _248 = reinterpret_cast<device Floats*>(as_type<ulong>(_247));
                _248->v[_197] = _285;
                uint _258 = _278 + uint(1);
                _278 = _258;
                continue;
            }
            else
            {
                break;
            }
        }
        break;
    } while(false);
}

