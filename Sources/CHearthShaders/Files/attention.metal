#pragma clang diagnostic ignored "-Wmissing-prototypes"
#pragma clang diagnostic ignored "-Wmissing-braces"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T, size_t Num>
struct spvUnsafeArray
{
    T elements[Num ? Num : 1];
    
    thread T& operator [] (size_t pos) thread
    {
        return elements[pos];
    }
    constexpr const thread T& operator [] (size_t pos) const thread
    {
        return elements[pos];
    }
    
    device T& operator [] (size_t pos) device
    {
        return elements[pos];
    }
    constexpr const device T& operator [] (size_t pos) const device
    {
        return elements[pos];
    }
    
    constexpr const constant T& operator [] (size_t pos) const constant
    {
        return elements[pos];
    }
    
    threadgroup T& operator [] (size_t pos) threadgroup
    {
        return elements[pos];
    }
    constexpr const threadgroup T& operator [] (size_t pos) const threadgroup
    {
        return elements[pos];
    }
};

struct Floats;
struct Words;

constant uint FORMAT_tmp [[function_constant(0)]];
constant uint FORMAT = is_function_constant_defined(FORMAT_tmp) ? FORMAT_tmp : 1u;
constant bool _32 = (FORMAT == 8u);
constant uint _34 = _32 ? 8u : 4u;
constant bool _59 = (FORMAT == 0u);

struct Arguments
{
    uint2 queries;
    uint2 keys;
    uint2 values;
    uint2 y;
    uint heads;
    uint cache_heads;
    uint width;
    uint stride;
    uint y_stride;
    uint position;
    uint window;
    float scale;
    float cap;
};

struct Floats
{
    float v[1];
};

constant bool _117 = (FORMAT == 1u);

struct Words
{
    uint v[1];
};

