#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 y;
    uint height;
    uint width;
    uint y_height;
    uint y_width;
    uint kernel_height;
    uint kernel_width;
    uint stride_y;
    uint stride_x;
    uint dilation_y;
    uint dilation_x;
    int top;
    int left;
    int bottom;
    int right;
    uint averages;
    uint counts_padding;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    do
    {
        uint _15 = gl_LocalInvocationID.x;
        uint _17 = _15 % 16u;
        uint _21 = gl_WorkGroupID.x;
        uint _23 = _21 * 4u;
        uint _26 = _15 / 16u;
        uint _27 = _23 + _26;
        uint _37 = a.y_height;
        uint _40 = a.y_width;
        uint _41 = _37 * _40;
        bool _43 = _27 >= _41;
        if (_43)
        {
            break;
        }
        uint _52 = _27 / _40;
        uint _55 = a.stride_y;
        uint _56 = _52 * _55;
        int _57 = int(_56);
        int _61 = a.top;
        int _62 = _57 - _61;
        uint _67 = _27 % _40;
        uint _70 = a.stride_x;
        uint _71 = _67 * _70;
        int _72 = int(_71);
        int _75 = a.left;
        int _76 = _72 - _75;
        uint _80 = gl_WorkGroupID.y;
        uint _83 = a.height;
        uint _84 = _80 * _83;
        uint _87 = a.width;
        uint _88 = _84 * _87;
        uint _89 = _88 * 16u;
        uint _91 = _89 + _17;
        uint _289;
        uint _292;
        float _296;
        float _302;
        uint _307;
        _307 = 0u;
        _302 = 0.0;
        _296 = as_type<float>(0xff800000u /* -inf */);
        _292 = 0u;
        _289 = 0u;
        uint _291;
        float _295;
        float _301;
        uint _306;
        for (;;)
        {
            uint _110 = a.kernel_height;
            bool _111 = _289 < _110;
            if (_111)
            {
                uint _117 = a.dilation_y;
                uint _118 = _289 * _117;
                int _119 = int(_118);
                int _120 = _62 + _119;
                int _124 = int(_83);
                int _127 = a.bottom;
                int _128 = _124 + _127;
                bool _129 = _120 >= _128;
                if (_129)
                {
                    break;
                }
                uint _290;
                _306 = _307;
                _301 = _302;
                _295 = _296;
                _291 = _292;
                _290 = 0u;
                uint _167;
                float _329;
                float _331;
                uint _333;
                for (;;)
                {
                    uint _142 = a.kernel_width;
                    bool _143 = _290 < _142;
                    if (_143)
                    {
                        uint _149 = a.dilation_x;
                        uint _150 = _290 * _149;
                        int _151 = int(_150);
                        int _152 = _76 + _151;
                        int _156 = int(_87);
                        int _159 = a.right;
                        int _160 = _156 + _159;
                        bool _161 = _152 >= _160;
                        if (_161)
                        {
                            break;
                        }
                        _167 = _291 + uint(1);
                        bool _170 = _120 < 0;
                        bool _171 = !_170;
                        bool _179;
                        if (_171)
                        {
                            bool _178 = _120 >= _124;
                            _179 = _178;
                        }
                        else
                        {
                            _179 = _170;
                        }
                        bool _181 = _152 < 0;
                        bool _182 = _179 || _181;
                        bool _183 = !_182;
                        bool _191;
                        if (_183)
                        {
                            bool _190 = _152 >= _156;
                            _191 = _190;
                        }
                        else
                        {
                            _191 = _182;
                        }
                        if (_191)
                        {
                            _333 = _306;
                            _331 = _301;
                            _329 = _295;
                            uint _235 = _290 + uint(1);
                            _306 = _333;
                            _301 = _331;
                            _295 = _329;
                            _291 = _167;
                            _290 = _235;
                            continue;
                        }
                        uint2 _198 = a.x;
                        device Floats* _202 = reinterpret_cast<device Floats*>(as_type<ulong>(_198));
                        uint _205 = uint(_120);
                        uint _208 = _205 * _87;
                        uint _210 = uint(_152);
                        uint _211 = _208 + _210;
                        uint _212 = _211 * 16u;
                        uint _213 = _91 + _212;
                        float _216 = _202->v[_213];
                        bool _219 = _216 > _295;
                        bool _220 = !_219;
                        bool _225;
                        if (_220)
                        {
                            bool _224 = isnan(_216);
                            _225 = _224;
                        }
                        else
                        {
                            _225 = _219;
                        }
                        float _228 = _225 ? _216 : _295;
                        float _231 = _301 + _216;
                        uint _233 = _306 + uint(1);
                        _333 = _233;
                        _331 = _231;
                        _329 = _228;
                        uint _235 = _290 + uint(1);
                        _306 = _333;
                        _301 = _331;
                        _295 = _329;
                        _291 = _167;
                        _290 = _235;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                uint _237 = _289 + uint(1);
                _307 = _306;
                _302 = _301;
                _296 = _295;
                _292 = _291;
                _289 = _237;
                continue;
            }
            else
            {
                break;
            }
        }
        uint _241 = a.counts_padding;
        bool _242 = _241 != 0u;
        uint _245 = _242 ? _292 : _307;
        uint _251 = _80 * _37;
        uint _254 = _251 * _40;
        uint _256 = _254 + _27;
        uint _257 = _256 * 16u;
        uint _259 = _257 + _17;
        uint2 _261 = a.y;
        device Floats* _262 = reinterpret_cast<device Floats*>(as_type<ulong>(_261));
        uint _266 = a.averages;
        bool _267 = _266 != 0u;
        float _322;
        if (_267)
        {
            uint _273 = max(_245, 1u);
            float _274 = float(_273);
            float _275 = _302 / _274;
            _322 = _275;
        }
        else
        {
            _322 = _296;
        }
        _262->v[_259] = _322;
        break;
    } while(false);
}

