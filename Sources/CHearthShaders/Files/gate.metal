#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 gate;
    uint2 up;
    uint width;
    uint stride;
    uint up_stride;
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
        uint _15 = gl_GlobalInvocationID.x;
        uint _25 = a.width;
        bool _27 = _15 >= _25;
        if (_27)
        {
            break;
        }
        uint _35 = gl_WorkGroupID.y;
        uint _38 = a.stride;
        uint _39 = _35 * _38;
        uint _41 = _39 + _15;
        uint2 _48 = a.gate;
        device Floats* _52 = reinterpret_cast<device Floats*>(as_type<ulong>(_48));
        float _56 = _52->v[_41];
        float _62 = 0.0447149984538555145263671875 * _56;
        float _64 = _62 * _56;
        float _67 = fma(_64, _56, _56);
        float _74 = _67 * (-1.5957691669464111328125);
        float _77 = fast::clamp(_74, -80.0, 80.0);
        float _78 = exp(_77);
        float _79 = 1.0 + _78;
        float _80 = _56 / _79;
        uint2 _88 = a.up;
        device Floats* _89 = reinterpret_cast<device Floats*>(as_type<ulong>(_88));
        uint _94 = a.up_stride;
        uint _95 = _35 * _94;
        uint _97 = _95 + _15;
        float _99 = _89->v[_97];
        float _100 = _80 * _99;
        _52->v[_41] = _100;
        break;
    } while(false);
}

