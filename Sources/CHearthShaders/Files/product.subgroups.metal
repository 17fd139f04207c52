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
constant bool _161 = (FORMAT == 0u);
constant bool _190 = (FORMAT == 1u);
constant bool _229 = (FORMAT == 30u);
constant bool _269 = (FORMAT == 8u);
constant bool _332 = (FORMAT == 2u);
constant bool _403 = (FORMAT == 12u);
constant bool _405 = (FORMAT == 13u);
constant bool _406 = (_403 || _405);
constant bool _414 = (FORMAT == 12u);
constant uint _417 = _414 ? 144u : 176u;
constant bool _461 = (FORMAT == 12u);
constant uint _464 = _461 ? 16u : 48u;
constant bool _497 = (FORMAT == 13u);

struct Arguments
{
    uint2 weights;
    uint2 x;
    uint2 y;
    uint rows;
    uint eights;
    uint row_bytes;
    uint x_stride;
    uint y_stride;
    uint tokens;
    uint adds;
    float scale;
    float cap;
};

struct Floats
{
    float v[1];
};

#ifndef SPIRV_CROSS_CONSTANT_ID_1
#define SPIRV_CROSS_CONSTANT_ID_1 1u
#endif
constant uint TOKENS = SPIRV_CROSS_CONSTANT_ID_1;
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint gl_NumSubgroups [[simdgroups_per_threadgroup]], uint gl_SubgroupID [[simdgroup_index_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    uint _705 = simd_sum(1u);
    uint _707 = simd_prefix_exclusive_sum(1u);
    uint _720 = gl_WorkGroupID.y;
    uint _722 = _720 * TOKENS;
    uint _725 = a.tokens;
    uint _727 = _725 - _722;
    uint _728 = min(TOKENS, _727);
    uint _732 = a.rows;
    uint _734 = _732 + gl_NumSubgroups;
    uint _735 = _734 - 1u;
    uint _737 = _735 / gl_NumSubgroups;
    uint _740 = gl_WorkGroupID.x;
    uint _1718;
    _1718 = _740;
    spvUnsafeArray<float, TOKENS> sums;
    spvUnsafeArray<float, 8> param;
    for (;;)
    {
        bool _748 = _1718 < _737;
        if (_748)
        {
            uint _752 = _1718 * gl_NumSubgroups;
            uint _754 = _752 + gl_SubgroupID;
            uint _1719;
            _1719 = 0u;
            for (;;)
            {
                bool _762 = _1719 < TOKENS;
                if (_762)
                {
                    sums[_1719] = 0.0;
                    uint _769 = _1719 + uint(1);
                    _1719 = _769;
                    continue;
                }
                else
                {
                    break;
                }
            }
            bool _773 = _754 < _732;
            if (_773)
            {
                uint _1720;
                _1720 = _707;
                for (;;)
                {
                    uint _785 = a.eights;
                    bool _786 = _1720 < _785;
                    if (_786)
                    {
                        uint2 _788 = a.weights;
                        device Words* _789 = reinterpret_cast<device Words*>(as_type<ulong>(_788));
                        uint _792 = a.row_bytes;
                        uint _793 = _754 * _792;
                        if (_161)
                        {
                            uint _1741;
                            _1741 = 0u;
                            for (;;)
                            {
                                bool _979 = _1741 < 8u;
                                if (_979)
                                {
                                    uint _984 = _793 >> uint(2);
                                    uint _986 = _1720 * 8u;
                                    uint _987 = _984 + _986;
                                    uint _989 = _987 + _1741;
                                    uint _991 = _789->v[_989];
                                    float _992 = as_type<float>(_991);
                                    param[_1741] = _992;
                                    uint _996 = _1741 + uint(1);
                                    _1741 = _996;
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
                            if (_190)
                            {
                                uint _1740;
                                _1740 = 0u;
                                for (;;)
                                {
                                    bool _1003 = _1740 < 4u;
                                    if (_1003)
                                    {
                                        uint _1007 = _793 >> uint(2);
                                        uint _1009 = _1720 * 4u;
                                        uint _1010 = _1007 + _1009;
                                        uint _1012 = _1010 + _1740;
                                        uint _1014 = _789->v[_1012];
                                        float2 _1015 = float2(as_type<half2>(_1014));
                                        uint _1017 = 2u * _1740;
                                        float _1019 = _1015.x;
                                        param[_1017] = _1019;
                                        uint _1023 = _1017 + 1u;
                                        float _1025 = _1015.y;
                                        param[_1023] = _1025;
                                        uint _1029 = _1740 + uint(1);
                                        _1740 = _1029;
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
                                if (_229)
                                {
                                    uint _1739;
                                    _1739 = 0u;
                                    for (;;)
                                    {
                                        bool _1036 = _1739 < 4u;
                                        if (_1036)
                                        {
                                            uint _1040 = _793 >> uint(2);
                                            uint _1042 = _1720 * 4u;
                                            uint _1043 = _1040 + _1042;
                                            uint _1045 = _1043 + _1739;
                                            uint _1047 = _789->v[_1045];
                                            uint _1049 = 2u * _1739;
                                            uint _1051 = _1047 << uint(16);
                                            float _1052 = as_type<float>(_1051);
                                            param[_1049] = _1052;
                                            uint _1056 = _1049 + 1u;
                                            uint _1058 = _1047 & 4294901760u;
                                            float _1059 = as_type<float>(_1058);
                                            param[_1056] = _1059;
                                            uint _1063 = _1739 + uint(1);
                                            _1739 = _1063;
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
                                    if (_269)
                                    {
                                        uint _1069 = _1720 >> uint(2);
                                        uint _1070 = _1069 * 34u;
                                        uint _1071 = _793 + _1070;
                                        uint _1368 = _1071 >> uint(2);
                                        uint _1370 = _789->v[_1368];
                                        uint _1372 = _1071 & 2u;
                                        uint _1373 = _1372 * 8u;
                                        uint _1374 = _1370 >> _1373;
                                        uint _1375 = _1374 & 65535u;
                                        float2 _1362 = float2(as_type<half2>(_1375));
                                        float _1363 = _1362.x;
                                        uint _1076 = _1071 + 2u;
                                        uint _1078 = _1720 & 3u;
                                        uint _1079 = _1078 * 8u;
                                        uint _1080 = _1076 + _1079;
                                        uint _1738;
                                        _1738 = 0u;
                                        for (;;)
                                        {
                                            bool _1084 = _1738 < 4u;
                                            if (_1084)
                                            {
                                                uint _1088 = 2u * _1738;
                                                uint _1089 = _1080 + _1088;
                                                uint _1380 = _1089 >> uint(2);
                                                uint _1382 = _789->v[_1380];
                                                uint _1384 = _1089 & 2u;
                                                uint _1385 = _1384 * 8u;
                                                uint _1386 = _1382 >> _1385;
                                                uint _1387 = _1386 & 65535u;
                                                int _1092 = int(_1387);
                                                int _1097 = extract_bits(_1092, uint(0), uint(8));
                                                float _1098 = float(_1097);
                                                float _1099 = _1363 * _1098;
                                                param[_1088] = _1099;
                                                uint _1103 = _1088 + 1u;
                                                int _1106 = extract_bits(_1092, uint(8), uint(8));
                                                float _1107 = float(_1106);
                                                float _1108 = _1363 * _1107;
                                                param[_1103] = _1108;
                                                uint _1112 = _1738 + uint(1);
                                                _1738 = _1112;
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
                                        if (_332)
                                        {
                                            uint _1118 = _1720 >> uint(2);
                                            uint _1119 = _1118 * 18u;
                                            uint _1120 = _793 + _1119;
                                            uint _1401 = _1120 >> uint(2);
                                            uint _1403 = _789->v[_1401];
                                            uint _1405 = _1120 & 2u;
                                            uint _1406 = _1405 * 8u;
                                            uint _1407 = _1403 >> _1406;
                                            uint _1408 = _1407 & 65535u;
                                            float2 _1395 = float2(as_type<half2>(_1408));
                                            float _1396 = _1395.x;
                                            uint _1125 = _1120 + 2u;
                                            uint _1127 = _1720 & 1u;
                                            uint _1128 = _1127 * 8u;
                                            uint _1129 = _1125 + _1128;
                                            uint _1131 = _1720 & 2u;
                                            uint _1132 = _1131 * 2u;
                                            uint _1737;
                                            _1737 = 0u;
                                            for (;;)
                                            {
                                                bool _1136 = _1737 < 4u;
                                                if (_1136)
                                                {
                                                    uint _1140 = 2u * _1737;
                                                    uint _1141 = _1129 + _1140;
                                                    uint _1413 = _1141 >> uint(2);
                                                    uint _1415 = _789->v[_1413];
                                                    uint _1417 = _1141 & 2u;
                                                    uint _1418 = _1417 * 8u;
                                                    uint _1419 = _1415 >> _1418;
                                                    uint _1420 = _1419 & 65535u;
                                                    uint _1145 = _1420 >> _1132;
                                                    uint _1150 = _1145 & 15u;
                                                    float _1151 = float(_1150);
                                                    float _1152 = _1151 - 8.0;
                                                    float _1153 = _1396 * _1152;
                                                    param[_1140] = _1153;
                                                    uint _1157 = _1140 + 1u;
                                                    uint _1160 = _1145 >> uint(8);
                                                    uint _1161 = _1160 & 15u;
                                                    float _1162 = float(_1161);
                                                    float _1163 = _1162 - 8.0;
                                                    float _1164 = _1396 * _1163;
                                                    param[_1157] = _1164;
                                                    uint _1168 = _1737 + uint(1);
                                                    _1737 = _1168;
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
                                            if (_406)
                                            {
                                                uint _1174 = _1720 >> uint(5);
                                                uint _1175 = _1174 * _417;
                                                uint _1176 = _793 + _1175;
                                                uint _1178 = _1720 & 31u;
                                                uint _1179 = _1178 * 8u;
                                                uint _1181 = _1179 >> uint(5);
                                                uint _1183 = _1176 + 4u;
                                                uint2 _1733;
                                                do
                                                {
                                                    bool _1438 = _1181 < 4u;
                                                    if (_1438)
                                                    {
                                                        uint _1442 = _1183 + _1181;
                                                        uint _1489 = _1442 >> uint(2);
                                                        uint _1491 = _789->v[_1489];
                                                        uint _1493 = _1442 & 3u;
                                                        uint _1494 = _1493 * 8u;
                                                        uint _1495 = _1491 >> _1494;
                                                        uint _1496 = _1495 & 255u;
                                                        uint _1445 = _1496 & 63u;
                                                        uint _1449 = _1442 + 4u;
                                                        uint _1501 = _1449 >> uint(2);
                                                        uint _1503 = _789->v[_1501];
                                                        uint _1505 = _1449 & 3u;
                                                        uint _1506 = _1505 * 8u;
                                                        uint _1507 = _1503 >> _1506;
                                                        uint _1508 = _1507 & 255u;
                                                        uint _1452 = _1508 & 63u;
                                                        uint2 _1453 = uint2(_1445, _1452);
                                                        _1733 = _1453;
                                                        break;
                                                    }
                                                    uint _1457 = _1183 + _1181;
                                                    uint _1458 = _1457 + 4u;
                                                    uint _1513 = _1458 >> uint(2);
                                                    uint _1515 = _789->v[_1513];
                                                    uint _1517 = _1458 & 3u;
                                                    uint _1518 = _1517 * 8u;
                                                    uint _1519 = _1515 >> _1518;
                                                    uint _1520 = _1519 & 255u;
                                                    uint _1462 = _1520 & 15u;
                                                    uint _1466 = _1457 - 4u;
                                                    uint _1525 = _1466 >> uint(2);
                                                    uint _1527 = _789->v[_1525];
                                                    uint _1529 = _1466 & 3u;
                                                    uint _1530 = _1529 * 8u;
                                                    uint _1531 = _1527 >> _1530;
                                                    uint _1532 = _1531 & 255u;
                                                    uint _1469 = _1532 >> uint(6);
                                                    uint _1470 = _1469 << uint(4);
                                                    uint _1471 = _1462 | _1470;
                                                    uint _1473 = _1520 >> uint(4);
                                                    uint _1537 = _1457 >> uint(2);
                                                    uint _1539 = _789->v[_1537];
                                                    uint _1541 = _1457 & 3u;
                                                    uint _1542 = _1541 * 8u;
                                                    uint _1543 = _1539 >> _1542;
                                                    uint _1544 = _1543 & 255u;
                                                    uint _1479 = _1544 >> uint(6);
                                                    uint _1480 = _1479 << uint(4);
                                                    uint _1481 = _1473 | _1480;
                                                    uint2 _1482 = uint2(_1471, _1481);
                                                    _1733 = _1482;
                                                    break;
                                                } while(false);
                                                uint _1558 = _1176 >> uint(2);
                                                uint _1560 = _789->v[_1558];
                                                uint _1562 = _1176 & 2u;
                                                uint _1563 = _1562 * 8u;
                                                uint _1564 = _1560 >> _1563;
                                                uint _1565 = _1564 & 65535u;
                                                float2 _1552 = float2(as_type<half2>(_1565));
                                                float _1553 = _1552.x;
                                                float _1192 = float(_1733.x);
                                                float _1193 = _1553 * _1192;
                                                uint _1195 = _1176 + 2u;
                                                uint _1579 = _1195 >> uint(2);
                                                uint _1581 = _789->v[_1579];
                                                uint _1583 = _1195 & 2u;
                                                uint _1584 = _1583 * 8u;
                                                uint _1585 = _1581 >> _1584;
                                                uint _1586 = _1585 & 65535u;
                                                float2 _1573 = float2(as_type<half2>(_1586));
                                                float _1574 = _1573.x;
                                                float _1200 = float(_1733.y);
                                                float _1201 = _1574 * _1200;
                                                uint _1203 = _1176 + _464;
                                                uint _1205 = _1179 >> uint(6);
                                                uint _1206 = _1205 * 32u;
                                                uint _1207 = _1203 + _1206;
                                                uint _1209 = _1179 & 31u;
                                                uint _1210 = _1207 + _1209;
                                                uint _1212 = _1181 & 1u;
                                                uint _1213 = _1212 * 4u;
                                                uint _1734;
                                                _1734 = 0u;
                                                for (;;)
                                                {
                                                    bool _1217 = _1734 < 8u;
                                                    if (_1217)
                                                    {
                                                        uint _1221 = _1210 + _1734;
                                                        uint _1591 = _1221 >> uint(2);
                                                        uint _1593 = _789->v[_1591];
                                                        uint _1595 = _1221 & 3u;
                                                        uint _1596 = _1595 * 8u;
                                                        uint _1597 = _1593 >> _1596;
                                                        uint _1598 = _1597 & 255u;
                                                        uint _1225 = _1598 >> _1213;
                                                        uint _1226 = _1225 & 15u;
                                                        uint _1736;
                                                        if (_497)
                                                        {
                                                            uint _1229 = _1176 + 16u;
                                                            uint _1232 = _1229 + _1209;
                                                            uint _1234 = _1232 + _1734;
                                                            uint _1603 = _1234 >> uint(2);
                                                            uint _1605 = _789->v[_1603];
                                                            uint _1607 = _1234 & 3u;
                                                            uint _1608 = _1607 * 8u;
                                                            uint _1609 = _1605 >> _1608;
                                                            uint _1610 = _1609 & 255u;
                                                            uint _1238 = _1610 >> _1181;
                                                            uint _1239 = _1238 & 1u;
                                                            uint _1240 = _1239 << uint(4);
                                                            uint _1242 = _1226 | _1240;
                                                            _1736 = _1242;
                                                        }
                                                        else
                                                        {
                                                            _1736 = _1226;
                                                        }
                                                        float _1717 = -_1201;
                                                        float _1250 = fma(_1193, float(_1736), _1717);
                                                        param[_1734] = _1250;
                                                        uint _1254 = _1734 + uint(1);
                                                        _1734 = _1254;
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
                                                uint _1259 = _1720 >> uint(5);
                                                uint _1260 = _1259 * 210u;
                                                uint _1261 = _793 + _1260;
                                                uint _1263 = _1720 & 31u;
                                                uint _1264 = _1263 * 8u;
                                                uint _1266 = _1264 >> uint(7);
                                                uint _1268 = _1264 >> uint(5);
                                                uint _1269 = _1268 & 3u;
                                                uint _1271 = _1264 & 31u;
                                                uint _1273 = _1261 + 192u;
                                                uint _1275 = _1266 * 8u;
                                                uint _1276 = _1273 + _1275;
                                                uint _1278 = _1269 * 2u;
                                                uint _1279 = _1276 + _1278;
                                                uint _1281 = _1271 >> uint(4);
                                                uint _1282 = _1279 + _1281;
                                                uint _1615 = _1282 >> uint(2);
                                                uint _1617 = _789->v[_1615];
                                                uint _1619 = _1282 & 3u;
                                                uint _1620 = _1619 * 8u;
                                                uint _1621 = _1617 >> _1620;
                                                uint _1622 = _1621 & 255u;
                                                int _1285 = int(_1622);
                                                int _1286 = extract_bits(_1285, uint(0), uint(8));
                                                uint _1288 = _1261 + 208u;
                                                uint _1636 = _1288 >> uint(2);
                                                uint _1638 = _789->v[_1636];
                                                uint _1640 = _1288 & 2u;
                                                uint _1641 = _1640 * 8u;
                                                uint _1642 = _1638 >> _1641;
                                                uint _1643 = _1642 & 65535u;
                                                float2 _1630 = float2(as_type<half2>(_1643));
                                                float _1631 = _1630.x;
                                                float _1292 = float(_1286);
                                                float _1293 = _1631 * _1292;
                                                uint _1296 = _1266 * 64u;
                                                uint _1297 = _1261 + _1296;
                                                uint _1299 = _1269 & 1u;
                                                uint _1300 = _1299 * 32u;
                                                uint _1301 = _1297 + _1300;
                                                uint _1303 = _1301 + _1271;
                                                uint _1305 = _1261 + 128u;
                                                uint _1307 = _1266 * 32u;
                                                uint _1308 = _1305 + _1307;
                                                uint _1310 = _1308 + _1271;
                                                uint _1732;
                                                _1732 = 0u;
                                                for (;;)
                                                {
                                                    bool _1314 = _1732 < 8u;
                                                    if (_1314)
                                                    {
                                                        uint _1318 = _1303 + _1732;
                                                        uint _1648 = _1318 >> uint(2);
                                                        uint _1650 = _789->v[_1648];
                                                        uint _1652 = _1318 & 3u;
                                                        uint _1653 = _1652 * 8u;
                                                        uint _1654 = _1650 >> _1653;
                                                        uint _1655 = _1654 & 255u;
                                                        uint _1322 = _1269 >> uint(1);
                                                        uint _1323 = _1322 * 4u;
                                                        uint _1324 = _1655 >> _1323;
                                                        uint _1325 = _1324 & 15u;
                                                        uint _1328 = _1310 + _1732;
                                                        uint _1660 = _1328 >> uint(2);
                                                        uint _1662 = _789->v[_1660];
                                                        uint _1664 = _1328 & 3u;
                                                        uint _1665 = _1664 * 8u;
                                                        uint _1666 = _1662 >> _1665;
                                                        uint _1667 = _1666 & 255u;
                                                        uint _1333 = _1667 >> _1278;
                                                        uint _1334 = _1333 & 3u;
                                                        uint _1335 = _1334 << uint(4);
                                                        uint _1337 = _1325 | _1335;
                                                        float _1341 = float(_1337);
                                                        float _1342 = _1341 - 32.0;
                                                        float _1343 = _1293 * _1342;
                                                        param[_1732] = _1343;
                                                        uint _1347 = _1732 + uint(1);
                                                        _1732 = _1347;
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
                        spvUnsafeArray<float, 8> w;
                        w = param;
                        uint _1742;
                        _1742 = 0u;
                        for (;;)
                        {
                            bool _810 = _1742 < _728;
                            if (_810)
                            {
                                uint _814 = _722 + _1742;
                                uint _816 = a.x_stride;
                                uint _817 = _814 * _816;
                                uint _819 = _1720 * 8u;
                                uint _820 = _817 + _819;
                                uint _1759;
                                _1759 = 0u;
                                for (;;)
                                {
                                    bool _828 = _1759 < 8u;
                                    if (_828)
                                    {
                                        float _832 = w[_1759];
                                        uint2 _834 = a.x;
                                        device Floats* _835 = reinterpret_cast<device Floats*>(as_type<ulong>(_834));
                                        uint _838 = _820 + _1759;
                                        float _840 = _835->v[_838];
                                        float _843 = sums[_1742];
                                        float _844 = fma(_832, _840, _843);
                                        sums[_1742] = _844;
                                        uint _847 = _1759 + uint(1);
                                        _1759 = _847;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _849 = _1742 + uint(1);
                                _1742 = _849;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _852 = _1720 + _705;
                        _1720 = _852;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            uint _1721;
            _1721 = 0u;
            for (;;)
            {
                bool _860 = _1721 < TOKENS;
                if (_860)
                {
                    float _864 = sums[_1721];
                    float _865 = simd_sum(_864);
                    bool _872 = _1721 < _728;
                    bool _873 = _773 && _872;
                    bool _881;
                    if (_873)
                    {
                        uint _879 = _1721 % _705;
                        bool _880 = _707 == _879;
                        _881 = _880;
                    }
                    else
                    {
                        _881 = _873;
                    }
                    if (_881)
                    {
                        uint _886 = _722 + _1721;
                        uint _1673 = a.y_stride;
                        uint _1674 = _886 * _1673;
                        uint _1676 = _1674 + _754;
                        float _1679 = a.scale;
                        float _1680 = _865 * _1679;
                        uint _1682 = a.adds;
                        bool _1683 = _1682 != 0u;
                        float _1727;
                        if (_1683)
                        {
                            uint2 _1686 = a.y;
                            device Floats* _1687 = reinterpret_cast<device Floats*>(as_type<ulong>(_1686));
                            float _1690 = _1687->v[_1676];
                            float _1692 = fma(_865, _1679, _1690);
                            _1727 = _1692;
                        }
                        else
                        {
                            _1727 = _1680;
                        }
                        float _1695 = a.cap;
                        bool _1696 = _1695 > 0.0;
                        float _1728;
                        if (_1696)
                        {
                            float _1703 = _1727 / _1695;
                            float _1704 = precise::tanh(_1703);
                            float _1705 = _1695 * _1704;
                            _1728 = _1705;
                        }
                        else
                        {
                            _1728 = _1727;
                        }
                        uint2 _1708 = a.y;
                        device Floats* _1709 = reinterpret_cast<device Floats*>(as_type<ulong>(_1708));
                        _1709->v[_1676] = _1728;
                    }
                    uint _894 = _1721 + uint(1);
                    _1721 = _894;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _897 = gl_NumWorkGroups.x;
            uint _899 = _1718 + _897;
            _1718 = _899;
            continue;
        }
        else
        {
            break;
        }
    }
}

