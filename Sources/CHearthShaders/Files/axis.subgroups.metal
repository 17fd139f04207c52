#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct Floats;

struct Arguments
{
    uint2 x;
    uint2 y;
    uint rows;
    uint count;
    uint stride;
    uint operation;
};

struct Floats
{
    float v[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(64u, 1u, 1u);

kernel void main0(constant Arguments& a [[buffer(0)]], uint gl_SubgroupID [[simdgroup_index_in_threadgroup]], uint gl_NumSubgroups [[simdgroups_per_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint3 gl_NumWorkGroups [[threadgroups_per_grid]])
{
    threadgroup float parts[128];
    uint turn = 0u;
    uint _192 = gl_LocalInvocationID.x;
    uint _196 = gl_WorkGroupID.x;
    uint _770;
    _770 = _196;
    for (;;)
    {
        uint _210 = a.rows;
        bool _211 = _770 < _210;
        if (_211)
        {
            uint _216 = a.stride;
            uint _217 = _770 / _216;
            uint _220 = _217 * _216;
            uint _223 = a.count;
            uint _224 = _220 * _223;
            uint _228 = _770 % _216;
            uint _229 = _224 + _228;
            uint _234 = a.operation;
            bool _235 = _234 == 1u;
            bool _236 = !_235;
            bool _242;
            if (_236)
            {
                bool _241 = _234 == 2u;
                _242 = _241;
            }
            else
            {
                _242 = _235;
            }
            bool _247 = _234 == 4u;
            float _250 = _247 ? (-1.0) : 1.0;
            uint2 _256 = a.x;
            device Floats* _260 = reinterpret_cast<device Floats*>(as_type<ulong>(_256));
            float _264 = _260->v[_229];
            float _265 = _250 * _264;
            uint _771;
            float _772;
            float _791;
            _791 = 0.0;
            _772 = _265;
            _771 = _192;
            for (;;)
            {
                bool _278 = _771 < _223;
                if (_278)
                {
                    uint _288 = _771 * _216;
                    uint _289 = _229 + _288;
                    float _291 = _260->v[_289];
                    float _292 = _250 * _291;
                    bool _441 = _772 >= _292;
                    bool _442 = isnan(_772) || _441;
                    float _445 = _442 ? _772 : _292;
                    float _300 = fma(_250, _291, _791);
                    uint _302 = _771 + 64u;
                    _791 = _300;
                    _772 = _445;
                    _771 = _302;
                    continue;
                }
                else
                {
                    break;
                }
            }
            bool _305 = _234 != 0u;
            if (_305)
            {
                float _795;
                if (_242)
                {
                    float _794;
                    do
                    {
                        float _456 = simd_sum(_791);
                        bool _458 = gl_NumSubgroups == 1u;
                        if (_458)
                        {
                            _794 = _456;
                            break;
                        }
                        uint _490 = turn;
                        uint _492 = turn ^ 64u;
                        turn = _492;
                        bool _493 = simd_is_first();
                        if (_493)
                        {
                            uint _497 = _490 + gl_SubgroupID;
                            parts[_497] = _456;
                        }
                        threadgroup_barrier(mem_flags::mem_threadgroup);
                        float _466 = parts[_490];
                        uint _792;
                        float _793;
                        _793 = _466;
                        _792 = 1u;
                        for (;;)
                        {
                            bool _471 = _792 < gl_NumSubgroups;
                            if (_471)
                            {
                                uint _475 = _490 + _792;
                                float _477 = parts[_475];
                                float _479 = _793 + _477;
                                uint _482 = _792 + uint(1);
                                _793 = _479;
                                _792 = _482;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _794 = _793;
                        break;
                    } while(false);
                    _795 = _794;
                }
                else
                {
                    float _790;
                    do
                    {
                        uint _520 = as_type<uint>(_772);
                        uint _786;
                        if (isnan(_772))
                        {
                            _786 = 4294967295u;
                        }
                        else
                        {
                            uint _526 = _520 & 2147483648u;
                            bool _527 = _526 != 0u;
                            uint _785;
                            if (_527)
                            {
                                uint _530 = ~_520;
                                _785 = _530;
                            }
                            else
                            {
                                uint _533 = _520 | 2147483648u;
                                _785 = _533;
                            }
                            _786 = _785;
                        }
                        uint _539 = simd_max(_786);
                        uint _541 = _539 & 2147483648u;
                        bool _542 = _541 != 0u;
                        uint _787;
                        if (_542)
                        {
                            uint _545 = _539 & 2147483647u;
                            _787 = _545;
                        }
                        else
                        {
                            uint _548 = ~_539;
                            _787 = _548;
                        }
                        float _551 = as_type<float>(_787);
                        bool _553 = gl_NumSubgroups == 1u;
                        if (_553)
                        {
                            _790 = _551;
                            break;
                        }
                        uint _585 = turn;
                        uint _587 = turn ^ 64u;
                        turn = _587;
                        bool _588 = simd_is_first();
                        if (_588)
                        {
                            uint _592 = _585 + gl_SubgroupID;
                            parts[_592] = _551;
                        }
                        threadgroup_barrier(mem_flags::mem_threadgroup);
                        float _561 = parts[_585];
                        uint _788;
                        float _789;
                        _789 = _561;
                        _788 = 1u;
                        for (;;)
                        {
                            bool _566 = _788 < gl_NumSubgroups;
                            if (_566)
                            {
                                uint _570 = _585 + _788;
                                float _573 = parts[_570];
                                bool _603 = _789 >= _573;
                                bool _604 = isnan(_789) || _603;
                                float _607 = _604 ? _789 : _573;
                                uint _577 = _788 + uint(1);
                                _789 = _607;
                                _788 = _577;
                                continue;
                            }
                            else
                            {
                                break;
                            }
                        }
                        _790 = _789;
                        break;
                    } while(false);
                    float _321 = _250 * _790;
                    _795 = _321;
                }
                bool _325 = _234 == 2u;
                float _809;
                if (_325)
                {
                    float _330 = float(_223);
                    float _332 = _795 / _330;
                    _809 = _332;
                }
                else
                {
                    _809 = _795;
                }
                bool _334 = _192 == 0u;
                if (_334)
                {
                    uint2 _338 = a.y;
                    device Floats* _339 = reinterpret_cast<device Floats*>(as_type<ulong>(_338));
                    _339->v[_770] = _809;
                }
                uint _419 = gl_NumWorkGroups.x;
                uint _421 = _770 + _419;
                _770 = _421;
                continue;
            }
            uint _658;
            bool _659;
            float _778;
            do
            {
                uint _626 = as_type<uint>(_772);
                uint _774;
                if (isnan(_772))
                {
                    _774 = 4294967295u;
                }
                else
                {
                    uint _632 = _626 & 2147483648u;
                    bool _633 = _632 != 0u;
                    uint _773;
                    if (_633)
                    {
                        uint _636 = ~_626;
                        _773 = _636;
                    }
                    else
                    {
                        uint _639 = _626 | 2147483648u;
                        _773 = _639;
                    }
                    _774 = _773;
                }
                uint _645 = simd_max(_774);
                uint _647 = _645 & 2147483648u;
                bool _648 = _647 != 0u;
                uint _775;
                if (_648)
                {
                    uint _651 = _645 & 2147483647u;
                    _775 = _651;
                }
                else
                {
                    uint _654 = ~_645;
                    _775 = _654;
                }
                float _657 = as_type<float>(_775);
                _658 = gl_NumSubgroups;
                _659 = _658 == 1u;
                if (_659)
                {
                    _778 = _657;
                    break;
                }
                uint _691 = turn;
                uint _693 = turn ^ 64u;
                turn = _693;
                bool _694 = simd_is_first();
                if (_694)
                {
                    uint _698 = _691 + gl_SubgroupID;
                    parts[_698] = _657;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float _667 = parts[_691];
                uint _776;
                float _777;
                _777 = _667;
                _776 = 1u;
                for (;;)
                {
                    bool _672 = _776 < _658;
                    if (_672)
                    {
                        uint _676 = _691 + _776;
                        float _679 = parts[_676];
                        bool _709 = _777 >= _679;
                        bool _710 = isnan(_777) || _709;
                        float _713 = _710 ? _777 : _679;
                        uint _683 = _776 + uint(1);
                        _777 = _713;
                        _776 = _683;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                _778 = _777;
                break;
            } while(false);
            uint _779;
            float _780;
            _780 = 0.0;
            _779 = _192;
            for (;;)
            {
                bool _358 = _779 < _223;
                if (_358)
                {
                    uint _366 = _779 * _216;
                    uint _367 = _229 + _366;
                    float _369 = _260->v[_367];
                    float _371 = _369 - _778;
                    float _372 = exp(_371);
                    float _374 = _780 + _372;
                    uint _376 = _779 + 64u;
                    _780 = _374;
                    _779 = _376;
                    continue;
                }
                else
                {
                    break;
                }
            }
            float _783;
            do
            {
                float _724 = simd_sum(_780);
                if (_659)
                {
                    _783 = _724;
                    break;
                }
                uint _758 = turn;
                uint _760 = turn ^ 64u;
                turn = _760;
                bool _761 = simd_is_first();
                if (_761)
                {
                    uint _765 = _758 + gl_SubgroupID;
                    parts[_765] = _724;
                }
                threadgroup_barrier(mem_flags::mem_threadgroup);
                float _734 = parts[_758];
                uint _781;
                float _782;
                _782 = _734;
                _781 = 1u;
                for (;;)
                {
                    bool _739 = _781 < _658;
                    if (_739)
                    {
                        uint _743 = _758 + _781;
                        float _745 = parts[_743];
                        float _747 = _782 + _745;
                        uint _750 = _781 + uint(1);
                        _782 = _747;
                        _781 = _750;
                        continue;
                    }
                    else
                    {
                        break;
                    }
                }
                _783 = _782;
                break;
            } while(false);
            uint _784;
            _784 = _192;
            for (;;)
            {
                bool _391 = _784 < _223;
                if (_391)
                {
                    uint _397 = _784 * _216;
                    uint _398 = _229 + _397;
                    uint2 _400 = a.y;
                    device Floats* _401 = reinterpret_cast<device Floats*>(as_type<ulong>(_400));
                    float _408 = _260->v[_398];
                    float _410 = _408 - _778;
                    float _411 = exp(_410);
                    float _413 = _411 / _783;
                    _401->v[_398] = _413;
                    uint _416 = _784 + 64u;
                    _784 = _416;
                    continue;
                }
                else
                {
                    break;
                }
            }
            uint _419 = gl_NumWorkGroups.x;
            uint _421 = _770 + _419;
            _770 = _421;
            continue;
        }
        else
        {
            break;
        }
    }
}

