#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 angles;
    uint heads;
    uint width;
    uint stride;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    do
    {
        uint _17 = a.width;
        uint _19 = _17 / 2u;
        uint _27 = gl_GlobalInvocationID.x;
        uint _31 = a.heads;
        uint _33 = _31 * _19;
        bool _35 = _27 >= _33;
        if (_35)
        {
            break;
        }
        uint _42 = _27 % _19;
        uint _47 = gl_WorkGroupID.y;
        uint _50 = a.stride;
        uint _51 = _47 * _50;
        uint _54 = _27 / _19;
        uint _57 = _54 * _17;
        uint _58 = _51 + _57;
        uint _60 = _58 + _42;
        uint _66 = _47 * _17;
        uint _68 = _66 + _42;
        uint2 _78 = a.x;
        device Floats* _79 = reinterpret_cast<device Floats*>(as_type<ulong>(_78));
        uint2 _84 = a.angles;
        device Floats* _85 = reinterpret_cast<device Floats*>(as_type<ulong>(_84));
        float _89 = _85->v[_68];
        uint _96 = _68 + _19;
        float _98 = _85->v[_96];
        float _103 = _79->v[_60];
        uint _108 = _60 + _19;
        float _110 = _79->v[_108];
        float _118 = _110 * _98;
        float _141 = -_118;
        float _119 = fma(_103, _89, _141);
        _79->v[_60] = _119;
        float _130 = _110 * _89;
        float _131 = fma(_103, _98, _130);
        _79->v[_108] = _131;
        break;
    } while(false);
}

