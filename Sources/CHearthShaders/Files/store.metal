#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;
struct Words;

struct Arguments
{
    uint2 x;
    uint2 cache;
    uint pairs;
    uint stride;
    uint position;
};

struct Floats
{
    float v[1];
};

constant bool HALF_tmp [[function_constant(0)]];
constant bool HALF = is_function_constant_defined(HALF_tmp) ? HALF_tmp : true;

struct Words
{
    uint v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    do
    {
        uint _85 = gl_GlobalInvocationID.x;
        uint _94 = a.pairs;
        bool _95 = _85 >= _94;
        if (_95)
        {
            break;
        }
        uint _102 = gl_WorkGroupID.y;
        uint _105 = a.stride;
        uint _106 = _102 * _105;
        uint _109 = _85 * 2u;
        uint _110 = _106 + _109;
        uint _114 = a.position;
        uint _117 = _114 + _102;
        uint _120 = _117 * _94;
        uint _122 = _120 + _85;
        uint2 _127 = a.x;
        device Floats* _131 = reinterpret_cast<device Floats*>(as_type<ulong>(_127));
        float _135 = _131->v[_110];
        uint _141 = _110 + 1u;
        float _143 = _131->v[_141];
        if (HALF)
        {
            uint2 _149 = a.cache;
            device Words* _153 = reinterpret_cast<device Words*>(as_type<ulong>(_149));
            uint _297;
            do
            {
                uint _203 = as_type<uint>(_135);
                uint _205 = _203 >> uint(16);
                uint _206 = _205 & 32768u;
                uint _208 = _203 & 2147483647u;
                bool _210 = _208 > 2139095040u;
                if (_210)
                {
                    uint _213 = _206 | 32256u;
                    _297 = _213;
                    break;
                }
                bool _216 = _208 >= 1199570944u;
                if (_216)
                {
                    uint _219 = _206 | 31744u;
                    _297 = _219;
                    break;
                }
                bool _222 = _208 < 947912704u;
                if (_222)
                {
                    float _226 = as_type<float>(_208);
                    float _227 = _226 * 16777216.0;
                    float _228 = rint(_227);
                    uint _229 = uint(_228);
                    uint _230 = _206 | _229;
                    _297 = _230;
                    break;
                }
                uint _233 = _208 - 939524096u;
                uint _236 = _208 + 3355447295u;
                uint _238 = _233 >> uint(13);
                uint _239 = _238 & 1u;
                uint _240 = _236 + _239;
                uint _241 = _240 >> uint(13);
                uint _242 = _206 | _241;
                _297 = _242;
                break;
            } while(false);
            uint _298;
            do
            {
                uint _254 = as_type<uint>(_143);
                uint _256 = _254 >> uint(16);
                uint _257 = _256 & 32768u;
                uint _259 = _254 & 2147483647u;
                bool _261 = _259 > 2139095040u;
                if (_261)
                {
                    uint _264 = _257 | 32256u;
                    _298 = _264;
                    break;
                }
                bool _267 = _259 >= 1199570944u;
                if (_267)
                {
                    uint _270 = _257 | 31744u;
                    _298 = _270;
                    break;
                }
                bool _273 = _259 < 947912704u;
                if (_273)
                {
                    float _277 = as_type<float>(_259);
                    float _278 = _277 * 16777216.0;
                    float _279 = rint(_278);
                    uint _280 = uint(_279);
                    uint _281 = _257 | _280;
                    _298 = _281;
                    break;
                }
                uint _284 = _259 - 939524096u;
                uint _287 = _259 + 3355447295u;
                uint _289 = _284 >> uint(13);
                uint _290 = _289 & 1u;
                uint _291 = _287 + _290;
                uint _292 = _291 >> uint(13);
                uint _293 = _257 | _292;
                _298 = _293;
                break;
            } while(false);
            uint _161 = _298 << uint(16);
            uint _162 = _297 | _161;
            _153->v[_122] = _162;
        }
        else
        {
            uint2 _167 = a.cache;
            device Floats* _168 = reinterpret_cast<device Floats*>(as_type<ulong>(_167));
            uint _170 = 2u * _122;
            _168->v[_170] = _135;
            uint _178 = _170 + 1u;
            _168->v[_178] = _143;
        }
        break;
    } while(false);
}

