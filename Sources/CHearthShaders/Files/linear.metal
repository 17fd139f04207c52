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
    uint rows;
    uint inner;
    uint columns;
    uint x_row;
    uint x_inner;
    uint y_row;
    uint w_panel;
    uint w_column;
    uint w_inner;
    uint x_batch;
    uint w_batch;
    uint y_batch;
    uint row_groups;
    uint function;
    uint residual_last;
    float scale;
    float a;
    float b;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);
constant float _1470 = {};

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[256];
    do
    {
        uint _536 = gl_LocalInvocationID.x;
        uint _538 = _536 % 16u;
        uint _542 = _536 / 16u;
        uint _546 = gl_WorkGroupID.x;
        uint _547 = _546 * 16u;
        uint _549 = _547 + _538;
        uint _552 = gl_WorkGroupID.y;
        uint _560 = a.row_groups;
        uint _561 = _552 / _560;
        uint _567 = _552 % _560;
        uint _569 = _567 * 4u;
        uint _573 = a.rows;
        uint _575 = _573 - _569;
        uint _576 = min(4u, _575);
        uint _1436;
        _1436 = 0u;
        spvUnsafeArray<float, 4> sums;
        for (;;)
        {
            bool _584 = _1436 < 4u;
            if (_584)
            {
                sums[_1436] = 0.0;
                uint _592 = _1436 + uint(1);
                _1436 = _592;
                continue;
            }
            else
            {
                break;
            }
        }
        uint _596 = a.columns;
        bool _597 = _549 < _596;
        if (_597)
        {
            uint _604 = a.w_batch;
            uint _605 = _561 * _604;
            uint _610 = a.w_panel;
            uint _611 = _546 * _610;
            uint _612 = _605 + _611;
            uint _616 = a.w_column;
            uint _617 = _538 * _616;
            uint _618 = _612 + _617;
            uint _623 = a.x_batch;
            uint _624 = _561 * _623;
            uint _628 = a.x_row;
            uint _629 = _569 * _628;
            uint _630 = _624 + _629;
            uint _1437;
            _1437 = _542;
            for (;;)
            {
                uint _641 = a.inner;
                bool _642 = _1437 < _641;
                if (_642)
                {
                    uint2 _646 = a.weights;
                    device Floats* _650 = reinterpret_cast<device Floats*>(as_type<ulong>(_646));
                    uint _656 = a.w_inner;
                    uint _657 = _1437 * _656;
                    uint _658 = _618 + _657;
                    float _661 = _650->v[_658];
                    uint _1490;
                    _1490 = 0u;
                    for (;;)
                    {
                        bool _670 = _1490 < _576;
                        if (_670)
                        {
                            uint2 _674 = a.x;
                            device Floats* _675 = reinterpret_cast<device Floats*>(as_type<ulong>(_674));
                            uint _680 = _1490 * _628;
                            uint _681 = _630 + _680;
                            uint _685 = a.x_inner;
                            uint _686 = _1437 * _685;
                            uint _687 = _681 + _686;
                            float _689 = _675->v[_687];
                            float _692 = sums[_1490];
                            float _693 = fma(_661, _689, _692);
                            sums[_1490] = _693;
                            uint _696 = _1490 + uint(1);
                            _1490 = _696;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    uint _698 = _1437 + 4u;
                    _1437 = _698;
                    continue;
                }
                else
                {
                    break;
                }
            }
        }
        uint _1438;
        _1438 = 0u;
        for (;;)
        {
            bool _706 = _1438 < 4u;
            if (_706)
            {
                uint _713 = _1438 * 64u;
                uint _716 = _713 + _536;
                float _719 = sums[_1438];
                parts[_716] = _719;
                uint _723 = _1438 + uint(1);
                _1438 = _723;
                continue;
            }
            else
            {
                break;
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        bool _728 = _542 >= _576;
        bool _729 = !_728;
        bool _736;
        if (_729)
        {
            bool _735 = _549 >= _596;
            _736 = _735;
        }
        else
        {
            _736 = _728;
        }
        if (_736)
        {
            break;
        }
        uint _1439;
        float _1440;
        _1440 = 0.0;
        _1439 = 0u;
        for (;;)
        {
            bool _748 = _1439 < 4u;
            if (_748)
            {
                uint _750 = _542 * 64u;
                uint _752 = _1439 * 16u;
                uint _753 = _750 + _752;
                uint _755 = _753 + _538;
                float _757 = parts[_755];
                float _759 = _1440 + _757;
                uint _761 = _1439 + uint(1);
                _1440 = _759;
                _1439 = _761;
                continue;
            }
            else
            {
                break;
            }
        }
        uint _766 = a.y_batch;
        uint _767 = _561 * _766;
        uint _770 = _569 + _542;
        uint _773 = a.y_row;
        uint _774 = _770 * _773;
        uint _775 = _767 + _774;
        uint _777 = _775 + _549;
        float _783 = a.scale;
        float _784 = _1440 * _783;
        uint2 _788 = a.bias0;
        uint _877 = _788.x;
        uint _879 = _788.y;
        uint _880 = _877 | _879;
        bool _881 = _880 == 0u;
        bool _790 = !_881;
        float _1443;
        if (_790)
        {
            device Floats* _795 = reinterpret_cast<device Floats*>(as_type<ulong>(_788));
            float _798 = _795->v[_549];
            float _800 = fma(_1440, _783, _798);
            _1443 = _800;
        }
        else
        {
            _1443 = _784;
        }
        uint2 _805 = a.residual;
        uint _885 = _805.x;
        uint _887 = _805.y;
        uint _888 = _885 | _887;
        bool _889 = _888 == 0u;
        bool _807 = !_889;
        float _1441;
        if (_807)
        {
            device Floats* _812 = reinterpret_cast<device Floats*>(as_type<ulong>(_805));
            float _815 = _812->v[_777];
            _1441 = _815;
        }
        else
        {
            _1441 = 0.0;
        }
        uint _818 = a.residual_last;
        bool _819 = _818 == 0u;
        float _1444;
        if (_819)
        {
            _1444 = _1443 + _1441;
        }
        else
        {
            _1444 = _1443;
        }
        uint _830 = a.function;
        float _833 = a.a;
        float _836 = a.b;
        float _1460;
        do
        {
            bool _1459;
            float _1461;
            switch (_830)
            {
                case 0u:
                {
                    _1461 = _1444;
                    _1459 = true;
                    break;
                }
                case 1u:
                {
                    bool _929 = _1444 < 0.0;
                    float _931 = _929 ? 0.0 : _1444;
                    _1461 = _931;
                    _1459 = true;
                    break;
                }
                case 2u:
                {
                    bool _935 = _1444 < _833;
                    float _1458;
                    if (_935)
                    {
                        _1458 = _833;
                    }
                    else
                    {
                        bool _941 = _1444 > _836;
                        float _944 = _941 ? _836 : _1444;
                        _1458 = _944;
                    }
                    _1461 = _1458;
                    _1459 = true;
                    break;
                }
                case 3u:
                {
                    bool _949 = _1444 < 0.0;
                    float _1457;
                    if (_949)
                    {
                        float _953 = _833 * _1444;
                        _1457 = _953;
                    }
                    else
                    {
                        _1457 = _1444;
                    }
                    _1461 = _1457;
                    _1459 = true;
                    break;
                }
                case 4u:
                {
                    bool _961 = _1444 < _833;
                    float _963 = _961 ? 0.0 : _1444;
                    _1461 = _963;
                    _1459 = true;
                    break;
                }
                case 5u:
                {
                    bool _966 = _1444 < 0.0;
                    float _1456;
                    if (_966)
                    {
                        float _970 = _833 * _1444;
                        _1456 = _970;
                    }
                    else
                    {
                        _1456 = _1444;
                    }
                    bool _977 = _1456 > _836;
                    float _980 = _977 ? _836 : _1456;
                    _1461 = _980;
                    _1459 = true;
                    break;
                }
                case 6u:
                {
                    float _986 = fma(_833, _1444, _836);
                    _1461 = _986;
                    _1459 = true;
                    break;
                }
                case 7u:
                {
                    bool _989 = _1444 < (-87.0);
                    float _1455;
                    if (_989)
                    {
                        _1455 = 0.0;
                    }
                    else
                    {
                        float _1189 = fast::clamp(-_1444, -87.0, 87.0);
                        float _1190 = exp(_1189);
                        float _1191 = 1.0 + _1190;
                        float _1192 = 1.0 / _1191;
                        _1455 = _1192;
                    }
                    _1461 = _1455;
                    _1459 = true;
                    break;
                }
                case 8u:
                {
                    float _1454;
                    if (isnan(_1444))
                    {
                        _1454 = _1444;
                    }
                    else
                    {
                        float _1199 = fma(_833, _1444, _836);
                        float _1200 = fast::max(0.0, _1199);
                        float _1201 = fast::min(1.0, _1200);
                        _1454 = _1201;
                    }
                    _1461 = _1454;
                    _1459 = true;
                    break;
                }
                case 9u:
                {
                    float _1208 = fma(_833, _1444, _836);
                    float _1209 = fast::max(0.0, _1208);
                    float _1210 = fast::min(1.0, _1209);
                    float _1014 = _1444 * _1210;
                    _1461 = _1014;
                    _1459 = true;
                    break;
                }
                case 10u:
                {
                    bool _1017 = _1444 < (-87.0);
                    float _1453;
                    if (_1017)
                    {
                        _1453 = 0.0;
                    }
                    else
                    {
                        float _1215 = fast::clamp(-_1444, -87.0, 87.0);
                        float _1216 = exp(_1215);
                        float _1217 = 1.0 + _1216;
                        float _1218 = 1.0 / _1217;
                        float _1023 = _1444 * _1218;
                        _1453 = _1023;
                    }
                    _1461 = _1453;
                    _1459 = true;
                    break;
                }
                case 11u:
                {
                    float _1028 = _1444 * 0.707106769084930419921875;
                    float _1224 = abs(_1028);
                    float _1226 = fma(0.5, _1224, 1.0);
                    float _1227 = 1.0 / _1226;
                    float _1229 = 0.0154464244842529296875 / _1226;
                    float _1230 = _1229 - 0.13872261345386505126953125;
                    float _1234 = fma(_1230, _1227, 0.461040794849395751953125);
                    float _1238 = fma(_1234, _1227, -0.706877171993255615234375);
                    float _1242 = fma(_1238, _1227, 0.4467795789241790771484375);
                    float _1246 = fma(_1242, _1227, -0.109197147190570831298828125);
                    float _1250 = fma(_1246, _1227, 0.2283391058444976806640625);
                    float _1254 = fma(_1250, _1227, 0.23824338614940643310546875);
                    float _1258 = fma(_1254, _1227, 0.28288352489471435546875);
                    float _1262 = fma(_1258, _1227, 0.2820641100406646728515625);
                    float _1264 = _1444 * (-0.707106769084930419921875);
                    float _1266 = _1264 * _1028;
                    float _1267 = fast::max(_1266, -87.0);
                    float _1268 = exp(_1267);
                    float _1271 = _1227 * _1262;
                    float _1272 = _1268 * _1271;
                    float _1030 = 0.5 * _1272;
                    bool _1033 = _1444 < 0.0;
                    float _1452;
                    if (_1033)
                    {
                        _1452 = _1030;
                    }
                    else
                    {
                        float _1038 = fma(-0.5, _1272, 1.0);
                        _1452 = _1038;
                    }
                    _1461 = _1444 * _1452;
                    _1459 = true;
                    break;
                }
                case 12u:
                {
                    float _1046 = 0.0447149984538555145263671875 * _1444;
                    float _1048 = _1046 * _1444;
                    float _1051 = fma(_1048, _1444, _1444);
                    float _1276 = _1051 * (-1.5957691669464111328125);
                    float _1277 = fast::clamp(_1276, -87.0, 87.0);
                    float _1278 = exp(_1277);
                    float _1279 = 1.0 + _1278;
                    float _1280 = 1.0 / _1279;
                    float _1054 = _1444 * _1280;
                    _1461 = _1054;
                    _1459 = true;
                    break;
                }
                case 13u:
                {
                    float _1284 = _1444 * (-1.70200002193450927734375);
                    float _1285 = fast::clamp(_1284, -87.0, 87.0);
                    float _1286 = exp(_1285);
                    float _1287 = 1.0 + _1286;
                    float _1288 = 1.0 / _1287;
                    float _1060 = _1444 * _1288;
                    _1461 = _1060;
                    _1459 = true;
                    break;
                }
                case 14u:
                {
                    float _1451;
                    if (isnan(_1444))
                    {
                        _1451 = _1444;
                    }
                    else
                    {
                        float _1292 = fast::clamp(_1444, -15.0, 15.0);
                        float _1293 = precise::tanh(_1292);
                        _1451 = _1293;
                    }
                    _1461 = _1451;
                    _1459 = true;
                    break;
                }
                case 15u:
                {
                    float _1450;
                    if (isnan(_1444))
                    {
                        _1450 = _1444;
                    }
                    else
                    {
                        float _1080 = _836 * _1444;
                        float _1297 = fast::clamp(_1080, -15.0, 15.0);
                        float _1298 = precise::tanh(_1297);
                        float _1082 = _833 * _1298;
                        _1450 = _1082;
                    }
                    _1461 = _1450;
                    _1459 = true;
                    break;
                }
                case 16u:
                {
                    bool _1087 = _1444 < 0.0;
                    float _1449;
                    if (_1087)
                    {
                        float _1091 = 0.5 * _1444;
                        float _1302 = fast::clamp(_1091, -15.0, 15.0);
                        float _1303 = precise::tanh(_1302);
                        float _1095 = exp(_1444) + 1.0;
                        float _1096 = _1303 * _1095;
                        float _1097 = _833 * _1096;
                        _1449 = _1097;
                    }
                    else
                    {
                        _1449 = _1444;
                    }
                    _1461 = _1449;
                    _1459 = true;
                    break;
                }
                case 17u:
                {
                    bool _1104 = _1444 > 0.0;
                    float _1106 = _1104 ? _1444 : 0.0;
                    float _1109 = -abs(_1444);
                    float _1110 = exp(_1109);
                    float _1111 = 1.0 + _1110;
                    float _1112 = log(_1111);
                    float _1113 = _1106 + _1112;
                    _1461 = _1113;
                    _1459 = true;
                    break;
                }
                case 18u:
                {
                    float _1118 = 1.0 + abs(_1444);
                    float _1119 = _1444 / _1118;
                    _1461 = _1119;
                    _1459 = true;
                    break;
                }
                case 19u:
                {
                    _1461 = exp(_1444);
                    _1459 = true;
                    break;
                }
                case 20u:
                {
                    float _1126 = _1444 + _833;
                    float _1127 = log(_1126);
                    _1461 = _1127;
                    _1459 = true;
                    break;
                }
                case 21u:
                {
                    _1461 = sqrt(_1444);
                    _1459 = true;
                    break;
                }
                case 22u:
                {
                    float _1134 = _1444 + _833;
                    float _1135 = sqrt(_1134);
                    float _1136 = 1.0 / _1135;
                    _1461 = _1136;
                    _1459 = true;
                    break;
                }
                case 23u:
                {
                    float _1140 = _1444 + _833;
                    float _1141 = 1.0 / _1140;
                    _1461 = _1141;
                    _1459 = true;
                    break;
                }
                case 24u:
                {
                    float _1448;
                    if (isnan(_1444))
                    {
                        _1448 = _1444;
                    }
                    else
                    {
                        float _1447;
                        do
                        {
                            float _1316 = _1444 * _1444;
                            bool _1318 = _1316 < 1.0;
                            if (_1318)
                            {
                                float _1322 = fma(7.87587487138807773590087890625e-05, _1316, -0.00080168643034994602203369140625);
                                float _1326 = fma(_1322, _1316, 0.0051890872418880462646484375);
                                float _1330 = fma(_1326, _1316, -0.02685421146452426910400390625);
                                float _1334 = fma(_1330, _1316, 0.112835943698883056640625);
                                float _1338 = fma(_1334, _1316, -0.3761262595653533935546875);
                                float _1343 = fma(_1338, _1316, 1.12837922573089599609375);
                                float _1344 = _1444 * _1343;
                                _1447 = _1344;
                                break;
                            }
                            float _1367 = fma(0.5, abs(_1444), 1.0);
                            float _1368 = 1.0 / _1367;
                            float _1370 = 0.0154464244842529296875 / _1367;
                            float _1371 = _1370 - 0.13872261345386505126953125;
                            float _1375 = fma(_1371, _1368, 0.461040794849395751953125);
                            float _1379 = fma(_1375, _1368, -0.706877171993255615234375);
                            float _1383 = fma(_1379, _1368, 0.4467795789241790771484375);
                            float _1387 = fma(_1383, _1368, -0.109197147190570831298828125);
                            float _1391 = fma(_1387, _1368, 0.2283391058444976806640625);
                            float _1395 = fma(_1391, _1368, 0.23824338614940643310546875);
                            float _1399 = fma(_1395, _1368, 0.28288352489471435546875);
                            float _1403 = fma(_1399, _1368, 0.2820641100406646728515625);
                            float _1407 = (-_1444) * _1444;
                            float _1408 = fast::max(_1407, -87.0);
                            float _1409 = exp(_1408);
                            float _1412 = _1368 * _1403;
                            float _1420 = -_1409;
                            float _1348 = fma(_1420, _1412, 1.0);
                            bool _1350 = _1444 < 0.0;
                            float _1446;
                            if (_1350)
                            {
                                float _1353 = -_1348;
                                _1446 = _1353;
                            }
                            else
                            {
                                _1446 = _1348;
                            }
                            _1447 = _1446;
                            break;
                        } while(false);
                        _1448 = _1447;
                    }
                    _1461 = _1448;
                    _1459 = true;
                    break;
                }
                case 25u:
                {
                    _1461 = abs(_1444);
                    _1459 = true;
                    break;
                }
                case 26u:
                {
                    _1461 = _1444 * _1444;
                    _1459 = true;
                    break;
                }
                case 27u:
                {
                    _1461 = floor(_1444);
                    _1459 = true;
                    break;
                }
                case 28u:
                {
                    _1461 = ceil(_1444);
                    _1459 = true;
                    break;
                }
                case 29u:
                {
                    _1461 = rint(_1444);
                    _1459 = true;
                    break;
                }
                case 30u:
                {
                    bool _1170 = _1444 > 0.0;
                    float _1445;
                    if (_1170)
                    {
                        _1445 = 1.0;
                    }
                    else
                    {
                        bool _1174 = _1444 < 0.0;
                        float _1176 = _1174 ? (-1.0) : _1444;
                        _1445 = _1176;
                    }
                    _1461 = _1445;
                    _1459 = true;
                    break;
                }
                default:
                {
                    _1461 = _1470;
                    _1459 = false;
                    break;
                }
            }
            if (_1459)
            {
                _1460 = _1461;
                break;
            }
            _1460 = _1444;
            break;
        } while(false);
        bool _842 = _818 != 0u;
        float _1489;
        if (_842)
        {
            _1489 = _1460 + _1441;
        }
        else
        {
            _1489 = _1460;
        }
        uint2 _850 = a.y;
        device Floats* _851 = reinterpret_cast<device Floats*>(as_type<ulong>(_850));
        _851->v[_777] = _1489;
        break;
    } while(false);
}

