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
    float a;
    float b;
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
        uint _31 = gl_GlobalInvocationID.x;
        uint _41 = a.width;
        bool _42 = _31 >= _41;
        if (_42)
        {
            break;
        }
        uint2 _51 = a.x;
        device Floats* _55 = reinterpret_cast<device Floats*>(as_type<ulong>(_51));
        uint _58 = gl_WorkGroupID.y;
        uint _61 = a.x_stride;
        uint _62 = _58 * _61;
        uint _64 = _62 + _31;
        float _67 = _55->v[_64];
        float _71 = a.a;
        float _72 = _67 * _71;
        uint2 _76 = a.gain;
        uint _134 = _76.x;
        uint _136 = _76.y;
        uint _137 = _134 | _136;
        bool _138 = _137 == 0u;
        bool _78 = !_138;
        float _141;
        if (_78)
        {
            device Floats* _83 = reinterpret_cast<device Floats*>(as_type<ulong>(_76));
            float _86 = _83->v[_31];
            float _88 = _72 * _86;
            _141 = _88;
        }
        else
        {
            _141 = _72;
        }
        uint _94 = a.y_stride;
        uint _95 = _58 * _94;
        uint _97 = _95 + _31;
        float _100 = a.b;
        bool _102 = _100 != 0.0;
        float _142;
        if (_102)
        {
            uint2 _109 = a.y;
            device Floats* _110 = reinterpret_cast<device Floats*>(as_type<ulong>(_109));
            float _113 = _110->v[_97];
            float _116 = fma(_100, _113, _141);
            _142 = _116;
        }
        else
        {
            _142 = _141;
        }
        uint2 _118 = a.y;
        device Floats* _119 = reinterpret_cast<device Floats*>(as_type<ulong>(_118));
        _119->v[_97] = _142;
        break;
    } while(false);
}

