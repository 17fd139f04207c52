// A GPU through Vulkan 1.2, limited to what compute shaders with buffer addresses need: commands that wait for each other, copies
// beside them, memory, pipelines. The loader (libvulkan) is opened by the first call and not linked; Vulkan's headers are not needed.
//
// Calls with one device must not overlap, except `hearth_gpu_pipeline_make`, and those of the stream, which belong to a second
// thread.
#ifndef CHEARTHGPU_H
#define CHEARTHGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0 is success; numbers below -1000 are these, other negative ones Vulkan's.
typedef int32_t hearth_gpu_status;
enum {
    HEARTH_GPU_NO_LOADER = -1001,
    HEARTH_GPU_NO_DEVICE = -1002,
    HEARTH_GPU_UNFIT = -1003,
    HEARTH_GPU_TIMEOUT = -1004,
    HEARTH_GPU_NO_MEMORY_TYPE = -1005,
};

enum { HEARTH_GPU_NAME = 256 };

typedef enum hearth_gpu_kind {
    HEARTH_GPU_OTHER, HEARTH_GPU_INTEGRATED, HEARTH_GPU_DISCRETE, HEARTH_GPU_VIRTUAL, HEARTH_GPU_SOFTWARE
} hearth_gpu_kind;

typedef struct hearth_gpu_info {
    char name[HEARTH_GPU_NAME];
    char driver[HEARTH_GPU_NAME];       // the driver's name
    char driver_info[HEARTH_GPU_NAME];  // its version in words
    uint32_t driver_version;
    uint32_t api_version;
    uint32_t vendor;
    uint32_t device;
    uint8_t cache_id[16];  // identifies compatible pipeline caches
    hearth_gpu_kind kind;
    uint64_t memory_bytes;  // size of its largest local heap
    bool is_fit;            // whether it supports the shaders
    // Threads of a subgroup; 0 if compute shaders cannot reduce within subgroups.
    uint32_t subgroup_size;
    // Addresses and sizes for `hearth_gpu_memory_import` are multiples of this, and it takes at most so many bytes; 0 if the device
    // cannot use the processor's memory, or has faster local memory (VK_EXT_external_memory_host).
    uint64_t import_alignment;
    uint64_t import_bytes;
} hearth_gpu_info;

// Devices of this machine, at most `most`; `count` is how many were written.
hearth_gpu_status hearth_gpu_list(hearth_gpu_info *infos, size_t most, size_t *count);

typedef struct hearth_gpu hearth_gpu;

// Opens the device with that number in the list. `cache` holds bytes from an earlier `hearth_gpu_cache`, or is null.
hearth_gpu_status hearth_gpu_open(size_t number, const void *cache, size_t cache_bytes, hearth_gpu **device);
// Releases everything; memory and pipelines must have been freed. After a hang the system has to clean up.
void hearth_gpu_close(hearth_gpu *device);

// The bytes of the pipeline cache. `*bytes` is the capacity of `data`, and becomes their number; null data returns only the number.
hearth_gpu_status hearth_gpu_cache(hearth_gpu *device, void *data, size_t *bytes);

typedef struct hearth_gpu_pipeline hearth_gpu_pipeline;

// A shader with the specialization constants 0, 1, 2, … as given. May be called on several threads at once.
hearth_gpu_status hearth_gpu_pipeline_make(
    hearth_gpu *device, const uint32_t *words, size_t byte_count, const uint32_t *constants, size_t constant_count,
    hearth_gpu_pipeline **pipeline);
void hearth_gpu_pipeline_free(hearth_gpu *device, hearth_gpu_pipeline *pipeline);

typedef enum hearth_gpu_place {
    HEARTH_GPU_NEAR,    // the device's own memory; visible to the processor if all of it is
    HEARTH_GPU_CLOSED,  // the device's own memory, never visible to the processor
    HEARTH_GPU_SHARED,  // visible to both
} hearth_gpu_place;

typedef struct hearth_gpu_memory {
    uint64_t buffer;
    uint64_t memory;
    uint64_t address;  // on the device
    void *bytes;       // null if the processor cannot access it
    uint64_t byte_count;
} hearth_gpu_memory;

// Bytes of the device's own memory that this process may still take; UINT64_MAX where the driver does not say
// (VK_EXT_memory_budget).
uint64_t hearth_gpu_available(const hearth_gpu *device);

hearth_gpu_status hearth_gpu_memory_make(
    hearth_gpu *device, uint64_t byte_count, hearth_gpu_place place, hearth_gpu_memory *memory);
// Imports memory of this process, which shaders only read. It has to stay mapped until it is freed, and forever if the device is
// lost.
hearth_gpu_status hearth_gpu_memory_import(
    hearth_gpu *device, const void *bytes, uint64_t byte_count, hearth_gpu_memory *memory);
void hearth_gpu_memory_free(hearth_gpu *device, hearth_gpu_memory *memory);

// Commands are recorded; each waits for the results of earlier ones. `hearth_gpu_run` submits them and waits for their end.
hearth_gpu_status hearth_gpu_begin(hearth_gpu *device);
void hearth_gpu_dispatch(
    hearth_gpu *device, const hearth_gpu_pipeline *pipeline, const void *arguments, uint32_t argument_bytes, uint32_t x,
    uint32_t y);
// The next command does not wait for the previous one: neither needs what the other writes.
void hearth_gpu_beside(hearth_gpu *device);
void hearth_gpu_copy(
    hearth_gpu *device, const hearth_gpu_memory *from, uint64_t from_offset, const hearth_gpu_memory *to,
    uint64_t to_offset, uint64_t byte_count);
// `after` is the number of a submission of the stream that they wait for on the device, 0 for none. After HEARTH_GPU_TIMEOUT or a lost
// device, the device can only be closed.
hearth_gpu_status hearth_gpu_run(hearth_gpu *device, uint64_t after, uint64_t timeout_nanoseconds);

// The stream: copies that run beside the commands, by a queue of its own where the device has one that only copies. Submissions are
// numbered from 1 on and end in their order. Their targets are near or closed memory.
typedef struct hearth_gpu_part {
    uint64_t buffer;  // of the memory that it is copied to
    uint64_t from_offset, to_offset, byte_count;
} hearth_gpu_part;

// Submissions that may be in flight: `number` may be submitted when `number - HEARTH_GPU_STREAM_DEPTH` has ended.
enum { HEARTH_GPU_STREAM_DEPTH = 2 };

hearth_gpu_status hearth_gpu_stream_copy(
    hearth_gpu *device, const hearth_gpu_memory *from, const hearth_gpu_part *parts, size_t count, uint64_t *number);
// Waits for a submission's end; at once if another thread lost the device.
hearth_gpu_status hearth_gpu_stream_wait(hearth_gpu *device, uint64_t number, uint64_t timeout_nanoseconds);

// Whether the device was lost in this way. Its work may still be running, and use memory.
bool hearth_gpu_is_lost(const hearth_gpu *device);

#ifdef __cplusplus
}
#endif

#endif
