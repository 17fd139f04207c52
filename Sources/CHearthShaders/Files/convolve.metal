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

struct Arguments
{
    uint2 x;
    uint2 weights;
    uint2 bias0;
    uint2 residual;
    uint2 y;
    uint channels;
    uint height;
    uint width;
    uint y_blocks;
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
    uint group_inputs;
    uint group_outputs;
    uint input_blocks;
    uint function;
    uint residual_last;
    float a;
    float b;
};

constant uint FORM_tmp [[function_constant(0)]];
constant uint FORM = is_function_constant_defined(FORM_tmp) ? FORM_tmp : 0u;
constant bool _610 = (FORM == 0u);
constant bool _650 = (FORM == 1u);
constant bool _665 = (FORM == 3u);
constant bool _835 = (FORM == 0u);

struct Floats
{
    float v[1];
};

constant bool _878 = (FORM == 1u);
constant bool _903 = (FORM == 3u);
constant bool _1059 = (FORM == 3u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);
constant float _1758 = {};

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    do
    {
        uint _536 = gl_LocalInvocationID.x;
        uint _538 = _536 % 16u;
        uint _542 = gl_WorkGroupID.y;
        uint _550 = a.y_blocks;
        uint _551 = _542 % _550;
        uint _557 = _542 / _550;
        uint _561 = a.y_height;
        uint _564 = a.y_width;
        uint _565 = _561 * _564;
        uint _568 = gl_WorkGroupID.x;
        uint _570 = _568 * 4u;
        uint _573 = _536 / 16u;
        uint _574 = _570 + _573;
        uint _575 = _574 * 4u;
        uint _579 = a.channels;
        uint _581 = _579 + 15u;
        uint _582 = _581 / 16u;
        uint _586 = a.height;
        uint _589 = a.width;
        uint _590 = _586 * _589;
        uint _594 = a.kernel_height;
        uint _597 = a.kernel_width;
        uint _598 = _594 * _597;
        uint _605 = _551 * _598;
        uint _606 = _605 * 16u;
        uint _608 = _606 + _538;
        uint _1823;
        uint _1832;
        uint _1840;
        if (_610)
        {
            uint _614 = _551 * 16u;
            uint _617 = a.group_outputs;
            uint _618 = _614 / _617;
            uint _621 = a.group_inputs;
            uint _622 = _618 * _621;
            uint _623 = _622 / 16u;
            uint _627 = a.input_blocks;
            uint _628 = _582 - _627;
            uint _629 = min(_623, _628);
            uint _632 = _627 * 16u;
            uint _636 = _629 * 16u;
            uint _637 = _579 - _636;
            uint _638 = min(_632, _637);
            uint _642 = _551 * _627;
            uint _644 = _642 * _598;
            uint _646 = _644 * 256u;
            uint _648 = _646 + _538;
            _1840 = _629;
            _1832 = _648;
            _1823 = _638;
        }
        else
        {
            uint _1824;
            uint _1833;
            uint _1841;
            if (_650)
            {
                uint _657 = _551 * _579;
                uint _659 = _657 * _598;
                uint _660 = _659 * 16u;
                uint _662 = _660 + _538;
                _1841 = _551;
                _1833 = _662;
                _1824 = _579;
            }
            else
            {
                uint _1825;
                uint _1834;
                if (_665)
                {
                    uint _669 = _551 * 16u;
                    uint _671 = _669 + _538;
                    uint _673 = a.group_outputs;
                    bool _674 = _671 >= _673;
                    if (_674)
                    {
                        break;
                    }
                    _1834 = _671;
                    _1825 = _579;
                }
                else
                {
                    _1834 = _608;
                    _1825 = 1u;
                }
                uint _1938 = _665 ? 0u : _551;
                _1841 = _1938;
                _1833 = _1834;
                _1824 = _1825;
            }
            _1840 = _1841;
            _1832 = _1833;
            _1823 = _1824;
        }
        uint _1722;
        _1722 = 0u;
        spvUnsafeArray<float, 4> sums;
        for (;;)
        {
            bool _691 = _1722 < 4u;
            if (_691)
            {
                sums[_1722] = 0.0;
                uint _699 = _1722 + uint(1);
                _1722 = _699;
                continue;
            }
            else
            {
                break;
            }
        }
        uint _1723;
        _1723 = 0u;
        spvUnsafeArray<uint, 4> places;
        for (;;)
        {
            bool _708 = _1723 < _598;
            if (_708)
            {
                uint _714 = _1723 / _597;
                uint _717 = a.dilation_y;
                uint _718 = _714 * _717;
                int _719 = int(_718);
                int _723 = a.top;
                int _724 = _719 - _723;
                uint _729 = _1723 % _597;
                uint _732 = a.dilation_x;
                uint _733 = _729 * _732;
                int _734 = int(_733);
                int _737 = a.left;
                int _738 = _734 - _737;
                uint _1817;
                _1817 = 0u;
                for (;;)
                {
                    bool _746 = _1817 < 4u;
                    if (_746)
                    {
                        uint _750 = _575 + _1817;
                        uint _755 = _750 / _564;
                        uint _758 = a.stride_y;
                        uint _759 = _755 * _758;
                        int _760 = int(_759);
                        int _762 = _760 + _724;
                        uint _767 = _750 % _564;
                        uint _770 = a.stride_x;
                        uint _771 = _767 * _770;
                        int _772 = int(_771);
                        int _774 = _772 + _738;
                        bool _779 = _750 < _565;
                        bool _782 = _762 >= 0;
                        bool _783 = _779 && _782;
                        bool _791;
                        if (_783)
                        {
                            int _789 = int(_586);
                            bool _790 = _762 < _789;
                            _791 = _790;
                        }
                        else
                        {
                            _791 = _783;
                        }
                        bool _793 = _774 >= 0;
                        bool _794 = _791 && _793;
                        bool _802;
                        if (_794)
                        {
                            int _800 = int(_589);
                            bool _801 = _774 < _800;
                            _802 = _801;
                        }
                        else
                        {
                            _802 = _794;
                        }
                        uint _1865;
                        if (_802)
                        {
                            uint _812 = uint(_762);
                            uint _815 = _812 * _589;
                            uint _817 = uint(_774);
                            uint _818 = _815 + _817;
                            _1865 = _818;
                        }
                        else
                        {
                            _1865 = _590;
                        }
                        places[_1817] = _1865;
                        uint _824 = _1817 + uint(1);
                        _1817 = _824;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                uint _1010;
                for (uint _1818 = 0u; _1818 < _1823; _1010 = _1818 + uint(1), _1818 = _1010)
                {
                    float _1850;
                    uint _1855;
                    uint _1859;
                    if (_835)
                    {
                        uint2 _841 = a.weights;
                        device Floats* _845 = reinterpret_cast<device Floats*>(as_type<ulong>(_841));
                        uint _848 = _1818 / 16u;
                        uint _850 = _848 * _598;
                        uint _852 = _850 + _1723;
                        uint _853 = _852 * 16u;
                        uint _855 = _1818 % 16u;
                        uint _856 = _853 + _855;
                        uint _857 = _856 * 16u;
                        uint _858 = _1832 + _857;
                        float _861 = _845->v[_858];
                        uint _865 = _557 * _582;
                        uint _867 = _865 + _1840;
                        uint _870 = _867 + _848;
                        uint _872 = _870 * _590;
                        uint _873 = _872 * 16u;
                        uint _876 = _873 + _855;
                        _1859 = 16u;
                        _1855 = _876;
                        _1850 = _861;
                    }
                    else
                    {
                        float _1851;
                        uint _1856;
                        uint _1860;
                        if (_878)
                        {
                            uint2 _882 = a.weights;
                            device Floats* _883 = reinterpret_cast<device Floats*>(as_type<ulong>(_882));
                            uint _887 = _1818 * _598;
                            uint _889 = _887 + _1723;
                            uint _890 = _889 * 16u;
                            uint _891 = _1832 + _890;
                            float _893 = _883->v[_891];
                            uint _897 = _557 * _579;
                            uint _899 = _897 + _1818;
                            uint _901 = _899 * _590;
                            _1860 = 1u;
                            _1856 = _901;
                            _1851 = _893;
                        }
                        else
                        {
                            float _1852;
                            uint _1857;
                            uint _1861;
                            if (_903)
                            {
                                uint2 _907 = a.weights;
                                device Floats* _908 = reinterpret_cast<device Floats*>(as_type<ulong>(_907));
                                uint _912 = _1818 * _598;
                                uint _914 = _912 + _1723;
                                uint _916 = a.group_outputs;
                                uint _917 = _914 * _916;
                                uint _918 = _1832 + _917;
                                float _920 = _908->v[_918];
                                uint _923 = a.input_blocks;
                                bool _924 = _923 == 0u;
                                uint _1835;
                                if (_924)
                                {
                                    uint _932 = _557 * _579;
                                    uint _934 = _932 + _1818;
                                    uint _936 = _934 * _590;
                                    _1835 = _936;
                                }
                                else
                                {
                                    uint _940 = _557 * _582;
                                    uint _942 = _1818 / 16u;
                                    uint _943 = _940 + _942;
                                    uint _945 = _943 * _590;
                                    uint _946 = _945 * 16u;
                                    uint _948 = _1818 % 16u;
                                    uint _949 = _946 + _948;
                                    _1835 = _949;
                                }
                                uint _952 = _924 ? 1u : 16u;
                                _1861 = _952;
                                _1857 = _1835;
                                _1852 = _920;
                            }
                            else
                            {
                                uint2 _955 = a.weights;
                                device Floats* _956 = reinterpret_cast<device Floats*>(as_type<ulong>(_955));
                                uint _959 = _1723 * 16u;
                                uint _960 = _1832 + _959;
                                float _962 = _956->v[_960];
                                uint _965 = _557 * _582;
                                uint _967 = _965 + _551;
                                uint _969 = _967 * _590;
                                uint _970 = _969 * 16u;
                                uint _972 = _970 + _538;
                                _1861 = 16u;
                                _1857 = _972;
                                _1852 = _962;
                            }
                            _1860 = _1861;
                            _1856 = _1857;
                            _1851 = _1852;
                        }
                        _1859 = _1860;
                        _1855 = _1856;
                        _1850 = _1851;
                    }
                    uint _1843;
                    _1843 = 0u;
                    for (;;)
                    {
                        bool _980 = _1843 < 4u;
                        if (_980)
                        {
                            uint _983 = places[_1843];
                            bool _985 = _983 < _590;
                            if (_985)
                            {
                                uint2 _991 = a.x;
                                device Floats* _992 = reinterpret_cast<device Floats*>(as_type<ulong>(_991));
                                uint _996 = places[_1843];
                                uint _998 = _996 * _1859;
                                uint _999 = _1855 + _998;
                                float _1001 = _992->v[_999];
                                float _1004 = sums[_1843];
                                float _1005 = fma(_1850, _1001, _1004);
                                sums[_1843] = _1005;
                            }
                            uint _1008 = _1843 + uint(1);
                            _1843 = _1008;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                }
                uint _1012 = _1723 + uint(1);
                _1723 = _1012;
                continue;
            }
            else
            {
                break;
            }
        }
        uint2 _1017 = a.bias0;
        uint _1163 = _1017.x;
        uint _1165 = _1017.y;
        uint _1166 = _1163 | _1165;
        bool _1167 = _1166 == 0u;
        bool _1019 = !_1167;
        float _1728;
        if (_1019)
        {
            device Floats* _1024 = reinterpret_cast<device Floats*>(as_type<ulong>(_1017));
            uint _1026 = _551 * 16u;
            uint _1028 = _1026 + _538;
            float _1030 = _1024->v[_1028];
            _1728 = _1030;
        }
        else
        {
            _1728 = 0.0;
        }
        uint _1724;
        float _1753;
        _1753 = _1758;
        _1724 = 0u;
        float _1748;
        for (;;)
        {
            bool _1038 = _1724 < 4u;
            if (_1038)
            {
                uint _1041 = _575 + _1724;
                bool _1043 = _1041 >= _565;
                if (_1043)
                {
                    break;
                }
                uint _1051 = _542 * _565;
                uint _1053 = _1051 + _575;
                uint _1055 = _1053 + _1724;
                uint _1056 = _1055 * 16u;
                uint _1058 = _1056 + _538;
                uint _1729;
                if (_1059)
                {
                    uint _1064 = a.group_outputs;
                    uint _1065 = _557 * _1064;
                    uint _1067 = _551 * 16u;
                    uint _1068 = _1065 + _1067;
                    uint _1070 = _1068 + _538;
                    uint _1072 = _1070 * _565;
                    uint _1074 = _1072 + _575;
                    uint _1076 = _1074 + _1724;
                    _1729 = _1076;
                }
                else
                {
                    _1729 = _1058;
                }
                float _1080 = sums[_1724];
                float _1082 = _1080 + _1728;
                uint2 _1087 = a.residual;
                uint _1171 = _1087.x;
                uint _1173 = _1087.y;
                uint _1174 = _1171 | _1173;
                bool _1175 = _1174 == 0u;
                bool _1089 = !_1175;
                float _1730;
                if (_1089)
                {
                    device Floats* _1094 = reinterpret_cast<device Floats*>(as_type<ulong>(_1087));
                    float _1097 = _1094->v[_1729];
                    _1730 = _1097;
                }
                else
                {
                    _1730 = 0.0;
                }
                uint _1100 = a.residual_last;
                bool _1101 = _1100 == 0u;
                float _1732;
                if (_1101)
                {
                    float _1106 = _1082 + _1730;
                    _1732 = _1106;
                }
                else
                {
                    _1732 = _1082;
                }
                uint _1112 = a.function;
                float _1116 = a.a;
                float _1119 = a.b;
                do
                {
                    bool _1747;
                    float _1749;
                    switch (_1112)
                    {
                        case 0u:
                        {
                            _1749 = _1732;
                            _1747 = true;
                            break;
                        }
                        case 1u:
                        {
                            bool _1215 = _1732 < 0.0;
                            float _1217 = _1215 ? 0.0 : _1732;
                            _1749 = _1217;
                            _1747 = true;
                            break;
                        }
                        case 2u:
                        {
                            bool _1221 = _1732 < _1116;
                            float _1746;
                            if (_1221)
                            {
                                _1746 = _1116;
                            }
                            else
                            {
                                bool _1227 = _1732 > _1119;
                                float _1230 = _1227 ? _1119 : _1732;
                                _1746 = _1230;
                            }
                            _1749 = _1746;
                            _1747 = true;
                            break;
                        }
                        case 3u:
                        {
                            bool _1235 = _1732 < 0.0;
                            float _1745;
                            if (_1235)
                            {
                                float _1239 = _1116 * _1732;
                                _1745 = _1239;
                            }
                            else
                            {
                                _1745 = _1732;
                            }
                            _1749 = _1745;
                            _1747 = true;
                            break;
                        }
                        case 4u:
                        {
                            bool _1247 = _1732 < _1116;
                            float _1249 = _1247 ? 0.0 : _1732;
                            _1749 = _1249;
                            _1747 = true;
                            break;
                        }
                        case 5u:
                        {
                            bool _1252 = _1732 < 0.0;
                            float _1744;
                            if (_1252)
                            {
                                float _1256 = _1116 * _1732;
                                _1744 = _1256;
                            }
                            else
                            {
                                _1744 = _1732;
                            }
                            bool _1263 = _1744 > _1119;
                            float _1266 = _1263 ? _1119 : _1744;
                            _1749 = _1266;
                            _1747 = true;
                            break;
                        }
                        case 6u:
                        {
                            float _1272 = fma(_1116, _1732, _1119);
                            _1749 = _1272;
                            _1747 = true;
                            break;
                        }
                        case 7u:
                        {
                            bool _1275 = _1732 < (-87.0);
                            float _1743;
                            if (_1275)
                            {
                                _1743 = 0.0;
                            }
                            else
                            {
                                float _1475 = fast::clamp(-_1732, -87.0, 87.0);
                                float _1476 = exp(_1475);
                                float _1477 = 1.0 + _1476;
                                float _1478 = 1.0 / _1477;
                                _1743 = _1478;
                            }
                            _1749 = _1743;
                            _1747 = true;
                            break;
                        }
                        case 8u:
                        {
                            float _1742;
                            if (isnan(_1732))
                            {
                                _1742 = _1732;
                            }
                            else
                            {
                                float _1485 = fma(_1116, _1732, _1119);
                                float _1486 = fast::max(0.0, _1485);
                                float _1487 = fast::min(1.0, _1486);
                                _1742 = _1487;
                            }
                            _1749 = _1742;
                            _1747 = true;
                            break;
                        }
                        case 9u:
                        {
                            float _1494 = fma(_1116, _1732, _1119);
                            float _1495 = fast::max(0.0, _1494);
                            float _1496 = fast::min(1.0, _1495);
                            float _1300 = _1732 * _1496;
                            _1749 = _1300;
                            _1747 = true;
                            break;
                        }
                        case 10u:
                        {
                            bool _1303 = _1732 < (-87.0);
                            float _1741;
                            if (_1303)
                            {
                                _1741 = 0.0;
                            }
                            else
                            {
                                float _1501 = fast::clamp(-_1732, -87.0, 87.0);
                                float _1502 = exp(_1501);
                                float _1503 = 1.0 + _1502;
                                float _1504 = 1.0 / _1503;
                                float _1309 = _1732 * _1504;
                                _1741 = _1309;
                            }
                            _1749 = _1741;
                            _1747 = true;
                            break;
                        }
                        case 11u:
                        {
                            float _1314 = _1732 * 0.707106769084930419921875;
                            float _1510 = abs(_1314);
                            float _1512 = fma(0.5, _1510, 1.0);
                            float _1513 = 1.0 / _1512;
                            float _1515 = 0.0154464244842529296875 / _1512;
                            float _1516 = _1515 - 0.13872261345386505126953125;
                            float _1520 = fma(_1516, _1513, 0.461040794849395751953125);
                            float _1524 = fma(_1520, _1513, -0.706877171993255615234375);
                            float _1528 = fma(_1524, _1513, 0.4467795789241790771484375);
                            float _1532 = fma(_1528, _1513, -0.109197147190570831298828125);
                            float _1536 = fma(_1532, _1513, 0.2283391058444976806640625);
                            float _1540 = fma(_1536, _1513, 0.23824338614940643310546875);
                            float _1544 = fma(_1540, _1513, 0.28288352489471435546875);
                            float _1548 = fma(_1544, _1513, 0.2820641100406646728515625);
                            float _1550 = _1732 * (-0.707106769084930419921875);
                            float _1552 = _1550 * _1314;
                            float _1553 = fast::max(_1552, -87.0);
                            float _1554 = exp(_1553);
                            float _1557 = _1513 * _1548;
                            float _1558 = _1554 * _1557;
                            float _1316 = 0.5 * _1558;
                            bool _1319 = _1732 < 0.0;
                            float _1740;
                            if (_1319)
                            {
                                _1740 = _1316;
                            }
                            else
                            {
                                float _1324 = fma(-0.5, _1558, 1.0);
                                _1740 = _1324;
                            }
                            _1749 = _1732 * _1740;
                            _1747 = true;
                            break;
                        }
                        case 12u:
                        {
                            float _1332 = 0.0447149984538555145263671875 * _1732;
                            float _1334 = _1332 * _1732;
                            float _1337 = fma(_1334, _1732, _1732);
                            float _1562 = _1337 * (-1.5957691669464111328125);
                            float _1563 = fast::clamp(_1562, -87.0, 87.0);
                            float _1564 = exp(_1563);
                            float _1565 = 1.0 + _1564;
                            float _1566 = 1.0 / _1565;
                            float _1340 = _1732 * _1566;
                            _1749 = _1340;
                            _1747 = true;
                            break;
                        }
                        case 13u:
                        {
                            float _1570 = _1732 * (-1.70200002193450927734375);
                            float _1571 = fast::clamp(_1570, -87.0, 87.0);
                            float _1572 = exp(_1571);
                            float _1573 = 1.0 + _1572;
                            float _1574 = 1.0 / _1573;
                            float _1346 = _1732 * _1574;
                            _1749 = _1346;
                            _1747 = true;
                            break;
                        }
                        case 14u:
                        {
                            float _1739;
                            if (isnan(_1732))
                            {
                                _1739 = _1732;
                            }
                            else
                            {
                                float _1578 = fast::clamp(_1732, -15.0, 15.0);
                                float _1579 = precise::tanh(_1578);
                                _1739 = _1579;
                            }
                            _1749 = _1739;
                            _1747 = true;
                            break;
                        }
                        case 15u:
                        {
                            float _1738;
                            if (isnan(_1732))
                            {
                                _1738 = _1732;
                            }
                            else
                            {
                                float _1366 = _1119 * _1732;
                                float _1583 = fast::clamp(_1366, -15.0, 15.0);
                                float _1584 = precise::tanh(_1583);
                                float _1368 = _1116 * _1584;
                                _1738 = _1368;
                            }
                            _1749 = _1738;
                            _1747 = true;
                            break;
                        }
                        case 16u:
                        {
                            bool _1373 = _1732 < 0.0;
                            float _1737;
                            if (_1373)
                            {
                                float _1377 = 0.5 * _1732;
                                float _1588 = fast::clamp(_1377, -15.0, 15.0);
                                float _1589 = precise::tanh(_1588);
                                float _1381 = exp(_1732) + 1.0;
                                float _1382 = _1589 * _1381;
                                float _1383 = _1116 * _1382;
                                _1737 = _1383;
                            }
                            else
                            {
                                _1737 = _1732;
                            }
                            _1749 = _1737;
                            _1747 = true;
                            break;
                        }
                        case 17u:
                        {
                            bool _1390 = _1732 > 0.0;
                            float _1392 = _1390 ? _1732 : 0.0;
                            float _1395 = -abs(_1732);
                            float _1396 = exp(_1395);
                            float _1397 = 1.0 + _1396;
                            float _1398 = log(_1397);
                            float _1399 = _1392 + _1398;
                            _1749 = _1399;
                            _1747 = true;
                            break;
                        }
                        case 18u:
                        {
                            float _1404 = 1.0 + abs(_1732);
                            float _1405 = _1732 / _1404;
                            _1749 = _1405;
                            _1747 = true;
                            break;
                        }
                        case 19u:
                        {
                            _1749 = exp(_1732);
                            _1747 = true;
                            break;
                        }
                        case 20u:
                        {
                            float _1412 = _1732 + _1116;
                            float _1413 = log(_1412);
                            _1749 = _1413;
                            _1747 = true;
                            break;
                        }
                        case 21u:
                        {
                            _1749 = sqrt(_1732);
                            _1747 = true;
                            break;
                        }
                        case 22u:
                        {
                            float _1420 = _1732 + _1116;
                            float _1421 = sqrt(_1420);
                            float _1422 = 1.0 / _1421;
                            _1749 = _1422;
                            _1747 = true;
                            break;
                        }
                        case 23u:
                        {
                            float _1426 = _1732 + _1116;
                            float _1427 = 1.0 / _1426;
                            _1749 = _1427;
                            _1747 = true;
                            break;
                        }
                        case 24u:
                        {
                            float _1736;
                            if (isnan(_1732))
                            {
                                _1736 = _1732;
                            }
                            else
                            {
                                float _1735;
                                do
                                {
                                    float _1602 = _1732 * _1732;
                                    bool _1604 = _1602 < 1.0;
                                    if (_1604)
                                    {
                                        float _1608 = fma(7.87587487138807773590087890625e-05, _1602, -0.00080168643034994602203369140625);
                                        float _1612 = fma(_1608, _1602, 0.0051890872418880462646484375);
                                        float _1616 = fma(_1612, _1602, -0.02685421146452426910400390625);
                                        float _1620 = fma(_1616, _1602, 0.112835943698883056640625);
                                        float _1624 = fma(_1620, _1602, -0.3761262595653533935546875);
                                        float _1629 = fma(_1624, _1602, 1.12837922573089599609375);
                                        float _1630 = _1732 * _1629;
                                        _1735 = _1630;
                                        break;
                                    }
                                    float _1653 = fma(0.5, abs(_1732), 1.0);
                                    float _1654 = 1.0 / _1653;
                                    float _1656 = 0.0154464244842529296875 / _1653;
                                    float _1657 = _1656 - 0.13872261345386505126953125;
                                    float _1661 = fma(_1657, _1654, 0.461040794849395751953125);
                                    float _1665 = fma(_1661, _1654, -0.706877171993255615234375);
                                    float _1669 = fma(_1665, _1654, 0.4467795789241790771484375);
                                    float _1673 = fma(_1669, _1654, -0.109197147190570831298828125);
                                    float _1677 = fma(_1673, _1654, 0.2283391058444976806640625);
                                    float _1681 = fma(_1677, _1654, 0.23824338614940643310546875);
                                    float _1685 = fma(_1681, _1654, 0.28288352489471435546875);
                                    float _1689 = fma(_1685, _1654, 0.2820641100406646728515625);
                                    float _1693 = (-_1732) * _1732;
                                    float _1694 = fast::max(_1693, -87.0);
                                    float _1695 = exp(_1694);
                                    float _1698 = _1654 * _1689;
                                    float _1706 = -_1695;
                                    float _1634 = fma(_1706, _1698, 1.0);
                                    bool _1636 = _1732 < 0.0;
                                    float _1734;
                                    if (_1636)
                                    {
                                        float _1639 = -_1634;
                                        _1734 = _1639;
                                    }
                                    else
                                    {
                                        _1734 = _1634;
                                    }
                                    _1735 = _1734;
                                    break;
                                } while(false);
                                _1736 = _1735;
                            }
                            _1749 = _1736;
                            _1747 = true;
                            break;
                        }
                        case 25u:
                        {
                            _1749 = abs(_1732);
                            _1747 = true;
                            break;
                        }
                        case 26u:
                        {
                            _1749 = _1732 * _1732;
                            _1747 = true;
                            break;
                        }
                        case 27u:
                        {
                            _1749 = floor(_1732);
                            _1747 = true;
                            break;
                        }
                        case 28u:
                        {
                            _1749 = ceil(_1732);
                            _1747 = true;
                            break;
                        }
                        case 29u:
                        {
                            _1749 = rint(_1732);
                            _1747 = true;
                            break;
                        }
                        case 30u:
                        {
                            bool _1456 = _1732 > 0.0;
                            float _1733;
                            if (_1456)
                            {
                                _1733 = 1.0;
                            }
                            else
                            {
                                bool _1460 = _1732 < 0.0;
                                float _1462 = _1460 ? (-1.0) : _1732;
                                _1733 = _1462;
                            }
                            _1749 = _1733;
                            _1747 = true;
                            break;
                        }
                        default:
                        {
                            _1749 = _1753;
                            _1747 = false;
                            break;
                        }
                    }
                    if (_1747)
                    {
                        _1748 = _1749;
                        break;
                    }
                    _1748 = _1732;
                    break;
                } while(false);
                bool _1125 = _1100 != 0u;
                float _1797;
                if (_1125)
                {
                    _1797 = _1748 + _1730;
                }
                else
                {
                    _1797 = _1748;
                }
                uint2 _1133 = a.y;
                device Floats* _1134 = reinterpret_cast<device Floats*>(as_type<ulong>(_1133));
                _1134->v[_1729] = _1797;
                uint _1139 = _1724 + uint(1);
                _1753 = _1748;
                _1724 = _1139;
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

