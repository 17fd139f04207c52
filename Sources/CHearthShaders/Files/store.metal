#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;
struct Words;

constant uint FORMAT_tmp [[function_constant(0)]];
constant uint FORMAT = is_function_constant_defined(FORMAT_tmp) ? FORMAT_tmp : 1u;
constant bool _33 = (FORMAT == 8u);
constant uint _35 = _33 ? 8u : 4u;

struct Arguments
{
    uint2 x;
    uint2 cache;
    uint heads;
    uint width;
    uint stride;
    uint position;
};

struct Floats
{
    float v[1];
};

constant bool _185 = (FORMAT == 1u);

struct Words
{
    uint v[1];
};

constant bool _338 = (FORMAT == 8u);
constant bool _387 = (FORMAT == 8u);
constant bool _403 = (FORMAT == 2u);
constant bool _535 = (FORMAT == 8u);
constant bool _568 = (FORMAT == 0u);
constant bool _569 = (FORMAT == 1u);
constant bool _570 = (_568 || _569);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]])
{
    threadgroup float values[64];
    threadgroup int quants[64];
    threadgroup uint scales[2];
    if (_570)
    {
        uint _576 = gl_GlobalInvocationID.x;
        do
        {
            uint _608 = a.heads;
            uint _610 = a.width;
            uint _611 = _608 * _610;
            uint _612 = _611 / 2u;
            bool _615 = _576 >= _612;
            if (_615)
            {
                break;
            }
            uint _619 = gl_WorkGroupID.y;
            uint _621 = a.stride;
            uint _622 = _619 * _621;
            uint _624 = _576 * 2u;
            uint _625 = _622 + _624;
            uint _627 = a.position;
            uint _630 = _627 + _619;
            uint _632 = _630 * _612;
            uint _634 = _632 + _576;
            uint2 _636 = a.x;
            device Floats* _637 = reinterpret_cast<device Floats*>(as_type<ulong>(_636));
            float _640 = _637->v[_625];
            uint _645 = _625 + 1u;
            float _647 = _637->v[_645];
            if (_185)
            {
                uint2 _650 = a.cache;
                device Words* _651 = reinterpret_cast<device Words*>(as_type<ulong>(_650));
                uint _1257;
                do
                {
                    uint _687 = as_type<uint>(_640);
                    uint _689 = _687 >> uint(16);
                    uint _690 = _689 & 32768u;
                    uint _692 = _687 & 2147483647u;
                    bool _694 = _692 > 2139095040u;
                    if (_694)
                    {
                        uint _697 = _690 | 32256u;
                        _1257 = _697;
                        break;
                    }
                    bool _700 = _692 == 2139095040u;
                    if (_700)
                    {
                        uint _703 = _690 | 31744u;
                        _1257 = _703;
                        break;
                    }
                    uint _706 = min(_692, 1199562752u);
                    bool _708 = _706 < 947912704u;
                    if (_708)
                    {
                        float _712 = as_type<float>(_706);
                        float _713 = _712 * 16777216.0;
                        float _714 = rint(_713);
                        uint _715 = uint(_714);
                        uint _716 = _690 | _715;
                        _1257 = _716;
                        break;
                    }
                    uint _719 = _706 - 939524096u;
                    uint _722 = _706 + 3355447295u;
                    uint _724 = _719 >> uint(13);
                    uint _725 = _724 & 1u;
                    uint _726 = _722 + _725;
                    uint _727 = _726 >> uint(13);
                    uint _728 = _690 | _727;
                    _1257 = _728;
                    break;
                } while(false);
                uint _1258;
                do
                {
                    uint _740 = as_type<uint>(_647);
                    uint _742 = _740 >> uint(16);
                    uint _743 = _742 & 32768u;
                    uint _745 = _740 & 2147483647u;
                    bool _747 = _745 > 2139095040u;
                    if (_747)
                    {
                        uint _750 = _743 | 32256u;
                        _1258 = _750;
                        break;
                    }
                    bool _753 = _745 == 2139095040u;
                    if (_753)
                    {
                        uint _756 = _743 | 31744u;
                        _1258 = _756;
                        break;
                    }
                    uint _759 = min(_745, 1199562752u);
                    bool _761 = _759 < 947912704u;
                    if (_761)
                    {
                        float _765 = as_type<float>(_759);
                        float _766 = _765 * 16777216.0;
                        float _767 = rint(_766);
                        uint _768 = uint(_767);
                        uint _769 = _743 | _768;
                        _1258 = _769;
                        break;
                    }
                    uint _772 = _759 - 939524096u;
                    uint _775 = _759 + 3355447295u;
                    uint _777 = _772 >> uint(13);
                    uint _778 = _777 & 1u;
                    uint _779 = _775 + _778;
                    uint _780 = _779 >> uint(13);
                    uint _781 = _743 | _780;
                    _1258 = _781;
                    break;
                } while(false);
                uint _657 = _1258 << uint(16);
                uint _658 = _1257 | _657;
                _651->v[_634] = _658;
            }
            else
            {
                uint2 _662 = a.cache;
                device Floats* _663 = reinterpret_cast<device Floats*>(as_type<ulong>(_662));
                uint _665 = 2u * _634;
                _663->v[_665] = _640;
                uint _673 = _665 + 1u;
                _663->v[_673] = _647;
            }
            break;
        } while(false);
    }
    else
    {
        uint _581 = gl_WorkGroupID.x;
        do
        {
            uint _824 = gl_LocalInvocationID.x;
            uint _826 = a.width;
            uint _827 = _826 + 31u;
            uint _828 = _827 / 32u;
            uint _830 = 2u * _581;
            uint _832 = _824 / 32u;
            uint _833 = _830 + _832;
            uint _836 = _833 % _828;
            uint _837 = _836 * 32u;
            uint _839 = _824 % 32u;
            uint _840 = _837 + _839;
            uint _843 = a.heads;
            uint _845 = _843 * _828;
            bool _846 = _833 < _845;
            bool _853;
            if (_846)
            {
                bool _851 = _840 < _826;
                _853 = _851;
            }
            else
            {
                _853 = _846;
            }
            uint _855 = gl_WorkGroupID.y;
            uint _857 = a.stride;
            uint _858 = _855 * _857;
            uint _861 = _833 / _828;
            uint _864 = _861 * _826;
            uint _865 = _858 + _864;
            uint _867 = _865 + _840;
            float _1230;
            if (_853)
            {
                uint2 _872 = a.x;
                device Floats* _873 = reinterpret_cast<device Floats*>(as_type<ulong>(_872));
                float _876 = _873->v[_867];
                _1230 = _876;
            }
            else
            {
                _1230 = 0.0;
            }
            values[_824] = _1230;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _882 = _824 & 32u;
            uint _1231;
            uint _1232;
            float _1233;
            _1233 = 0.0;
            _1232 = 0u;
            _1231 = _882;
            uint _1261;
            float _1260;
            uint _888;
            for (;;)
            {
                _888 = _882 + 32u;
                bool _889 = _1231 < _888;
                if (_889)
                {
                    float _893 = values[_1231];
                    uint _894 = as_type<uint>(_893);
                    uint _895 = _894 & 2147483647u;
                    bool _898 = _895 > _1232;
                    if (_898)
                    {
                        float _902 = values[_1231];
                        _1260 = _902;
                    }
                    else
                    {
                        _1260 = _1233;
                    }
                    _1261 = _898 ? _895 : _1232;
                    uint _907 = _1231 + uint(1);
                    _1233 = _1260;
                    _1232 = _1261;
                    _1231 = _907;
                    continue;
                }
                else
                {
                    break;
                }
            }
            bool _910 = _1232 < 2139095040u;
            uint _1236;
            if (_910)
            {
                float _1234;
                if (_338)
                {
                    float _916 = abs(_1233) * 0.0078740157186985015869140625;
                    _1234 = _916;
                }
                else
                {
                    float _919 = _1233 * (-0.125);
                    _1234 = _919;
                }
                uint _1235;
                do
                {
                    uint _1110 = as_type<uint>(_1234);
                    uint _1112 = _1110 >> uint(16);
                    uint _1113 = _1112 & 32768u;
                    uint _1115 = _1110 & 2147483647u;
                    bool _1117 = _1115 > 2139095040u;
                    if (_1117)
                    {
                        uint _1120 = _1113 | 32256u;
                        _1235 = _1120;
                        break;
                    }
                    bool _1123 = _1115 == 2139095040u;
                    if (_1123)
                    {
                        uint _1126 = _1113 | 31744u;
                        _1235 = _1126;
                        break;
                    }
                    uint _1129 = min(_1115, 1199562752u);
                    bool _1131 = _1129 < 947912704u;
                    if (_1131)
                    {
                        float _1135 = as_type<float>(_1129);
                        float _1136 = _1135 * 16777216.0;
                        float _1137 = rint(_1136);
                        uint _1138 = uint(_1137);
                        uint _1139 = _1113 | _1138;
                        _1235 = _1139;
                        break;
                    }
                    uint _1142 = _1129 - 939524096u;
                    uint _1145 = _1129 + 3355447295u;
                    uint _1147 = _1142 >> uint(13);
                    uint _1148 = _1147 & 1u;
                    uint _1149 = _1145 + _1148;
                    uint _1150 = _1149 >> uint(13);
                    uint _1151 = _1113 | _1150;
                    _1235 = _1151;
                    break;
                } while(false);
                _1236 = _1235;
            }
            else
            {
                _1236 = 32256u;
            }
            float _926 = float2(as_type<half2>(_1236)).x;
            bool _929 = _926 != 0.0;
            bool _930 = _910 && _929;
            float _1237;
            if (_930)
            {
                float _933 = 1.0 / _926;
                _1237 = _933;
            }
            else
            {
                _1237 = 0.0;
            }
            float _1238;
            if (_910)
            {
                float _941 = values[_824];
                float _943 = _941 * _1237;
                _1238 = _943;
            }
            else
            {
                _1238 = 0.0;
            }
            float _1239;
            if (_387)
            {
                float _950 = fast::clamp(_1238, -127.0, 127.0);
                _1239 = _950;
            }
            else
            {
                float _953 = fast::clamp(_1238, -8.0, 7.0);
                _1239 = _953;
            }
            int _957 = int(rint(_1239));
            quants[_824] = _957;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            bool _960 = _403 && _910;
            uint _1244;
            if (_960)
            {
                uint _1240;
                float _1241;
                float _1242;
                _1242 = 0.0;
                _1241 = 0.0;
                _1240 = _882;
                for (;;)
                {
                    bool _968 = _1240 < _888;
                    if (_968)
                    {
                        float _972 = values[_1240];
                        int _975 = quants[_1240];
                        float _976 = float(_975);
                        float _979 = fma(_972, _976, _1241);
                        int _982 = quants[_1240];
                        int _985 = quants[_1240];
                        int _986 = _982 * _985;
                        float _987 = float(_986);
                        float _989 = _1242 + _987;
                        uint _992 = _1240 + uint(1);
                        _1242 = _989;
                        _1241 = _979;
                        _1240 = _992;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                float _996 = fast::max(_1242, 1.0);
                float _997 = _1241 / _996;
                bool _999 = _1242 > 0.0;
                bool _1006;
                if (_999)
                {
                    uint _1002 = as_type<uint>(_997);
                    uint _1003 = _1002 & 2147483647u;
                    bool _1004 = _1003 < 2139095040u;
                    _1006 = _1004;
                }
                else
                {
                    _1006 = _999;
                }
                uint _1248;
                if (_1006)
                {
                    uint _1243;
                    do
                    {
                        uint _1163 = as_type<uint>(_997);
                        uint _1165 = _1163 >> uint(16);
                        uint _1166 = _1165 & 32768u;
                        uint _1168 = _1163 & 2147483647u;
                        bool _1170 = _1168 > 2139095040u;
                        if (_1170)
                        {
                            uint _1173 = _1166 | 32256u;
                            _1243 = _1173;
                            break;
                        }
                        bool _1176 = _1168 == 2139095040u;
                        if (_1176)
                        {
                            uint _1179 = _1166 | 31744u;
                            _1243 = _1179;
                            break;
                        }
                        uint _1182 = min(_1168, 1199562752u);
                        bool _1184 = _1182 < 947912704u;
                        if (_1184)
                        {
                            float _1188 = as_type<float>(_1182);
                            float _1189 = _1188 * 16777216.0;
                            float _1190 = rint(_1189);
                            uint _1191 = uint(_1190);
                            uint _1192 = _1166 | _1191;
                            _1243 = _1192;
                            break;
                        }
                        uint _1195 = _1182 - 939524096u;
                        uint _1198 = _1182 + 3355447295u;
                        uint _1200 = _1195 >> uint(13);
                        uint _1201 = _1200 & 1u;
                        uint _1202 = _1198 + _1201;
                        uint _1203 = _1202 >> uint(13);
                        uint _1204 = _1166 | _1203;
                        _1243 = _1204;
                        break;
                    } while(false);
                    _1248 = _1243;
                }
                else
                {
                    _1248 = _1236;
                }
                _1244 = _1248;
            }
            else
            {
                _1244 = _1236;
            }
            bool _1014 = _824 == _882;
            if (_1014)
            {
                scales[_832] = _1244;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1022 = a.position;
            uint _1025 = _1022 + _855;
            uint _1211 = _845 + 1u;
            uint _1212 = _1211 >> uint(1);
            uint _1213 = _1025 * _1212;
            uint _1215 = _830 >> uint(1);
            uint _1216 = _1213 + _1215;
            uint _1218 = 2u * _35;
            uint _1219 = 1u + _1218;
            uint _1220 = _1216 * _1219;
            bool _1034 = _824 == 0u;
            if (_1034)
            {
                uint2 _1037 = a.cache;
                device Words* _1038 = reinterpret_cast<device Words*>(as_type<ulong>(_1037));
                uint _1041 = scales[0];
                uint _1043 = scales[1];
                uint _1044 = _1043 << uint(16);
                uint _1045 = _1041 | _1044;
                _1038->v[_1220] = _1045;
            }
            bool _1051 = _824 >= _1218;
            if (_1051)
            {
                break;
            }
            uint _1055 = 32u / _35;
            uint _1251;
            uint _1252;
            _1252 = 0u;
            _1251 = 0u;
            uint _1086;
            for (;;)
            {
                bool _1060 = _1251 < _1055;
                if (_1060)
                {
                    uint _1064 = _824 * _1055;
                    uint _1066 = _1064 + _1251;
                    int _1068 = quants[_1066];
                    uint _1253;
                    if (_535)
                    {
                        uint _1071 = uint(_1068);
                        uint _1072 = _1071 & 255u;
                        uint _1074 = 8u * _1251;
                        uint _1075 = _1072 << _1074;
                        _1253 = _1075;
                    }
                    else
                    {
                        int _1078 = _1068 + 8;
                        uint _1079 = uint(_1078);
                        uint _1081 = 4u * _1251;
                        uint _1082 = _1079 << _1081;
                        _1253 = _1082;
                    }
                    _1086 = _1252 | _1253;
                    uint _1089 = _1251 + uint(1);
                    _1252 = _1086;
                    _1251 = _1089;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint2 _1092 = a.cache;
            device Words* _1093 = reinterpret_cast<device Words*>(as_type<ulong>(_1092));
            uint _1095 = _1220 + 1u;
            uint _1097 = _1095 + _824;
            _1093->v[_1097] = _1252;
            break;
        } while(false);
    }
}

