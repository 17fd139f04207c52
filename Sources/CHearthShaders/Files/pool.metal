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
        uint _288;
        uint _291;
        uint _295;
        float _299;
        float _305;
        _305 = 0.0;
        _299 = 0.0;
        _295 = 0u;
        _291 = 0u;
        _288 = 0u;
        uint _290;
        uint _294;
        float _298;
        float _304;
        for (;;)
        {
            uint _108 = a.kernel_height;
            bool _109 = _288 < _108;
            if (_109)
            {
                uint _115 = a.dilation_y;
                uint _116 = _288 * _115;
                int _117 = int(_116);
                int _118 = _62 + _117;
                int _122 = int(_83);
                int _125 = a.bottom;
                int _126 = _122 + _125;
                bool _127 = _118 >= _126;
                if (_127)
                {
                    break;
                }
                uint _289;
                _304 = _305;
                _298 = _299;
                _294 = _295;
                _290 = _291;
                _289 = 0u;
                uint _165;
                uint _328;
                float _330;
                float _332;
                for (;;)
                {
                    uint _140 = a.kernel_width;
                    bool _141 = _289 < _140;
                    if (_141)
                    {
                        uint _147 = a.dilation_x;
                        uint _148 = _289 * _147;
                        int _149 = int(_148);
                        int _150 = _76 + _149;
                        int _154 = int(_87);
                        int _157 = a.right;
                        int _158 = _154 + _157;
                        bool _159 = _150 >= _158;
                        if (_159)
                        {
                            break;
                        }
                        _165 = _290 + uint(1);
                        bool _168 = _118 < 0;
                        bool _169 = !_168;
                        bool _177;
                        if (_169)
                        {
                            bool _176 = _118 >= _122;
                            _177 = _176;
                        }
                        else
                        {
                            _177 = _168;
                        }
                        bool _179 = _150 < 0;
                        bool _180 = _177 || _179;
                        bool _181 = !_180;
                        bool _189;
                        if (_181)
                        {
                            bool _188 = _150 >= _154;
                            _189 = _188;
                        }
                        else
                        {
                            _189 = _180;
                        }
                        if (_189)
                        {
                            _332 = _304;
                            _330 = _298;
                            _328 = _294;
                            uint _236 = _289 + uint(1);
                            _304 = _332;
                            _298 = _330;
                            _294 = _328;
                            _290 = _165;
                            _289 = _236;
                            continue;
                        }
                        uint2 _196 = a.x;
                        device Floats* _200 = reinterpret_cast<device Floats*>(as_type<ulong>(_196));
                        uint _203 = uint(_118);
                        uint _206 = _203 * _87;
                        uint _208 = uint(_150);
                        uint _209 = _206 + _208;
                        uint _210 = _209 * 16u;
                        uint _211 = _91 + _210;
                        float _214 = _200->v[_211];
                        bool _216 = _294 == 0u;
                        bool _219 = _214 > _298;
                        bool _220 = _216 || _219;
                        bool _221 = !_220;
                        bool _226;
                        if (_221)
                        {
                            bool _225 = isnan(_214);
                            _226 = _225;
                        }
                        else
                        {
                            _226 = _220;
                        }
                        float _229 = _226 ? _214 : _298;
                        float _232 = _304 + _214;
                        uint _234 = _294 + uint(1);
                        _332 = _232;
                        _330 = _229;
                        _328 = _234;
                        uint _236 = _289 + uint(1);
                        _304 = _332;
                        _298 = _330;
                        _294 = _328;
                        _290 = _165;
                        _289 = _236;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                uint _238 = _288 + uint(1);
                _305 = _304;
                _299 = _298;
                _295 = _294;
                _291 = _290;
                _288 = _238;
                continue;
            }
            else
            {
                break;
            }
        }
        uint _242 = a.counts_padding;
        bool _243 = _242 != 0u;
        uint _246 = _243 ? _291 : _295;
        uint _252 = _80 * _37;
        uint _255 = _252 * _40;
        uint _257 = _255 + _27;
        uint _258 = _257 * 16u;
        uint _260 = _258 + _17;
        uint2 _262 = a.y;
        device Floats* _263 = reinterpret_cast<device Floats*>(as_type<ulong>(_262));
        uint _267 = a.averages;
        bool _268 = _267 != 0u;
        float _321;
        if (_268)
        {
            float _274 = float(_246);
            float _275 = _305 / _274;
            _321 = _275;
        }
        else
        {
            _321 = _299;
        }
        _263->v[_260] = _321;
        break;
    } while(false);
}

