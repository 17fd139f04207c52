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

constant uint lanes_tmp [[function_constant(2)]];
constant uint lanes = is_function_constant_defined(lanes_tmp) ? lanes_tmp : 16u;
#ifndef SPIRV_CROSS_CONSTANT_ID_1
#define SPIRV_CROSS_CONSTANT_ID_1 1u
#endif
constant uint TOKENS = SPIRV_CROSS_CONSTANT_ID_1;
constant uint rows_together = (64u / lanes);
constant uint _858 = (64u * TOKENS);
constant uint _876 = (lanes / 2u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    threadgroup float parts[_858];
    uint _710 = gl_LocalInvocationID.x;
    uint _712 = _710 % lanes;
    uint _716 = _710 / lanes;
    uint _720 = gl_WorkGroupID.y;
    uint _722 = _720 * TOKENS;
    uint _725 = a.tokens;
    uint _727 = _725 - _722;
    uint _728 = min(TOKENS, _727);
    uint _732 = a.rows;
    uint _734 = _732 + rows_together;
    uint _735 = _734 - 1u;
    uint _736 = _735 / rows_together;
    uint _739 = gl_WorkGroupID.x;
    uint _1776;
    _1776 = _739;
    spvUnsafeArray<float, TOKENS> sums;
    spvUnsafeArray<float, 8> param;
    for (;;)
    {
        bool _747 = _1776 < _736;
        if (_747)
        {
            uint _750 = _1776 * rows_together;
            uint _752 = _750 + _716;
            uint _1777;
            _1777 = 0u;
            for (;;)
            {
                bool _760 = _1777 < TOKENS;
                if (_760)
                {
                    sums[_1777] = 0.0;
                    uint _767 = _1777 + uint(1);
                    _1777 = _767;
                    continue;
                }
                else
                {
                    break;
                }
            }
            bool _771 = _752 < _732;
            if (_771)
            {
                uint _1778;
                _1778 = _712;
                for (;;)
                {
                    uint _783 = a.eights;
                    bool _784 = _1778 < _783;
                    if (_784)
                    {
                        uint2 _786 = a.weights;
                        device Words* _787 = reinterpret_cast<device Words*>(as_type<ulong>(_786));
                        uint _790 = a.row_bytes;
                        uint _791 = _752 * _790;
                        if (_161)
                        {
                            uint _1805;
                            _1805 = 0u;
                            for (;;)
                            {
                                bool _1037 = _1805 < 8u;
                                if (_1037)
                                {
                                    uint _1042 = _791 >> uint(2);
                                    uint _1044 = _1778 * 8u;
                                    uint _1045 = _1042 + _1044;
                                    uint _1047 = _1045 + _1805;
                                    uint _1049 = _787->v[_1047];
                                    float _1050 = as_type<float>(_1049);
                                    param[_1805] = _1050;
                                    uint _1054 = _1805 + uint(1);
                                    _1805 = _1054;
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
                                uint _1804;
                                _1804 = 0u;
                                for (;;)
                                {
                                    bool _1061 = _1804 < 4u;
                                    if (_1061)
                                    {
                                        uint _1065 = _791 >> uint(2);
                                        uint _1067 = _1778 * 4u;
                                        uint _1068 = _1065 + _1067;
                                        uint _1070 = _1068 + _1804;
                                        uint _1072 = _787->v[_1070];
                                        float2 _1073 = float2(as_type<half2>(_1072));
                                        uint _1075 = 2u * _1804;
                                        float _1077 = _1073.x;
                                        param[_1075] = _1077;
                                        uint _1081 = _1075 + 1u;
                                        float _1083 = _1073.y;
                                        param[_1081] = _1083;
                                        uint _1087 = _1804 + uint(1);
                                        _1804 = _1087;
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
                                    uint _1803;
                                    _1803 = 0u;
                                    for (;;)
                                    {
                                        bool _1094 = _1803 < 4u;
                                        if (_1094)
                                        {
                                            uint _1098 = _791 >> uint(2);
                                            uint _1100 = _1778 * 4u;
                                            uint _1101 = _1098 + _1100;
                                            uint _1103 = _1101 + _1803;
                                            uint _1105 = _787->v[_1103];
                                            uint _1107 = 2u * _1803;
                                            uint _1109 = _1105 << uint(16);
                                            float _1110 = as_type<float>(_1109);
                                            param[_1107] = _1110;
                                            uint _1114 = _1107 + 1u;
                                            uint _1116 = _1105 & 4294901760u;
                                            float _1117 = as_type<float>(_1116);
                                            param[_1114] = _1117;
                                            uint _1121 = _1803 + uint(1);
                                            _1803 = _1121;
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
                                        uint _1127 = _1778 >> uint(2);
                                        uint _1128 = _1127 * 34u;
                                        uint _1129 = _791 + _1128;
                                        uint _1426 = _1129 >> uint(2);
                                        uint _1428 = _787->v[_1426];
                                        uint _1430 = _1129 & 2u;
                                        uint _1431 = _1430 * 8u;
                                        uint _1432 = _1428 >> _1431;
                                        uint _1433 = _1432 & 65535u;
                                        float2 _1420 = float2(as_type<half2>(_1433));
                                        float _1421 = _1420.x;
                                        uint _1134 = _1129 + 2u;
                                        uint _1136 = _1778 & 3u;
                                        uint _1137 = _1136 * 8u;
                                        uint _1138 = _1134 + _1137;
                                        uint _1802;
                                        _1802 = 0u;
                                        for (;;)
                                        {
                                            bool _1142 = _1802 < 4u;
                                            if (_1142)
                                            {
                                                uint _1146 = 2u * _1802;
                                                uint _1147 = _1138 + _1146;
                                                uint _1438 = _1147 >> uint(2);
                                                uint _1440 = _787->v[_1438];
                                                uint _1442 = _1147 & 2u;
                                                uint _1443 = _1442 * 8u;
                                                uint _1444 = _1440 >> _1443;
                                                uint _1445 = _1444 & 65535u;
                                                int _1150 = int(_1445);
                                                int _1155 = extract_bits(_1150, uint(0), uint(8));
                                                float _1156 = float(_1155);
                                                float _1157 = _1421 * _1156;
                                                param[_1146] = _1157;
                                                uint _1161 = _1146 + 1u;
                                                int _1164 = extract_bits(_1150, uint(8), uint(8));
                                                float _1165 = float(_1164);
                                                float _1166 = _1421 * _1165;
                                                param[_1161] = _1166;
                                                uint _1170 = _1802 + uint(1);
                                                _1802 = _1170;
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
                                            uint _1176 = _1778 >> uint(2);
                                            uint _1177 = _1176 * 18u;
                                            uint _1178 = _791 + _1177;
                                            uint _1459 = _1178 >> uint(2);
                                            uint _1461 = _787->v[_1459];
                                            uint _1463 = _1178 & 2u;
                                            uint _1464 = _1463 * 8u;
                                            uint _1465 = _1461 >> _1464;
                                            uint _1466 = _1465 & 65535u;
                                            float2 _1453 = float2(as_type<half2>(_1466));
                                            float _1454 = _1453.x;
                                            uint _1183 = _1178 + 2u;
                                            uint _1185 = _1778 & 1u;
                                            uint _1186 = _1185 * 8u;
                                            uint _1187 = _1183 + _1186;
                                            uint _1189 = _1778 & 2u;
                                            uint _1190 = _1189 * 2u;
                                            uint _1801;
                                            _1801 = 0u;
                                            for (;;)
                                            {
                                                bool _1194 = _1801 < 4u;
                                                if (_1194)
                                                {
                                                    uint _1198 = 2u * _1801;
                                                    uint _1199 = _1187 + _1198;
                                                    uint _1471 = _1199 >> uint(2);
                                                    uint _1473 = _787->v[_1471];
                                                    uint _1475 = _1199 & 2u;
                                                    uint _1476 = _1475 * 8u;
                                                    uint _1477 = _1473 >> _1476;
                                                    uint _1478 = _1477 & 65535u;
                                                    uint _1203 = _1478 >> _1190;
                                                    uint _1208 = _1203 & 15u;
                                                    float _1209 = float(_1208);
                                                    float _1210 = _1209 - 8.0;
                                                    float _1211 = _1454 * _1210;
                                                    param[_1198] = _1211;
                                                    uint _1215 = _1198 + 1u;
                                                    uint _1218 = _1203 >> uint(8);
                                                    uint _1219 = _1218 & 15u;
                                                    float _1220 = float(_1219);
                                                    float _1221 = _1220 - 8.0;
                                                    float _1222 = _1454 * _1221;
                                                    param[_1215] = _1222;
                                                    uint _1226 = _1801 + uint(1);
                                                    _1801 = _1226;
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
                                                uint _1232 = _1778 >> uint(5);
                                                uint _1233 = _1232 * _417;
                                                uint _1234 = _791 + _1233;
                                                uint _1236 = _1778 & 31u;
                                                uint _1237 = _1236 * 8u;
                                                uint _1239 = _1237 >> uint(5);
                                                uint _1241 = _1234 + 4u;
                                                uint2 _1797;
                                                do
                                                {
                                                    bool _1496 = _1239 < 4u;
                                                    if (_1496)
                                                    {
                                                        uint _1500 = _1241 + _1239;
                                                        uint _1547 = _1500 >> uint(2);
                                                        uint _1549 = _787->v[_1547];
                                                        uint _1551 = _1500 & 3u;
                                                        uint _1552 = _1551 * 8u;
                                                        uint _1553 = _1549 >> _1552;
                                                        uint _1554 = _1553 & 255u;
                                                        uint _1503 = _1554 & 63u;
                                                        uint _1507 = _1500 + 4u;
                                                        uint _1559 = _1507 >> uint(2);
                                                        uint _1561 = _787->v[_1559];
                                                        uint _1563 = _1507 & 3u;
                                                        uint _1564 = _1563 * 8u;
                                                        uint _1565 = _1561 >> _1564;
                                                        uint _1566 = _1565 & 255u;
                                                        uint _1510 = _1566 & 63u;
                                                        uint2 _1511 = uint2(_1503, _1510);
                                                        _1797 = _1511;
                                                        break;
                                                    }
                                                    uint _1515 = _1241 + _1239;
                                                    uint _1516 = _1515 + 4u;
                                                    uint _1571 = _1516 >> uint(2);
                                                    uint _1573 = _787->v[_1571];
                                                    uint _1575 = _1516 & 3u;
                                                    uint _1576 = _1575 * 8u;
                                                    uint _1577 = _1573 >> _1576;
                                                    uint _1578 = _1577 & 255u;
                                                    uint _1520 = _1578 & 15u;
                                                    uint _1524 = _1515 - 4u;
                                                    uint _1583 = _1524 >> uint(2);
                                                    uint _1585 = _787->v[_1583];
                                                    uint _1587 = _1524 & 3u;
                                                    uint _1588 = _1587 * 8u;
                                                    uint _1589 = _1585 >> _1588;
                                                    uint _1590 = _1589 & 255u;
                                                    uint _1527 = _1590 >> uint(6);
                                                    uint _1528 = _1527 << uint(4);
                                                    uint _1529 = _1520 | _1528;
                                                    uint _1531 = _1578 >> uint(4);
                                                    uint _1595 = _1515 >> uint(2);
                                                    uint _1597 = _787->v[_1595];
                                                    uint _1599 = _1515 & 3u;
                                                    uint _1600 = _1599 * 8u;
                                                    uint _1601 = _1597 >> _1600;
                                                    uint _1602 = _1601 & 255u;
                                                    uint _1537 = _1602 >> uint(6);
                                                    uint _1538 = _1537 << uint(4);
                                                    uint _1539 = _1531 | _1538;
                                                    uint2 _1540 = uint2(_1529, _1539);
                                                    _1797 = _1540;
                                                    break;
                                                } while(false);
                                                uint _1616 = _1234 >> uint(2);
                                                uint _1618 = _787->v[_1616];
                                                uint _1620 = _1234 & 2u;
                                                uint _1621 = _1620 * 8u;
                                                uint _1622 = _1618 >> _1621;
                                                uint _1623 = _1622 & 65535u;
                                                float2 _1610 = float2(as_type<half2>(_1623));
                                                float _1611 = _1610.x;
                                                float _1250 = float(_1797.x);
                                                float _1251 = _1611 * _1250;
                                                uint _1253 = _1234 + 2u;
                                                uint _1637 = _1253 >> uint(2);
                                                uint _1639 = _787->v[_1637];
                                                uint _1641 = _1253 & 2u;
                                                uint _1642 = _1641 * 8u;
                                                uint _1643 = _1639 >> _1642;
                                                uint _1644 = _1643 & 65535u;
                                                float2 _1631 = float2(as_type<half2>(_1644));
                                                float _1632 = _1631.x;
                                                float _1258 = float(_1797.y);
                                                float _1259 = _1632 * _1258;
                                                uint _1261 = _1234 + _464;
                                                uint _1263 = _1237 >> uint(6);
                                                uint _1264 = _1263 * 32u;
                                                uint _1265 = _1261 + _1264;
                                                uint _1267 = _1237 & 31u;
                                                uint _1268 = _1265 + _1267;
                                                uint _1270 = _1239 & 1u;
                                                uint _1271 = _1270 * 4u;
                                                uint _1798;
                                                _1798 = 0u;
                                                for (;;)
                                                {
                                                    bool _1275 = _1798 < 8u;
                                                    if (_1275)
                                                    {
                                                        uint _1279 = _1268 + _1798;
                                                        uint _1649 = _1279 >> uint(2);
                                                        uint _1651 = _787->v[_1649];
                                                        uint _1653 = _1279 & 3u;
                                                        uint _1654 = _1653 * 8u;
                                                        uint _1655 = _1651 >> _1654;
                                                        uint _1656 = _1655 & 255u;
                                                        uint _1283 = _1656 >> _1271;
                                                        uint _1284 = _1283 & 15u;
                                                        uint _1800;
                                                        if (_497)
                                                        {
                                                            uint _1287 = _1234 + 16u;
                                                            uint _1290 = _1287 + _1267;
                                                            uint _1292 = _1290 + _1798;
                                                            uint _1661 = _1292 >> uint(2);
                                                            uint _1663 = _787->v[_1661];
                                                            uint _1665 = _1292 & 3u;
                                                            uint _1666 = _1665 * 8u;
                                                            uint _1667 = _1663 >> _1666;
                                                            uint _1668 = _1667 & 255u;
                                                            uint _1296 = _1668 >> _1239;
                                                            uint _1297 = _1296 & 1u;
                                                            uint _1298 = _1297 << uint(4);
                                                            uint _1300 = _1284 | _1298;
                                                            _1800 = _1300;
                                                        }
                                                        else
                                                        {
                                                            _1800 = _1284;
                                                        }
                                                        float _1775 = -_1259;
                                                        float _1308 = fma(_1251, float(_1800), _1775);
                                                        param[_1798] = _1308;
                                                        uint _1312 = _1798 + uint(1);
                                                        _1798 = _1312;
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
                                                uint _1317 = _1778 >> uint(5);
                                                uint _1318 = _1317 * 210u;
                                                uint _1319 = _791 + _1318;
                                                uint _1321 = _1778 & 31u;
                                                uint _1322 = _1321 * 8u;
                                                uint _1324 = _1322 >> uint(7);
                                                uint _1326 = _1322 >> uint(5);
                                                uint _1327 = _1326 & 3u;
                                                uint _1329 = _1322 & 31u;
                                                uint _1331 = _1319 + 192u;
                                                uint _1333 = _1324 * 8u;
                                                uint _1334 = _1331 + _1333;
                                                uint _1336 = _1327 * 2u;
                                                uint _1337 = _1334 + _1336;
                                                uint _1339 = _1329 >> uint(4);
                                                uint _1340 = _1337 + _1339;
                                                uint _1673 = _1340 >> uint(2);
                                                uint _1675 = _787->v[_1673];
                                                uint _1677 = _1340 & 3u;
                                                uint _1678 = _1677 * 8u;
                                                uint _1679 = _1675 >> _1678;
                                                uint _1680 = _1679 & 255u;
                                                int _1343 = int(_1680);
                                                int _1344 = extract_bits(_1343, uint(0), uint(8));
                                                uint _1346 = _1319 + 208u;
                                                uint _1694 = _1346 >> uint(2);
                                                uint _1696 = _787->v[_1694];
                                                uint _1698 = _1346 & 2u;
                                                uint _1699 = _1698 * 8u;
                                                uint _1700 = _1696 >> _1699;
                                                uint _1701 = _1700 & 65535u;
                                                float2 _1688 = float2(as_type<half2>(_1701));
                                                float _1689 = _1688.x;
                                                float _1350 = float(_1344);
                                                float _1351 = _1689 * _1350;
                                                uint _1354 = _1324 * 64u;
                                                uint _1355 = _1319 + _1354;
                                                uint _1357 = _1327 & 1u;
                                                uint _1358 = _1357 * 32u;
                                                uint _1359 = _1355 + _1358;
                                                uint _1361 = _1359 + _1329;
                                                uint _1363 = _1319 + 128u;
                                                uint _1365 = _1324 * 32u;
                                                uint _1366 = _1363 + _1365;
                                                uint _1368 = _1366 + _1329;
                                                uint _1796;
                                                _1796 = 0u;
                                                for (;;)
                                                {
                                                    bool _1372 = _1796 < 8u;
                                                    if (_1372)
                                                    {
                                                        uint _1376 = _1361 + _1796;
                                                        uint _1706 = _1376 >> uint(2);
                                                        uint _1708 = _787->v[_1706];
                                                        uint _1710 = _1376 & 3u;
                                                        uint _1711 = _1710 * 8u;
                                                        uint _1712 = _1708 >> _1711;
                                                        uint _1713 = _1712 & 255u;
                                                        uint _1380 = _1327 >> uint(1);
                                                        uint _1381 = _1380 * 4u;
                                                        uint _1382 = _1713 >> _1381;
                                                        uint _1383 = _1382 & 15u;
                                                        uint _1386 = _1368 + _1796;
                                                        uint _1718 = _1386 >> uint(2);
                                                        uint _1720 = _787->v[_1718];
                                                        uint _1722 = _1386 & 3u;
                                                        uint _1723 = _1722 * 8u;
                                                        uint _1724 = _1720 >> _1723;
                                                        uint _1725 = _1724 & 255u;
                                                        uint _1391 = _1725 >> _1336;
                                                        uint _1392 = _1391 & 3u;
                                                        uint _1393 = _1392 << uint(4);
                                                        uint _1395 = _1383 | _1393;
                                                        float _1399 = float(_1395);
                                                        float _1400 = _1399 - 32.0;
                                                        float _1401 = _1351 * _1400;
                                                        param[_1796] = _1401;
                                                        uint _1405 = _1796 + uint(1);
                                                        _1796 = _1405;
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
                        uint _1806;
                        _1806 = 0u;
                        for (;;)
                        {
                            bool _808 = _1806 < _728;
                            if (_808)
                            {
                                uint _812 = _722 + _1806;
                                uint _814 = a.x_stride;
                                uint _815 = _812 * _814;
                                uint _817 = _1778 * 8u;
                                uint _818 = _815 + _817;
                                uint _1823;
                                _1823 = 0u;
                                for (;;)
                                {
                                    bool _826 = _1823 < 8u;
                                    if (_826)
                                    {
                                        float _830 = w[_1823];
                                        uint2 _832 = a.x;
                                        device Floats* _833 = reinterpret_cast<device Floats*>(as_type<ulong>(_832));
                                        uint _836 = _818 + _1823;
                                        float _838 = _833->v[_836];
                                        float _841 = sums[_1806];
                                        float _842 = fma(_830, _838, _841);
                                        sums[_1806] = _842;
                                        uint _845 = _1823 + uint(1);
                                        _1823 = _845;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint _847 = _1806 + uint(1);
                                _1806 = _847;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        uint _849 = _1778 + lanes;
                        _1778 = _849;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            uint _1779;
            _1779 = 0u;
            for (;;)
            {
                bool _857 = _1779 < TOKENS;
                if (_857)
                {
                    uint _863 = _1779 * 64u;
                    uint _866 = _863 + _710;
                    float _869 = sums[_1779];
                    parts[_866] = _869;
                    uint _873 = _1779 + uint(1);
                    _1779 = _873;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1780;
            _1780 = _876;
            for (;;)
            {
                bool _883 = _1780 > 0u;
                if (_883)
                {
                    bool _886 = _712 < _1780;
                    if (_886)
                    {
                        uint _1793;
                        _1793 = 0u;
                        for (;;)
                        {
                            bool _897 = _1793 < _728;
                            if (_897)
                            {
                                uint _900 = _1793 * 64u;
                                uint _903 = _900 + _710;
                                uint _907 = _903 + _1780;
                                float _909 = parts[_907];
                                float _911 = parts[_903];
                                float _912 = _911 + _909;
                                parts[_903] = _912;
                                uint _915 = _1793 + uint(1);
                                _1793 = _915;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                    }
                    threadgroup_barrier(mem_flags::mem_threadgroup);
                    uint _917 = _1780 / 2u;
                    _1780 = _917;
                    continue;
                }
                else
                {
                    break;
                }
            }
            if (_771)
            {
                uint _1781;
                _1781 = _712;
                for (;;)
                {
                    bool _933 = _1781 < _728;
                    if (_933)
                    {
                        uint _936 = _722 + _1781;
                        uint _938 = _1781 * 64u;
                        uint _941 = _938 + _710;
                        uint _943 = _941 - _712;
                        float _949 = parts[_943];
                        uint _1731 = a.y_stride;
                        uint _1732 = _936 * _1731;
                        uint _1734 = _1732 + _752;
                        float _1737 = a.scale;
                        float _1738 = _949 * _1737;
                        uint _1740 = a.adds;
                        bool _1741 = _1740 != 0u;
                        float _1789;
                        if (_1741)
                        {
                            uint2 _1744 = a.y;
                            device Floats* _1745 = reinterpret_cast<device Floats*>(as_type<ulong>(_1744));
                            float _1748 = _1745->v[_1734];
                            float _1750 = fma(_949, _1737, _1748);
                            _1789 = _1750;
                        }
                        else
                        {
                            _1789 = _1738;
                        }
                        float _1753 = a.cap;
                        bool _1754 = _1753 > 0.0;
                        float _1790;
                        if (_1754)
                        {
                            float _1761 = _1789 / _1753;
                            float _1762 = precise::tanh(_1761);
                            float _1763 = _1753 * _1762;
                            _1790 = _1763;
                        }
                        else
                        {
                            _1790 = _1789;
                        }
                        uint2 _1766 = a.y;
                        device Floats* _1767 = reinterpret_cast<device Floats*>(as_type<ulong>(_1766));
                        _1767->v[_1734] = _1790;
                        uint _952 = _1781 + lanes;
                        _1781 = _952;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _955 = gl_NumWorkGroups.x;
            uint _957 = _1776 + _955;
            _1776 = _957;
            continue;
        }
        else
        {
            break;
        }
    }
}

