#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 y;
    uint sizes[6];
    int x_strides[6];
    int y_strides[6];
    int x_first;
    int y_first;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    uint _134;
    uint _137;
    _137 = 1u;
    _134 = 0u;
    for (;;)
    {
        bool _20 = _134 < 6u;
        if (_20)
        {
            uint _33 = a.sizes[_134];
            uint _35 = _137 * _33;
            uint _38 = _134 + uint(1);
            _137 = _35;
            _134 = _38;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _45 = gl_GlobalInvocationID.x;
    uint _128;
    uint _130;
    uint _132;
    for (uint _135 = _45; _135 < _137; _128 = gl_NumWorkGroups.x, _130 = _128 * 64u, _132 = _135 + _130, _135 = _132)
    {
        int _61 = a.x_first;
        int _65 = a.y_first;
        uint _138;
        int _139;
        int _140;
        uint _142;
        _142 = _135;
        _140 = _61;
        _139 = _65;
        _138 = 6u;
        for (;;)
        {
            bool _73 = _138 > 0u;
            if (_73)
            {
                uint _77 = _138 - 1u;
                uint _79 = a.sizes[_77];
                uint _80 = _142 % _79;
                int _81 = int(_80);
                uint _87 = _142 / _79;
                int _93 = a.x_strides[_77];
                int _94 = _81 * _93;
                int _96 = _140 + _94;
                int _102 = a.y_strides[_77];
                int _103 = _81 * _102;
                int _105 = _139 + _103;
                uint _107 = _138 - uint(1);
                _142 = _87;
                _140 = _96;
                _139 = _105;
                _138 = _107;
                continue;
            }
            else
            {
                break;
            }
        }
        uint2 _110 = a.y;
        device Floats* _115 = reinterpret_cast<device Floats*>(as_type<ulong>(_110));
        uint2 _119 = a.x;
        device Floats* _120 = reinterpret_cast<device Floats*>(as_type<ulong>(_119));
        float _124 = _120->v[_140];
        _115->v[_139] = _124;
    }
}