constant bool _240 = (FORMAT == 8u);
constant bool _348 = (FORMAT == 0u);
constant bool _359 = (FORMAT == 1u);
constant bool _439 = (FORMAT == 8u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float query[512];
    threadgroup float weights[64];
    uint _490 = gl_LocalInvocationID.x;
    uint _494 = gl_WorkGroupID.x;
    uint _498 = a.position;
    uint _500 = gl_WorkGroupID.y;
    uint _501 = _498 + _500;
    uint _505 = a.window;
    bool _506 = _505 != 0u;
    bool _514;
    if (_506)
    {
        uint _510 = _501 + 1u;
        bool _513 = _510 > _505;
        _514 = _513;
    }
    else
    {
        _514 = _506;
    }
    uint _1263;
    if (_514)
    {
        uint _519 = _501 + 1u;
        uint _522 = _519 - _505;
        _1263 = _522;
    }
    else
    {
        _1263 = 0u;
    }
    uint _529 = a.heads;
    uint _531 = a.cache_heads;
    uint _532 = _529 / _531;
    uint _533 = _494 / _532;
    uint _539 = a.stride;
    uint _540 = _500 * _539;
    uint _543 = a.width;
    uint _544 = _494 * _543;
    uint _545 = _540 + _544;
    uint _1264;
    _1264 = _490;
    uint _557;
    for (;;)
    {
        uint _556 = _543 + 31u;
        _557 = _556 / 32u;
        uint _558 = _557 * 32u;
        bool _559 = _1264 < _558;
        if (_559)
        {
            bool _564 = _1264 < _543;
            float _1363;
            if (_564)
            {
                uint2 _569 = a.queries;
                device Floats* _570 = reinterpret_cast<device Floats*>(as_type<ulong>(_569));
                uint _573 = _545 + _1264;
                float _575 = _570->v[_573];
                _1363 = _575;
            }
            else
            {
                _1363 = 0.0;
            }
            query[_1264] = _1363;
            uint _581 = _1264 + 64u;
            _1264 = _581;
            continue;
        }
        else
        {
            break;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _1265;
    _1265 = 0u;
    spvUnsafeArray<float, 8> sums;
    for (;;)
    {
        bool _590 = _1265 < 8u;
        if (_590)
        {
            sums[_1265] = 0.0;
            uint _597 = _1265 + uint(1);
            _1265 = _597;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _1266;
    float _1269;
    float _1297;
    _1297 = -3.0000000054977557577780399428115e+38;
    _1269 = 0.0;
    _1266 = _1263;
    float _1311;
    float _1362;
    for (;;)
    {
        bool _610 = _1266 <= _501;
        if (_610)
        {
            uint _613 = _501 + 1u;
            uint _615 = _613 - _1266;
            uint _616 = min(64u, _615);
            bool _620 = _490 < _616;
            float _1294;
            if (_620)
            {
                uint _625 = _1266 + _490;
                float _1291;
                if (_59)
                {
                    uint _853 = _625 * _531;
                    uint _855 = _853 + _533;
                    uint _858 = _855 * _543;
                    uint _1290;
                    float _1292;
                    _1292 = 0.0;
                    _1290 = 0u;
                    for (;;)
                    {
                        bool _864 = _1290 < _543;
                        if (_864)
                        {
                            float _868 = query[_1290];
                            uint2 _870 = a.keys;
                            device Floats* _871 = reinterpret_cast<device Floats*>(as_type<ulong>(_870));
                            uint _874 = _858 + _1290;
                            float _876 = _871->v[_874];
                            float _879 = fma(_868, _876, _1292);
                            uint _882 = _1290 + uint(1);
                            _1292 = _879;
                            _1290 = _882;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    _1291 = _1292;
                }
                else
                {
                    float _1293;
                    if (_117)
                    {
                        uint _889 = _625 * _531;
                        uint _891 = _889 + _533;
                        uint _894 = _891 * _543;
                        uint _895 = _894 / 2u;
                        uint _1288;
                        float _1289;
                        _1289 = 0.0;
                        _1288 = 0u;
                        for (;;)
                        {
                            uint _901 = _543 / 2u;
                            bool _902 = _1288 < _901;
                            if (_902)
                            {
                                uint2 _905 = a.keys;
                                device Words* _906 = reinterpret_cast<device Words*>(as_type<ulong>(_905));
                                uint _909 = _895 + _1288;
                                uint _911 = _906->v[_909];
                                float2 _912 = float2(as_type<half2>(_911));
                                uint _914 = 2u * _1288;
                                float _916 = query[_914];
                                float _918 = _912.x;
                                float _921 = fma(_916, _918, _1289);
                                uint _924 = _914 + 1u;
                                float _926 = query[_924];
                                float _928 = _912.y;
                                float _931 = fma(_926, _928, _921);
                                uint _934 = _1288 + uint(1);
                                _1289 = _931;
                                _1288 = _934;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1293 = _1289;
                    }
                    else
                    {
                        uint _1270;
                        float _1276;
                        _1276 = 0.0;
                        _1270 = 0u;
                        float _1064;
                        for (;;)
                        {
                            bool _945 = _1270 < _557;
                            if (_945)
                            {
                                uint _949 = _533 * _557;
                                uint _951 = _949 + _1270;
                                uint _955 = _531 * _557;
                                uint _1076 = _955 + 1u;
                                uint _1077 = _1076 >> uint(1);
                                uint _1078 = _625 * _1077;
                                uint _1080 = _951 >> uint(1);
                                uint _1081 = _1078 + _1080;
                                uint _1083 = 2u * _34;
                                uint _1084 = 1u + _1083;
                                uint _1085 = _1081 * _1084;
                                uint _960 = _1085 + 1u;
                                uint _962 = _951 & 1u;
                                uint _964 = _962 * _34;
                                uint _965 = _960 + _964;
                                uint _1271;
                                float _1272;
                                _1272 = 0.0;
                                _1271 = 0u;
                                float _1371;
                                for (;;)
                                {
                                    bool _970 = _1271 < _34;
                                    if (_970)
                                    {
                                        uint2 _973 = a.keys;
                                        device Words* _974 = reinterpret_cast<device Words*>(as_type<ulong>(_973));
                                        uint _977 = _965 + _1271;
                                        uint _979 = _974->v[_977];
                                        if (_240)
                                        {
                                            uint _1283;
                                            float _1287;
                                            _1287 = _1272;
                                            _1283 = 0u;
                                            for (;;)
                                            {
                                                bool _984 = _1283 < 4u;
                                                if (_984)
                                                {
                                                    uint _987 = _1270 * 32u;
                                                    uint _989 = _1271 * 4u;
                                                    uint _990 = _987 + _989;
                                                    uint _992 = _990 + _1283;
                                                    float _994 = query[_992];
                                                    int _996 = int(_979);
                                                    uint _998 = 8u * _1283;
                                                    int _999 = int(_998);
                                                    int _1000 = extract_bits(_996, uint(_999), uint(8));
                                                    float _1001 = float(_1000);
                                                    float _1004 = fma(_994, _1001, _1287);
                                                    uint _1007 = _1283 + uint(1);
                                                    _1287 = _1004;
                                                    _1283 = _1007;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1371 = _1287;
                                        }
                                        else
                                        {
                                            uint _1279;
                                            float _1282;
                                            _1282 = _1272;
                                            _1279 = 0u;
                                            for (;;)
                                            {
                                                bool _1013 = _1279 < 8u;
                                                if (_1013)
                                                {
                                                    uint _1016 = _1270 * 32u;
                                                    uint _1018 = _1271 * 8u;
                                                    uint _1019 = _1016 + _1018;
                                                    uint _1021 = _1019 + _1279;
                                                    float _1023 = query[_1021];
                                                    uint _1026 = 4u * _1279;
                                                    uint _1027 = _979 >> _1026;
                                                    uint _1028 = _1027 & 15u;
                                                    float _1029 = float(_1028);
                                                    float _1030 = _1029 - 8.0;
                                                    float _1033 = fma(_1023, _1030, _1282);
                                                    uint _1036 = _1279 + uint(1);
                                                    _1282 = _1033;
                                                    _1279 = _1036;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1371 = _1282;
                                        }
                                        uint _1041 = _1271 + uint(1);
                                        _1272 = _1371;
                                        _1271 = _1041;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint2 _1044 = a.keys;
                                device Words* _1045 = reinterpret_cast<device Words*>(as_type<ulong>(_1044));
                                uint _1048 = _1045->v[_1085];
                                float2 _1049 = float2(as_type<half2>(_1048));
                                bool _1053 = _962 == 0u;
                                float _1273;
                                if (_1053)
                                {
                                    float _1056 = _1049.x;
                                    _1273 = _1056;
                                }
                                else
                                {
                                    float _1059 = _1049.y;
                                    _1273 = _1059;
                                }
                                _1064 = fma(_1272, _1273, _1276);
                                uint _1067 = _1270 + uint(1);
                                _1276 = _1064;
                                _1270 = _1067;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1293 = _1276;
                    }
                    _1291 = _1293;
                }
                float _633 = a.scale;
                float _634 = _1291 * _633;
                float _637 = a.cap;
                bool _638 = _637 > 0.0;
                float _1295;
                if (_638)
                {
                    float _646 = _634 / _637;
                    float _647 = precise::tanh(_646);
                    float _648 = _637 * _647;
                    _1295 = _648;
                }
                else
                {
                    _1295 = _634;
                }
                _1294 = _1295;
            }
            else
            {
                _1294 = -3.0000000054977557577780399428115e+38;
            }
            weights[_490] = _1294;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1309;
            _1311 = _1297;
            _1309 = 0u;
            for (;;)
            {
                bool _665 = _1309 < _616;
                if (_665)
                {
                    float _669 = weights[_1309];
                    float _670 = fast::max(_1311, _669);
                    uint _672 = _1309 + uint(1);
                    _1311 = _670;
                    _1309 = _672;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _1312;
            if (_620)
            {
                float _683 = exp(_1294 - _1311);
                _1312 = _683;
            }
            else
            {
                _1312 = 0.0;
            }
            weights[_490] = _1312;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _691 = exp(_1297 - _1311);
            float _695 = _1269 * _691;
            uint _1330;
            _1362 = _695;
            _1330 = 0u;
            for (;;)
            {
                bool _704 = _1330 < _616;
                if (_704)
                {
                    float _707 = weights[_1330];
                    float _709 = _1362 + _707;
                    uint _711 = _1330 + uint(1);
                    _1362 = _709;
                    _1330 = _711;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _1331;
            _1331 = 0u;
            for (;;)
            {
                bool _719 = _1331 < 8u;
                if (_719)
                {
                    uint _722 = _1331 * 64u;
                    uint _724 = _722 + _490;
                    bool _728 = _724 >= _543;
                    if (_728)
                    {
                        break;
                    }
                    float _735 = sums[_1331];
                    float _737 = _735 * _691;
                    uint _1332;
                    float _1334;
                    _1334 = _737;
                    _1332 = 0u;
                    float _761;
                    for (;;)
                    {
                        bool _746 = _1332 < _616;
                        if (_746)
                        {
                            float _749 = weights[_1332];
                            uint _752 = _1266 + _1332;
                            float _1354;
                            do
                            {
                                uint _1115 = _752 * _531;
                                uint _1117 = _1115 + _533;
                                uint _1120 = _1117 * _543;
                                uint _1122 = _1120 + _724;
                                if (_348)
                                {
                                    uint2 _1125 = a.values;
                                    device Floats* _1126 = reinterpret_cast<device Floats*>(as_type<ulong>(_1125));
                                    float _1129 = _1126->v[_1122];
                                    _1354 = _1129;
                                    break;
                                }
                                if (_359)
                                {
                                    uint2 _1133 = a.values;
                                    device Words* _1134 = reinterpret_cast<device Words*>(as_type<ulong>(_1133));
                                    uint _1136 = _1122 >> uint(1);
                                    uint _1138 = _1134->v[_1136];
                                    float2 _1139 = float2(as_type<half2>(_1138));
                                    uint _1141 = _1122 & 1u;
                                    bool _1142 = _1141 == 0u;
                                    float _1353;
                                    if (_1142)
                                    {
                                        float _1145 = _1139.x;
                                        _1353 = _1145;
                                    }
                                    else
                                    {
                                        float _1148 = _1139.y;
                                        _1353 = _1148;
                                    }
                                    _1354 = _1353;
                                    break;
                                }
                                uint _1158 = _533 * _557;
                                uint _1160 = _724 / 32u;
                                uint _1161 = _1158 + _1160;
                                uint _1165 = _531 * _557;
                                uint _1241 = _1165 + 1u;
                                uint _1242 = _1241 >> uint(1);
                                uint _1243 = _752 * _1242;
                                uint _1245 = _1161 >> uint(1);
                                uint _1246 = _1243 + _1245;
                                uint _1248 = 2u * _34;
                                uint _1249 = 1u + _1248;
                                uint _1250 = _1246 * _1249;
                                uint _1170 = _1250 + 1u;
                                uint _1172 = _1161 & 1u;
                                uint _1174 = _1172 * _34;
                                uint _1175 = _1170 + _1174;
                                uint2 _1177 = a.values;
                                device Words* _1178 = reinterpret_cast<device Words*>(as_type<ulong>(_1177));
                                uint _1181 = _1178->v[_1250];
                                float2 _1182 = float2(as_type<half2>(_1181));
                                bool _1185 = _1172 == 0u;
                                float _1352;
                                if (_1185)
                                {
                                    float _1188 = _1182.x;
                                    _1352 = _1188;
                                }
                                else
                                {
                                    float _1191 = _1182.y;
                                    _1352 = _1191;
                                }
                                uint _1195 = _724 % 32u;
                                if (_439)
                                {
                                    uint _1202 = _1195 / 4u;
                                    uint _1203 = _1175 + _1202;
                                    uint _1205 = _1178->v[_1203];
                                    int _1206 = int(_1205);
                                    uint _1210 = _1195 % 4u;
                                    uint _1211 = _1210 * 8u;
                                    int _1212 = int(_1211);
                                    int _1213 = extract_bits(_1206, uint(_1212), uint(8));
                                    float _1214 = float(_1213);
                                    float _1215 = _1352 * _1214;
                                    _1354 = _1215;
                                    break;
                                }
                                uint _1223 = _1195 / 8u;
                                uint _1224 = _1175 + _1223;
                                uint _1226 = _1178->v[_1224];
                                uint _1228 = _1195 % 8u;
                                uint _1229 = _1228 * 4u;
                                uint _1230 = _1226 >> _1229;
                                uint _1231 = _1230 & 15u;
                                float _1232 = float(_1231);
                                float _1233 = _1232 - 8.0;
                                float _1234 = _1352 * _1233;
                                _1354 = _1234;
                                break;
                            } while(false);
                            _761 = fma(_749, _1354, _1334);
                            uint _763 = _1332 + uint(1);
                            _1334 = _761;
                            _1332 = _763;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    sums[_1331] = _1334;
                    uint _768 = _1331 + uint(1);
                    _1331 = _768;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _770 = _1266 + 64u;
            _1297 = _1311;
            _1269 = _1362;
            _1266 = _770;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _775 = a.y_stride;
    uint _776 = _500 * _775;
    uint _781 = _776 + _544;
    uint _1267;
    _1267 = 0u;
    for (;;)
    {
        bool _789 = _1267 < 8u;
        if (_789)
        {
            uint _792 = _1267 * 64u;
            uint _794 = _792 + _490;
            bool _798 = _794 >= _543;
            if (_798)
            {
                break;
            }
            uint2 _804 = a.y;
            device Floats* _805 = reinterpret_cast<device Floats*>(as_type<ulong>(_804));
            uint _808 = _781 + _794;
            float _811 = sums[_1267];
            float _813 = _811 / _1269;
            _805->v[_808] = _813;
            uint _816 = _1267 + uint(1);
            _1267 = _816;
            continue;
        }
        else
        {
            break;
        }
    }
}

