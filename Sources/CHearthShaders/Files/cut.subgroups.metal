#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint width;
    uint stride;
    float deviations;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint gl_SubgroupID [[simdgroup_index_in_threadgroup]], uint gl_NumSubgroups [[simdgroups_per_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]])
{
    threadgroup float parts[128];
    uint turn = 0u;
    uint _94 = gl_LocalInvocationID.x;
    uint _98 = gl_WorkGroupID.y;
    uint _106 = a.stride;
    uint _107 = _98 * _106;
    uint2 _116 = a.x;
    device Floats* _117 = reinterpret_cast<device Floats*>(as_type<ulong>(_116));
    uint _345;
    float _346;
    _346 = 0.0;
    _345 = _94;
    uint _129;
    for (;;)
    {
        _129 = a.width;
        bool _130 = _345 < _129;
        if (_130)
        {
            uint _134 = _107 + _345;
            float _137 = _117->v[_134];
            float _139 = _346 + _137;
            uint _141 = _345 + 64u;
            _346 = _139;
            _345 = _141;
            continue;
        }
        else
        {
            break;
        }
    }
    uint _244;
    bool _245;
    float _349;
    do
    {
        float _243 = simd_sum(_346);
        _244 = gl_NumSubgroups;
        _245 = _244 == 1u;
        if (_245)
        {
            _349 = _243;
            break;
        }
        uint _277 = turn;
        uint _279 = turn ^ 64u;
        turn = _279;
        bool _280 = simd_is_first();
        if (_280)
        {
            uint _284 = _277 + gl_SubgroupID;
            parts[_284] = _243;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float _253 = parts[_277];
        uint _347;
        float _348;
        _348 = _253;
        _347 = 1u;
        for (;;)
        {
            bool _258 = _347 < _244;
            if (_258)
            {
                uint _262 = _277 + _347;
                float _264 = parts[_262];
                float _266 = _348 + _264;
                uint _269 = _347 + uint(1);
                _348 = _266;
                _347 = _269;
                continue;
            }
            else
            {
                break;
            }
        }
        _349 = _348;
        break;
    } while(false);
    float _148 = float(_129);
    float _149 = _349 / _148;
    uint _350;
    float _351;
    _351 = 0.0;
    _350 = _94;
    for (;;)
    {
        bool _160 = _350 < _129;
        if (_160)
        {
            uint _165 = _107 + _350;
            float _167 = _117->v[_165];
            float _169 = _167 - _149;
            float _174 = fma(_169, _169, _351);
            uint _176 = _350 + 64u;
            _351 = _174;
            _350 = _176;
            continue;
        }
        else
        {
            break;
        }
    }
    float _182 = a.deviations;
    float _354;
    do
    {
        float _299 = simd_sum(_351);
        if (_245)
        {
            _354 = _299;
            break;
        }
        uint _333 = turn;
        uint _335 = turn ^ 64u;
        turn = _335;
        bool _336 = simd_is_first();
        if (_336)
        {
            uint _340 = _333 + gl_SubgroupID;
            parts[_340] = _299;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float _309 = parts[_333];
        uint _352;
        float _353;
        _353 = _309;
        _352 = 1u;
        for (;;)
        {
            bool _314 = _352 < _244;
            if (_314)
            {
                uint _318 = _333 + _352;
                float _320 = parts[_318];
                float _322 = _353 + _320;
                uint _325 = _352 + uint(1);
                _353 = _322;
                _352 = _325;
                continue;
            }
            else
            {
                break;
            }
        }
        _354 = _353;
        break;
    } while(false);
    float _189 = _354 / _148;
    float _190 = sqrt(_189);
    float _192 = fma(_182, _190, _149);
    uint _355;
    _355 = _94;
    for (;;)
    {
        bool _203 = _355 < _129;
        if (_203)
        {
            uint _208 = _107 + _355;
            float _210 = _117->v[_208];
            float _212 = _210 - _192;
            bool _218 = 0.0 > _212;
            float _220 = _218 ? 0.0 : _212;
            _117->v[_208] = _220;
            uint _223 = _355 + 64u;
            _355 = _223;
            continue;
        }
        else
        {
            break;
        }
    }
}

