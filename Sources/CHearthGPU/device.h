// Shared by the files of this target: the functions of Vulkan that are used, and an open device.
#ifndef HEARTH_GPU_DEVICE_H
#define HEARTH_GPU_DEVICE_H

#include "CHearthGPU.h"
#include "vulkan.h"

#include <pthread.h>
#include <stdatomic.h>

// Functions of the loader, of an instance and of a device, with their types.
#define INSTANCE_FUNCTIONS(F) \
    F(VkResult, EnumeratePhysicalDevices, (VkInstance, uint32_t *, VkPhysicalDevice *)) \
    F(void, GetPhysicalDeviceProperties2, (VkPhysicalDevice, VkPhysicalDeviceProperties2 *)) \
    F(void, GetPhysicalDeviceFeatures2, (VkPhysicalDevice, VkPhysicalDeviceFeatures2 *)) \
    F(void, GetPhysicalDeviceMemoryProperties, (VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *)) \
    F(void, GetPhysicalDeviceMemoryProperties2, (VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2 *)) \
    F(void, GetPhysicalDeviceExternalBufferProperties, \
        (VkPhysicalDevice, const VkPhysicalDeviceExternalBufferInfo *, VkExternalBufferProperties *)) \
    F(VkResult, EnumerateDeviceExtensionProperties, \
        (VkPhysicalDevice, const char *, uint32_t *, VkExtensionProperties *)) \
    F(void, GetPhysicalDeviceQueueFamilyProperties, (VkPhysicalDevice, uint32_t *, VkQueueFamilyProperties *)) \
    F(VkResult, CreateDevice, (VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *)) \
    F(VkFunction, GetDeviceProcAddr, (VkDevice, const char *))

