// The part of Vulkan's binary interface that is used here, declared by its specification: no header package is needed to build.
// Structures have the specification's fields in its order; where a structure is long and little of it is read, the rest is
// padding of the same size and alignment.
#ifndef HEARTH_VULKAN_H
#define HEARTH_VULKAN_H

#include <stddef.h>
#include <stdint.h>

typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef struct VkDevice_T *VkDevice;
typedef struct VkQueue_T *VkQueue;
typedef struct VkCommandBuffer_T *VkCommandBuffer;
// Handles without a type of their own are 64 bits wide on every system.
typedef uint64_t VkHandle;
typedef int32_t VkResult;

enum {
    VK_SUCCESS = 0, VK_TIMEOUT = 2, VK_INCOMPLETE = 5, VK_ERROR_DEVICE_LOST = -4,
};

// Values of sType.
enum {
    VK_TYPE_APPLICATION = 0, VK_TYPE_INSTANCE = 1, VK_TYPE_QUEUE = 2, VK_TYPE_DEVICE = 3, VK_TYPE_SUBMIT = 4,
    VK_TYPE_MEMORY = 5, VK_TYPE_FENCE = 8, VK_TYPE_SEMAPHORE = 9, VK_TYPE_BUFFER = 12, VK_TYPE_SHADER_MODULE = 16, VK_TYPE_PIPELINE_CACHE = 17,
    VK_TYPE_STAGE = 18, VK_TYPE_COMPUTE_PIPELINE = 29, VK_TYPE_PIPELINE_LAYOUT = 30, VK_TYPE_COMMAND_POOL = 39,
    VK_TYPE_COMMAND_BUFFER = 40, VK_TYPE_BEGIN = 42, VK_TYPE_BARRIER = 46, VK_TYPE_FEATURES = 1000059000,
    VK_TYPE_PROPERTIES = 1000059001, VK_TYPE_MEMORY_PROPERTIES = 1000059006, VK_TYPE_MEMORY_FLAGS = 1000060000,
    VK_TYPE_BUFFER_QUESTION = 1000071002, VK_TYPE_BUFFER_ANSWER = 1000071003, VK_TYPE_EXTERNAL_BUFFER = 1000072000,
    VK_TYPE_SUBGROUPS = 1000094000, VK_TYPE_ALLOCATION_LIMITS = 1000168000, VK_TYPE_IMPORT = 1000178000,
    VK_TYPE_IMPORT_TYPES = 1000178001, VK_TYPE_IMPORT_LIMITS = 1000178002, VK_TYPE_DRIVER = 1000196000,
    VK_TYPE_TIMELINE_FEATURES = 1000207000, VK_TYPE_SEMAPHORE_KIND = 1000207002, VK_TYPE_TIMELINE_SUBMIT = 1000207003,
    VK_TYPE_TIMELINE_WAIT = 1000207004, VK_TYPE_MEMORY_BUDGET = 1000237000, VK_TYPE_ADDRESS = 1000244001, VK_TYPE_ADDRESS_FEATURES = 1000257000,
};

enum {
    VK_QUEUE_GRAPHICS = 1, VK_QUEUE_COMPUTE = 2, VK_QUEUE_COPY = 4, VK_QUEUE_SPARSE = 8, VK_QUEUE_PROTECTED = 16,
    VK_SHARING_CONCURRENT = 1, VK_SEMAPHORE_TIMELINE = 1, VK_POOL_RESETS_BUFFERS = 2,
    VK_MEMORY_DEVICE_LOCAL = 1, VK_MEMORY_HOST_VISIBLE = 2, VK_MEMORY_HOST_COHERENT = 4, VK_MEMORY_HOST_CACHED = 8,
    VK_HEAP_DEVICE_LOCAL = 1,
    VK_USAGE_COPY_FROM = 1, VK_USAGE_COPY_TO = 2, VK_USAGE_STORAGE = 0x20, VK_USAGE_ADDRESS = 0x20000,
    VK_MEMORY_ADDRESS = 2,
    // Memory of the process, as a kind of external memory, and that it can be imported.
    VK_HANDLE_HOST_ALLOCATION = 0x80, VK_EXTERNAL_IMPORTABLE = 4,
    VK_SHADER_COMPUTE = 0x20,
    // Operations of subgroups.
    VK_SUBGROUP_BASIC = 1, VK_SUBGROUP_ARITHMETIC = 4,
    VK_STAGE_COMPUTE = 0x800, VK_STAGE_COPY = 0x1000, VK_STAGE_HOST = 0x4000,
    VK_ACCESS_SHADER_READ = 0x20, VK_ACCESS_SHADER_WRITE = 0x40, VK_ACCESS_COPY_READ = 0x800,
    VK_ACCESS_COPY_WRITE = 0x1000, VK_ACCESS_HOST_READ = 0x2000, VK_ACCESS_HOST_WRITE = 0x4000,
};

