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
constant bool _35 = (FORMAT == 8u);
constant uint _37 = _35 ? 8u : 4u;
constant bool _61 = (FORMAT == 0u);

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

constant bool _119 = (FORMAT == 1u);

struct Words
{
    uint v[1];
};

constant bool _242 = (FORMAT == 8u);
constant bool _350 = (FORMAT == 0u);
constant bool _361 = (FORMAT == 1u);
constant bool _441 = (FORMAT == 8u);
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float query[512];
    threadgroup float weights[128];
    uint _492 = gl_LocalInvocationID.x;
    uint _496 = gl_WorkGroupID.x;
    uint _500 = a.position;
    uint _502 = gl_WorkGroupID.y;
    uint _503 = _500 + _502;
    uint _507 = a.window;
    bool _508 = _507 != 0u;
    bool _516;
    if (_508)
    {
        uint _512 = _503 + 1u;
        bool _515 = _512 > _507;
        _516 = _515;
    }
    else
    {
        _516 = _508;
    }
    uint _1290;
    if (_516)
    {
        uint _521 = _503 + 1u;
        uint _524 = _521 - _507;
        _1290 = _524;
    }
    else
    {
        _1290 = 0u;
    }
    uint _531 = a.heads;
    uint _533 = a.cache_heads;
    uint _534 = _531 / _533;
    uint _535 = _496 / _534;
    uint _541 = a.stride;
    uint _542 = _502 * _541;
    uint _545 = a.width;
    uint _546 = _496 * _545;
    uint _547 = _542 + _546;
    uint _1291;
    _1291 = _492;
    uint _559;
    for (;;)
    {
        uint _558 = _545 + 31u;
        _559 = _558 / 32u;
        uint _560 = _559 * 32u;
        bool _561 = _1291 < _560;
        if (_561)
        {
            bool _566 = _1291 < _545;
            float _1403;
            if (_566)
            {
                uint2 _571 = a.queries;
                device Floats* _572 = reinterpret_cast<device Floats*>(as_type<ulong>(_571));
                uint _575 = _547 + _1291;
                float _577 = _572->v[_575];
                _1403 = _577;
            }
            else
            {
                _1403 = 0.0;
            }
            query[_1291] = _1403;
            uint _583 = _1291 + 64u;
            _1291 = _583;
            continue;
        }
        else
        {
            break;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _1292;
    _1292 = 0u;
    spvUnsafeArray<float, 8> sums;
    for (;;)
    {
        bool _592 = _1292 < 8u;
        if (_592)
        {
            sums[_1292] = 0.0;
            uint _599 = _1292 + uint(1);
            _1292 = _599;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _1293;
    uint _1294;
    float _1295;
    float _1340;
    _1340 = -3.0000000054977557577780399428115e+38;
    _1295 = 0.0;
    _1294 = 0u;
    _1293 = _1290;
    uint _655;
    float _713;
    float _1354;
    for (;;)
    {
        bool _613 = _1293 <= _503;
        if (_613)
        {
            uint _616 = _503 + 1u;
            uint _618 = _616 - _1293;
            uint _619 = min(64u, _618);
            bool _623 = _492 < _619;
            float _1337;
            if (_623)
            {
                uint _628 = _1293 + _492;
                float _1322;
                if (_61)
                {
                    uint _880 = _628 * _533;
                    uint _882 = _880 + _535;
                    uint _885 = _882 * _545;
                    uint _1321;
                    float _1323;
                    _1323 = 0.0;
                    _1321 = 0u;
                    for (;;)
                    {
                        bool _891 = _1321 < _545;
                        if (_891)
                        {
                            float _895 = query[_1321];
                            uint2 _897 = a.keys;
                            device Floats* _898 = reinterpret_cast<device Floats*>(as_type<ulong>(_897));
                            uint _901 = _885 + _1321;
                            float _903 = _898->v[_901];
                            float _906 = fma(_895, _903, _1323);
                            uint _909 = _1321 + uint(1);
                            _1323 = _906;
                            _1321 = _909;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    _1322 = _1323;
                }
                else
                {
                    float _1324;
                    if (_119)
                    {
                        uint _916 = _628 * _533;
                        uint _918 = _916 + _535;
                        uint _921 = _918 * _545;
                        uint _922 = _921 / 2u;
                        uint _1319;
                        float _1320;
                        _1320 = 0.0;
                        _1319 = 0u;
                        for (;;)
                        {
                            uint _928 = _545 / 2u;
                            bool _929 = _1319 < _928;
                            if (_929)
                            {
                                uint2 _932 = a.keys;
                                device Words* _933 = reinterpret_cast<device Words*>(as_type<ulong>(_932));
                                uint _936 = _922 + _1319;
                                uint _938 = _933->v[_936];
                                float2 _939 = float2(as_type<half2>(_938));
                                uint _941 = 2u * _1319;
                                float _943 = query[_941];
                                float _945 = _939.x;
                                float _948 = fma(_943, _945, _1320);
                                uint _951 = _941 + 1u;
                                float _953 = query[_951];
                                float _955 = _939.y;
                                float _958 = fma(_953, _955, _948);
                                uint _961 = _1319 + uint(1);
                                _1320 = _958;
                                _1319 = _961;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1324 = _1320;
                    }
                    else
                    {
                        uint _1301;
                        float _1307;
                        _1307 = 0.0;
                        _1301 = 0u;
                        float _1091;
                        for (;;)
                        {
                            bool _972 = _1301 < _559;
                            if (_972)
                            {
                                uint _976 = _535 * _559;
                                uint _978 = _976 + _1301;
                                uint _982 = _533 * _559;
                                uint _1103 = _982 + 1u;
                                uint _1104 = _1103 >> uint(1);
                                uint _1105 = _628 * _1104;
                                uint _1107 = _978 >> uint(1);
                                uint _1108 = _1105 + _1107;
                                uint _1110 = 2u * _37;
                                uint _1111 = 1u + _1110;
                                uint _1112 = _1108 * _1111;
                                uint _987 = _1112 + 1u;
                                uint _989 = _978 & 1u;
                                uint _991 = _989 * _37;
                                uint _992 = _987 + _991;
                                uint _1302;
                                float _1303;
                                _1303 = 0.0;
                                _1302 = 0u;
                                float _1419;
                                for (;;)
                                {
                                    bool _997 = _1302 < _37;
                                    if (_997)
                                    {
                                        uint2 _1000 = a.keys;
                                        device Words* _1001 = reinterpret_cast<device Words*>(as_type<ulong>(_1000));
                                        uint _1004 = _992 + _1302;
                                        uint _1006 = _1001->v[_1004];
                                        if (_242)
                                        {
                                            uint _1314;
                                            float _1318;
                                            _1318 = _1303;
                                            _1314 = 0u;
                                            for (;;)
                                            {
                                                bool _1011 = _1314 < 4u;
                                                if (_1011)
                                                {
                                                    uint _1014 = _1301 * 32u;
                                                    uint _1016 = _1302 * 4u;
                                                    uint _1017 = _1014 + _1016;
                                                    uint _1019 = _1017 + _1314;
                                                    float _1021 = query[_1019];
                                                    int _1023 = int(_1006);
                                                    uint _1025 = 8u * _1314;
                                                    int _1026 = int(_1025);
                                                    int _1027 = extract_bits(_1023, uint(_1026), uint(8));
                                                    float _1028 = float(_1027);
                                                    float _1031 = fma(_1021, _1028, _1318);
                                                    uint _1034 = _1314 + uint(1);
                                                    _1318 = _1031;
                                                    _1314 = _1034;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1419 = _1318;
                                        }
                                        else
                                        {
                                            uint _1310;
                                            float _1313;
                                            _1313 = _1303;
                                            _1310 = 0u;
                                            for (;;)
                                            {
                                                bool _1040 = _1310 < 8u;
                                                if (_1040)
                                                {
                                                    uint _1043 = _1301 * 32u;
                                                    uint _1045 = _1302 * 8u;
                                                    uint _1046 = _1043 + _1045;
                                                    uint _1048 = _1046 + _1310;
                                                    float _1050 = query[_1048];
                                                    uint _1053 = 4u * _1310;
                                                    uint _1054 = _1006 >> _1053;
                                                    uint _1055 = _1054 & 15u;
                                                    float _1056 = float(_1055);
                                                    float _1057 = _1056 - 8.0;
                                                    float _1060 = fma(_1050, _1057, _1313);
                                                    uint _1063 = _1310 + uint(1);
                                                    _1313 = _1060;
                                                    _1310 = _1063;
                                                    continue;
                                                }
                                                else
                                                {
                                                    break;
                                                }
                                            }
                                            _1419 = _1313;
                                        }
                                        uint _1068 = _1302 + uint(1);
                                        _1303 = _1419;
                                        _1302 = _1068;
                                        continue;
                                    }
                                    else
                                    {
                                        break;
                                    }
                                }
                                uint2 _1071 = a.keys;
                                device Words* _1072 = reinterpret_cast<device Words*>(as_type<ulong>(_1071));
                                uint _1075 = _1072->v[_1112];
                                float2 _1076 = float2(as_type<half2>(_1075));
                                bool _1080 = _989 == 0u;
                                float _1304;
                                if (_1080)
                                {
                                    float _1083 = _1076.x;
                                    _1304 = _1083;
                                }
                                else
                                {
                                    float _1086 = _1076.y;
                                    _1304 = _1086;
                                }
                                _1091 = fma(_1303, _1304, _1307);
                                uint _1094 = _1301 + uint(1);
                                _1307 = _1091;
                                _1301 = _1094;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _1324 = _1307;
                    }
                    _1322 = _1324;
                }
                float _636 = a.scale;
                float _637 = _1322 * _636;
                float _640 = a.cap;
                bool _641 = _640 > 0.0;
                float _1338;
                if (_641)
                {
                    float _649 = _637 / _640;
                    float _650 = precise::tanh(_649);
                    float _651 = _640 * _650;
                    _1338 = _651;
                }
                else
                {
                    _1338 = _637;
                }
                _1337 = _1338;
            }
            else
            {
                _1337 = -3.0000000054977557577780399428115e+38;
            }
            _655 = _1294 ^ 64u;
            uint _662 = _1294 + _492;
            weights[_662] = _1337;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            uint _1352;
            _1354 = _1340;
            _1352 = 0u;
            for (;;)
            {
                bool _675 = _1352 < _619;
                if (_675)
                {
                    float _681 = weights[_1294 + _1352];
                    float _682 = fast::max(_1354, _681);
                    uint _684 = _1352 + uint(1);
                    _1354 = _682;
                    _1352 = _684;
                    continue;
                }
                else
                {
                    break;
                }
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _1355;
            if (_623)
            {
                float _695 = exp(_1337 - _1354);
                _1355 = _695;
            }
            else
            {
                _1355 = 0.0;
            }
            weights[_662] = _1355;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            float _707 = exp(_1340 - _1354);
            _713 = fma(_1295, _707, _1355);
            uint _1373;
            _1373 = 0u;
            for (;;)
            {
                bool _721 = _1373 < 8u;
                if (_721)
                {
                    uint _724 = _1373 * 64u;
                    uint _726 = _724 + _492;
                    bool _730 = _726 >= _545;
                    if (_730)
                    {
                        break;
                    }
                    float _737 = sums[_1373];
                    float _739 = _737 * _707;
                    uint _1374;
                    float _1376;
                    _1376 = _739;
                    _1374 = 0u;
                    float _765;
                    for (;;)
                    {
                        bool _748 = _1374 < _619;
                        if (_748)
                        {
                            float _753 = weights[_1294 + _1374];
                            uint _756 = _1293 + _1374;
                            float _1395;
                            do
                            {
                                uint _1142 = _756 * _533;
                                uint _1144 = _1142 + _535;
                                uint _1147 = _1144 * _545;
                                uint _1149 = _1147 + _726;
                                if (_350)
                                {
                                    uint2 _1152 = a.values;
                                    device Floats* _1153 = reinterpret_cast<device Floats*>(as_type<ulong>(_1152));
                                    float _1156 = _1153->v[_1149];
                                    _1395 = _1156;
                                    break;
                                }
                                if (_361)
                                {
                                    uint2 _1160 = a.values;
                                    device Words* _1161 = reinterpret_cast<device Words*>(as_type<ulong>(_1160));
                                    uint _1163 = _1149 >> uint(1);
                                    uint _1165 = _1161->v[_1163];
                                    float2 _1166 = float2(as_type<half2>(_1165));
                                    uint _1168 = _1149 & 1u;
                                    bool _1169 = _1168 == 0u;
                                    float _1394;
                                    if (_1169)
                                    {
                                        float _1172 = _1166.x;
                                        _1394 = _1172;
                                    }
                                    else
                                    {
                                        float _1175 = _1166.y;
                                        _1394 = _1175;
                                    }
                                    _1395 = _1394;
                                    break;
                                }
                                uint _1185 = _535 * _559;
                                uint _1187 = _726 / 32u;
                                uint _1188 = _1185 + _1187;
                                uint _1192 = _533 * _559;
                                uint _1268 = _1192 + 1u;
                                uint _1269 = _1268 >> uint(1);
                                uint _1270 = _756 * _1269;
                                uint _1272 = _1188 >> uint(1);
                                uint _1273 = _1270 + _1272;
                                uint _1275 = 2u * _37;
                                uint _1276 = 1u + _1275;
                                uint _1277 = _1273 * _1276;
                                uint _1197 = _1277 + 1u;
                                uint _1199 = _1188 & 1u;
                                uint _1201 = _1199 * _37;
                                uint _1202 = _1197 + _1201;
                                uint2 _1204 = a.values;
                                device Words* _1205 = reinterpret_cast<device Words*>(as_type<ulong>(_1204));
                                uint _1208 = _1205->v[_1277];
                                float2 _1209 = float2(as_type<half2>(_1208));
                                bool _1212 = _1199 == 0u;
                                float _1393;
                                if (_1212)
                                {
                                    float _1215 = _1209.x;
                                    _1393 = _1215;
                                }
                                else
                                {
                                    float _1218 = _1209.y;
                                    _1393 = _1218;
                                }
                                uint _1222 = _726 % 32u;
                                if (_441)
                                {
                                    uint _1229 = _1222 / 4u;
                                    uint _1230 = _1202 + _1229;
                                    uint _1232 = _1205->v[_1230];
                                    int _1233 = int(_1232);
                                    uint _1237 = _1222 % 4u;
                                    uint _1238 = _1237 * 8u;
                                    int _1239 = int(_1238);
                                    int _1240 = extract_bits(_1233, uint(_1239), uint(8));
                                    float _1241 = float(_1240);
                                    float _1242 = _1393 * _1241;
                                    _1395 = _1242;
                                    break;
                                }
                                uint _1250 = _1222 / 8u;
                                uint _1251 = _1202 + _1250;
                                uint _1253 = _1205->v[_1251];
                                uint _1255 = _1222 % 8u;
                                uint _1256 = _1255 * 4u;
                                uint _1257 = _1253 >> _1256;
                                uint _1258 = _1257 & 15u;
                                float _1259 = float(_1258);
                                float _1260 = _1259 - 8.0;
                                float _1261 = _1393 * _1260;
                                _1395 = _1261;
                                break;
                            } while(false);
                            _765 = fma(_753, _1395, _1376);
                            uint _767 = _1374 + uint(1);
                            _1376 = _765;
                            _1374 = _767;
                            continue;
                        }
                        else
                        {
                            break;
                        }
                    }
                    sums[_1373] = _1376;
                    uint _772 = _1373 + uint(1);
                    _1373 = _772;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _774 = _1293 + 64u;
            _1340 = _1354;
            _1295 = _713;
            _1294 = _655;
            _1293 = _774;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _777 = _1294 + _492;
    weights[_777] = _1295;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint _1296;
    float _1299;
    _1299 = 0.0;
    _1296 = 0u;
    for (;;)
    {
        bool _787 = _1296 < 64u;
        if (_787)
        {
            float _792 = weights[_1294 + _1296];
            float _794 = _1299 + _792;
            uint _796 = _1296 + uint(1);
            _1299 = _794;
            _1296 = _796;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _801 = a.y_stride;
    uint _802 = _502 * _801;
    uint _807 = _802 + _546;
    uint _1297;
    _1297 = 0u;
    for (;;)
    {
        bool _815 = _1297 < 8u;
        if (_815)
        {
            uint _818 = _1297 * 64u;
            uint _820 = _818 + _492;
            bool _824 = _820 >= _545;
            if (_824)
            {
                break;
            }
            uint2 _830 = a.y;
            device Floats* _831 = reinterpret_cast<device Floats*>(as_type<ulong>(_830));
            uint _834 = _807 + _820;
            float _837 = sums[_1297];
            float _839 = _837 / _1299;
            _831->v[_834] = _839;
            uint _842 = _1297 + uint(1);
            _1297 = _842;
            continue;
        }
        else
        {
            break;
        }
    }
}