#define DEVICE_FUNCTIONS(F) \
    F(void, DestroyDevice, (VkDevice, const void *)) \
    F(void, GetDeviceQueue, (VkDevice, uint32_t, uint32_t, VkQueue *)) \
    F(VkResult, CreateBuffer, (VkDevice, const VkBufferCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroyBuffer, (VkDevice, VkHandle, const void *)) \
    F(void, GetBufferMemoryRequirements, (VkDevice, VkHandle, VkMemoryRequirements *)) \
    F(VkResult, AllocateMemory, (VkDevice, const VkMemoryAllocateInfo *, const void *, VkHandle *)) \
    F(void, FreeMemory, (VkDevice, VkHandle, const void *)) \
    F(VkResult, BindBufferMemory, (VkDevice, VkHandle, VkHandle, uint64_t)) \
    F(VkResult, MapMemory, (VkDevice, VkHandle, uint64_t, uint64_t, uint32_t, void **)) \
    F(uint64_t, GetBufferDeviceAddress, (VkDevice, const VkBufferDeviceAddressInfo *)) \
    F(VkResult, CreateShaderModule, (VkDevice, const VkShaderModuleCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroyShaderModule, (VkDevice, VkHandle, const void *)) \
    F(VkResult, CreatePipelineLayout, (VkDevice, const VkPipelineLayoutCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroyPipelineLayout, (VkDevice, VkHandle, const void *)) \
    F(VkResult, CreatePipelineCache, (VkDevice, const VkPipelineCacheCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroyPipelineCache, (VkDevice, VkHandle, const void *)) \
    F(VkResult, GetPipelineCacheData, (VkDevice, VkHandle, size_t *, void *)) \
    F(VkResult, CreateComputePipelines, \
        (VkDevice, VkHandle, uint32_t, const VkComputePipelineCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroyPipeline, (VkDevice, VkHandle, const void *)) \
    F(VkResult, CreateCommandPool, (VkDevice, const VkCommandPoolCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroyCommandPool, (VkDevice, VkHandle, const void *)) \
    F(VkResult, AllocateCommandBuffers, (VkDevice, const VkCommandBufferAllocateInfo *, VkCommandBuffer *)) \
    F(VkResult, BeginCommandBuffer, (VkCommandBuffer, const VkCommandBufferBeginInfo *)) \
    F(VkResult, EndCommandBuffer, (VkCommandBuffer)) \
    F(VkResult, ResetCommandPool, (VkDevice, VkHandle, uint32_t)) \
    F(void, CmdBindPipeline, (VkCommandBuffer, uint32_t, VkHandle)) \
    F(void, CmdPushConstants, (VkCommandBuffer, VkHandle, uint32_t, uint32_t, uint32_t, const void *)) \
    F(void, CmdDispatch, (VkCommandBuffer, uint32_t, uint32_t, uint32_t)) \
    F(void, CmdCopyBuffer, (VkCommandBuffer, VkHandle, VkHandle, uint32_t, const VkBufferCopy *)) \
    F(void, CmdPipelineBarrier, \
        (VkCommandBuffer, uint32_t, uint32_t, uint32_t, uint32_t, const VkMemoryBarrier *, uint32_t, const void *, \
         uint32_t, const void *)) \
    F(VkResult, CreateFence, (VkDevice, const VkFenceCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroyFence, (VkDevice, VkHandle, const void *)) \
    F(VkResult, ResetFences, (VkDevice, uint32_t, const VkHandle *)) \
    F(VkResult, WaitForFences, (VkDevice, uint32_t, const VkHandle *, uint32_t, uint64_t)) \
    F(VkResult, CreateSemaphore, (VkDevice, const VkSemaphoreCreateInfo *, const void *, VkHandle *)) \
    F(void, DestroySemaphore, (VkDevice, VkHandle, const void *)) \
    F(VkResult, WaitSemaphores, (VkDevice, const VkSemaphoreWaitInfo *, uint64_t)) \
    F(VkResult, QueueSubmit, (VkQueue, uint32_t, const VkSubmitInfo *, VkHandle))

#define MEMBER(result, name, parameters) result(*name) parameters;

// The loader's instance, opened by the first call.
extern struct hearth_vulkan {
    hearth_gpu_status status;
    VkInstance instance;
    INSTANCE_FUNCTIONS(MEMBER)
} hearth_vulkan;

typedef VkResult import_types(VkDevice, uint32_t, const void *, VkMemoryHostPointerPropertiesEXT *);

// Copies that run beside the commands.
struct hearth_gpu_stream {
    VkQueue queue;  // that of the commands where the device has none for copies
    VkHandle pool;
    VkCommandBuffer commands[HEARTH_GPU_STREAM_DEPTH];
    VkHandle done;   // a timeline that counts submissions
    uint64_t count;  // submissions so far
};

struct hearth_gpu {
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t families[2];  // of the commands and of copies
    VkQueue queue;
    pthread_mutex_t submitting;  // two threads submit, maybe to the same queue
    struct hearth_gpu_stream stream;
    uint64_t seen;  // submission of the stream whose copies commands see
    VkPhysicalDeviceMemoryProperties memory;
    VkHandle layout, cache, pool, fence;
    VkCommandBuffer commands;
    VkHandle bound;
    bool is_empty;  // whether there is no earlier command that the next one has to wait for
    atomic_bool is_lost;
    DEVICE_FUNCTIONS(MEMBER)
    import_types *GetMemoryHostPointerPropertiesEXT;  // null where memory cannot be imported
};

struct hearth_gpu_pipeline {
    VkHandle pipeline;
};

// instance.c: the devices that the loader finds; `devices` has room for HEARTH_GPU_MOST_DEVICES.
enum { HEARTH_GPU_MOST_DEVICES = 16 };
hearth_gpu_status hearth_gpu_physical_devices(VkPhysicalDevice *devices, uint32_t *count);
void hearth_gpu_describe(VkPhysicalDevice device, hearth_gpu_info *info);
// A family of queues that computes, preferably one without graphics; -1 where there is none.
int hearth_gpu_compute_family(VkPhysicalDevice device);
// A family of queues that only copy; -1 where there is none.
int hearth_gpu_copy_family(VkPhysicalDevice device);
// Whether a device has the extension of that name.
bool hearth_gpu_has_extension(VkPhysicalDevice device, const char *name);
// The extension by which a device reads memory of this process.
#define HEARTH_GPU_IMPORT_EXTENSION "VK_EXT_external_memory_host"

// pipelines.c, submission.c and stream.c: their parts of a device. After an error of `open`, `close` skips what does not exist.
hearth_gpu_status hearth_gpu_pipelines_open(hearth_gpu *device, const void *cache, size_t cache_bytes);
void hearth_gpu_pipelines_close(hearth_gpu *device);
hearth_gpu_status hearth_gpu_submission_open(hearth_gpu *device);
void hearth_gpu_submission_close(hearth_gpu *device);
// Submits to a queue. Called by several threads.
VkResult hearth_gpu_submit(hearth_gpu *device, VkQueue queue, const VkSubmitInfo *info, VkHandle fence);
hearth_gpu_status hearth_gpu_stream_open(hearth_gpu *device);
void hearth_gpu_stream_close(hearth_gpu *device);

// The usage of every buffer.
enum { HEARTH_GPU_BUFFER_USAGE = VK_USAGE_COPY_FROM | VK_USAGE_COPY_TO | VK_USAGE_STORAGE | VK_USAGE_ADDRESS };

#endif
