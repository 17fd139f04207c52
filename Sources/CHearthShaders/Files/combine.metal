#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 z;
    uint2 y;
    uint sizes[6];
    uint x_strides[6];
    uint z_strides[6];
    uint operation;
    uint function;
    float a;
    float b;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);
constant float _1503 = {};

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    uint _1484;
    uint _1487;
    _1487 = 1u;
    _1484 = 0u;
    for (;;)
    {
        bool _669 = _1484 < 6u;
        if (_669)
        {
            uint _673 = a.sizes[_1484];
            uint _675 = _1487 * _673;
            uint _678 = _1484 + uint(1);
            _1487 = _675;
            _1484 = _678;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _685 = gl_GlobalInvocationID.x;
    uint _783;
    uint _785;
    uint _787;
    float _1498;
    float _1519;
    float _1501;
    float _1524;
    for (uint _1485 = _685; _1485 < _1487; _783 = gl_NumWorkGroups.x, _785 = _783 * 64u, _787 = _1485 + _785, _1524 = _1519, _1501 = _1498, _1485 = _787)
    {
        uint _1488;
        uint _1490;
        uint _1491;
        uint _1556;
        _1556 = _1485;
        _1491 = 0u;
        _1490 = 0u;
        _1488 = 6u;
        for (;;)
        {
            bool _705 = _1488 > 0u;
            if (_705)
            {
                uint _709 = _1488 - 1u;
                uint _711 = a.sizes[_709];
                uint _712 = _1556 % _711;
                uint _718 = _1556 / _711;
                uint _724 = a.x_strides[_709];
                uint _725 = _712 * _724;
                uint _727 = _1490 + _725;
                uint _733 = a.z_strides[_709];
                uint _734 = _712 * _733;
                uint _736 = _1491 + _734;
                uint _738 = _1488 - uint(1);
                _1556 = _718;
                _1491 = _736;
                _1490 = _727;
                _1488 = _738;
                continue;
            }
            else
            {
                break;
            }
        }
        uint2 _742 = a.y;
        device Floats* _746 = reinterpret_cast<device Floats*>(as_type<ulong>(_742));
        uint2 _753 = a.x;
        device Floats* _754 = reinterpret_cast<device Floats*>(as_type<ulong>(_753));
        uint2 _757 = a.z;
        device Floats* _758 = reinterpret_cast<device Floats*>(as_type<ulong>(_757));
        float _763 = _754->v[_1490];
        float _766 = _758->v[_1491];
        do
        {
            uint _825 = a.operation;
            bool _1496;
            float _1499;
            switch (_825)
            {
                case 0u:
                {
                    float _829 = _763 + _766;
                    _1499 = _829;
                    _1496 = true;
                    break;
                }
                case 1u:
                {
                    float _833 = _763 - _766;
                    _1499 = _833;
                    _1496 = true;
                    break;
                }
                case 2u:
                {
                    float _837 = _763 * _766;
                    _1499 = _837;
                    _1496 = true;
                    break;
                }
                case 3u:
                {
                    float _841 = _763 / _766;
                    _1499 = _841;
                    _1496 = true;
                    break;
                }
                case 4u:
                {
                    bool _844 = isnan(_763);
                    bool _847 = _763 > _766;
                    bool _848 = _844 || _847;
                    float _851 = _848 ? _763 : _766;
                    _1499 = _851;
                    _1496 = true;
                    break;
                }
                case 5u:
                {
                    bool _854 = isnan(_763);
                    bool _857 = _763 < _766;
                    bool _858 = _854 || _857;
                    float _861 = _858 ? _763 : _766;
                    _1499 = _861;
                    _1496 = true;
                    break;
                }
                case 6u:
                {
                    float _1495;
                    do
                    {
                        bool _891 = _763 >= 0.0;
                        bool _892 = !_891;
                        bool _897;
                        if (_892)
                        {
                            bool _895 = isnan(_763);
                            _897 = _895;
                        }
                        else
                        {
                            _897 = _891;
                        }
                        if (_897)
                        {
                            bool _900 = _766 == 0.0;
                            float _1494;
                            if (_900)
                            {
                                _1494 = 1.0;
                            }
                            else
                            {
                                float _905 = pow(_763, _766);
                                _1494 = _905;
                            }
                            _1495 = _1494;
                            break;
                        }
                        float _910 = floor(_766);
                        bool _912 = _910 != _766;
                        if (_912)
                        {
                            _1495 = as_type<float>(0x7fc00000u /* nan */);
                            break;
                        }
                        bool _917 = _766 == 0.0;
                        float _1492;
                        if (_917)
                        {
                            _1492 = 1.0;
                        }
                        else
                        {
                            float _921 = -_763;
                            float _923 = pow(_921, _766);
                            _1492 = _923;
                        }
                        float _927 = _766 * 0.5;
                        float _928 = floor(_927);
                        float _929 = _928 * 2.0;
                        bool _931 = _929 == _766;
                        float _1493;
                        if (_931)
                        {
                            _1493 = _1492;
                        }
                        else
                        {
                            _1493 = -_1492;
                        }
                        _1495 = _1493;
                        break;
                    } while(false);
                    _1499 = _1495;
                    _1496 = true;
                    break;
                }
                default:
                {
                    _1499 = _1501;
                    _1496 = false;
                    break;
                }
            }
            if (_1496)
            {
                _1498 = _1499;
                break;
            }
            bool _870 = _763 < 0.0;
            float _1497;
            if (_870)
            {
                float _874 = _766 * _763;
                _1497 = _874;
            }
            else
            {
                _1497 = _763;
            }
            _1498 = _1497;
            break;
        } while(false);
        uint _770 = a.function;
        float _774 = a.a;
        float _777 = a.b;
        do
        {
            bool _1518;
            float _1520;
            switch (_770)
            {
                case 0u:
                {
                    _1520 = _1498;
                    _1518 = true;
                    break;
                }
                case 1u:
                {
                    bool _980 = _1498 < 0.0;
                    float _982 = _980 ? 0.0 : _1498;
                    _1520 = _982;
                    _1518 = true;
                    break;
                }
                case 2u:
                {
                    bool _986 = _1498 < _774;
                    float _1517;
                    if (_986)
                    {
                        _1517 = _774;
                    }
                    else
                    {
                        bool _992 = _1498 > _777;
                        float _995 = _992 ? _777 : _1498;
                        _1517 = _995;
                    }
                    _1520 = _1517;
                    _1518 = true;
                    break;
                }
                case 3u:
                {
                    bool _1000 = _1498 < 0.0;
                    float _1516;
                    if (_1000)
                    {
                        float _1004 = _774 * _1498;
                        _1516 = _1004;
                    }
                    else
                    {
                        _1516 = _1498;
                    }
                    _1520 = _1516;
                    _1518 = true;
                    break;
                }
                case 4u:
                {
                    bool _1012 = _1498 < _774;
                    float _1014 = _1012 ? 0.0 : _1498;
                    _1520 = _1014;
                    _1518 = true;
                    break;
                }
                case 5u:
                {
                    bool _1017 = _1498 < 0.0;
                    float _1515;
                    if (_1017)
                    {
                        float _1021 = _774 * _1498;
                        _1515 = _1021;
                    }
                    else
                    {
                        _1515 = _1498;
                    }
                    bool _1028 = _1515 > _777;
                    float _1031 = _1028 ? _777 : _1515;
                    _1520 = _1031;
                    _1518 = true;
                    break;
                }
                case 6u:
                {
                    float _1037 = fma(_774, _1498, _777);
                    _1520 = _1037;
                    _1518 = true;
                    break;
                }
                case 7u:
                {
                    bool _1040 = _1498 < (-87.0);
                    float _1514;
                    if (_1040)
                    {
                        _1514 = 0.0;
                    }
                    else
                    {
                        float _1240 = fast::clamp(-_1498, -87.0, 87.0);
                        float _1241 = exp(_1240);
                        float _1242 = 1.0 + _1241;
                        float _1243 = 1.0 / _1242;
                        _1514 = _1243;
                    }
                    _1520 = _1514;
                    _1518 = true;
                    break;
                }
                case 8u:
                {
                    float _1513;
                    if (isnan(_1498))
                    {
                        _1513 = _1498;
                    }
                    else
                    {
                        float _1250 = fma(_774, _1498, _777);
                        float _1251 = fast::max(0.0, _1250);
                        float _1252 = fast::min(1.0, _1251);
                        _1513 = _1252;
                    }
                    _1520 = _1513;
                    _1518 = true;
                    break;
                }
                case 9u:
                {
                    float _1259 = fma(_774, _1498, _777);
                    float _1260 = fast::max(0.0, _1259);
                    float _1261 = fast::min(1.0, _1260);
                    float _1065 = _1498 * _1261;
                    _1520 = _1065;
                    _1518 = true;
                    break;
                }
                case 10u:
                {
                    bool _1068 = _1498 < (-87.0);
                    float _1512;
                    if (_1068)
                    {
                        _1512 = 0.0;
                    }
                    else
                    {
                        float _1266 = fast::clamp(-_1498, -87.0, 87.0);
                        float _1267 = exp(_1266);
                        float _1268 = 1.0 + _1267;
                        float _1269 = 1.0 / _1268;
                        float _1074 = _1498 * _1269;
                        _1512 = _1074;
                    }
                    _1520 = _1512;
                    _1518 = true;
                    break;
                }
                case 11u:
                {
                    float _1079 = _1498 * 0.707106769084930419921875;
                    float _1275 = abs(_1079);
                    float _1277 = fma(0.5, _1275, 1.0);
                    float _1278 = 1.0 / _1277;
                    float _1280 = 0.0154464244842529296875 / _1277;
                    float _1281 = _1280 - 0.13872261345386505126953125;
                    float _1285 = fma(_1281, _1278, 0.461040794849395751953125);
                    float _1289 = fma(_1285, _1278, -0.706877171993255615234375);
                    float _1293 = fma(_1289, _1278, 0.4467795789241790771484375);
                    float _1297 = fma(_1293, _1278, -0.109197147190570831298828125);
                    float _1301 = fma(_1297, _1278, 0.2283391058444976806640625);
                    float _1305 = fma(_1301, _1278, 0.23824338614940643310546875);
                    float _1309 = fma(_1305, _1278, 0.28288352489471435546875);
                    float _1313 = fma(_1309, _1278, 0.2820641100406646728515625);
                    float _1315 = _1498 * (-0.707106769084930419921875);
                    float _1317 = _1315 * _1079;
                    float _1318 = fast::max(_1317, -87.0);
                    float _1319 = exp(_1318);
                    float _1322 = _1278 * _1313;
                    float _1323 = _1319 * _1322;
                    float _1081 = 0.5 * _1323;
                    bool _1084 = _1498 < 0.0;
                    float _1511;
                    if (_1084)
                    {
                        _1511 = _1081;
                    }
                    else
                    {
                        float _1089 = fma(-0.5, _1323, 1.0);
                        _1511 = _1089;
                    }
                    _1520 = _1498 * _1511;
                    _1518 = true;
                    break;
                }
                case 12u:
                {
                    float _1097 = 0.0447149984538555145263671875 * _1498;
                    float _1099 = _1097 * _1498;
                    float _1102 = fma(_1099, _1498, _1498);
                    float _1327 = _1102 * (-1.5957691669464111328125);
                    float _1328 = fast::clamp(_1327, -87.0, 87.0);
                    float _1329 = exp(_1328);
                    float _1330 = 1.0 + _1329;
                    float _1331 = 1.0 / _1330;
                    float _1105 = _1498 * _1331;
                    _1520 = _1105;
                    _1518 = true;
                    break;
                }
                case 13u:
                {
                    float _1335 = _1498 * (-1.70200002193450927734375);
                    float _1336 = fast::clamp(_1335, -87.0, 87.0);
                    float _1337 = exp(_1336);
                    float _1338 = 1.0 + _1337;
                    float _1339 = 1.0 / _1338;
                    float _1111 = _1498 * _1339;
                    _1520 = _1111;
                    _1518 = true;
                    break;
                }
                case 14u:
                {
                    float _1510;
                    if (isnan(_1498))
                    {
                        _1510 = _1498;
                    }
                    else
                    {
                        float _1343 = fast::clamp(_1498, -15.0, 15.0);
                        float _1344 = precise::tanh(_1343);
                        _1510 = _1344;
                    }
                    _1520 = _1510;
                    _1518 = true;
                    break;
                }
                case 15u:
                {
                    float _1509;
                    if (isnan(_1498))
                    {
                        _1509 = _1498;
                    }
                    else
                    {
                        float _1131 = _777 * _1498;
                        float _1348 = fast::clamp(_1131, -15.0, 15.0);
                        float _1349 = precise::tanh(_1348);
                        float _1133 = _774 * _1349;
                        _1509 = _1133;
                    }
                    _1520 = _1509;
                    _1518 = true;
                    break;
                }
                case 16u:
                {
                    bool _1138 = _1498 < 0.0;
                    float _1508;
                    if (_1138)
                    {
                        float _1142 = 0.5 * _1498;
                        float _1353 = fast::clamp(_1142, -15.0, 15.0);
                        float _1354 = precise::tanh(_1353);
                        float _1146 = exp(_1498) + 1.0;
                        float _1147 = _1354 * _1146;
                        float _1148 = _774 * _1147;
                        _1508 = _1148;
                    }
                    else
                    {
                        _1508 = _1498;
                    }
                    _1520 = _1508;
                    _1518 = true;
                    break;
                }
                case 17u:
                {
                    bool _1155 = _1498 > 0.0;
                    float _1157 = _1155 ? _1498 : 0.0;
                    float _1160 = -abs(_1498);
                    float _1161 = exp(_1160);
                    float _1162 = 1.0 + _1161;
                    float _1163 = log(_1162);
                    float _1164 = _1157 + _1163;
                    _1520 = _1164;
                    _1518 = true;
                    break;
                }
                case 18u:
                {
                    float _1169 = 1.0 + abs(_1498);
                    float _1170 = _1498 / _1169;
                    _1520 = _1170;
                    _1518 = true;
                    break;
                }
                case 19u:
                {
                    _1520 = exp(_1498);
                    _1518 = true;
                    break;
                }
                case 20u:
                {
                    float _1177 = _1498 + _774;
                    float _1178 = log(_1177);
                    _1520 = _1178;
                    _1518 = true;
                    break;
                }
                case 21u:
                {
                    _1520 = sqrt(_1498);
                    _1518 = true;
                    break;
                }
                case 22u:
                {
                    float _1185 = _1498 + _774;
                    float _1186 = sqrt(_1185);
                    float _1187 = 1.0 / _1186;
                    _1520 = _1187;
                    _1518 = true;
                    break;
                }
                case 23u:
                {
                    float _1191 = _1498 + _774;
                    float _1192 = 1.0 / _1191;
                    _1520 = _1192;
                    _1518 = true;
                    break;
                }
                case 24u:
                {
                    float _1507;
                    if (isnan(_1498))
                    {
                        _1507 = _1498;
                    }
                    else
                    {
                        float _1506;
                        do
                        {
                            float _1367 = _1498 * _1498;
                            bool _1369 = _1367 < 1.0;
                            if (_1369)
                            {
                                float _1373 = fma(7.87587487138807773590087890625e-05, _1367, -0.00080168643034994602203369140625);
                                float _1377 = fma(_1373, _1367, 0.0051890872418880462646484375);
                                float _1381 = fma(_1377, _1367, -0.02685421146452426910400390625);
                                float _1385 = fma(_1381, _1367, 0.112835943698883056640625);
                                float _1389 = fma(_1385, _1367, -0.3761262595653533935546875);
                                float _1394 = fma(_1389, _1367, 1.12837922573089599609375);
                                float _1395 = _1498 * _1394;
                                _1506 = _1395;
                                break;
                            }
                            float _1418 = fma(0.5, abs(_1498), 1.0);
                            float _1419 = 1.0 / _1418;
                            float _1421 = 0.0154464244842529296875 / _1418;
                            float _1422 = _1421 - 0.13872261345386505126953125;
                            float _1426 = fma(_1422, _1419, 0.461040794849395751953125);
                            float _1430 = fma(_1426, _1419, -0.706877171993255615234375);
                            float _1434 = fma(_1430, _1419, 0.4467795789241790771484375);
                            float _1438 = fma(_1434, _1419, -0.109197147190570831298828125);
                            float _1442 = fma(_1438, _1419, 0.2283391058444976806640625);
                            float _1446 = fma(_1442, _1419, 0.23824338614940643310546875);
                            float _1450 = fma(_1446, _1419, 0.28288352489471435546875);
                            float _1454 = fma(_1450, _1419, 0.2820641100406646728515625);
                            float _1458 = (-_1498) * _1498;
                            float _1459 = fast::max(_1458, -87.0);
                            float _1460 = exp(_1459);
                            float _1463 = _1419 * _1454;
                            float _1468 = -_1460;
                            float _1399 = fma(_1468, _1463, 1.0);
                            bool _1401 = _1498 < 0.0;
                            float _1505;
                            if (_1401)
                            {
                                float _1404 = -_1399;
                                _1505 = _1404;
                            }
                            else
                            {
                                _1505 = _1399;
                            }
                            _1506 = _1505;
                            break;
                        } while(false);
                        _1507 = _1506;
                    }
                    _1520 = _1507;
                    _1518 = true;
                    break;
                }
                case 25u:
                {
                    _1520 = abs(_1498);
                    _1518 = true;
                    break;
                }
                case 26u:
                {
                    _1520 = _1498 * _1498;
                    _1518 = true;
                    break;
                }
                case 27u:
                {
                    _1520 = floor(_1498);
                    _1518 = true;
                    break;
                }
                case 28u:
                {
                    _1520 = ceil(_1498);
                    _1518 = true;
                    break;
                }
                case 29u:
                {
                    _1520 = rint(_1498);
                    _1518 = true;
                    break;
                }
                case 30u:
                {
                    bool _1221 = _1498 > 0.0;
                    float _1504;
                    if (_1221)
                    {
                        _1504 = 1.0;
                    }
                    else
                    {
                        bool _1225 = _1498 < 0.0;
                        float _1227 = _1225 ? (-1.0) : _1498;
                        _1504 = _1227;
                    }
                    _1520 = _1504;
                    _1518 = true;
                    break;
                }
                default:
                {
                    _1520 = _1524;
                    _1518 = false;
                    break;
                }
            }
            if (_1518)
            {
                _1519 = _1520;
                break;
            }
            _1519 = _1498;
            break;
        } while(false);
        _746->v[_1485] = _1519;
    }
}

