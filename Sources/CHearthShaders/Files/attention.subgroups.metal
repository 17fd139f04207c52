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
constant bool _52 = (FORMAT == 8u);
constant uint _54 = _52 ? 8u : 4u;
constant bool _230 = (FORMAT == 0u);

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

constant bool _287 = (FORMAT == 1u);

struct Words
{
    uint v[1];
};

constant bool _410 = (FORMAT == 8u);
constant bool _518 = (FORMAT == 0u);
constant bool _529 = (FORMAT == 1u);
constant bool _609 = (FORMAT == 8u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint gl_SubgroupID [[simdgroup_index_in_threadgroup]], uint gl_NumSubgroups [[simdgroups_per_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[128];
    threadgroup float query[512];
    threadgroup float weights[128];
    uint turn = 0u;
    uint _659 = gl_LocalInvocationID.x;
    uint _663 = gl_WorkGroupID.x;
    uint _667 = a.position;
    uint _669 = gl_WorkGroupID.y;
    uint _670 = _667 + _669;
    uint _674 = a.window;
    bool _675 = _674 != 0u;
    bool _683;
    if (_675)
    {
        uint _679 = _670 + 1u;
        bool _682 = _679 > _674;
        _683 = _682;
    }
    else
    {
        _683 = _675;
    }
    uint _1585;
    if (_683)
    {
        uint _688 = _670 + 1u;
        uint _691 = _688 - _674;
        _1585 = _691;
    }
    else
    {
        _1585 = 0u;
    }
    uint _698 = a.heads;
    uint _700 = a.cache_heads;
    uint _701 = _698 / _700;
    uint _702 = _663 / _701;
    uint _708 = a.stride;
    uint _709 = _669 * _708;
    uint _712 = a.width;
    uint _713 = _663 * _712;
    uint _714 = _709 + _713;
    uint _1586;
    _1586 = _659;
    uint _726;
    for (;;)
    {
        uint _725 = _712 + 31u;
        _726 = _725 / 32u;
        uint _727 = _726 * 32u;
        bool _728 = _1586 < _727;
        if (_728)
        {
            bool _733 = _1586 < _712;
            float _1721;
            if (_733)
            {
                uint2 _738 = a.queries;
                device Floats* _739 = reinterpret_cast<device Floats*>(as_type<ulong>(_738));
                uint _742 = _714 + _1586;
                float _744 = _739->v[_742];
                _1721 = _744;
            }
            else
            {
                _1721 = 0.0;
            }
            query[_1586] = _1721;
            uint _749 = _1586 + 64u;
            _1586 = _749;
            continue;
        }
        else
        {
            break;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _1587;
    _1587 = 0u;
    spvUnsafeArray<float, 8> sums;
    for (;;)
    {
        bool _757 = _1587 < 8u;
        if (_757)
        {
            sums[_1587] = 0.0;
            uint _764 = _1587 + uint(1);
            _1587 = _764;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _1588;
    float _1589;
    uint _1620;
    float _1633;
    _1633 = -3.0000000054977557577780399428115e+38;
    _1620 = 0u;
    _1589 = 0.0;
    _1588 = _1585;
    uint _820;
    float _826;
    float _856;
    for (;;)
    {
        bool _778 = _1588 <= _670;
        if (_778)
        {
            uint _781 = _670 + 1u;
            uint _783 = _781 - _1588;
            uint _784 = min(64u, _783);
            bool _788 = _659 < _784;
            float _1645;
            if (_788)
            {
                uint _793 = _1588 + _659;
                float _1616;
                if (_230)
                {
                    uint _1013 = _793 * _700;
                    uint _1015 = _1013 + _702;
                    uint _1018 = _1015 * _712;
                    uint _1615;
                    float _1617;
                    _1617 = 0.0;
                    _1615 = 0u;
                    for (;;)
                    {
                        bool _1024 = _1615 < _712;
                        if (_1024)
                        {
                            float _1028 = query[_1615];
                            uint2 _1030 = a.keys;
                            device Floats* _1031 = reinterpret_cast<device Floats*>(as_type<ulong>(_1030));
                            uint _1034 = _1018 + _1615;
                            float _1036 = _1031->v[_1034];
                            float _1039 = fma(_1028, _1036, _1617);
                            uint _1042 = _1615 + uint(1);
                            _1617 = _1039;
                            _1615 = _1042;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    _1616 = _1617;
                }
                else
                {
                    float _1618;
                    if (_287)
                    {
                        uint _1049 = _793 * _700;
                        uint _1051 = _1049 + _702;
                        uint _1054 = _1051 * _712;
                        uint _1055 = _1054 / 2u;
                        uint _1613;
                        float _1614;
                        _1614 = 0.0;
                        _1613 = 0u;
                        for (;;)
                        {
                            uint _1061 = _712 / 2u;
                            bool _1062 = _1613 < _1061;
                            if (_1062)
                            {
                                uint2 _1065 = a.keys;
                                device Words* _1066 = reinterpret_cast<device Words*>(as_type<ulong>(_1065));
                                uint _1069 = _1055 + _1613;
                                uint _1071 = _1066->v[_1069];
                                float2 _1072 = float2(as_type<half2>(_1071));
                                uint _1074 = 2u * _1613;
                                float _1076 = query[_1074];
                                float _1078 = _1072.x;
                                float _1081 = fma(_1076, _1078, _1614);
                                uint _1084 = _1074 + 1u;
                                float _1086 = query[_1084];
                                float _1088 = _1072.y;
                                float _1091 = fma(_1086, _1088, _1081);
                                uint _1094 = _1613 + uint(1);
                                _1614 = _1091;
                                _1613 = _1094;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1618 = _1614;
                    }
                    else
                    {
                        uint _1595;
                        float _1601;
                        _1601 = 0.0;
                        _1595 = 0u;
                        float _1224;
                        for (;;)
                        {
                            bool _1105 = _1595 < _726;
                            if (_1105)
                            {
                                uint _1109 = _702 * _726;
                                uint _1111 = _1109 + _1595;
                                uint _1115 = _700 * _726;
                                uint _1236 = _1115 + 1u;
                                uint _1237 = _1236 >> uint(1);
                                uint _1238 = _793 * _1237;
                                uint _1240 = _1111 >> uint(1);
                                uint _1241 = _1238 + _1240;
                                uint _1243 = 2u * _54;
                                uint _1244 = 1u + _1243;
                                uint _1245 = _1241 * _1244;
                                uint _1120 = _1245 + 1u;
                                uint _1122 = _1111 & 1u;
                                uint _1124 = _1122 * _54;
                                uint _1125 = _1120 + _1124;
                                uint _1596;
                                float _1597;
                                _1597 = 0.0;
                                _1596 = 0u;
                                float _1729;
                                for (;;)
                                {
                                    bool _1130 = _1596 < _54;
                                    if (_1130)
                                    {
                                        uint2 _1133 = a.keys;
                                        device Words* _1134 = reinterpret_cast<device Words*>(as_type<ulong>(_1133));
                                        uint _1137 = _1125 + _1596;
                                        uint _1139 = _1134->v[_1137];
                                        if (_410)
                                        {
                                            uint _1608;
                                            float _1612;
                                            _1612 = _1597;
                                            _1608 = 0u;
                                            for (;;)
                                            {
                                                bool _1144 = _1608 < 4u;
                                                if (_1144)
                                                {
                                                    uint _1147 = _1595 * 32u;
                                                    uint _1149 = _1596 * 4u;
                                                    uint _1150 = _1147 + _1149;
                                                    uint _1152 = _1150 + _1608;
                                                    float _1154 = query[_1152];
                                                    int _1156 = int(_1139);
                                                    uint _1158 = 8u * _1608;
                                                    int _1159 = int(_1158);
                                                    int _1160 = extract_bits(_1156, uint(_1159), uint(8));
                                                    float _1161 = float(_1160);
                                                    float _1164 = fma(_1154, _1161, _1612);
                                                    uint _1167 = _1608 + uint(1);
                                                    _1612 = _1164;
                                                    _1608 = _1167;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1729 = _1612;
                                        }
                                        else
                                        {
                                            uint _1604;
                                            float _1607;
                                            _1607 = _1597;
                                            _1604 = 0u;
                                            for (;;)
                                            {
                                                bool _1173 = _1604 < 8u;
                                                if (_1173)
                                                {
                                                    uint _1176 = _1595 * 32u;
                                                    uint _1178 = _1596 * 8u;
                                                    uint _1179 = _1176 + _1178;
                                                    uint _1181 = _1179 + _1604;
                                                    float _1183 = query[_1181];
                                                    uint _1186 = 4u * _1604;
                                                    uint _1187 = _1139 >> _1186;
                                                    uint _1188 = _1187 & 15u;
                                                    float _1189 = float(_1188);
                                                    float _1190 = _1189 - 8.0;
                                                    float _1193 = fma(_1183, _1190, _1607);
                                                    uint _1196 = _1604 + uint(1);
                                                    _1607 = _1193;
                                                    _1604 = _1196;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1729 = _1607;
                                        }
                                        uint _1201 = _1596 + uint(1);
                                        _1597 = _1729;
                                        _1596 = _1201;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint2 _1204 = a.keys;
                                device Words* _1205 = reinterpret_cast<device Words*>(as_type<ulong>(_1204));
                                uint _1208 = _1205->v[_1245];
                                float2 _1209 = float2(as_type<half2>(_1208));
                                bool _1213 = _1122 == 0u;
                                float _1598;
                                if (_1213)
                                {
                                    float _1216 = _1209.x;
                                    _1598 = _1216;
                                }
                                else
                                {
                                    float _1219 = _1209.y;
                                    _1598 = _1219;
                                }
                                _1224 = fma(_1597, _1598, _1601);
                                uint _1227 = _1595 + uint(1);
                                _1601 = _1224;
                                _1595 = _1227;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1618 = _1601;
                    }
                    _1616 = _1618;
                }
                float _801 = a.scale;
                float _802 = _1616 * _801;
                float _805 = a.cap;
                bool _806 = _805 > 0.0;
                float _1646;
                if (_806)
                {
                    float _814 = _802 / _805;
                    float _815 = precise::tanh(_814);
                    float _816 = _805 * _815;
                    _1646 = _816;
                }
                else
                {
                    _1646 = _802;
                }
                _1645 = _1646;
            }
            else
            {
                _1645 = -3.0000000054977557577780399428115e+38;
            }
            _820 = _1620 ^ 64u;
            float _1652;
            do
            {
                uint _1270 = as_type<uint>(_1645);
                uint _1648;
                if (isnan(_1645))
                {
                    _1648 = 4294967295u;
                }
                else
                {
                    uint _1276 = _1270 & 2147483648u;
                    bool _1277 = _1276 != 0u;
                    uint _1647;
                    if (_1277)
                    {
                        uint _1280 = ~_1270;
                        _1647 = _1280;
                    }
                    else
                    {
                        uint _1283 = _1270 | 2147483648u;
                        _1647 = _1283;
                    }
                    _1648 = _1647;
                }
                uint _1289 = simd_max(_1648);
                uint _1291 = _1289 & 2147483648u;
                bool _1292 = _1291 != 0u;
                uint _1649;
                if (_1292)
                {
                    uint _1295 = _1289 & 2147483647u;
                    _1649 = _1295;
                }
                else
                {
                    uint _1298 = ~_1289;
                    _1649 = _1298;
                }
                float _1301 = as_type<float>(_1649);
                bool _1303 = gl_NumSubgroups == 1u;
                if (_1303)
                {
                    _1652 = _1301;
                    break;
                }
                uint _1335 = turn;
                uint _1337 = turn ^ 64u;
                turn = _1337;
                bool _1338 = simd_is_first();
                if (_1338)
                {
                    uint _1342 = _1335 + gl_SubgroupID;
                    parts[_1342] = _1301;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float _1311 = parts[_1335];
                uint _1650;
                float _1651;
                _1651 = _1311;
                _1650 = 1u;
                for (;;)
                {
                    bool _1316 = _1650 < gl_NumSubgroups;
                    if (_1316)
                    {
                        uint _1320 = _1335 + _1650;
                        float _1323 = parts[_1320];
                        bool _1353 = _1651 >= _1323;
                        bool _1354 = isnan(_1651) || _1353;
                        float _1357 = _1354 ? _1651 : _1323;
                        uint _1327 = _1650 + uint(1);
                        _1651 = _1357;
                        _1650 = _1327;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                _1652 = _1651;
                break;
            } while(false);
            _826 = fast::max(_1633, _1652);
            float _1659;
            if (_788)
            {
                float _836 = _1645 - _826;
                float _837 = exp(_836);
                _1659 = _837;
            }
            else
            {
                _1659 = 0.0;
            }
            uint _843 = _1620 + _659;
            weights[_843] = _1659;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _849 = _1633 - _826;
            float _850 = exp(_849);
            _856 = fma(_1589, _850, _1659);
            uint _1686;
            _1686 = 0u;
            for (;;)
            {
                bool _864 = _1686 < 8u;
                if (_864)
                {
                    uint _867 = _1686 * 64u;
                    uint _869 = _867 + _659;
                    bool _873 = _869 >= _712;
                    if (_873)
                    {
                        break;
                    }
                    float _880 = sums[_1686];
                    float _882 = _880 * _850;
                    uint _1687;
                    float _1689;
                    _1689 = _882;
                    _1687 = 0u;
                    float _908;
                    for (;;)
                    {
                        bool _891 = _1687 < _784;
                        if (_891)
                        {
                            float _896 = weights[_1620 + _1687];
                            uint _899 = _1588 + _1687;
                            float _1713;
                            do
                            {
                                uint _1381 = _899 * _700;
                                uint _1383 = _1381 + _702;
                                uint _1386 = _1383 * _712;
                                uint _1388 = _1386 + _869;
                                if (_518)
                                {
                                    uint2 _1391 = a.values;
                                    device Floats* _1392 = reinterpret_cast<device Floats*>(as_type<ulong>(_1391));
                                    float _1395 = _1392->v[_1388];
                                    _1713 = _1395;
                                    break;
                                }
                                if (_529)
                                {
                                    uint2 _1399 = a.values;
                                    device Words* _1400 = reinterpret_cast<device Words*>(as_type<ulong>(_1399));
                                    uint _1402 = _1388 >> uint(1);
                                    uint _1404 = _1400->v[_1402];
                                    float2 _1405 = float2(as_type<half2>(_1404));
                                    uint _1407 = _1388 & 1u;
                                    bool _1408 = _1407 == 0u;
                                    float _1712;
                                    if (_1408)
                                    {
                                        float _1411 = _1405.x;
                                        _1712 = _1411;
                                    }
                                    else
                                    {
                                        float _1414 = _1405.y;
                                        _1712 = _1414;
                                    }
                                    _1713 = _1712;
                                    break;
                                }
                                uint _1424 = _702 * _726;
                                uint _1426 = _869 / 32u;
                                uint _1427 = _1424 + _1426;
                                uint _1431 = _700 * _726;
                                uint _1507 = _1431 + 1u;
                                uint _1508 = _1507 >> uint(1);
                                uint _1509 = _899 * _1508;
                                uint _1511 = _1427 >> uint(1);
                                uint _1512 = _1509 + _1511;
                                uint _1514 = 2u * _54;
                                uint _1515 = 1u + _1514;
                                uint _1516 = _1512 * _1515;
                                uint _1436 = _1516 + 1u;
                                uint _1438 = _1427 & 1u;
                                uint _1440 = _1438 * _54;
                                uint _1441 = _1436 + _1440;
                                uint2 _1443 = a.values;
                                device Words* _1444 = reinterpret_cast<device Words*>(as_type<ulong>(_1443));
                                uint _1447 = _1444->v[_1516];
                                float2 _1448 = float2(as_type<half2>(_1447));
                                bool _1451 = _1438 == 0u;
                                float _1711;
                                if (_1451)
                                {
                                    float _1454 = _1448.x;
                                    _1711 = _1454;
                                }
                                else
                                {
                                    float _1457 = _1448.y;
                                    _1711 = _1457;
                                }
                                uint _1461 = _869 % 32u;
                                if (_609)
                                {
                                    uint _1468 = _1461 / 4u;
                                    uint _1469 = _1441 + _1468;
                                    uint _1471 = _1444->v[_1469];
                                    int _1472 = int(_1471);
                                    uint _1476 = _1461 % 4u;
                                    uint _1477 = _1476 * 8u;
                                    int _1478 = int(_1477);
                                    int _1479 = extract_bits(_1472, uint(_1478), uint(8));
                                    float _1480 = float(_1479);
                                    float _1481 = _1711 * _1480;
                                    _1713 = _1481;
                                    break;
                                }
                                uint _1489 = _1461 / 8u;
                                uint _1490 = _1441 + _1489;
                                uint _1492 = _1444->v[_1490];
                                uint _1494 = _1461 % 8u;
                                uint _1495 = _1494 * 4u;
                                uint _1496 = _1492 >> _1495;
                                uint _1497 = _1496 & 15u;
                                float _1498 = float(_1497);
                                float _1499 = _1498 - 8.0;
                                float _1500 = _1711 * _1499;
                                _1713 = _1500;
                                break;
                            } while(false);
                            _908 = fma(_896, _1713, _1689);
                            uint _910 = _1687 + uint(1);
                            _1689 = _908;
                            _1687 = _910;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    sums[_1686] = _1689;
                    uint _915 = _1686 + uint(1);
                    _1686 = _915;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _917 = _1588 + 64u;
            _1633 = _826;
            _1620 = _820;
            _1589 = _856;
            _1588 = _917;
            continue;
        }
        else
        {
            break;
        }
    }
    float _1592;
    do
    {
        float _1531 = simd_sum(_1589);
        bool _1533 = gl_NumSubgroups == 1u;
        if (_1533)
        {
            _1592 = _1531;
            break;
        }
        uint _1565 = turn;
        uint _1567 = turn ^ 64u;
        turn = _1567;
        bool _1568 = simd_is_first();
        if (_1568)
        {
            uint _1572 = _1565 + gl_SubgroupID;
            parts[_1572] = _1531;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float _1541 = parts[_1565];
        uint _1590;
        float _1591;
        _1591 = _1541;
        _1590 = 1u;
        for (;;)
        {
            bool _1546 = _1590 < gl_NumSubgroups;
            if (_1546)
            {
                uint _1550 = _1565 + _1590;
                float _1552 = parts[_1550];
                float _1554 = _1591 + _1552;
                uint _1557 = _1590 + uint(1);
                _1591 = _1554;
                _1590 = _1557;
                continue;
            }
            else
            {
                break;
            }
        }
        _1592 = _1591;
        break;
    } while(false);
    uint _925 = a.y_stride;
    uint _926 = _669 * _925;
    uint _931 = _926 + _713;
    uint _1593;
    _1593 = 0u;
    for (;;)
    {
        bool _939 = _1593 < 8u;
        if (_939)
        {
            uint _942 = _1593 * 64u;
            uint _944 = _942 + _659;
            bool _948 = _944 >= _712;
            if (_948)
            {
                break;
            }
            uint2 _954 = a.y;
            device Floats* _955 = reinterpret_cast<device Floats*>(as_type<ulong>(_954));
            uint _958 = _931 + _944;
            float _961 = sums[_1593];
            float _963 = _961 / _1592;
            _955->v[_958] = _963;
            uint _966 = _1593 + uint(1);
            _1593 = _966;
            continue;
        }
        else
        {
            break;
        }
    }
}

