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
    uint _1696;
    _1696 = _675;
    spvUnsafeArray<float, TOKENS> sums;
    spvUnsafeArray<float, 8> param;
    for (;;)
    {
        bool _683 = _1696 < _672;
        if (_683)
        {
            uint _686 = _1696 * rows_together;
            uint _689 = _646 / LANES;
            uint _690 = _686 + _689;
            uint _1697;
            _1697 = 0u;
            for (;;)
            {
                bool _698 = _1697 < TOKENS;
                if (_698)
                {
                    sums[_1697] = 0.0;
                    uint _706 = _1697 + uint(1);
                    _1697 = _706;
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
                uint _1698;
                _1698 = _648;
                for (;;)
                {
                    uint _722 = a.eights;
                    bool _723 = _1698 < _722;
                    if (_723)
                    {
                        uint2 _726 = a.weights;
                        device Words* _727 = reinterpret_cast<device Words*>(as_type<ulong>(_726));
                        uint _730 = a.row_bytes;
                        uint _731 = _690 * _730;
                        if (_154)
                        {
                            uint _1723;
                            _1723 = 0u;
                            for (;;)
                            {
                                bool _1002 = _1723 < 8u;
                                if (_1002)
                                {
                                    uint _1007 = _731 >> uint(2);
                                    uint _1009 = _1698 * 8u;
                                    uint _1010 = _1007 + _1009;
                                    uint _1012 = _1010 + _1723;
                                    uint _1014 = _727->v[_1012];
                                    float _1015 = as_type<float>(_1014);
                                    param[_1723] = _1015;
                                    uint _1019 = _1723 + uint(1);
                                    _1723 = _1019;
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
                                uint _1722;
                                _1722 = 0u;
                                for (;;)
                                {
                                    bool _1026 = _1722 < 4u;
                                    if (_1026)
                                    {
                                        uint _1030 = _731 >> uint(2);
                                        uint _1032 = _1698 * 4u;
                                        uint _1033 = _1030 + _1032;
                                        uint _1035 = _1033 + _1722;
                                        uint _1037 = _727->v[_1035];
                                        float2 _1038 = float2(as_type<half2>(_1037));
                                        uint _1040 = 2u * _1722;
                                        float _1042 = _1038.x;
                                        param[_1040] = _1042;
                                        uint _1046 = _1040 + 1u;
                                        float _1048 = _1038.y;
                                        param[_1046] = _1048;
                                        uint _1052 = _1722 + uint(1);
                                        _1722 = _1052;
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
                                    uint _1721;
                                    _1721 = 0u;
                                    for (;;)
                                    {
                                        bool _1059 = _1721 < 4u;
                                        if (_1059)
                                        {
                                            uint _1063 = _731 >> uint(2);
                                            uint _1065 = _1698 * 4u;
                                            uint _1066 = _1063 + _1065;
                                            uint _1068 = _1066 + _1721;
                                            uint _1070 = _727->v[_1068];
                                            uint _1072 = 2u * _1721;
                                            uint _1074 = _1070 << uint(16);
                                            float _1075 = as_type<float>(_1074);
                                            param[_1072] = _1075;
                                            uint _1079 = _1072 + 1u;
                                            uint _1081 = _1070 & 4294901760u;
                                            float _1082 = as_type<float>(_1081);
                                            param[_1079] = _1082;
                                            uint _1086 = _1721 + uint(1);
                                            _1721 = _1086;
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
                                        uint _1092 = _1698 >> uint(2);
                                        uint _1093 = _1092 * 34u;
                                        uint _1094 = _731 + _1093;
                                        uint _1391 = _1094 >> uint(2);
                                        uint _1393 = _727->v[_1391];
                                        uint _1395 = _1094 & 2u;
                                        uint _1396 = _1395 * 8u;
                                        uint _1397 = _1393 >> _1396;
                                        uint _1398 = _1397 & 65535u;
                                        float2 _1385 = float2(as_type<half2>(_1398));
                                        float _1386 = _1385.x;
                                        uint _1099 = _1094 + 2u;
                                        uint _1101 = _1698 & 3u;
                                        uint _1102 = _1101 * 8u;
                                        uint _1103 = _1099 + _1102;
                                        uint _1720;
                                        _1720 = 0u;
                                        for (;;)
                                        {
                                            bool _1107 = _1720 < 4u;
                                            if (_1107)
                                            {
                                                uint _1111 = 2u * _1720;
                                                uint _1112 = _1103 + _1111;
                                                uint _1403 = _1112 >> uint(2);
                                                uint _1405 = _727->v[_1403];
                                                uint _1407 = _1112 & 2u;
                                                uint _1408 = _1407 * 8u;
                                                uint _1409 = _1405 >> _1408;
                                                uint _1410 = _1409 & 65535u;
                                                int _1115 = int(_1410);
                                                int _1120 = extract_bits(_1115, uint(0), uint(8));
                                                float _1121 = float(_1120);
                                                float _1122 = _1386 * _1121;
                                                param[_1111] = _1122;
                                                uint _1126 = _1111 + 1u;
                                                int _1129 = extract_bits(_1115, uint(8), uint(8));
                                                float _1130 = float(_1129);
                                                float _1131 = _1386 * _1130;
                                                param[_1126] = _1131;
                                                uint _1135 = _1720 + uint(1);
                                                _1720 = _1135;
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
                                            uint _1141 = _1698 >> uint(2);
                                            uint _1142 = _1141 * 18u;
                                            uint _1143 = _731 + _1142;
                                            uint _1424 = _1143 >> uint(2);
                                            uint _1426 = _727->v[_1424];
                                            uint _1428 = _1143 & 2u;
                                            uint _1429 = _1428 * 8u;
                                            uint _1430 = _1426 >> _1429;
                                            uint _1431 = _1430 & 65535u;
                                            float2 _1418 = float2(as_type<half2>(_1431));
                                            float _1419 = _1418.x;
                                            uint _1148 = _1143 + 2u;
                                            uint _1150 = _1698 & 1u;
                                            uint _1151 = _1150 * 8u;
                                            uint _1152 = _1148 + _1151;
                                            uint _1154 = _1698 & 2u;
                                            uint _1155 = _1154 * 2u;
                                            uint _1719;
                                            _1719 = 0u;
                                            for (;;)
                                            {
                                                bool _1159 = _1719 < 4u;
                                                if (_1159)
                                                {
                                                    uint _1163 = 2u * _1719;
                                                    uint _1164 = _1152 + _1163;
                                                    uint _1436 = _1164 >> uint(2);
                                                    uint _1438 = _727->v[_1436];
                                                    uint _1440 = _1164 & 2u;
                                                    uint _1441 = _1440 * 8u;
                                                    uint _1442 = _1438 >> _1441;
                                                    uint _1443 = _1442 & 65535u;
                                                    uint _1168 = _1443 >> _1155;
                                                    uint _1173 = _1168 & 15u;
                                                    float _1174 = float(_1173);
                                                    float _1175 = _1174 - 8.0;
                                                    float _1176 = _1419 * _1175;
                                                    param[_1163] = _1176;
                                                    uint _1180 = _1163 + 1u;
                                                    uint _1183 = _1168 >> uint(8);
                                                    uint _1184 = _1183 & 15u;
                                                    float _1185 = float(_1184);
                                                    float _1186 = _1185 - 8.0;
                                                    float _1187 = _1419 * _1186;
                                                    param[_1180] = _1187;
                                                    uint _1191 = _1719 + uint(1);
                                                    _1719 = _1191;
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
                                                uint _1197 = _1698 >> uint(5);
                                                uint _1198 = _1197 * _411;
                                                uint _1199 = _731 + _1198;
                                                uint _1201 = _1698 & 31u;
                                                uint _1202 = _1201 * 8u;
                                                uint _1204 = _1202 >> uint(5);
                                                uint _1206 = _1199 + 4u;
                                                uint2 _1715;
                                                do
                                                {
                                                    bool _1461 = _1204 < 4u;
                                                    if (_1461)
                                                    {
                                                        uint _1465 = _1206 + _1204;
                                                        uint _1512 = _1465 >> uint(2);
                                                        uint _1514 = _727->v[_1512];
                                                        uint _1516 = _1465 & 3u;
                                                        uint _1517 = _1516 * 8u;
                                                        uint _1518 = _1514 >> _1517;
                                                        uint _1519 = _1518 & 255u;
                                                        uint _1468 = _1519 & 63u;
                                                        uint _1472 = _1465 + 4u;
                                                        uint _1524 = _1472 >> uint(2);
                                                        uint _1526 = _727->v[_1524];
                                                        uint _1528 = _1472 & 3u;
                                                        uint _1529 = _1528 * 8u;
                                                        uint _1530 = _1526 >> _1529;
                                                        uint _1531 = _1530 & 255u;
                                                        uint _1475 = _1531 & 63u;
                                                        uint2 _1476 = uint2(_1468, _1475);
                                                        _1715 = _1476;
                                                        break;
                                                    }
                                                    uint _1480 = _1206 + _1204;
                                                    uint _1481 = _1480 + 4u;
                                                    uint _1536 = _1481 >> uint(2);
                                                    uint _1538 = _727->v[_1536];
                                                    uint _1540 = _1481 & 3u;
                                                    uint _1541 = _1540 * 8u;
                                                    uint _1542 = _1538 >> _1541;
                                                    uint _1543 = _1542 & 255u;
                                                    uint _1485 = _1543 & 15u;
                                                    uint _1489 = _1480 - 4u;
                                                    uint _1548 = _1489 >> uint(2);
                                                    uint _1550 = _727->v[_1548];
                                                    uint _1552 = _1489 & 3u;
                                                    uint _1553 = _1552 * 8u;
                                                    uint _1554 = _1550 >> _1553;
                                                    uint _1555 = _1554 & 255u;
                                                    uint _1492 = _1555 >> uint(6);
                                                    uint _1493 = _1492 << uint(4);
                                                    uint _1494 = _1485 | _1493;
                                                    uint _1496 = _1543 >> uint(4);
                                                    uint _1560 = _1480 >> uint(2);
                                                    uint _1562 = _727->v[_1560];
                                                    uint _1564 = _1480 & 3u;
                                                    uint _1565 = _1564 * 8u;
                                                    uint _1566 = _1562 >> _1565;
                                                    uint _1567 = _1566 & 255u;
                                                    uint _1502 = _1567 >> uint(6);
                                                    uint _1503 = _1502 << uint(4);
                                                    uint _1504 = _1496 | _1503;
                                                    uint2 _1505 = uint2(_1494, _1504);
                                                    _1715 = _1505;
                                                    break;
                                                } while(false);
                                                uint _1581 = _1199 >> uint(2);
                                                uint _1583 = _727->v[_1581];
                                                uint _1585 = _1199 & 2u;
                                                uint _1586 = _1585 * 8u;
                                                uint _1587 = _1583 >> _1586;
                                                uint _1588 = _1587 & 65535u;
                                                float2 _1575 = float2(as_type<half2>(_1588));
                                                float _1576 = _1575.x;
                                                float _1215 = float(_1715.x);
                                                float _1216 = _1576 * _1215;
                                                uint _1218 = _1199 + 2u;
                                                uint _1602 = _1218 >> uint(2);
                                                uint _1604 = _727->v[_1602];
                                                uint _1606 = _1218 & 2u;
                                                uint _1607 = _1606 * 8u;
                                                uint _1608 = _1604 >> _1607;
                                                uint _1609 = _1608 & 65535u;
                                                float2 _1596 = float2(as_type<half2>(_1609));
                                                float _1597 = _1596.x;
                                                float _1223 = float(_1715.y);
                                                float _1224 = _1597 * _1223;
                                                uint _1226 = _1199 + _458;
                                                uint _1228 = _1202 >> uint(6);
                                                uint _1229 = _1228 * 32u;
                                                uint _1230 = _1226 + _1229;
                                                uint _1232 = _1202 & 31u;
                                                uint _1233 = _1230 + _1232;
                                                uint _1235 = _1204 & 1u;
                                                uint _1236 = _1235 * 4u;
                                                uint _1716;
                                                _1716 = 0u;
                                                for (;;)
                                                {
                                                    bool _1240 = _1716 < 8u;
                                                    if (_1240)
                                                    {
                                                        uint _1244 = _1233 + _1716;
                                                        uint _1614 = _1244 >> uint(2);
                                                        uint _1616 = _727->v[_1614];
                                                        uint _1618 = _1244 & 3u;
                                                        uint _1619 = _1618 * 8u;
                                                        uint _1620 = _1616 >> _1619;
                                                        uint _1621 = _1620 & 255u;
                                                        uint _1248 = _1621 >> _1236;
                                                        uint _1249 = _1248 & 15u;
                                                        uint _1718;
                                                        if (_491)
                                                        {
                                                            uint _1252 = _1199 + 16u;
                                                            uint _1255 = _1252 + _1232;
                                                            uint _1257 = _1255 + _1716;
                                                            uint _1626 = _1257 >> uint(2);
                                                            uint _1628 = _727->v[_1626];
                                                            uint _1630 = _1257 & 3u;
                                                            uint _1631 = _1630 * 8u;
                                                            uint _1632 = _1628 >> _1631;
                                                            uint _1633 = _1632 & 255u;
                                                            uint _1261 = _1633 >> _1204;
                                                            uint _1262 = _1261 & 1u;
                                                            uint _1263 = _1262 << uint(4);
                                                            uint _1265 = _1249 | _1263;
                                                            _1718 = _1265;
                                                        }
                                                        else
                                                        {
                                                            _1718 = _1249;
                                                        }
                                                        float _1695 = -_1224;
                                                        float _1273 = fma(_1216, float(_1718), _1695);
                                                        param[_1716] = _1273;
                                                        uint _1277 = _1716 + uint(1);
                                                        _1716 = _1277;
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
                                                uint _1282 = _1698 >> uint(5);
                                                uint _1283 = _1282 * 210u;
                                                uint _1284 = _731 + _1283;
                                                uint _1286 = _1698 & 31u;
                                                uint _1287 = _1286 * 8u;
                                                uint _1289 = _1287 >> uint(7);
                                                uint _1291 = _1287 >> uint(5);
                                                uint _1292 = _1291 & 3u;
                                                uint _1294 = _1287 & 31u;
                                                uint _1296 = _1284 + 192u;
                                                uint _1298 = _1289 * 8u;
                                                uint _1299 = _1296 + _1298;
                                                uint _1301 = _1292 * 2u;
                                                uint _1302 = _1299 + _1301;
                                                uint _1304 = _1294 >> uint(4);
                                                uint _1305 = _1302 + _1304;
                                                uint _1638 = _1305 >> uint(2);
                                                uint _1640 = _727->v[_1638];
                                                uint _1642 = _1305 & 3u;
                                                uint _1643 = _1642 * 8u;
                                                uint _1644 = _1640 >> _1643;
                                                uint _1645 = _1644 & 255u;
                                                int _1308 = int(_1645);
                                                int _1309 = extract_bits(_1308, uint(0), uint(8));
                                                uint _1311 = _1284 + 208u;
                                                uint _1659 = _1311 >> uint(2);
                                                uint _1661 = _727->v[_1659];
                                                uint _1663 = _1311 & 2u;
                                                uint _1664 = _1663 * 8u;
                                                uint _1665 = _1661 >> _1664;
                                                uint _1666 = _1665 & 65535u;
                                                float2 _1653 = float2(as_type<half2>(_1666));
                                                float _1654 = _1653.x;
                                                float _1315 = float(_1309);
                                                float _1316 = _1654 * _1315;
                                                uint _1319 = _1289 * 64u;
                                                uint _1320 = _1284 + _1319;
                                                uint _1322 = _1292 & 1u;
                                                uint _1323 = _1322 * 32u;
                                                uint _1324 = _1320 + _1323;
                                                uint _1326 = _1324 + _1294;
                                                uint _1328 = _1284 + 128u;
                                                uint _1330 = _1289 * 32u;
                                                uint _1331 = _1328 + _1330;
                                                uint _1333 = _1331 + _1294;
                                                uint _1714;
                                                _1714 = 0u;
                                                for (;;)
                                                {
                                                    bool _1337 = _1714 < 8u;
                                                    if (_1337)
                                                    {
                                                        uint _1341 = _1326 + _1714;
                                                        uint _1671 = _1341 >> uint(2);
                                                        uint _1673 = _727->v[_1671];
                                                        uint _1675 = _1341 & 3u;
                                                        uint _1676 = _1675 * 8u;
                                                        uint _1677 = _1673 >> _1676;
                                                        uint _1678 = _1677 & 255u;
                                                        uint _1345 = _1292 >> uint(1);
                                                        uint _1346 = _1345 * 4u;
                                                        uint _1347 = _1678 >> _1346;
                                                        uint _1348 = _1347 & 15u;
                                                        uint _1351 = _1333 + _1714;
                                                        uint _1683 = _1351 >> uint(2);
                                                        uint _1685 = _727->v[_1683];
                                                        uint _1687 = _1351 & 3u;
                                                        uint _1688 = _1687 * 8u;
                                                        uint _1689 = _1685 >> _1688;
                                                        uint _1690 = _1689 & 255u;
                                                        uint _1356 = _1690 >> _1301;
                                                        uint _1357 = _1356 & 3u;
                                                        uint _1358 = _1357 << uint(4);
                                                        uint _1360 = _1348 | _1358;
                                                        float _1364 = float(_1360);
                                                        float _1365 = _1364 - 32.0;
                                                        float _1366 = _1316 * _1365;
                                                        param[_1714] = _1366;
                                                        uint _1370 = _1714 + uint(1);
                                                        _1714 = _1370;
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
                        uint _1724;
                        _1724 = 0u;
                        for (;;)
                        {
                            bool _748 = _1724 < _664;
                            if (_748)
                            {
                                uint _752 = _654 + _1724;
                                uint _754 = a.x_stride;
                                uint _755 = _752 * _754;
                                uint _757 = _1698 * 8u;
                                uint _758 = _755 + _757;
                                uint _1741;
                                _1741 = 0u;
                                for (;;)
                                {
                                    bool _766 = _1741 < 8u;
                                    if (_766)
                                    {
                                        float _770 = w[_1741];
                                        uint2 _772 = a.x;
                                        device Floats* _776 = reinterpret_cast<device Floats*>(as_type<ulong>(_772));
                                        uint _779 = _758 + _1741;
                                        float _782 = _776->v[_779];
                                        float _785 = sums[_1724];
                                        float _786 = fma(_770, _782, _785);
                                        sums[_1724] = _786;
                                        uint _789 = _1741 + uint(1);
                                        _1741 = _789;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _791 = _1724 + uint(1);
                                _1724 = _791;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _793 = _1698 + LANES;
                        _1698 = _793;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            uint _1699;
            _1699 = 0u;
            for (;;)
            {
                bool _801 = _1699 < TOKENS;
                if (_801)
                {
                    uint _807 = _1699 * 64u;
                    uint _810 = _807 + _646;
                    float _813 = sums[_1699];
                    parts[_810] = _813;
                    uint _817 = _1699 + uint(1);
                    _1699 = _817;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1700;
            _1700 = _820;
            for (;;)
            {
                bool _827 = _1700 > 0u;
                if (_827)
                {
                    bool _830 = _648 < _1700;
                    if (_830)
                    {
                        uint _1711;
                        _1711 = 0u;
                        for (;;)
                        {
                            bool _841 = _1711 < _664;
                            if (_841)
                            {
                                uint _844 = _1711 * 64u;
                                uint _847 = _844 + _646;
                                uint _851 = _847 + _1700;
                                float _853 = parts[_851];
                                float _855 = parts[_847];
                                float _856 = _855 + _853;
                                parts[_847] = _856;
                                uint _859 = _1711 + uint(1);
                                _1711 = _859;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _861 = _1700 / 2u;
                    _1700 = _861;
                    continue;
                }
                else
                {
                    break;
                }
            }
            if (_710)
            {
                uint _1701;
                _1701 = _648;
                for (;;)
                {
                    bool _877 = _1701 < _664;
                    if (_877)
                    {
                        uint _880 = _1701 * 64u;
                        uint _883 = _880 + _646;
                        uint _885 = _883 - _648;
                        float _887 = parts[_885];
                        float _891 = a.cap;
                        bool _892 = _891 > 0.0;
                        float _1710;
                        if (_892)
                        {
                            float _900 = _887 / _891;
                            float _901 = precise::tanh(_900);
                            float _902 = _891 * _901;
                            _1710 = _902;
                        }
                        else
                        {
                            _1710 = _887;
                        }
                        uint2 _904 = a.y;
                        device Floats* _905 = reinterpret_cast<device Floats*>(as_type<ulong>(_904));
                        uint _908 = _654 + _1701;
                        uint _910 = a.y_stride;
                        uint _911 = _908 * _910;
                        uint _913 = _911 + _690;
                        _905->v[_913] = _1710;
                        uint _917 = _1701 + LANES;
                        _1701 = _917;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _920 = gl_NumWorkGroups.x;
            uint _922 = _1696 + _920;
            _1696 = _922;
            continue;
        }
        else
        {
            break;
        }
    }
}

