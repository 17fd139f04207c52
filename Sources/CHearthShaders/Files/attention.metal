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
constant bool _40 = (FORMAT == 8u);
constant uint _42 = _40 ? 8u : 4u;
constant bool _120 = (FORMAT == 0u);

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

constant bool _177 = (FORMAT == 1u);

struct Words
{
    uint v[1];
};

constant bool _299 = (FORMAT == 8u);
constant bool _407 = (FORMAT == 0u);
constant bool _418 = (FORMAT == 1u);
constant bool _498 = (FORMAT == 8u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[128];
    threadgroup float query[512];
    threadgroup float weights[128];
    uint turn = 0u;
    uint _545 = gl_LocalInvocationID.x;
    uint _549 = gl_WorkGroupID.x;
    uint _553 = a.position;
    uint _555 = gl_WorkGroupID.y;
    uint _556 = _553 + _555;
    uint _560 = a.window;
    bool _561 = _560 != 0u;
    bool _569;
    if (_561)
    {
        uint _565 = _556 + 1u;
        bool _568 = _565 > _560;
        _569 = _568;
    }
    else
    {
        _569 = _561;
    }
    uint _1361;
    if (_569)
    {
        uint _574 = _556 + 1u;
        uint _577 = _574 - _560;
        _1361 = _577;
    }
    else
    {
        _1361 = 0u;
    }
    uint _584 = a.heads;
    uint _586 = a.cache_heads;
    uint _587 = _584 / _586;
    uint _588 = _549 / _587;
    uint _594 = a.stride;
    uint _595 = _555 * _594;
    uint _598 = a.width;
    uint _599 = _549 * _598;
    uint _600 = _595 + _599;
    uint _1362;
    _1362 = _545;
    uint _612;
    for (;;)
    {
        uint _611 = _598 + 31u;
        _612 = _611 / 32u;
        uint _613 = _612 * 32u;
        bool _614 = _1362 < _613;
        if (_614)
        {
            bool _619 = _1362 < _598;
            float _1473;
            if (_619)
            {
                uint2 _624 = a.queries;
                device Floats* _625 = reinterpret_cast<device Floats*>(as_type<ulong>(_624));
                uint _628 = _600 + _1362;
                float _630 = _625->v[_628];
                _1473 = _630;
            }
            else
            {
                _1473 = 0.0;
            }
            query[_1362] = _1473;
            uint _635 = _1362 + 64u;
            _1362 = _635;
            continue;
        }
        else
        {
            break;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _1363;
    _1363 = 0u;
    spvUnsafeArray<float, 8> sums;
    for (;;)
    {
        bool _643 = _1363 < 8u;
        if (_643)
        {
            sums[_1363] = 0.0;
            uint _650 = _1363 + uint(1);
            _1363 = _650;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _1364;
    float _1365;
    uint _1395;
    float _1410;
    _1410 = -3.0000000054977557577780399428115e+38;
    _1395 = 0u;
    _1365 = 0.0;
    _1364 = _1361;
    uint _706;
    float _761;
    float _1424;
    for (;;)
    {
        bool _664 = _1364 <= _556;
        if (_664)
        {
            uint _667 = _556 + 1u;
            uint _669 = _667 - _1364;
            uint _670 = min(64u, _669);
            bool _674 = _545 < _670;
            float _1407;
            if (_674)
            {
                uint _679 = _1364 + _545;
                float _1391;
                if (_120)
                {
                    uint _908 = _679 * _586;
                    uint _910 = _908 + _588;
                    uint _913 = _910 * _598;
                    uint _1390;
                    float _1392;
                    _1392 = 0.0;
                    _1390 = 0u;
                    for (;;)
                    {
                        bool _919 = _1390 < _598;
                        if (_919)
                        {
                            float _923 = query[_1390];
                            uint2 _925 = a.keys;
                            device Floats* _926 = reinterpret_cast<device Floats*>(as_type<ulong>(_925));
                            uint _929 = _913 + _1390;
                            float _931 = _926->v[_929];
                            float _934 = fma(_923, _931, _1392);
                            uint _937 = _1390 + uint(1);
                            _1392 = _934;
                            _1390 = _937;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    _1391 = _1392;
                }
                else
                {
                    float _1393;
                    if (_177)
                    {
                        uint _944 = _679 * _586;
                        uint _946 = _944 + _588;
                        uint _949 = _946 * _598;
                        uint _950 = _949 / 2u;
                        uint _1388;
                        float _1389;
                        _1389 = 0.0;
                        _1388 = 0u;
                        for (;;)
                        {
                            uint _956 = _598 / 2u;
                            bool _957 = _1388 < _956;
                            if (_957)
                            {
                                uint2 _960 = a.keys;
                                device Words* _961 = reinterpret_cast<device Words*>(as_type<ulong>(_960));
                                uint _964 = _950 + _1388;
                                uint _966 = _961->v[_964];
                                float2 _967 = float2(as_type<half2>(_966));
                                uint _969 = 2u * _1388;
                                float _971 = query[_969];
                                float _973 = _967.x;
                                float _976 = fma(_971, _973, _1389);
                                uint _979 = _969 + 1u;
                                float _981 = query[_979];
                                float _983 = _967.y;
                                float _986 = fma(_981, _983, _976);
                                uint _989 = _1388 + uint(1);
                                _1389 = _986;
                                _1388 = _989;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1393 = _1389;
                    }
                    else
                    {
                        uint _1370;
                        float _1376;
                        _1376 = 0.0;
                        _1370 = 0u;
                        float _1119;
                        for (;;)
                        {
                            bool _1000 = _1370 < _612;
                            if (_1000)
                            {
                                uint _1004 = _588 * _612;
                                uint _1006 = _1004 + _1370;
                                uint _1010 = _586 * _612;
                                uint _1131 = _1010 + 1u;
                                uint _1132 = _1131 >> uint(1);
                                uint _1133 = _679 * _1132;
                                uint _1135 = _1006 >> uint(1);
                                uint _1136 = _1133 + _1135;
                                uint _1138 = 2u * _42;
                                uint _1139 = 1u + _1138;
                                uint _1140 = _1136 * _1139;
                                uint _1015 = _1140 + 1u;
                                uint _1017 = _1006 & 1u;
                                uint _1019 = _1017 * _42;
                                uint _1020 = _1015 + _1019;
                                uint _1371;
                                float _1372;
                                _1372 = 0.0;
                                _1371 = 0u;
                                float _1481;
                                for (;;)
                                {
                                    bool _1025 = _1371 < _42;
                                    if (_1025)
                                    {
                                        uint2 _1028 = a.keys;
                                        device Words* _1029 = reinterpret_cast<device Words*>(as_type<ulong>(_1028));
                                        uint _1032 = _1020 + _1371;
                                        uint _1034 = _1029->v[_1032];
                                        if (_299)
                                        {
                                            uint _1383;
                                            float _1387;
                                            _1387 = _1372;
                                            _1383 = 0u;
                                            for (;;)
                                            {
                                                bool _1039 = _1383 < 4u;
                                                if (_1039)
                                                {
                                                    uint _1042 = _1370 * 32u;
                                                    uint _1044 = _1371 * 4u;
                                                    uint _1045 = _1042 + _1044;
                                                    uint _1047 = _1045 + _1383;
                                                    float _1049 = query[_1047];
                                                    int _1051 = int(_1034);
                                                    uint _1053 = 8u * _1383;
                                                    int _1054 = int(_1053);
                                                    int _1055 = extract_bits(_1051, uint(_1054), uint(8));
                                                    float _1056 = float(_1055);
                                                    float _1059 = fma(_1049, _1056, _1387);
                                                    uint _1062 = _1383 + uint(1);
                                                    _1387 = _1059;
                                                    _1383 = _1062;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1481 = _1387;
                                        }
                                        else
                                        {
                                            uint _1379;
                                            float _1382;
                                            _1382 = _1372;
                                            _1379 = 0u;
                                            for (;;)
                                            {
                                                bool _1068 = _1379 < 8u;
                                                if (_1068)
                                                {
                                                    uint _1071 = _1370 * 32u;
                                                    uint _1073 = _1371 * 8u;
                                                    uint _1074 = _1071 + _1073;
                                                    uint _1076 = _1074 + _1379;
                                                    float _1078 = query[_1076];
                                                    uint _1081 = 4u * _1379;
                                                    uint _1082 = _1034 >> _1081;
                                                    uint _1083 = _1082 & 15u;
                                                    float _1084 = float(_1083);
                                                    float _1085 = _1084 - 8.0;
                                                    float _1088 = fma(_1078, _1085, _1382);
                                                    uint _1091 = _1379 + uint(1);
                                                    _1382 = _1088;
                                                    _1379 = _1091;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1481 = _1382;
                                        }
                                        uint _1096 = _1371 + uint(1);
                                        _1372 = _1481;
                                        _1371 = _1096;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint2 _1099 = a.keys;
                                device Words* _1100 = reinterpret_cast<device Words*>(as_type<ulong>(_1099));
                                uint _1103 = _1100->v[_1140];
                                float2 _1104 = float2(as_type<half2>(_1103));
                                bool _1108 = _1017 == 0u;
                                float _1373;
                                if (_1108)
                                {
                                    float _1111 = _1104.x;
                                    _1373 = _1111;
                                }
                                else
                                {
                                    float _1114 = _1104.y;
                                    _1373 = _1114;
                                }
                                _1119 = fma(_1372, _1373, _1376);
                                uint _1122 = _1370 + uint(1);
                                _1376 = _1119;
                                _1370 = _1122;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1393 = _1376;
                    }
                    _1391 = _1393;
                }
                float _687 = a.scale;
                float _688 = _1391 * _687;
                float _691 = a.cap;
                bool _692 = _691 > 0.0;
                float _1408;
                if (_692)
                {
                    float _700 = _688 / _691;
                    float _701 = precise::tanh(_700);
                    float _702 = _691 * _701;
                    _1408 = _702;
                }
                else
                {
                    _1408 = _688;
                }
                _1407 = _1408;
            }
            else
            {
                _1407 = -3.0000000054977557577780399428115e+38;
            }
            _706 = _1395 ^ 64u;
            uint _710 = _1395 + _545;
            weights[_710] = _1407;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1422;
            _1424 = _1410;
            _1422 = 0u;
            for (;;)
            {
                bool _723 = _1422 < _670;
                if (_723)
                {
                    float _729 = weights[_1395 + _1422];
                    float _730 = fast::max(_1424, _729);
                    uint _732 = _1422 + uint(1);
                    _1424 = _730;
                    _1422 = _732;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _1425;
            if (_674)
            {
                float _743 = exp(_1407 - _1424);
                _1425 = _743;
            }
            else
            {
                _1425 = 0.0;
            }
            weights[_710] = _1425;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _755 = exp(_1410 - _1424);
            _761 = fma(_1365, _755, _1425);
            uint _1443;
            _1443 = 0u;
            for (;;)
            {
                bool _769 = _1443 < 8u;
                if (_769)
                {
                    uint _772 = _1443 * 64u;
                    uint _774 = _772 + _545;
                    bool _778 = _774 >= _598;
                    if (_778)
                    {
                        break;
                    }
                    float _785 = sums[_1443];
                    float _787 = _785 * _755;
                    uint _1444;
                    float _1446;
                    _1446 = _787;
                    _1444 = 0u;
                    float _813;
                    for (;;)
                    {
                        bool _796 = _1444 < _670;
                        if (_796)
                        {
                            float _801 = weights[_1395 + _1444];
                            uint _804 = _1364 + _1444;
                            float _1465;
                            do
                            {
                                uint _1170 = _804 * _586;
                                uint _1172 = _1170 + _588;
                                uint _1175 = _1172 * _598;
                                uint _1177 = _1175 + _774;
                                if (_407)
                                {
                                    uint2 _1180 = a.values;
                                    device Floats* _1181 = reinterpret_cast<device Floats*>(as_type<ulong>(_1180));
                                    float _1184 = _1181->v[_1177];
                                    _1465 = _1184;
                                    break;
                                }
                                if (_418)
                                {
                                    uint2 _1188 = a.values;
                                    device Words* _1189 = reinterpret_cast<device Words*>(as_type<ulong>(_1188));
                                    uint _1191 = _1177 >> uint(1);
                                    uint _1193 = _1189->v[_1191];
                                    float2 _1194 = float2(as_type<half2>(_1193));
                                    uint _1196 = _1177 & 1u;
                                    bool _1197 = _1196 == 0u;
                                    float _1464;
                                    if (_1197)
                                    {
                                        float _1200 = _1194.x;
                                        _1464 = _1200;
                                    }
                                    else
                                    {
                                        float _1203 = _1194.y;
                                        _1464 = _1203;
                                    }
                                    _1465 = _1464;
                                    break;
                                }
                                uint _1213 = _588 * _612;
                                uint _1215 = _774 / 32u;
                                uint _1216 = _1213 + _1215;
                                uint _1220 = _586 * _612;
                                uint _1296 = _1220 + 1u;
                                uint _1297 = _1296 >> uint(1);
                                uint _1298 = _804 * _1297;
                                uint _1300 = _1216 >> uint(1);
                                uint _1301 = _1298 + _1300;
                                uint _1303 = 2u * _42;
                                uint _1304 = 1u + _1303;
                                uint _1305 = _1301 * _1304;
                                uint _1225 = _1305 + 1u;
                                uint _1227 = _1216 & 1u;
                                uint _1229 = _1227 * _42;
                                uint _1230 = _1225 + _1229;
                                uint2 _1232 = a.values;
                                device Words* _1233 = reinterpret_cast<device Words*>(as_type<ulong>(_1232));
                                uint _1236 = _1233->v[_1305];
                                float2 _1237 = float2(as_type<half2>(_1236));
                                bool _1240 = _1227 == 0u;
                                float _1463;
                                if (_1240)
                                {
                                    float _1243 = _1237.x;
                                    _1463 = _1243;
                                }
                                else
                                {
                                    float _1246 = _1237.y;
                                    _1463 = _1246;
                                }
                                uint _1250 = _774 % 32u;
                                if (_498)
                                {
                                    uint _1257 = _1250 / 4u;
                                    uint _1258 = _1230 + _1257;
                                    uint _1260 = _1233->v[_1258];
                                    int _1261 = int(_1260);
                                    uint _1265 = _1250 % 4u;
                                    uint _1266 = _1265 * 8u;
                                    int _1267 = int(_1266);
                                    int _1268 = extract_bits(_1261, uint(_1267), uint(8));
                                    float _1269 = float(_1268);
                                    float _1270 = _1463 * _1269;
                                    _1465 = _1270;
                                    break;
                                }
                                uint _1278 = _1250 / 8u;
                                uint _1279 = _1230 + _1278;
                                uint _1281 = _1233->v[_1279];
                                uint _1283 = _1250 % 8u;
                                uint _1284 = _1283 * 4u;
                                uint _1285 = _1281 >> _1284;
                                uint _1286 = _1285 & 15u;
                                float _1287 = float(_1286);
                                float _1288 = _1287 - 8.0;
                                float _1289 = _1463 * _1288;
                                _1465 = _1289;
                                break;
                            } while(false);
                            _813 = fma(_801, _1465, _1446);
                            uint _815 = _1444 + uint(1);
                            _1446 = _813;
                            _1444 = _815;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    sums[_1443] = _1446;
                    uint _820 = _1443 + uint(1);
                    _1443 = _820;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _822 = _1364 + 64u;
            _1410 = _1424;
            _1395 = _706;
            _1365 = _761;
            _1364 = _822;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _1318 = turn + _545;
    uint _1319 = turn;
    uint _1321 = turn ^ 64u;
    turn = _1321;
    parts[_1318] = _1365;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _1366;
    _1366 = 32u;
    for (;;)
    {
        bool _1328 = _1366 > 0u;
        if (_1328)
        {
            bool _1333 = _545 < _1366;
            if (_1333)
            {
                uint _1338 = _1318 + _1366;
                float _1340 = parts[_1338];
                float _1342 = parts[_1318];
                float _1343 = _1342 + _1340;
                parts[_1318] = _1343;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1348 = _1366 / 2u;
            _1366 = _1348;
            continue;
        }
        else
        {
            break;
        }
    }
    float _1352 = parts[_1319];
    uint _830 = a.y_stride;
    uint _831 = _555 * _830;
    uint _836 = _831 + _599;
    uint _1367;
    _1367 = 0u;
    for (;;)
    {
        bool _844 = _1367 < 8u;
        if (_844)
        {
            uint _847 = _1367 * 64u;
            uint _849 = _847 + _545;
            bool _853 = _849 >= _598;
            if (_853)
            {
                break;
            }
            uint2 _859 = a.y;
            device Floats* _860 = reinterpret_cast<device Floats*>(as_type<ulong>(_859));
            uint _863 = _836 + _849;
            float _866 = sums[_1367];
            float _868 = _866 / _1352;
            _860->v[_863] = _868;
            uint _871 = _1367 + uint(1);
            _1367 = _871;
            continue;
        }
        else
        {
            break;
        }
    }
}

