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

struct Words;
struct Floats;

struct Words
{
    uint v[1];
};

constant uint FORMAT_tmp [[function_constant(0)]];
constant uint FORMAT = is_function_constant_defined(FORMAT_tmp) ? FORMAT_tmp : 0u;
constant bool _154 = (FORMAT == 0u);
constant bool _184 = (FORMAT == 1u);
constant bool _223 = (FORMAT == 30u);
constant bool _263 = (FORMAT == 8u);
constant bool _326 = (FORMAT == 2u);
constant bool _397 = (FORMAT == 12u);
constant bool _399 = (FORMAT == 13u);
constant bool _400 = (_397 || _399);
constant bool _408 = (FORMAT == 12u);
constant uint _411 = _408 ? 144u : 176u;
constant bool _455 = (FORMAT == 12u);
constant uint _458 = _455 ? 16u : 48u;
constant bool _491 = (FORMAT == 13u);

struct Arguments
{
    uint2 table;
    uint2 tokens;
    uint2 hidden;
    uint eights;
    uint row_bytes;
    uint stride;
    uint rows;
    float scale;
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
        uint _646 = gl_GlobalInvocationID.x;
        uint _654 = a.eights;
        bool _655 = _646 >= _654;
        if (_655)
        {
            break;
        }
        uint2 _662 = a.tokens;
        device Words* _663 = reinterpret_cast<device Words*>(as_type<ulong>(_662));
        uint _666 = gl_WorkGroupID.y;
        uint _668 = _663->v[_666];
        uint _671 = a.rows;
        bool _672 = _668 >= _671;
        uint _1518 = _672 ? 0u : _668;
        uint2 _676 = a.table;
        device Words* _677 = reinterpret_cast<device Words*>(as_type<ulong>(_676));
        uint _680 = a.row_bytes;
        uint _681 = _1518 * _680;
        spvUnsafeArray<float, 8> param;
        if (_154)
        {
            uint _1516;
            _1516 = 0u;
            for (;;)
            {
                bool _812 = _1516 < 8u;
                if (_812)
                {
                    uint _817 = _681 >> uint(2);
                    uint _819 = _646 * 8u;
                    uint _820 = _817 + _819;
                    uint _822 = _820 + _1516;
                    uint _824 = _677->v[_822];
                    float _825 = as_type<float>(_824);
                    param[_1516] = _825;
                    uint _829 = _1516 + uint(1);
                    _1516 = _829;
                    continue;
                }
                else
                {
                    break;
                }
            }
        }
        else
        {
            if (_184)
            {
                uint _1515;
                _1515 = 0u;
                for (;;)
                {
                    bool _836 = _1515 < 4u;
                    if (_836)
                    {
                        uint _840 = _681 >> uint(2);
                        uint _842 = _646 * 4u;
                        uint _843 = _840 + _842;
                        uint _845 = _843 + _1515;
                        uint _847 = _677->v[_845];
                        float2 _848 = float2(as_type<half2>(_847));
                        uint _850 = 2u * _1515;
                        float _852 = _848.x;
                        param[_850] = _852;
                        uint _856 = _850 + 1u;
                        float _858 = _848.y;
                        param[_856] = _858;
                        uint _862 = _1515 + uint(1);
                        _1515 = _862;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            else
            {
                if (_223)
                {
                    uint _1514;
                    _1514 = 0u;
                    for (;;)
                    {
                        bool _869 = _1514 < 4u;
                        if (_869)
                        {
                            uint _873 = _681 >> uint(2);
                            uint _875 = _646 * 4u;
                            uint _876 = _873 + _875;
                            uint _878 = _876 + _1514;
                            uint _880 = _677->v[_878];
                            uint _882 = 2u * _1514;
                            uint _884 = _880 << uint(16);
                            float _885 = as_type<float>(_884);
                            param[_882] = _885;
                            uint _889 = _882 + 1u;
                            uint _891 = _880 & 4294901760u;
                            float _892 = as_type<float>(_891);
                            param[_889] = _892;
                            uint _896 = _1514 + uint(1);
                            _1514 = _896;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                }
                else
                {
                    if (_263)
                    {
                        uint _902 = _646 >> uint(2);
                        uint _903 = _902 * 34u;
                        uint _904 = _681 + _903;
                        uint _1201 = _904 >> uint(2);
                        uint _1203 = _677->v[_1201];
                        uint _1205 = _904 & 2u;
                        uint _1206 = _1205 * 8u;
                        uint _1207 = _1203 >> _1206;
                        uint _1208 = _1207 & 65535u;
                        float2 _1195 = float2(as_type<half2>(_1208));
                        float _1196 = _1195.x;
                        uint _909 = _904 + 2u;
                        uint _911 = _646 & 3u;
                        uint _912 = _911 * 8u;
                        uint _913 = _909 + _912;
                        uint _1513;
                        _1513 = 0u;
                        for (;;)
                        {
                            bool _917 = _1513 < 4u;
                            if (_917)
                            {
                                uint _921 = 2u * _1513;
                                uint _922 = _913 + _921;
                                uint _1213 = _922 >> uint(2);
                                uint _1215 = _677->v[_1213];
                                uint _1217 = _922 & 2u;
                                uint _1218 = _1217 * 8u;
                                uint _1219 = _1215 >> _1218;
                                uint _1220 = _1219 & 65535u;
                                int _925 = int(_1220);
                                int _930 = extract_bits(_925, uint(0), uint(8));
                                float _931 = float(_930);
                                float _932 = _1196 * _931;
                                param[_921] = _932;
                                uint _936 = _921 + 1u;
                                int _939 = extract_bits(_925, uint(8), uint(8));
                                float _940 = float(_939);
                                float _941 = _1196 * _940;
                                param[_936] = _941;
                                uint _945 = _1513 + uint(1);
                                _1513 = _945;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                    }
                    else
                    {
                        if (_326)
                        {
                            uint _951 = _646 >> uint(2);
                            uint _952 = _951 * 18u;
                            uint _953 = _681 + _952;
                            uint _1234 = _953 >> uint(2);
                            uint _1236 = _677->v[_1234];
                            uint _1238 = _953 & 2u;
                            uint _1239 = _1238 * 8u;
                            uint _1240 = _1236 >> _1239;
                            uint _1241 = _1240 & 65535u;
                            float2 _1228 = float2(as_type<half2>(_1241));
                            float _1229 = _1228.x;
                            uint _958 = _953 + 2u;
                            uint _960 = _646 & 1u;
                            uint _961 = _960 * 8u;
                            uint _962 = _958 + _961;
                            uint _964 = _646 & 2u;
                            uint _965 = _964 * 2u;
                            uint _1512;
                            _1512 = 0u;
                            for (;;)
                            {
                                bool _969 = _1512 < 4u;
                                if (_969)
                                {
                                    uint _973 = 2u * _1512;
                                    uint _974 = _962 + _973;
                                    uint _1246 = _974 >> uint(2);
                                    uint _1248 = _677->v[_1246];
                                    uint _1250 = _974 & 2u;
                                    uint _1251 = _1250 * 8u;
                                    uint _1252 = _1248 >> _1251;
                                    uint _1253 = _1252 & 65535u;
                                    uint _978 = _1253 >> _965;
                                    uint _983 = _978 & 15u;
                                    float _984 = float(_983);
                                    float _985 = _984 - 8.0;
                                    float _986 = _1229 * _985;
                                    param[_973] = _986;
                                    uint _990 = _973 + 1u;
                                    uint _993 = _978 >> uint(8);
                                    uint _994 = _993 & 15u;
                                    float _995 = float(_994);
                                    float _996 = _995 - 8.0;
                                    float _997 = _1229 * _996;
                                    param[_990] = _997;
                                    uint _1001 = _1512 + uint(1);
                                    _1512 = _1001;
                                    continue;
                                }
                                else
                                {
                                    break;
                                }
                            }
                        }
                        else
                        {
                            if (_400)
                            {
                                uint _1007 = _646 >> uint(5);
                                uint _1008 = _1007 * _411;
                                uint _1009 = _681 + _1008;
                                uint _1011 = _646 & 31u;
                                uint _1012 = _1011 * 8u;
                                uint _1014 = _1012 >> uint(5);
                                uint _1016 = _1009 + 4u;
                                uint2 _1508;
                                do
                                {
                                    bool _1271 = _1014 < 4u;
                                    if (_1271)
                                    {
                                        uint _1275 = _1016 + _1014;
                                        uint _1322 = _1275 >> uint(2);
                                        uint _1324 = _677->v[_1322];
                                        uint _1326 = _1275 & 3u;
                                        uint _1327 = _1326 * 8u;
                                        uint _1328 = _1324 >> _1327;
                                        uint _1329 = _1328 & 255u;
                                        uint _1278 = _1329 & 63u;
                                        uint _1282 = _1275 + 4u;
                                        uint _1334 = _1282 >> uint(2);
                                        uint _1336 = _677->v[_1334];
                                        uint _1338 = _1282 & 3u;
                                        uint _1339 = _1338 * 8u;
                                        uint _1340 = _1336 >> _1339;
                                        uint _1341 = _1340 & 255u;
                                        uint _1285 = _1341 & 63u;
                                        uint2 _1286 = uint2(_1278, _1285);
                                        _1508 = _1286;
                                        break;
                                    }
                                    uint _1290 = _1016 + _1014;
                                    uint _1291 = _1290 + 4u;
                                    uint _1346 = _1291 >> uint(2);
                                    uint _1348 = _677->v[_1346];
                                    uint _1350 = _1291 & 3u;
                                    uint _1351 = _1350 * 8u;
                                    uint _1352 = _1348 >> _1351;
                                    uint _1353 = _1352 & 255u;
                                    uint _1295 = _1353 & 15u;
                                    uint _1299 = _1290 - 4u;
                                    uint _1358 = _1299 >> uint(2);
                                    uint _1360 = _677->v[_1358];
                                    uint _1362 = _1299 & 3u;
                                    uint _1363 = _1362 * 8u;
                                    uint _1364 = _1360 >> _1363;
                                    uint _1365 = _1364 & 255u;
                                    uint _1302 = _1365 >> uint(6);
                                    uint _1303 = _1302 << uint(4);
                                    uint _1304 = _1295 | _1303;
                                    uint _1306 = _1353 >> uint(4);
                                    uint _1370 = _1290 >> uint(2);
                                    uint _1372 = _677->v[_1370];
                                    uint _1374 = _1290 & 3u;
                                    uint _1375 = _1374 * 8u;
                                    uint _1376 = _1372 >> _1375;
                                    uint _1377 = _1376 & 255u;
                                    uint _1312 = _1377 >> uint(6);
                                    uint _1313 = _1312 << uint(4);
                                    uint _1314 = _1306 | _1313;
                                    uint2 _1315 = uint2(_1304, _1314);
                                    _1508 = _1315;
                                    break;
                                } while(false);
                                uint _1391 = _1009 >> uint(2);
                                uint _1393 = _677->v[_1391];
                                uint _1395 = _1009 & 2u;
                                uint _1396 = _1395 * 8u;
                                uint _1397 = _1393 >> _1396;
                                uint _1398 = _1397 & 65535u;
                                float2 _1385 = float2(as_type<half2>(_1398));
                                float _1386 = _1385.x;
                                float _1025 = float(_1508.x);
                                float _1026 = _1386 * _1025;
                                uint _1028 = _1009 + 2u;
                                uint _1412 = _1028 >> uint(2);
                                uint _1414 = _677->v[_1412];
                                uint _1416 = _1028 & 2u;
                                uint _1417 = _1416 * 8u;
                                uint _1418 = _1414 >> _1417;
                                uint _1419 = _1418 & 65535u;
                                float2 _1406 = float2(as_type<half2>(_1419));
                                float _1407 = _1406.x;
                                float _1033 = float(_1508.y);
                                float _1034 = _1407 * _1033;
                                uint _1036 = _1009 + _458;
                                uint _1038 = _1012 >> uint(6);
                                uint _1039 = _1038 * 32u;
                                uint _1040 = _1036 + _1039;
                                uint _1042 = _1012 & 31u;
                                uint _1043 = _1040 + _1042;
                                uint _1045 = _1014 & 1u;
                                uint _1046 = _1045 * 4u;
                                uint _1509;
                                _1509 = 0u;
                                for (;;)
                                {
                                    bool _1050 = _1509 < 8u;
                                    if (_1050)
                                    {
                                        uint _1054 = _1043 + _1509;
                                        uint _1424 = _1054 >> uint(2);
                                        uint _1426 = _677->v[_1424];
                                        uint _1428 = _1054 & 3u;
                                        uint _1429 = _1428 * 8u;
                                        uint _1430 = _1426 >> _1429;
                                        uint _1431 = _1430 & 255u;
                                        uint _1058 = _1431 >> _1046;
                                        uint _1059 = _1058 & 15u;
                                        uint _1511;
                                        if (_491)
                                        {
                                            uint _1062 = _1009 + 16u;
                                            uint _1065 = _1062 + _1042;
                                            uint _1067 = _1065 + _1509;
                                            uint _1436 = _1067 >> uint(2);
                                            uint _1438 = _677->v[_1436];
                                            uint _1440 = _1067 & 3u;
                                            uint _1441 = _1440 * 8u;
                                            uint _1442 = _1438 >> _1441;
                                            uint _1443 = _1442 & 255u;
                                            uint _1071 = _1443 >> _1014;
                                            uint _1072 = _1071 & 1u;
                                            uint _1073 = _1072 << uint(4);
                                            uint _1075 = _1059 | _1073;
                                            _1511 = _1075;
                                        }
                                        else
                                        {
                                            _1511 = _1059;
                                        }
                                        float _1505 = -_1034;
                                        float _1083 = fma(_1026, float(_1511), _1505);
                                        param[_1509] = _1083;
                                        uint _1087 = _1509 + uint(1);
                                        _1509 = _1087;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                            }
                            else
                            {
                                uint _1092 = _646 >> uint(5);
                                uint _1093 = _1092 * 210u;
                                uint _1094 = _681 + _1093;
                                uint _1096 = _646 & 31u;
                                uint _1097 = _1096 * 8u;
                                uint _1099 = _1097 >> uint(7);
                                uint _1101 = _1097 >> uint(5);
                                uint _1102 = _1101 & 3u;
                                uint _1104 = _1097 & 31u;
                                uint _1106 = _1094 + 192u;
                                uint _1108 = _1099 * 8u;
                                uint _1109 = _1106 + _1108;
                                uint _1111 = _1102 * 2u;
                                uint _1112 = _1109 + _1111;
                                uint _1114 = _1104 >> uint(4);
                                uint _1115 = _1112 + _1114;
                                uint _1448 = _1115 >> uint(2);
                                uint _1450 = _677->v[_1448];
                                uint _1452 = _1115 & 3u;
                                uint _1453 = _1452 * 8u;
                                uint _1454 = _1450 >> _1453;
                                uint _1455 = _1454 & 255u;
                                int _1118 = int(_1455);
                                int _1119 = extract_bits(_1118, uint(0), uint(8));
                                uint _1121 = _1094 + 208u;
                                uint _1469 = _1121 >> uint(2);
                                uint _1471 = _677->v[_1469];
                                uint _1473 = _1121 & 2u;
                                uint _1474 = _1473 * 8u;
                                uint _1475 = _1471 >> _1474;
                                uint _1476 = _1475 & 65535u;
                                float2 _1463 = float2(as_type<half2>(_1476));
                                float _1464 = _1463.x;
                                float _1125 = float(_1119);
                                float _1126 = _1464 * _1125;
                                uint _1129 = _1099 * 64u;
                                uint _1130 = _1094 + _1129;
                                uint _1132 = _1102 & 1u;
                                uint _1133 = _1132 * 32u;
                                uint _1134 = _1130 + _1133;
                                uint _1136 = _1134 + _1104;
                                uint _1138 = _1094 + 128u;
                                uint _1140 = _1099 * 32u;
                                uint _1141 = _1138 + _1140;
                                uint _1143 = _1141 + _1104;
                                uint _1507;
                                _1507 = 0u;
                                for (;;)
                                {
                                    bool _1147 = _1507 < 8u;
                                    if (_1147)
                                    {
                                        uint _1151 = _1136 + _1507;
                                        uint _1481 = _1151 >> uint(2);
                                        uint _1483 = _677->v[_1481];
                                        uint _1485 = _1151 & 3u;
                                        uint _1486 = _1485 * 8u;
                                        uint _1487 = _1483 >> _1486;
                                        uint _1488 = _1487 & 255u;
                                        uint _1155 = _1102 >> uint(1);
                                        uint _1156 = _1155 * 4u;
                                        uint _1157 = _1488 >> _1156;
                                        uint _1158 = _1157 & 15u;
                                        uint _1161 = _1143 + _1507;
                                        uint _1493 = _1161 >> uint(2);
                                        uint _1495 = _677->v[_1493];
                                        uint _1497 = _1161 & 3u;
                                        uint _1498 = _1497 * 8u;
                                        uint _1499 = _1495 >> _1498;
                                        uint _1500 = _1499 & 255u;
                                        uint _1166 = _1500 >> _1111;
                                        uint _1167 = _1166 & 3u;
                                        uint _1168 = _1167 << uint(4);
                                        uint _1170 = _1158 | _1168;
                                        float _1174 = float(_1170);
                                        float _1175 = _1174 - 32.0;
                                        float _1176 = _1126 * _1175;
                                        param[_1507] = _1176;
                                        uint _1180 = _1507 + uint(1);
                                        _1507 = _1180;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        spvUnsafeArray<float, 8> x;
        x = param;
        uint2 _696 = a.hidden;
        device Floats* _697 = reinterpret_cast<device Floats*>(as_type<ulong>(_696));
        uint _702 = a.stride;
        uint _703 = _666 * _702;
        uint _705 = _646 * 8u;
        uint _706 = _703 + _705;
        uint _1517;
        _1517 = 0u;
        for (;;)
        {
            bool _714 = _1517 < 8u;
            if (_714)
            {
                uint _718 = _706 + _1517;
                float _721 = x[_1517];
                float _724 = a.scale;
                float _725 = _721 * _724;
                _697->v[_718] = _725;
                uint _729 = _1517 + uint(1);
                _1517 = _729;
                continue;
            }
            else
            {
                break;
            }
        }
        break;
    } while(false);
}