typedef struct {
    uint32_t type; const void *next; const char *application; uint32_t application_version; const char *engine;
    uint32_t engine_version; uint32_t api_version;
} VkApplicationInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags; const VkApplicationInfo *application; uint32_t layer_count;
    const char *const *layers; uint32_t extension_count; const char *const *extensions;
} VkInstanceCreateInfo;
typedef struct {
    uint32_t api_version, driver_version, vendor, device, kind; char name[256]; uint8_t cache_id[16];
    // VkPhysicalDeviceLimits, 504 bytes that begin at a multiple of 8, and five words about sparse memory.
    uint64_t limits[63]; uint32_t sparse[5];
} VkPhysicalDeviceProperties;
typedef struct { uint32_t type; void *next; VkPhysicalDeviceProperties properties; } VkPhysicalDeviceProperties2;
typedef struct {
    uint32_t type; void *next; uint32_t driver; char name[256]; char info[256]; uint8_t conformance[4];
} VkPhysicalDeviceDriverProperties;
typedef struct {
    uint32_t type; void *next; uint32_t size, stages, operations, quads_in_all_stages;
} VkPhysicalDeviceSubgroupProperties;
typedef struct { uint32_t flags, count, timestamp_bits, granularity[3]; } VkQueueFamilyProperties;
typedef struct {
    uint32_t type_count; struct { uint32_t flags, heap; } types[32];
    uint32_t heap_count; struct { uint64_t bytes; uint32_t flags; } heaps[16];
} VkPhysicalDeviceMemoryProperties;
typedef struct { uint32_t type; void *next; VkPhysicalDeviceMemoryProperties properties; } VkPhysicalDeviceMemoryProperties2;
typedef struct {
    uint32_t type; void *next; uint64_t budget[16], usage[16];
} VkPhysicalDeviceMemoryBudgetProperties;
typedef struct { char name[256]; uint32_t version; } VkExtensionProperties;
typedef struct { uint32_t type; void *next; uint32_t sets; uint64_t bytes; } VkPhysicalDeviceMaintenance3Properties;
typedef struct { uint32_t type; void *next; uint64_t alignment; } VkPhysicalDeviceExternalMemoryHostPropertiesEXT;
typedef struct {
    uint32_t type; const void *next; uint32_t flags, usage, handle;
} VkPhysicalDeviceExternalBufferInfo;
typedef struct { uint32_t type; void *next; uint32_t features, from_imported, compatible; } VkExternalBufferProperties;
typedef struct { uint32_t type; const void *next; uint32_t handles; } VkExternalMemoryBufferCreateInfo;
typedef struct { uint32_t type; const void *next; uint32_t handle; void *bytes; } VkImportMemoryHostPointerInfoEXT;
typedef struct { uint32_t type; void *next; uint32_t types; } VkMemoryHostPointerPropertiesEXT;
typedef struct { uint32_t type; void *next; uint32_t features[55]; } VkPhysicalDeviceFeatures2;
typedef struct {
    uint32_t type; void *next; uint32_t has_addresses, capture_replay, multi_device;
} VkPhysicalDeviceBufferDeviceAddressFeatures;
typedef struct { uint32_t type; void *next; uint32_t has_timelines; } VkPhysicalDeviceTimelineSemaphoreFeatures;
typedef struct {
    uint32_t type; const void *next; uint32_t flags, family, count; const float *priorities;
} VkDeviceQueueCreateInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags, queue_count; const VkDeviceQueueCreateInfo *queues;
    uint32_t layer_count; const char *const *layers; uint32_t extension_count; const char *const *extensions;
    const void *features;
} VkDeviceCreateInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags; uint64_t bytes; uint32_t usage, sharing, family_count;
    const uint32_t *families;
} VkBufferCreateInfo;
typedef struct { uint64_t bytes, alignment; uint32_t types; } VkMemoryRequirements;
typedef struct { uint32_t type; const void *next; uint32_t flags, devices; } VkMemoryAllocateFlagsInfo;
typedef struct { uint32_t type; const void *next; uint64_t bytes; uint32_t memory_type; } VkMemoryAllocateInfo;
typedef struct { uint32_t type; const void *next; VkHandle buffer; } VkBufferDeviceAddressInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags; size_t bytes; const uint32_t *words;
} VkShaderModuleCreateInfo;
typedef struct { uint32_t stages, offset, bytes; } VkPushConstantRange;
typedef struct {
    uint32_t type; const void *next; uint32_t flags, set_count; const VkHandle *sets; uint32_t range_count;
    const VkPushConstantRange *ranges;
} VkPipelineLayoutCreateInfo;
typedef struct { uint32_t constant, offset; size_t bytes; } VkSpecializationMapEntry;
typedef struct {
    uint32_t entry_count; const VkSpecializationMapEntry *entries; size_t bytes; const void *data;
} VkSpecializationInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags, stage; VkHandle module; const char *entry;
    const VkSpecializationInfo *specialization;
} VkPipelineShaderStageCreateInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags; VkPipelineShaderStageCreateInfo stage; VkHandle layout, base;
    int32_t base_index;
} VkComputePipelineCreateInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags; size_t bytes; const void *data;
} VkPipelineCacheCreateInfo;
typedef struct { uint32_t type; const void *next; uint32_t flags, family; } VkCommandPoolCreateInfo;
typedef struct {
    uint32_t type; const void *next; VkHandle pool; uint32_t level, count;
} VkCommandBufferAllocateInfo;
typedef struct { uint32_t type; const void *next; uint32_t flags; const void *inheritance; } VkCommandBufferBeginInfo;
typedef struct { uint32_t type; const void *next; uint32_t from, to; } VkMemoryBarrier;
typedef struct { uint32_t type; const void *next; uint32_t flags; } VkFenceCreateInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t wait_count; const VkHandle *waits; const uint32_t *stages;
    uint32_t buffer_count; const VkCommandBuffer *buffers; uint32_t signal_count; const VkHandle *signals;
} VkSubmitInfo;
typedef struct { uint32_t type; const void *next; uint32_t flags; } VkSemaphoreCreateInfo;
typedef struct { uint32_t type; const void *next; uint32_t kind; uint64_t value; } VkSemaphoreTypeCreateInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t wait_count; const uint64_t *waits; uint32_t signal_count;
    const uint64_t *signals;
} VkTimelineSemaphoreSubmitInfo;
typedef struct {
    uint32_t type; const void *next; uint32_t flags, count; const VkHandle *semaphores; const uint64_t *values;
} VkSemaphoreWaitInfo;
typedef struct { uint64_t from, to, bytes; } VkBufferCopy;

typedef void (*VkFunction)(void);

#endif
