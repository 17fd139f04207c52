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
constant bool _814 = (FORM == 0u);

struct Floats
{
    float v[1];
};

constant bool _857 = (FORM == 1u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);
constant float _1661 = {};

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
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
    uint _1706;
    uint _1714;
    uint _1720;
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
        _1720 = _629;
        _1714 = _648;
        _1706 = _638;
    }
    else
    {
        uint _1707;
        uint _1715;
        if (_650)
        {
            uint _657 = _551 * _579;
            uint _659 = _657 * _598;
            uint _660 = _659 * 16u;
            uint _662 = _660 + _538;
            _1715 = _662;
            _1707 = _579;
        }
        else
        {
            _1715 = _608;
            _1707 = 1u;
        }
        _1720 = _551;
        _1714 = _1715;
        _1706 = _1707;
    }
    uint _1629;
    _1629 = 0u;
    spvUnsafeArray<float, 4> sums;
    for (;;)
    {
        bool _670 = _1629 < 4u;
        if (_670)
        {
            sums[_1629] = 0.0;
            uint _678 = _1629 + uint(1);
            _1629 = _678;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _1630;
    _1630 = 0u;
    spvUnsafeArray<uint, 4> places;
    for (;;)
    {
        bool _687 = _1630 < _598;
        if (_687)
        {
            uint _693 = _1630 / _597;
            uint _696 = a.dilation_y;
            uint _697 = _693 * _696;
            int _698 = int(_697);
            int _702 = a.top;
            int _703 = _698 - _702;
            uint _708 = _1630 % _597;
            uint _711 = a.dilation_x;
            uint _712 = _708 * _711;
            int _713 = int(_712);
            int _716 = a.left;
            int _717 = _713 - _716;
            uint _1700;
            _1700 = 0u;
            for (;;)
            {
                bool _725 = _1700 < 4u;
                if (_725)
                {
                    uint _729 = _575 + _1700;
                    uint _734 = _729 / _564;
                    uint _737 = a.stride_y;
                    uint _738 = _734 * _737;
                    int _739 = int(_738);
                    int _741 = _739 + _703;
                    uint _746 = _729 % _564;
                    uint _749 = a.stride_x;
                    uint _750 = _746 * _749;
                    int _751 = int(_750);
                    int _753 = _751 + _717;
                    bool _758 = _729 < _565;
                    bool _761 = _741 >= 0;
                    bool _762 = _758 && _761;
                    bool _770;
                    if (_762)
                    {
                        int _768 = int(_586);
                        bool _769 = _741 < _768;
                        _770 = _769;
                    }
                    else
                    {
                        _770 = _762;
                    }
                    bool _772 = _753 >= 0;
                    bool _773 = _770 && _772;
                    bool _781;
                    if (_773)
                    {
                        int _779 = int(_589);
                        bool _780 = _753 < _779;
                        _781 = _780;
                    }
                    else
                    {
                        _781 = _773;
                    }
                    uint _1738;
                    if (_781)
                    {
                        uint _791 = uint(_741);
                        uint _794 = _791 * _589;
                        uint _796 = uint(_753);
                        uint _797 = _794 + _796;
                        _1738 = _797;
                    }
                    else
                    {
                        _1738 = _590;
                    }
                    places[_1700] = _1738;
                    uint _803 = _1700 + uint(1);
                    _1700 = _803;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _938;
            for (uint _1701 = 0u; _1701 < _1706; _938 = _1701 + uint(1), _1701 = _938)
            {
                float _1727;
                uint _1730;
                uint _1733;
                if (_814)
                {
                    uint2 _820 = a.weights;
                    device Floats* _824 = reinterpret_cast<device Floats*>(as_type<ulong>(_820));
                    uint _827 = _1701 / 16u;
                    uint _829 = _827 * _598;
                    uint _831 = _829 + _1630;
                    uint _832 = _831 * 16u;
                    uint _834 = _1701 % 16u;
                    uint _835 = _832 + _834;
                    uint _836 = _835 * 16u;
                    uint _837 = _1714 + _836;
                    float _840 = _824->v[_837];
                    uint _844 = _557 * _582;
                    uint _846 = _844 + _1720;
                    uint _849 = _846 + _827;
                    uint _851 = _849 * _590;
                    uint _852 = _851 * 16u;
                    uint _855 = _852 + _834;
                    _1733 = 16u;
                    _1730 = _855;
                    _1727 = _840;
                }
                else
                {
                    float _1728;
                    uint _1731;
                    if (_857)
                    {
                        uint2 _861 = a.weights;
                        device Floats* _862 = reinterpret_cast<device Floats*>(as_type<ulong>(_861));
                        uint _866 = _1701 * _598;
                        uint _868 = _866 + _1630;
                        uint _869 = _868 * 16u;
                        uint _870 = _1714 + _869;
                        float _872 = _862->v[_870];
                        uint _876 = _557 * _579;
                        uint _878 = _876 + _1701;
                        uint _880 = _878 * _590;
                        _1731 = _880;
                        _1728 = _872;
                    }
                    else
                    {
                        uint2 _883 = a.weights;
                        device Floats* _884 = reinterpret_cast<device Floats*>(as_type<ulong>(_883));
                        uint _887 = _1630 * 16u;
                        uint _888 = _1714 + _887;
                        float _890 = _884->v[_888];
                        uint _893 = _557 * _582;
                        uint _895 = _893 + _551;
                        uint _897 = _895 * _590;
                        uint _898 = _897 * 16u;
                        uint _900 = _898 + _538;
                        _1731 = _900;
                        _1728 = _890;
                    }
                    uint _1801 = _857 ? 1u : 16u;
                    _1733 = _1801;
                    _1730 = _1731;
                    _1727 = _1728;
                }
                uint _1722;
                _1722 = 0u;
                for (;;)
                {
                    bool _908 = _1722 < 4u;
                    if (_908)
                    {
                        uint _911 = places[_1722];
                        bool _913 = _911 < _590;
                        if (_913)
                        {
                            uint2 _919 = a.x;
                            device Floats* _920 = reinterpret_cast<device Floats*>(as_type<ulong>(_919));
                            uint _924 = places[_1722];
                            uint _926 = _924 * _1733;
                            uint _927 = _1730 + _926;
                            float _929 = _920->v[_927];
                            float _932 = sums[_1722];
                            float _933 = fma(_1727, _929, _932);
                            sums[_1722] = _933;
                        }
                        uint _936 = _1722 + uint(1);
                        _1722 = _936;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
            }
            uint _940 = _1630 + uint(1);
            _1630 = _940;
            continue;
        }
        else
        {
            break;
        }
    }
    uint2 _945 = a.bias0;
    uint _1070 = _945.x;
    uint _1072 = _945.y;
    uint _1073 = _1070 | _1072;
    bool _1074 = _1073 == 0u;
    bool _947 = !_1074;
    float _1633;
    if (_947)
    {
        device Floats* _952 = reinterpret_cast<device Floats*>(as_type<ulong>(_945));
        uint _954 = _551 * 16u;
        uint _956 = _954 + _538;
        float _958 = _952->v[_956];
        _1633 = _958;
    }
    else
    {
        _1633 = 0.0;
    }
    uint _1631;
    float _1656;
    _1656 = _1661;
    _1631 = 0u;
    float _1652;
    for (;;)
    {
        bool _966 = _1631 < 4u;
        if (_966)
        {
            uint _969 = _575 + _1631;
            bool _971 = _969 >= _565;
            if (_971)
            {
                break;
            }
            uint _979 = _542 * _565;
            uint _981 = _979 + _575;
            uint _983 = _981 + _1631;
            uint _984 = _983 * 16u;
            uint _986 = _984 + _538;
            float _990 = sums[_1631];
            float _992 = _990 + _1633;
            uint2 _997 = a.residual;
            uint _1078 = _997.x;
            uint _1080 = _997.y;
            uint _1081 = _1078 | _1080;
            bool _1082 = _1081 == 0u;
            bool _999 = !_1082;
            float _1634;
            if (_999)
            {
                device Floats* _1004 = reinterpret_cast<device Floats*>(as_type<ulong>(_997));
                float _1007 = _1004->v[_986];
                _1634 = _1007;
            }
            else
            {
                _1634 = 0.0;
            }
            uint _1010 = a.residual_last;
            bool _1011 = _1010 == 0u;
            float _1636;
            if (_1011)
            {
                float _1016 = _992 + _1634;
                _1636 = _1016;
            }
            else
            {
                _1636 = _992;
            }
            uint _1022 = a.function;
            float _1026 = a.a;
            float _1029 = a.b;
            do
            {
                bool _1651;
                float _1653;
                switch (_1022)
                {
                    case 0u:
                    {
                        _1653 = _1636;
                        _1651 = true;
                        break;
                    }
                    case 1u:
                    {
                        bool _1122 = _1636 < 0.0;
                        float _1124 = _1122 ? 0.0 : _1636;
                        _1653 = _1124;
                        _1651 = true;
                        break;
                    }
                    case 2u:
                    {
                        bool _1128 = _1636 < _1026;
                        float _1650;
                        if (_1128)
                        {
                            _1650 = _1026;
                        }
                        else
                        {
                            bool _1134 = _1636 > _1029;
                            float _1137 = _1134 ? _1029 : _1636;
                            _1650 = _1137;
                        }
                        _1653 = _1650;
                        _1651 = true;
                        break;
                    }
                    case 3u:
                    {
                        bool _1142 = _1636 < 0.0;
                        float _1649;
                        if (_1142)
                        {
                            float _1146 = _1026 * _1636;
                            _1649 = _1146;
                        }
                        else
                        {
                            _1649 = _1636;
                        }
                        _1653 = _1649;
                        _1651 = true;
                        break;
                    }
                    case 4u:
                    {
                        bool _1154 = _1636 < _1026;
                        float _1156 = _1154 ? 0.0 : _1636;
                        _1653 = _1156;
                        _1651 = true;
                        break;
                    }
                    case 5u:
                    {
                        bool _1159 = _1636 < 0.0;
                        float _1648;
                        if (_1159)
                        {
                            float _1163 = _1026 * _1636;
                            _1648 = _1163;
                        }
                        else
                        {
                            _1648 = _1636;
                        }
                        bool _1170 = _1648 > _1029;
                        float _1173 = _1170 ? _1029 : _1648;
                        _1653 = _1173;
                        _1651 = true;
                        break;
                    }
                    case 6u:
                    {
                        float _1179 = fma(_1026, _1636, _1029);
                        _1653 = _1179;
                        _1651 = true;
                        break;
                    }
                    case 7u:
                    {
                        bool _1182 = _1636 < (-87.0);
                        float _1647;
                        if (_1182)
                        {
                            _1647 = 0.0;
                        }
                        else
                        {
                            float _1382 = fast::clamp(-_1636, -87.0, 87.0);
                            float _1383 = exp(_1382);
                            float _1384 = 1.0 + _1383;
                            float _1385 = 1.0 / _1384;
                            _1647 = _1385;
                        }
                        _1653 = _1647;
                        _1651 = true;
                        break;
                    }
                    case 8u:
                    {
                        float _1646;
                        if (isnan(_1636))
                        {
                            _1646 = _1636;
                        }
                        else
                        {
                            float _1392 = fma(_1026, _1636, _1029);
                            float _1393 = fast::max(0.0, _1392);
                            float _1394 = fast::min(1.0, _1393);
                            _1646 = _1394;
                        }
                        _1653 = _1646;
                        _1651 = true;
                        break;
                    }
                    case 9u:
                    {
                        float _1401 = fma(_1026, _1636, _1029);
                        float _1402 = fast::max(0.0, _1401);
                        float _1403 = fast::min(1.0, _1402);
                        float _1207 = _1636 * _1403;
                        _1653 = _1207;
                        _1651 = true;
                        break;
                    }
                    case 10u:
                    {
                        bool _1210 = _1636 < (-87.0);
                        float _1645;
                        if (_1210)
                        {
                            _1645 = 0.0;
                        }
                        else
                        {
                            float _1408 = fast::clamp(-_1636, -87.0, 87.0);
                            float _1409 = exp(_1408);
                            float _1410 = 1.0 + _1409;
                            float _1411 = 1.0 / _1410;
                            float _1216 = _1636 * _1411;
                            _1645 = _1216;
                        }
                        _1653 = _1645;
                        _1651 = true;
                        break;
                    }
                    case 11u:
                    {
                        float _1221 = _1636 * 0.707106769084930419921875;
                        float _1417 = abs(_1221);
                        float _1419 = fma(0.5, _1417, 1.0);
                        float _1420 = 1.0 / _1419;
                        float _1422 = 0.0154464244842529296875 / _1419;
                        float _1423 = _1422 - 0.13872261345386505126953125;
                        float _1427 = fma(_1423, _1420, 0.461040794849395751953125);
                        float _1431 = fma(_1427, _1420, -0.706877171993255615234375);
                        float _1435 = fma(_1431, _1420, 0.4467795789241790771484375);
                        float _1439 = fma(_1435, _1420, -0.109197147190570831298828125);
                        float _1443 = fma(_1439, _1420, 0.2283391058444976806640625);
                        float _1447 = fma(_1443, _1420, 0.23824338614940643310546875);
                        float _1451 = fma(_1447, _1420, 0.28288352489471435546875);
                        float _1455 = fma(_1451, _1420, 0.2820641100406646728515625);
                        float _1457 = _1636 * (-0.707106769084930419921875);
                        float _1459 = _1457 * _1221;
                        float _1460 = fast::max(_1459, -87.0);
                        float _1461 = exp(_1460);
                        float _1464 = _1420 * _1455;
                        float _1465 = _1461 * _1464;
                        float _1223 = 0.5 * _1465;
                        bool _1226 = _1636 < 0.0;
                        float _1644;
                        if (_1226)
                        {
                            _1644 = _1223;
                        }
                        else
                        {
                            float _1231 = fma(-0.5, _1465, 1.0);
                            _1644 = _1231;
                        }
                        _1653 = _1636 * _1644;
                        _1651 = true;
                        break;
                    }
                    case 12u:
                    {
                        float _1239 = 0.0447149984538555145263671875 * _1636;
                        float _1241 = _1239 * _1636;
                        float _1244 = fma(_1241, _1636, _1636);
                        float _1469 = _1244 * (-1.5957691669464111328125);
                        float _1470 = fast::clamp(_1469, -87.0, 87.0);
                        float _1471 = exp(_1470);
                        float _1472 = 1.0 + _1471;
                        float _1473 = 1.0 / _1472;
                        float _1247 = _1636 * _1473;
                        _1653 = _1247;
                        _1651 = true;
                        break;
                    }
                    case 13u:
                    {
                        float _1477 = _1636 * (-1.70200002193450927734375);
                        float _1478 = fast::clamp(_1477, -87.0, 87.0);
                        float _1479 = exp(_1478);
                        float _1480 = 1.0 + _1479;
                        float _1481 = 1.0 / _1480;
                        float _1253 = _1636 * _1481;
                        _1653 = _1253;
                        _1651 = true;
                        break;
                    }
                    case 14u:
                    {
                        float _1643;
                        if (isnan(_1636))
                        {
                            _1643 = _1636;
                        }
                        else
                        {
                            float _1485 = fast::clamp(_1636, -15.0, 15.0);
                            float _1486 = precise::tanh(_1485);
                            _1643 = _1486;
                        }
                        _1653 = _1643;
                        _1651 = true;
                        break;
                    }
                    case 15u:
                    {
                        float _1642;
                        if (isnan(_1636))
                        {
                            _1642 = _1636;
                        }
                        else
                        {
                            float _1273 = _1029 * _1636;
                            float _1490 = fast::clamp(_1273, -15.0, 15.0);
                            float _1491 = precise::tanh(_1490);
                            float _1275 = _1026 * _1491;
                            _1642 = _1275;
                        }
                        _1653 = _1642;
                        _1651 = true;
                        break;
                    }
                    case 16u:
                    {
                        bool _1280 = _1636 < 0.0;
                        float _1641;
                        if (_1280)
                        {
                            float _1284 = 0.5 * _1636;
                            float _1495 = fast::clamp(_1284, -15.0, 15.0);
                            float _1496 = precise::tanh(_1495);
                            float _1288 = exp(_1636) + 1.0;
                            float _1289 = _1496 * _1288;
                            float _1290 = _1026 * _1289;
                            _1641 = _1290;
                        }
                        else
                        {
                            _1641 = _1636;
                        }
                        _1653 = _1641;
                        _1651 = true;
                        break;
                    }
                    case 17u:
                    {
                        bool _1297 = _1636 > 0.0;
                        float _1299 = _1297 ? _1636 : 0.0;
                        float _1302 = -abs(_1636);
                        float _1303 = exp(_1302);
                        float _1304 = 1.0 + _1303;
                        float _1305 = log(_1304);
                        float _1306 = _1299 + _1305;
                        _1653 = _1306;
                        _1651 = true;
                        break;
                    }
                    case 18u:
                    {
                        float _1311 = 1.0 + abs(_1636);
                        float _1312 = _1636 / _1311;
                        _1653 = _1312;
                        _1651 = true;
                        break;
                    }
                    case 19u:
                    {
                        _1653 = exp(_1636);
                        _1651 = true;
                        break;
                    }
                    case 20u:
                    {
                        float _1319 = _1636 + _1026;
                        float _1320 = log(_1319);
                        _1653 = _1320;
                        _1651 = true;
                        break;
                    }
                    case 21u:
                    {
                        _1653 = sqrt(_1636);
                        _1651 = true;
                        break;
                    }
                    case 22u:
                    {
                        float _1327 = _1636 + _1026;
                        float _1328 = sqrt(_1327);
                        float _1329 = 1.0 / _1328;
                        _1653 = _1329;
                        _1651 = true;
                        break;
                    }
                    case 23u:
                    {
                        float _1333 = _1636 + _1026;
                        float _1334 = 1.0 / _1333;
                        _1653 = _1334;
                        _1651 = true;
                        break;
                    }
                    case 24u:
                    {
                        float _1640;
                        if (isnan(_1636))
                        {
                            _1640 = _1636;
                        }
                        else
                        {
                            float _1639;
                            do
                            {
                                float _1509 = _1636 * _1636;
                                bool _1511 = _1509 < 1.0;
                                if (_1511)
                                {
                                    float _1515 = fma(7.87587487138807773590087890625e-05, _1509, -0.00080168643034994602203369140625);
                                    float _1519 = fma(_1515, _1509, 0.0051890872418880462646484375);
                                    float _1523 = fma(_1519, _1509, -0.02685421146452426910400390625);
                                    float _1527 = fma(_1523, _1509, 0.112835943698883056640625);
                                    float _1531 = fma(_1527, _1509, -0.3761262595653533935546875);
                                    float _1536 = fma(_1531, _1509, 1.12837922573089599609375);
                                    float _1537 = _1636 * _1536;
                                    _1639 = _1537;
                                    break;
                                }
                                float _1560 = fma(0.5, abs(_1636), 1.0);
                                float _1561 = 1.0 / _1560;
                                float _1563 = 0.0154464244842529296875 / _1560;
                                float _1564 = _1563 - 0.13872261345386505126953125;
                                float _1568 = fma(_1564, _1561, 0.461040794849395751953125);
                                float _1572 = fma(_1568, _1561, -0.706877171993255615234375);
                                float _1576 = fma(_1572, _1561, 0.4467795789241790771484375);
                                float _1580 = fma(_1576, _1561, -0.109197147190570831298828125);
                                float _1584 = fma(_1580, _1561, 0.2283391058444976806640625);
                                float _1588 = fma(_1584, _1561, 0.23824338614940643310546875);
                                float _1592 = fma(_1588, _1561, 0.28288352489471435546875);
                                float _1596 = fma(_1592, _1561, 0.2820641100406646728515625);
                                float _1600 = (-_1636) * _1636;
                                float _1601 = fast::max(_1600, -87.0);
                                float _1602 = exp(_1601);
                                float _1605 = _1561 * _1596;
                                float _1613 = -_1602;
                                float _1541 = fma(_1613, _1605, 1.0);
                                bool _1543 = _1636 < 0.0;
                                float _1638;
                                if (_1543)
                                {
                                    float _1546 = -_1541;
                                    _1638 = _1546;
                                }
                                else
                                {
                                    _1638 = _1541;
                                }
                                _1639 = _1638;
                                break;
                            } while(false);
                            _1640 = _1639;
                        }
                        _1653 = _1640;
                        _1651 = true;
                        break;
                    }
                    case 25u:
                    {
                        _1653 = abs(_1636);
                        _1651 = true;
                        break;
                    }
                    case 26u:
                    {
                        _1653 = _1636 * _1636;
                        _1651 = true;
                        break;
                    }
                    case 27u:
                    {
                        _1653 = floor(_1636);
                        _1651 = true;
                        break;
                    }
                    case 28u:
                    {
                        _1653 = ceil(_1636);
                        _1651 = true;
                        break;
                    }
                    case 29u:
                    {
                        _1653 = rint(_1636);
                        _1651 = true;
                        break;
                    }
                    case 30u:
                    {
                        bool _1363 = _1636 > 0.0;
                        float _1637;
                        if (_1363)
                        {
                            _1637 = 1.0;
                        }
                        else
                        {
                            bool _1367 = _1636 < 0.0;
                            float _1369 = _1367 ? (-1.0) : _1636;
                            _1637 = _1369;
                        }
                        _1653 = _1637;
                        _1651 = true;
                        break;
                    }
                    default:
                    {
                        _1653 = _1656;
                        _1651 = false;
                        break;
                    }
                }
                if (_1651)
                {
                    _1652 = _1653;
                    break;
                }
                _1652 = _1636;
                break;
            } while(false);
            bool _1035 = _1010 != 0u;
            float _1680;
            if (_1035)
            {
                _1680 = _1652 + _1634;
            }
            else
            {
                _1680 = _1652;
            }
            uint2 _1043 = a.y;
            device Floats* _1044 = reinterpret_cast<device Floats*>(as_type<ulong>(_1043));
            _1044->v[_986] = _1680;
            uint _1049 = _1631 + uint(1);
            _1656 = _1652;
            _1631 = _1049;
            continue;
        }
        else
        {
            break;
        }
    }
}

