#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 scale;
    uint2 shift;
    uint2 y;
    uint count;
    uint positions;
    uint blocks;
    uint function;
    float a;
    float b;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);
constant float _1245 = {};

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    uint _536 = gl_GlobalInvocationID.x;
    uint _1220;
    float _1244;
    _1244 = _1245;
    _1220 = _536;
    float _1240;
    for (;;)
    {
        uint _550 = a.count;
        bool _551 = _1220 < _550;
        if (_551)
        {
            uint _556 = a.positions;
            uint _558 = _556 * 16u;
            uint _559 = _1220 / _558;
            uint _562 = a.blocks;
            uint _563 = _559 % _562;
            uint _564 = _563 * 16u;
            uint _566 = _1220 % 16u;
            uint _567 = _564 + _566;
            uint2 _572 = a.x;
            device Floats* _576 = reinterpret_cast<device Floats*>(as_type<ulong>(_572));
            float _580 = _576->v[_1220];
            uint2 _584 = a.scale;
            uint _661 = _584.x;
            uint _663 = _584.y;
            uint _664 = _661 | _663;
            bool _665 = _664 == 0u;
            bool _586 = !_665;
            float _1221;
            if (_586)
            {
                device Floats* _591 = reinterpret_cast<device Floats*>(as_type<ulong>(_584));
                float _594 = _591->v[_567];
                float _596 = _580 * _594;
                _1221 = _596;
            }
            else
            {
                _1221 = _580;
            }
            uint2 _600 = a.shift;
            uint _669 = _600.x;
            uint _671 = _600.y;
            uint _672 = _669 | _671;
            bool _673 = _672 == 0u;
            bool _602 = !_673;
            float _1224;
            if (_602)
            {
                device Floats* _607 = reinterpret_cast<device Floats*>(as_type<ulong>(_600));
                float _610 = _607->v[_567];
                float _612 = _1221 + _610;
                _1224 = _612;
            }
            else
            {
                _1224 = _1221;
            }
            uint2 _615 = a.y;
            device Floats* _616 = reinterpret_cast<device Floats*>(as_type<ulong>(_615));
            uint _623 = a.function;
            float _627 = a.a;
            float _630 = a.b;
            do
            {
                bool _1239;
                float _1241;
                switch (_623)
                {
                    case 0u:
                    {
                        _1241 = _1224;
                        _1239 = true;
                        break;
                    }
                    case 1u:
                    {
                        bool _713 = _1224 < 0.0;
                        float _715 = _713 ? 0.0 : _1224;
                        _1241 = _715;
                        _1239 = true;
                        break;
                    }
                    case 2u:
                    {
                        bool _719 = _1224 < _627;
                        float _1238;
                        if (_719)
                        {
                            _1238 = _627;
                        }
                        else
                        {
                            bool _725 = _1224 > _630;
                            float _728 = _725 ? _630 : _1224;
                            _1238 = _728;
                        }
                        _1241 = _1238;
                        _1239 = true;
                        break;
                    }
                    case 3u:
                    {
                        bool _733 = _1224 < 0.0;
                        float _1237;
                        if (_733)
                        {
                            float _737 = _627 * _1224;
                            _1237 = _737;
                        }
                        else
                        {
                            _1237 = _1224;
                        }
                        _1241 = _1237;
                        _1239 = true;
                        break;
                    }
                    case 4u:
                    {
                        bool _745 = _1224 < _627;
                        float _747 = _745 ? 0.0 : _1224;
                        _1241 = _747;
                        _1239 = true;
                        break;
                    }
                    case 5u:
                    {
                        bool _750 = _1224 < 0.0;
                        float _1236;
                        if (_750)
                        {
                            float _754 = _627 * _1224;
                            _1236 = _754;
                        }
                        else
                        {
                            _1236 = _1224;
                        }
                        bool _761 = _1236 > _630;
                        float _764 = _761 ? _630 : _1236;
                        _1241 = _764;
                        _1239 = true;
                        break;
                    }
                    case 6u:
                    {
                        float _770 = fma(_627, _1224, _630);
                        _1241 = _770;
                        _1239 = true;
                        break;
                    }
                    case 7u:
                    {
                        bool _773 = _1224 < (-87.0);
                        float _1235;
                        if (_773)
                        {
                            _1235 = 0.0;
                        }
                        else
                        {
                            float _973 = fast::clamp(-_1224, -87.0, 87.0);
                            float _974 = exp(_973);
                            float _975 = 1.0 + _974;
                            float _976 = 1.0 / _975;
                            _1235 = _976;
                        }
                        _1241 = _1235;
                        _1239 = true;
                        break;
                    }
                    case 8u:
                    {
                        float _1234;
                        if (isnan(_1224))
                        {
                            _1234 = _1224;
                        }
                        else
                        {
                            float _983 = fma(_627, _1224, _630);
                            float _984 = fast::max(0.0, _983);
                            float _985 = fast::min(1.0, _984);
                            _1234 = _985;
                        }
                        _1241 = _1234;
                        _1239 = true;
                        break;
                    }
                    case 9u:
                    {
                        float _992 = fma(_627, _1224, _630);
                        float _993 = fast::max(0.0, _992);
                        float _994 = fast::min(1.0, _993);
                        float _798 = _1224 * _994;
                        _1241 = _798;
                        _1239 = true;
                        break;
                    }
                    case 10u:
                    {
                        bool _801 = _1224 < (-87.0);
                        float _1233;
                        if (_801)
                        {
                            _1233 = 0.0;
                        }
                        else
                        {
                            float _999 = fast::clamp(-_1224, -87.0, 87.0);
                            float _1000 = exp(_999);
                            float _1001 = 1.0 + _1000;
                            float _1002 = 1.0 / _1001;
                            float _807 = _1224 * _1002;
                            _1233 = _807;
                        }
                        _1241 = _1233;
                        _1239 = true;
                        break;
                    }
                    case 11u:
                    {
                        float _812 = _1224 * 0.707106769084930419921875;
                        float _1008 = abs(_812);
                        float _1010 = fma(0.5, _1008, 1.0);
                        float _1011 = 1.0 / _1010;
                        float _1013 = 0.0154464244842529296875 / _1010;
                        float _1014 = _1013 - 0.13872261345386505126953125;
                        float _1018 = fma(_1014, _1011, 0.461040794849395751953125);
                        float _1022 = fma(_1018, _1011, -0.706877171993255615234375);
                        float _1026 = fma(_1022, _1011, 0.4467795789241790771484375);
                        float _1030 = fma(_1026, _1011, -0.109197147190570831298828125);
                        float _1034 = fma(_1030, _1011, 0.2283391058444976806640625);
                        float _1038 = fma(_1034, _1011, 0.23824338614940643310546875);
                        float _1042 = fma(_1038, _1011, 0.28288352489471435546875);
                        float _1046 = fma(_1042, _1011, 0.2820641100406646728515625);
                        float _1048 = _1224 * (-0.707106769084930419921875);
                        float _1050 = _1048 * _812;
                        float _1051 = fast::max(_1050, -87.0);
                        float _1052 = exp(_1051);
                        float _1055 = _1011 * _1046;
                        float _1056 = _1052 * _1055;
                        float _814 = 0.5 * _1056;
                        bool _817 = _1224 < 0.0;
                        float _1232;
                        if (_817)
                        {
                            _1232 = _814;
                        }
                        else
                        {
                            float _822 = fma(-0.5, _1056, 1.0);
                            _1232 = _822;
                        }
                        _1241 = _1224 * _1232;
                        _1239 = true;
                        break;
                    }
                    case 12u:
                    {
                        float _830 = 0.0447149984538555145263671875 * _1224;
                        float _832 = _830 * _1224;
                        float _835 = fma(_832, _1224, _1224);
                        float _1060 = _835 * (-1.5957691669464111328125);
                        float _1061 = fast::clamp(_1060, -87.0, 87.0);
                        float _1062 = exp(_1061);
                        float _1063 = 1.0 + _1062;
                        float _1064 = 1.0 / _1063;
                        float _838 = _1224 * _1064;
                        _1241 = _838;
                        _1239 = true;
                        break;
                    }
                    case 13u:
                    {
                        float _1068 = _1224 * (-1.70200002193450927734375);
                        float _1069 = fast::clamp(_1068, -87.0, 87.0);
                        float _1070 = exp(_1069);
                        float _1071 = 1.0 + _1070;
                        float _1072 = 1.0 / _1071;
                        float _844 = _1224 * _1072;
                        _1241 = _844;
                        _1239 = true;
                        break;
                    }
                    case 14u:
                    {
                        float _1231;
                        if (isnan(_1224))
                        {
                            _1231 = _1224;
                        }
                        else
                        {
                            float _1076 = fast::clamp(_1224, -15.0, 15.0);
                            float _1077 = precise::tanh(_1076);
                            _1231 = _1077;
                        }
                        _1241 = _1231;
                        _1239 = true;
                        break;
                    }
                    case 15u:
                    {
                        float _1230;
                        if (isnan(_1224))
                        {
                            _1230 = _1224;
                        }
                        else
                        {
                            float _864 = _630 * _1224;
                            float _1081 = fast::clamp(_864, -15.0, 15.0);
                            float _1082 = precise::tanh(_1081);
                            float _866 = _627 * _1082;
                            _1230 = _866;
                        }
                        _1241 = _1230;
                        _1239 = true;
                        break;
                    }
                    case 16u:
                    {
                        bool _871 = _1224 < 0.0;
                        float _1229;
                        if (_871)
                        {
                            float _875 = 0.5 * _1224;
                            float _1086 = fast::clamp(_875, -15.0, 15.0);
                            float _1087 = precise::tanh(_1086);
                            float _879 = exp(_1224) + 1.0;
                            float _880 = _1087 * _879;
                            float _881 = _627 * _880;
                            _1229 = _881;
                        }
                        else
                        {
                            _1229 = _1224;
                        }
                        _1241 = _1229;
                        _1239 = true;
                        break;
                    }
                    case 17u:
                    {
                        bool _888 = _1224 > 0.0;
                        float _890 = _888 ? _1224 : 0.0;
                        float _893 = -abs(_1224);
                        float _894 = exp(_893);
                        float _895 = 1.0 + _894;
                        float _896 = log(_895);
                        float _897 = _890 + _896;
                        _1241 = _897;
                        _1239 = true;
                        break;
                    }
                    case 18u:
                    {
                        float _902 = 1.0 + abs(_1224);
                        float _903 = _1224 / _902;
                        _1241 = _903;
                        _1239 = true;
                        break;
                    }
                    case 19u:
                    {
                        _1241 = exp(_1224);
                        _1239 = true;
                        break;
                    }
                    case 20u:
                    {
                        float _910 = _1224 + _627;
                        float _911 = log(_910);
                        _1241 = _911;
                        _1239 = true;
                        break;
                    }
                    case 21u:
                    {
                        _1241 = sqrt(_1224);
                        _1239 = true;
                        break;
                    }
                    case 22u:
                    {
                        float _918 = _1224 + _627;
                        float _919 = sqrt(_918);
                        float _920 = 1.0 / _919;
                        _1241 = _920;
                        _1239 = true;
                        break;
                    }
                    case 23u:
                    {
                        float _924 = _1224 + _627;
                        float _925 = 1.0 / _924;
                        _1241 = _925;
                        _1239 = true;
                        break;
                    }
                    case 24u:
                    {
                        float _1228;
                        if (isnan(_1224))
                        {
                            _1228 = _1224;
                        }
                        else
                        {
                            float _1227;
                            do
                            {
                                float _1100 = _1224 * _1224;
                                bool _1102 = _1100 < 1.0;
                                if (_1102)
                                {
                                    float _1106 = fma(7.87587487138807773590087890625e-05, _1100, -0.00080168643034994602203369140625);
                                    float _1110 = fma(_1106, _1100, 0.0051890872418880462646484375);
                                    float _1114 = fma(_1110, _1100, -0.02685421146452426910400390625);
                                    float _1118 = fma(_1114, _1100, 0.112835943698883056640625);
                                    float _1122 = fma(_1118, _1100, -0.3761262595653533935546875);
                                    float _1127 = fma(_1122, _1100, 1.12837922573089599609375);
                                    float _1128 = _1224 * _1127;
                                    _1227 = _1128;
                                    break;
                                }
                                float _1151 = fma(0.5, abs(_1224), 1.0);
                                float _1152 = 1.0 / _1151;
                                float _1154 = 0.0154464244842529296875 / _1151;
                                float _1155 = _1154 - 0.13872261345386505126953125;
                                float _1159 = fma(_1155, _1152, 0.461040794849395751953125);
                                float _1163 = fma(_1159, _1152, -0.706877171993255615234375);
                                float _1167 = fma(_1163, _1152, 0.4467795789241790771484375);
                                float _1171 = fma(_1167, _1152, -0.109197147190570831298828125);
                                float _1175 = fma(_1171, _1152, 0.2283391058444976806640625);
                                float _1179 = fma(_1175, _1152, 0.23824338614940643310546875);
                                float _1183 = fma(_1179, _1152, 0.28288352489471435546875);
                                float _1187 = fma(_1183, _1152, 0.2820641100406646728515625);
                                float _1191 = (-_1224) * _1224;
                                float _1192 = fast::max(_1191, -87.0);
                                float _1193 = exp(_1192);
                                float _1196 = _1152 * _1187;
                                float _1204 = -_1193;
                                float _1132 = fma(_1204, _1196, 1.0);
                                bool _1134 = _1224 < 0.0;
                                float _1226;
                                if (_1134)
                                {
                                    float _1137 = -_1132;
                                    _1226 = _1137;
                                }
                                else
                                {
                                    _1226 = _1132;
                                }
                                _1227 = _1226;
                                break;
                            } while(false);
                            _1228 = _1227;
                        }
                        _1241 = _1228;
                        _1239 = true;
                        break;
                    }
                    case 25u:
                    {
                        _1241 = abs(_1224);
                        _1239 = true;
                        break;
                    }
                    case 26u:
                    {
                        _1241 = _1224 * _1224;
                        _1239 = true;
                        break;
                    }
                    case 27u:
                    {
                        _1241 = floor(_1224);
                        _1239 = true;
                        break;
                    }
                    case 28u:
                    {
                        _1241 = ceil(_1224);
                        _1239 = true;
                        break;
                    }
                    case 29u:
                    {
                        _1241 = rint(_1224);
                        _1239 = true;
                        break;
                    }
                    case 30u:
                    {
                        bool _954 = _1224 > 0.0;
                        float _1225;
                        if (_954)
                        {
                            _1225 = 1.0;
                        }
                        else
                        {
                            bool _958 = _1224 < 0.0;
                            float _960 = _958 ? (-1.0) : _1224;
                            _1225 = _960;
                        }
                        _1241 = _1225;
                        _1239 = true;
                        break;
                    }
                    default:
                    {
                        _1241 = _1244;
                        _1239 = false;
                        break;
                    }
                }
                if (_1239)
                {
                    _1240 = _1241;
                    break;
                }
                _1240 = _1224;
                break;
            } while(false);
            _616->v[_1220] = _1240;
            uint _637 = gl_NumWorkGroups.x;
            uint _639 = _637 * 64u;
            uint _641 = _1220 + _639;
            _1244 = _1240;
            _1220 = _641;
            continue;
        }
        else
        {
            break;
        }
    }
}

