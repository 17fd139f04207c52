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
constant uint LANES_tmp [[function_constant(2)]];
constant uint LANES = is_function_constant_defined(LANES_tmp) ? LANES_tmp : 16u;
#ifndef SPIRV_CROSS_CONSTANT_ID_1
#define SPIRV_CROSS_CONSTANT_ID_1 1u
#endif
constant uint TOKENS = SPIRV_CROSS_CONSTANT_ID_1;

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

constant uint rows_together = (64u / LANES);

struct Floats
{
    float v[1];
};

constant uint _802 = (64u * TOKENS);
constant uint _820 = (LANES / 2u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    threadgroup float parts[_802];
    uint _646 = gl_LocalInvocationID.x;
    uint _648 = _646 % LANES;
    uint _652 = gl_WorkGroupID.y;
    uint _654 = _652 * TOKENS;
    uint _661 = a.tokens;
    uint _663 = _661 - _654;
    uint _664 = min(TOKENS, _663);
    uint _668 = a.rows;
    uint _670 = _668 + rows_together;
    uint _671 = _670 - 1u;
    uint _672 = _671 / rows_together;
    uint _675 = gl_WorkGroupID.x;
    uint _1716;
    _1716 = _675;
    spvUnsafeArray<float, TOKENS> sums;
    spvUnsafeArray<float, 8> param;
    for (;;)
    {
        bool _683 = _1716 < _672;
        if (_683)
        {
            uint _686 = _1716 * rows_together;
            uint _689 = _646 / LANES;
            uint _690 = _686 + _689;
            uint _1717;
            _1717 = 0u;
            for (;;)
            {
                bool _698 = _1717 < TOKENS;
                if (_698)
                {
                    sums[_1717] = 0.0;
                    uint _706 = _1717 + uint(1);
                    _1717 = _706;
                    continue;
                }
                else
                {
                    break;
                }
            }
            bool _710 = _690 < _668;
            if (_710)
            {
                uint _1718;
                _1718 = _648;
                for (;;)
                {
                    uint _722 = a.eights;
                    bool _723 = _1718 < _722;
                    if (_723)
                    {
                        uint2 _726 = a.weights;
                        device Words* _727 = reinterpret_cast<device Words*>(as_type<ulong>(_726));
                        uint _730 = a.row_bytes;
                        uint _731 = _690 * _730;
                        if (_154)
                        {
                            uint _1745;
                            _1745 = 0u;
                            for (;;)
                            {
                                bool _1022 = _1745 < 8u;
                                if (_1022)
                                {
                                    uint _1027 = _731 >> uint(2);
                                    uint _1029 = _1718 * 8u;
                                    uint _1030 = _1027 + _1029;
                                    uint _1032 = _1030 + _1745;
                                    uint _1034 = _727->v[_1032];
                                    float _1035 = as_type<float>(_1034);
                                    param[_1745] = _1035;
                                    uint _1039 = _1745 + uint(1);
                                    _1745 = _1039;
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
                                uint _1744;
                                _1744 = 0u;
                                for (;;)
                                {
                                    bool _1046 = _1744 < 4u;
                                    if (_1046)
                                    {
                                        uint _1050 = _731 >> uint(2);
                                        uint _1052 = _1718 * 4u;
                                        uint _1053 = _1050 + _1052;
                                        uint _1055 = _1053 + _1744;
                                        uint _1057 = _727->v[_1055];
                                        float2 _1058 = float2(as_type<half2>(_1057));
                                        uint _1060 = 2u * _1744;
                                        float _1062 = _1058.x;
                                        param[_1060] = _1062;
                                        uint _1066 = _1060 + 1u;
                                        float _1068 = _1058.y;
                                        param[_1066] = _1068;
                                        uint _1072 = _1744 + uint(1);
                                        _1744 = _1072;
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
                                    uint _1743;
                                    _1743 = 0u;
                                    for (;;)
                                    {
                                        bool _1079 = _1743 < 4u;
                                        if (_1079)
                                        {
                                            uint _1083 = _731 >> uint(2);
                                            uint _1085 = _1718 * 4u;
                                            uint _1086 = _1083 + _1085;
                                            uint _1088 = _1086 + _1743;
                                            uint _1090 = _727->v[_1088];
                                            uint _1092 = 2u * _1743;
                                            uint _1094 = _1090 << uint(16);
                                            float _1095 = as_type<float>(_1094);
                                            param[_1092] = _1095;
                                            uint _1099 = _1092 + 1u;
                                            uint _1101 = _1090 & 4294901760u;
                                            float _1102 = as_type<float>(_1101);
                                            param[_1099] = _1102;
                                            uint _1106 = _1743 + uint(1);
                                            _1743 = _1106;
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
                                        uint _1112 = _1718 >> uint(2);
                                        uint _1113 = _1112 * 34u;
                                        uint _1114 = _731 + _1113;
                                        uint _1411 = _1114 >> uint(2);
                                        uint _1413 = _727->v[_1411];
                                        uint _1415 = _1114 & 2u;
                                        uint _1416 = _1415 * 8u;
                                        uint _1417 = _1413 >> _1416;
                                        uint _1418 = _1417 & 65535u;
                                        float2 _1405 = float2(as_type<half2>(_1418));
                                        float _1406 = _1405.x;
                                        uint _1119 = _1114 + 2u;
                                        uint _1121 = _1718 & 3u;
                                        uint _1122 = _1121 * 8u;
                                        uint _1123 = _1119 + _1122;
                                        uint _1742;
                                        _1742 = 0u;
                                        for (;;)
                                        {
                                            bool _1127 = _1742 < 4u;
                                            if (_1127)
                                            {
                                                uint _1131 = 2u * _1742;
                                                uint _1132 = _1123 + _1131;
                                                uint _1423 = _1132 >> uint(2);
                                                uint _1425 = _727->v[_1423];
                                                uint _1427 = _1132 & 2u;
                                                uint _1428 = _1427 * 8u;
                                                uint _1429 = _1425 >> _1428;
                                                uint _1430 = _1429 & 65535u;
                                                int _1135 = int(_1430);
                                                int _1140 = extract_bits(_1135, uint(0), uint(8));
                                                float _1141 = float(_1140);
                                                float _1142 = _1406 * _1141;
                                                param[_1131] = _1142;
                                                uint _1146 = _1131 + 1u;
                                                int _1149 = extract_bits(_1135, uint(8), uint(8));
                                                float _1150 = float(_1149);
                                                float _1151 = _1406 * _1150;
                                                param[_1146] = _1151;
                                                uint _1155 = _1742 + uint(1);
                                                _1742 = _1155;
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
                                            uint _1161 = _1718 >> uint(2);
                                            uint _1162 = _1161 * 18u;
                                            uint _1163 = _731 + _1162;
                                            uint _1444 = _1163 >> uint(2);
                                            uint _1446 = _727->v[_1444];
                                            uint _1448 = _1163 & 2u;
                                            uint _1449 = _1448 * 8u;
                                            uint _1450 = _1446 >> _1449;
                                            uint _1451 = _1450 & 65535u;
                                            float2 _1438 = float2(as_type<half2>(_1451));
                                            float _1439 = _1438.x;
                                            uint _1168 = _1163 + 2u;
                                            uint _1170 = _1718 & 1u;
                                            uint _1171 = _1170 * 8u;
                                            uint _1172 = _1168 + _1171;
                                            uint _1174 = _1718 & 2u;
                                            uint _1175 = _1174 * 2u;
                                            uint _1741;
                                            _1741 = 0u;
                                            for (;;)
                                            {
                                                bool _1179 = _1741 < 4u;
                                                if (_1179)
                                                {
                                                    uint _1183 = 2u * _1741;
                                                    uint _1184 = _1172 + _1183;
                                                    uint _1456 = _1184 >> uint(2);
                                                    uint _1458 = _727->v[_1456];
                                                    uint _1460 = _1184 & 2u;
                                                    uint _1461 = _1460 * 8u;
                                                    uint _1462 = _1458 >> _1461;
                                                    uint _1463 = _1462 & 65535u;
                                                    uint _1188 = _1463 >> _1175;
                                                    uint _1193 = _1188 & 15u;
                                                    float _1194 = float(_1193);
                                                    float _1195 = _1194 - 8.0;
                                                    float _1196 = _1439 * _1195;
                                                    param[_1183] = _1196;
                                                    uint _1200 = _1183 + 1u;
                                                    uint _1203 = _1188 >> uint(8);
                                                    uint _1204 = _1203 & 15u;
                                                    float _1205 = float(_1204);
                                                    float _1206 = _1205 - 8.0;
                                                    float _1207 = _1439 * _1206;
                                                    param[_1200] = _1207;
                                                    uint _1211 = _1741 + uint(1);
                                                    _1741 = _1211;
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
                                                uint _1217 = _1718 >> uint(5);
                                                uint _1218 = _1217 * _411;
                                                uint _1219 = _731 + _1218;
                                                uint _1221 = _1718 & 31u;
                                                uint _1222 = _1221 * 8u;
                                                uint _1224 = _1222 >> uint(5);
                                                uint _1226 = _1219 + 4u;
                                                uint2 _1737;
                                                do
                                                {
                                                    bool _1481 = _1224 < 4u;
                                                    if (_1481)
                                                    {
                                                        uint _1485 = _1226 + _1224;
                                                        uint _1532 = _1485 >> uint(2);
                                                        uint _1534 = _727->v[_1532];
                                                        uint _1536 = _1485 & 3u;
                                                        uint _1537 = _1536 * 8u;
                                                        uint _1538 = _1534 >> _1537;
                                                        uint _1539 = _1538 & 255u;
                                                        uint _1488 = _1539 & 63u;
                                                        uint _1492 = _1485 + 4u;
                                                        uint _1544 = _1492 >> uint(2);
                                                        uint _1546 = _727->v[_1544];
                                                        uint _1548 = _1492 & 3u;
                                                        uint _1549 = _1548 * 8u;
                                                        uint _1550 = _1546 >> _1549;
                                                        uint _1551 = _1550 & 255u;
                                                        uint _1495 = _1551 & 63u;
                                                        uint2 _1496 = uint2(_1488, _1495);
                                                        _1737 = _1496;
                                                        break;
                                                    }
                                                    uint _1500 = _1226 + _1224;
                                                    uint _1501 = _1500 + 4u;
                                                    uint _1556 = _1501 >> uint(2);
                                                    uint _1558 = _727->v[_1556];
                                                    uint _1560 = _1501 & 3u;
                                                    uint _1561 = _1560 * 8u;
                                                    uint _1562 = _1558 >> _1561;
                                                    uint _1563 = _1562 & 255u;
                                                    uint _1505 = _1563 & 15u;
                                                    uint _1509 = _1500 - 4u;
                                                    uint _1568 = _1509 >> uint(2);
                                                    uint _1570 = _727->v[_1568];
                                                    uint _1572 = _1509 & 3u;
                                                    uint _1573 = _1572 * 8u;
                                                    uint _1574 = _1570 >> _1573;
                                                    uint _1575 = _1574 & 255u;
                                                    uint _1512 = _1575 >> uint(6);
                                                    uint _1513 = _1512 << uint(4);
                                                    uint _1514 = _1505 | _1513;
                                                    uint _1516 = _1563 >> uint(4);
                                                    uint _1580 = _1500 >> uint(2);
                                                    uint _1582 = _727->v[_1580];
                                                    uint _1584 = _1500 & 3u;
                                                    uint _1585 = _1584 * 8u;
                                                    uint _1586 = _1582 >> _1585;
                                                    uint _1587 = _1586 & 255u;
                                                    uint _1522 = _1587 >> uint(6);
                                                    uint _1523 = _1522 << uint(4);
                                                    uint _1524 = _1516 | _1523;
                                                    uint2 _1525 = uint2(_1514, _1524);
                                                    _1737 = _1525;
                                                    break;
                                                } while(false);
                                                uint _1601 = _1219 >> uint(2);
                                                uint _1603 = _727->v[_1601];
                                                uint _1605 = _1219 & 2u;
                                                uint _1606 = _1605 * 8u;
                                                uint _1607 = _1603 >> _1606;
                                                uint _1608 = _1607 & 65535u;
                                                float2 _1595 = float2(as_type<half2>(_1608));
                                                float _1596 = _1595.x;
                                                float _1235 = float(_1737.x);
                                                float _1236 = _1596 * _1235;
                                                uint _1238 = _1219 + 2u;
                                                uint _1622 = _1238 >> uint(2);
                                                uint _1624 = _727->v[_1622];
                                                uint _1626 = _1238 & 2u;
                                                uint _1627 = _1626 * 8u;
                                                uint _1628 = _1624 >> _1627;
                                                uint _1629 = _1628 & 65535u;
                                                float2 _1616 = float2(as_type<half2>(_1629));
                                                float _1617 = _1616.x;
                                                float _1243 = float(_1737.y);
                                                float _1244 = _1617 * _1243;
                                                uint _1246 = _1219 + _458;
                                                uint _1248 = _1222 >> uint(6);
                                                uint _1249 = _1248 * 32u;
                                                uint _1250 = _1246 + _1249;
                                                uint _1252 = _1222 & 31u;
                                                uint _1253 = _1250 + _1252;
                                                uint _1255 = _1224 & 1u;
                                                uint _1256 = _1255 * 4u;
                                                uint _1738;
                                                _1738 = 0u;
                                                for (;;)
                                                {
                                                    bool _1260 = _1738 < 8u;
                                                    if (_1260)
                                                    {
                                                        uint _1264 = _1253 + _1738;
                                                        uint _1634 = _1264 >> uint(2);
                                                        uint _1636 = _727->v[_1634];
                                                        uint _1638 = _1264 & 3u;
                                                        uint _1639 = _1638 * 8u;
                                                        uint _1640 = _1636 >> _1639;
                                                        uint _1641 = _1640 & 255u;
                                                        uint _1268 = _1641 >> _1256;
                                                        uint _1269 = _1268 & 15u;
                                                        uint _1740;
                                                        if (_491)
                                                        {
                                                            uint _1272 = _1219 + 16u;
                                                            uint _1275 = _1272 + _1252;
                                                            uint _1277 = _1275 + _1738;
                                                            uint _1646 = _1277 >> uint(2);
                                                            uint _1648 = _727->v[_1646];
                                                            uint _1650 = _1277 & 3u;
                                                            uint _1651 = _1650 * 8u;
                                                            uint _1652 = _1648 >> _1651;
                                                            uint _1653 = _1652 & 255u;
                                                            uint _1281 = _1653 >> _1224;
                                                            uint _1282 = _1281 & 1u;
                                                            uint _1283 = _1282 << uint(4);
                                                            uint _1285 = _1269 | _1283;
                                                            _1740 = _1285;
                                                        }
                                                        else
                                                        {
                                                            _1740 = _1269;
                                                        }
                                                        float _1715 = -_1244;
                                                        float _1293 = fma(_1236, float(_1740), _1715);
                                                        param[_1738] = _1293;
                                                        uint _1297 = _1738 + uint(1);
                                                        _1738 = _1297;
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
                                                uint _1302 = _1718 >> uint(5);
                                                uint _1303 = _1302 * 210u;
                                                uint _1304 = _731 + _1303;
                                                uint _1306 = _1718 & 31u;
                                                uint _1307 = _1306 * 8u;
                                                uint _1309 = _1307 >> uint(7);
                                                uint _1311 = _1307 >> uint(5);
                                                uint _1312 = _1311 & 3u;
                                                uint _1314 = _1307 & 31u;
                                                uint _1316 = _1304 + 192u;
                                                uint _1318 = _1309 * 8u;
                                                uint _1319 = _1316 + _1318;
                                                uint _1321 = _1312 * 2u;
                                                uint _1322 = _1319 + _1321;
                                                uint _1324 = _1314 >> uint(4);
                                                uint _1325 = _1322 + _1324;
                                                uint _1658 = _1325 >> uint(2);
                                                uint _1660 = _727->v[_1658];
                                                uint _1662 = _1325 & 3u;
                                                uint _1663 = _1662 * 8u;
                                                uint _1664 = _1660 >> _1663;
                                                uint _1665 = _1664 & 255u;
                                                int _1328 = int(_1665);
                                                int _1329 = extract_bits(_1328, uint(0), uint(8));
                                                uint _1331 = _1304 + 208u;
                                                uint _1679 = _1331 >> uint(2);
                                                uint _1681 = _727->v[_1679];
                                                uint _1683 = _1331 & 2u;
                                                uint _1684 = _1683 * 8u;
                                                uint _1685 = _1681 >> _1684;
                                                uint _1686 = _1685 & 65535u;
                                                float2 _1673 = float2(as_type<half2>(_1686));
                                                float _1674 = _1673.x;
                                                float _1335 = float(_1329);
                                                float _1336 = _1674 * _1335;
                                                uint _1339 = _1309 * 64u;
                                                uint _1340 = _1304 + _1339;
                                                uint _1342 = _1312 & 1u;
                                                uint _1343 = _1342 * 32u;
                                                uint _1344 = _1340 + _1343;
                                                uint _1346 = _1344 + _1314;
                                                uint _1348 = _1304 + 128u;
                                                uint _1350 = _1309 * 32u;
                                                uint _1351 = _1348 + _1350;
                                                uint _1353 = _1351 + _1314;
                                                uint _1736;
                                                _1736 = 0u;
                                                for (;;)
                                                {
                                                    bool _1357 = _1736 < 8u;
                                                    if (_1357)
                                                    {
                                                        uint _1361 = _1346 + _1736;
                                                        uint _1691 = _1361 >> uint(2);
                                                        uint _1693 = _727->v[_1691];
                                                        uint _1695 = _1361 & 3u;
                                                        uint _1696 = _1695 * 8u;
                                                        uint _1697 = _1693 >> _1696;
                                                        uint _1698 = _1697 & 255u;
                                                        uint _1365 = _1312 >> uint(1);
                                                        uint _1366 = _1365 * 4u;
                                                        uint _1367 = _1698 >> _1366;
                                                        uint _1368 = _1367 & 15u;
                                                        uint _1371 = _1353 + _1736;
                                                        uint _1703 = _1371 >> uint(2);
                                                        uint _1705 = _727->v[_1703];
                                                        uint _1707 = _1371 & 3u;
                                                        uint _1708 = _1707 * 8u;
                                                        uint _1709 = _1705 >> _1708;
                                                        uint _1710 = _1709 & 255u;
                                                        uint _1376 = _1710 >> _1321;
                                                        uint _1377 = _1376 & 3u;
                                                        uint _1378 = _1377 << uint(4);
                                                        uint _1380 = _1368 | _1378;
                                                        float _1384 = float(_1380);
                                                        float _1385 = _1384 - 32.0;
                                                        float _1386 = _1336 * _1385;
                                                        param[_1736] = _1386;
                                                        uint _1390 = _1736 + uint(1);
                                                        _1736 = _1390;
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
                        uint _1746;
                        _1746 = 0u;
                        for (;;)
                        {
                            bool _748 = _1746 < _664;
                            if (_748)
                            {
                                uint _752 = _654 + _1746;
                                uint _754 = a.x_stride;
                                uint _755 = _752 * _754;
                                uint _757 = _1718 * 8u;
                                uint _758 = _755 + _757;
                                uint _1763;
                                _1763 = 0u;
                                for (;;)
                                {
                                    bool _766 = _1763 < 8u;
                                    if (_766)
                                    {
                                        float _770 = w[_1763];
                                        uint2 _772 = a.x;
                                        device Floats* _776 = reinterpret_cast<device Floats*>(as_type<ulong>(_772));
                                        uint _779 = _758 + _1763;
                                        float _782 = _776->v[_779];
                                        float _785 = sums[_1746];
                                        float _786 = fma(_770, _782, _785);
                                        sums[_1746] = _786;
                                        uint _789 = _1763 + uint(1);
                                        _1763 = _789;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _791 = _1746 + uint(1);
                                _1746 = _791;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _793 = _1718 + LANES;
                        _1718 = _793;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            uint _1719;
            _1719 = 0u;
            for (;;)
            {
                bool _801 = _1719 < TOKENS;
                if (_801)
                {
                    uint _807 = _1719 * 64u;
                    uint _810 = _807 + _646;
                    float _813 = sums[_1719];
                    parts[_810] = _813;
                    uint _817 = _1719 + uint(1);
                    _1719 = _817;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1720;
            _1720 = _820;
            for (;;)
            {
                bool _827 = _1720 > 0u;
                if (_827)
                {
                    bool _830 = _648 < _1720;
                    if (_830)
                    {
                        uint _1733;
                        _1733 = 0u;
                        for (;;)
                        {
                            bool _841 = _1733 < _664;
                            if (_841)
                            {
                                uint _844 = _1733 * 64u;
                                uint _847 = _844 + _646;
                                uint _851 = _847 + _1720;
                                float _853 = parts[_851];
                                float _855 = parts[_847];
                                float _856 = _855 + _853;
                                parts[_847] = _856;
                                uint _859 = _1733 + uint(1);
                                _1733 = _859;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _861 = _1720 / 2u;
                    _1720 = _861;
                    continue;
                }
                else
                {
                    break;
                }
            }
            if (_710)
            {
                uint _1721;
                _1721 = _648;
                for (;;)
                {
                    bool _877 = _1721 < _664;
                    if (_877)
                    {
                        uint _881 = _654 + _1721;
                        uint _883 = a.y_stride;
                        uint _884 = _881 * _883;
                        uint _886 = _884 + _690;
                        uint _889 = _1721 * 64u;
                        uint _892 = _889 + _646;
                        uint _894 = _892 - _648;
                        float _896 = parts[_894];
                        float _900 = a.scale;
                        float _901 = _896 * _900;
                        uint _904 = a.adds;
                        bool _905 = _904 != 0u;
                        float _1729;
                        if (_905)
                        {
                            uint2 _909 = a.y;
                            device Floats* _910 = reinterpret_cast<device Floats*>(as_type<ulong>(_909));
                            float _913 = _910->v[_886];
                            float _915 = fma(_896, _900, _913);
                            _1729 = _915;
                        }
                        else
                        {
                            _1729 = _901;
                        }
                        float _918 = a.cap;
                        bool _919 = _918 > 0.0;
                        float _1730;
                        if (_919)
                        {
                            float _927 = _1729 / _918;
                            float _928 = precise::tanh(_927);
                            float _929 = _918 * _928;
                            _1730 = _929;
                        }
                        else
                        {
                            _1730 = _1729;
                        }
                        uint2 _931 = a.y;
                        device Floats* _932 = reinterpret_cast<device Floats*>(as_type<ulong>(_931));
                        _932->v[_886] = _1730;
                        uint _937 = _1721 + LANES;
                        _1721 = _937;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _940 = gl_NumWorkGroups.x;
            uint _942 = _1716 + _940;
            _1716 = _942;
            continue;
        }
        else
        {
            break;
        }
    }
}

