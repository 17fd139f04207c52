#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 y;
    uint pictures;
    uint positions;
    uint count;
    uint filled;
    uint first;
    uint y_first;
    uint y_step;
    uint x_channels;
    uint y_channels;
    uint x_is_plain;
    uint y_is_plain;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    uint _64 = a.count;
    uint _67 = a.filled;
    uint _68 = max(_64, _67);
    uint _72 = a.pictures;
    uint _74 = _72 * _68;
    uint _76 = a.positions;
    uint _77 = _74 * _76;
    uint _84 = gl_GlobalInvocationID.x;
    uint _276;
    _276 = _84;
    for (;;)
    {
        bool _92 = _276 < _77;
        if (_92)
        {
            uint _97 = _276 % _76;
            uint _102 = _276 / _76;
            uint _104 = _102 % _68;
            uint _110 = _76 * _68;
            uint _111 = _276 / _110;
            bool _119 = _104 < _64;
            float _280;
            if (_119)
            {
                uint2 _125 = a.x;
                device Floats* _129 = reinterpret_cast<device Floats*>(as_type<ulong>(_125));
                uint _132 = a.first;
                uint _134 = _132 + _104;
                uint _144 = a.x_channels;
                uint _147 = a.x_is_plain;
                uint _277;
                do
                {
                    bool _206 = _147 != 0u;
                    if (_206)
                    {
                        uint _210 = _111 * _144;
                        uint _212 = _210 + _134;
                        uint _215 = _212 * _76;
                        uint _217 = _215 + _97;
                        _277 = _217;
                        break;
                    }
                    uint _221 = _144 + 15u;
                    uint _222 = _221 / 16u;
                    uint _223 = _111 * _222;
                    uint _225 = _134 / 16u;
                    uint _226 = _223 + _225;
                    uint _229 = _226 * _76;
                    uint _231 = _229 + _97;
                    uint _232 = _231 * 16u;
                    uint _234 = _134 % 16u;
                    uint _235 = _232 + _234;
                    _277 = _235;
                    break;
                } while(false);
                float _151 = _129->v[_277];
                _280 = _151;
            }
            else
            {
                _280 = 0.0;
            }
            uint _155 = a.y_first;
            uint _159 = a.y_step;
            uint _160 = _104 * _159;
            uint _161 = _155 + _160;
            uint2 _164 = a.y;
            device Floats* _165 = reinterpret_cast<device Floats*>(as_type<ulong>(_164));
            uint _176 = a.y_channels;
            uint _179 = a.y_is_plain;
            uint _278;
            do
            {
                bool _244 = _179 != 0u;
                if (_244)
                {
                    uint _248 = _111 * _176;
                    uint _250 = _248 + _161;
                    uint _253 = _250 * _76;
                    uint _255 = _253 + _97;
                    _278 = _255;
                    break;
                }
                uint _259 = _176 + 15u;
                uint _260 = _259 / 16u;
                uint _261 = _111 * _260;
                uint _263 = _161 / 16u;
                uint _264 = _261 + _263;
                uint _267 = _264 * _76;
                uint _269 = _267 + _97;
                uint _270 = _269 * 16u;
                uint _272 = _161 % 16u;
                uint _273 = _270 + _272;
                _278 = _273;
                break;
            } while(false);
            _165->v[_278] = _280;
            uint _185 = gl_NumWorkGroups.x;
            uint _187 = _185 * 64u;
            uint _189 = _276 + _187;
            _276 = _189;
            continue;
        }
        else
        {
            break;
        }
    }
}

