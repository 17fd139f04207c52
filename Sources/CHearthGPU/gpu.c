#include "CHearthGPU.h"
#include "vulkan.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Functions of the loader, of an instance and of a device, with their types.
#define INSTANCE_FUNCTIONS(F) \
    F(VkResult, EnumeratePhysicalDevices, (VkInstance, uint32_t *, VkPhysicalDevice *)) \
    F(void, GetPhysicalDeviceProperties2, (VkPhysicalDevice, VkPhysicalDeviceProperties2 *)) \
    F(void, GetPhysicalDeviceFeatures2, (VkPhysicalDevice, VkPhysicalDeviceFeatures2 *)) \
    F(void, GetPhysicalDeviceMemoryProperties, (VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *)) \
    F(void, GetPhysicalDeviceMemoryProperties2, (VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2 *)) \
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
    F(VkResult, QueueSubmit, (VkQueue, uint32_t, const VkSubmitInfo *, VkHandle))

#define MEMBER(result, name, parameters) result(*name) parameters;
#define ARGUMENT_BYTES 128
// Vulkan 1.2, where addresses of buffers are part of the core.
#define API_VERSION ((1u << 22) | (2u << 12))

static struct {
    hearth_gpu_status status;
    VkInstance instance;
    INSTANCE_FUNCTIONS(MEMBER)
} vulkan;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

struct hearth_gpu {
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkPhysicalDeviceMemoryProperties memory;
    VkHandle layout, cache, pool, fence;
    VkCommandBuffer commands;
    VkHandle bound;
    bool is_empty;  // whether there is nothing in front that a command would have to wait for
    bool is_lost;
    DEVICE_FUNCTIONS(MEMBER)
};

struct hearth_gpu_pipeline {
    VkHandle pipeline;
};

static void open_loader(void) {
    static const char *const names[] = {"libvulkan.so.1", "libvulkan.so"};
    vulkan.status = HEARTH_GPU_NO_LOADER;
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof names[0]; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) return;
    // A function pointer by way of memory: ISO C has no conversion from an object's.
    VkFunction (*get)(VkInstance, const char *) = NULL;
    VkResult (*create)(const VkInstanceCreateInfo *, const void *, VkInstance *) = NULL;
    *(void **)(void *)&get = dlsym(library, "vkGetInstanceProcAddr");
    if (get == NULL) return;
    create = (VkResult(*)(const VkInstanceCreateInfo *, const void *, VkInstance *))get(NULL, "vkCreateInstance");
    if (create == NULL) return;
    const VkApplicationInfo application = {
        .type = VK_TYPE_APPLICATION, .application = "Hearth", .engine = "Hearth", .api_version = API_VERSION};
    const VkInstanceCreateInfo info = {.type = VK_TYPE_INSTANCE, .application = &application};
    const VkResult result = create(&info, NULL, &vulkan.instance);
    if (result != VK_SUCCESS) {
        // A loader without any driver says so here.
        vulkan.status = HEARTH_GPU_NO_DEVICE;
        return;
    }
#define LOAD(result, name, parameters) \
    vulkan.name = (result(*) parameters)get(vulkan.instance, "vk" #name); \
    if (vulkan.name == NULL) { \
        vulkan.status = HEARTH_GPU_UNFIT; \
        return; \
    }
    INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    vulkan.status = VK_SUCCESS;
}

enum { MOST_DEVICES = 16 };

static hearth_gpu_status physical_devices(VkPhysicalDevice *devices, uint32_t *count) {
    pthread_once(&opened, open_loader);
    if (vulkan.status != VK_SUCCESS) return vulkan.status;
    *count = MOST_DEVICES;
    const VkResult result = vulkan.EnumeratePhysicalDevices(vulkan.instance, count, devices);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) return result;
    return *count > 0 ? VK_SUCCESS : HEARTH_GPU_NO_DEVICE;
}

// A family of queues that computes, those that do nothing else first; -1 where there is none.
static int compute_family(VkPhysicalDevice device) {
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof families[0];
    vulkan.GetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].flags & VK_QUEUE_COMPUTE) || families[i].count == 0) continue;
        if (best < 0 || !(families[i].flags & VK_QUEUE_GRAPHICS)) best = (int)i;
        if (!(families[i].flags & VK_QUEUE_GRAPHICS)) break;
    }
    return best;
}

static void describe(VkPhysicalDevice device, hearth_gpu_info *info) {
    memset(info, 0, sizeof *info);
    VkPhysicalDeviceDriverProperties driver = {.type = VK_TYPE_DRIVER};
    VkPhysicalDeviceProperties2 all = {.type = VK_TYPE_PROPERTIES, .next = &driver};
    vulkan.GetPhysicalDeviceProperties2(device, &all);
    const VkPhysicalDeviceProperties *p = &all.properties;
    memcpy(info->name, p->name, sizeof info->name - 1);
    memcpy(info->driver, driver.name, sizeof info->driver - 1);
    memcpy(info->driver_info, driver.info, sizeof info->driver_info - 1);
    memcpy(info->cache_id, p->cache_id, sizeof info->cache_id);
    info->driver_version = p->driver_version;
    info->api_version = p->api_version;
    info->vendor = p->vendor;
    info->device = p->device;
    info->kind = p->kind <= HEARTH_GPU_SOFTWARE ? (hearth_gpu_kind)p->kind : HEARTH_GPU_OTHER;
    VkPhysicalDeviceMemoryProperties memory;
    vulkan.GetPhysicalDeviceMemoryProperties(device, &memory);
    for (uint32_t i = 0; i < memory.heap_count; i++) {
        if (memory.heaps[i].flags & VK_HEAP_DEVICE_LOCAL && memory.heaps[i].bytes > info->memory_bytes) {
            info->memory_bytes = memory.heaps[i].bytes;
        }
    }
    if (p->api_version < API_VERSION || compute_family(device) < 0) return;
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {.type = VK_TYPE_ADDRESS_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.type = VK_TYPE_FEATURES, .next = &addresses};
    vulkan.GetPhysicalDeviceFeatures2(device, &features);
    info->is_fit = addresses.has_addresses != 0;
}

hearth_gpu_status hearth_gpu_list(hearth_gpu_info *infos, size_t most, size_t *count) {
    VkPhysicalDevice devices[MOST_DEVICES];
    uint32_t found = 0;
    *count = 0;
    const hearth_gpu_status status = physical_devices(devices, &found);
    if (status != VK_SUCCESS) return status;
    for (uint32_t i = 0; i < found && i < most; i++) describe(devices[i], &infos[i]);
    *count = found < most ? found : most;
    return VK_SUCCESS;
}

// What is there of a device once its functions are.
static hearth_gpu_status furnish(hearth_gpu *g, uint32_t family, const void *cache, size_t cache_bytes) {
    g->GetDeviceQueue(g->device, family, 0, &g->queue);
    const VkPushConstantRange range = {.stages = VK_SHADER_COMPUTE, .bytes = ARGUMENT_BYTES};
    const VkPipelineLayoutCreateInfo layout = {
        .type = VK_TYPE_PIPELINE_LAYOUT, .range_count = 1, .ranges = &range};
    VkResult result = g->CreatePipelineLayout(g->device, &layout, NULL, &g->layout);
    if (result != VK_SUCCESS) return result;
    VkPipelineCacheCreateInfo kept = {.type = VK_TYPE_PIPELINE_CACHE, .bytes = cache_bytes, .data = cache};
    result = g->CreatePipelineCache(g->device, &kept, NULL, &g->cache);
    if (result != VK_SUCCESS && cache_bytes > 0) {
        // A driver may refuse what it wrote once; then it begins anew.
        (kept.bytes = 0, kept.data = NULL);
        result = g->CreatePipelineCache(g->device, &kept, NULL, &g->cache);
    }
    if (result != VK_SUCCESS) return result;
    const VkCommandPoolCreateInfo pool = {.type = VK_TYPE_COMMAND_POOL, .family = family};
    if ((result = g->CreateCommandPool(g->device, &pool, NULL, &g->pool)) != VK_SUCCESS) return result;
    const VkCommandBufferAllocateInfo commands = {.type = VK_TYPE_COMMAND_BUFFER, .pool = g->pool, .count = 1};
    if ((result = g->AllocateCommandBuffers(g->device, &commands, &g->commands)) != VK_SUCCESS) return result;
    const VkFenceCreateInfo fence = {.type = VK_TYPE_FENCE};
    return g->CreateFence(g->device, &fence, NULL, &g->fence);
}

hearth_gpu_status hearth_gpu_open(size_t number, const void *cache, size_t cache_bytes, hearth_gpu **device) {
    VkPhysicalDevice devices[MOST_DEVICES];
    uint32_t found = 0;
    hearth_gpu_status status = physical_devices(devices, &found);
    if (status != VK_SUCCESS) return status;
    if (number >= found) return HEARTH_GPU_NO_DEVICE;
    hearth_gpu_info info;
    describe(devices[number], &info);
    const int family = compute_family(devices[number]);
    if (!info.is_fit || family < 0) return HEARTH_GPU_UNFIT;

    hearth_gpu *g = calloc(1, sizeof *g);
    if (g == NULL) return -1;
    g->physical = devices[number];
    vulkan.GetPhysicalDeviceMemoryProperties(g->physical, &g->memory);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .type = VK_TYPE_QUEUE, .family = (uint32_t)family, .count = 1, .priorities = &priority};
    const VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {.type = VK_TYPE_ADDRESS_FEATURES, .has_addresses = 1};
    const VkDeviceCreateInfo create = {
        .type = VK_TYPE_DEVICE, .next = &addresses, .queue_count = 1, .queues = &queue};
    status = vulkan.CreateDevice(devices[number], &create, NULL, &g->device);
    if (status != VK_SUCCESS) {
        free(g);
        return status;
    }
#define LOAD(result, name, parameters) \
    g->name = (result(*) parameters)vulkan.GetDeviceProcAddr(g->device, "vk" #name); \
    if (g->name == NULL) status = HEARTH_GPU_UNFIT;
    DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    if (status == VK_SUCCESS) status = furnish(g, (uint32_t)family, cache, cache_bytes);
    if (status != VK_SUCCESS) {
        hearth_gpu_close(g);
        return status;
    }
    *device = g;
    return VK_SUCCESS;
}

void hearth_gpu_close(hearth_gpu *g) {
    // What still runs must not be destroyed; waiting for what hangs would hang as well.
    if (!g->is_lost && g->DestroyDevice != NULL) {
        if (g->fence) g->DestroyFence(g->device, g->fence, NULL);
        if (g->pool) g->DestroyCommandPool(g->device, g->pool, NULL);
        if (g->cache) g->DestroyPipelineCache(g->device, g->cache, NULL);
        if (g->layout) g->DestroyPipelineLayout(g->device, g->layout, NULL);
        g->DestroyDevice(g->device, NULL);
    }
    free(g);
}

hearth_gpu_status hearth_gpu_cache(hearth_gpu *g, void *data, size_t *bytes) {
    return g->is_lost ? VK_ERROR_DEVICE_LOST : g->GetPipelineCacheData(g->device, g->cache, bytes, data);
}

// MARK: - Pipelines

enum { MOST_CONSTANTS = 8 };

hearth_gpu_status hearth_gpu_pipeline_make(
    hearth_gpu *g, const uint32_t *words, size_t byte_count, const uint32_t *constants, size_t constant_count,
    hearth_gpu_pipeline **pipeline) {
    const VkShaderModuleCreateInfo code = {.type = VK_TYPE_SHADER_MODULE, .bytes = byte_count, .words = words};
    VkHandle module = 0;
    VkResult result = g->CreateShaderModule(g->device, &code, NULL, &module);
    if (result != VK_SUCCESS) return result;
    VkSpecializationMapEntry entries[MOST_CONSTANTS];
    const uint32_t count = (uint32_t)(constant_count < MOST_CONSTANTS ? constant_count : MOST_CONSTANTS);
    for (uint32_t i = 0; i < count; i++) entries[i] = (VkSpecializationMapEntry){i, 4 * i, 4};
    const VkSpecializationInfo specialization = {
        .entry_count = count, .entries = entries, .bytes = 4 * (size_t)count, .data = constants};
    const VkComputePipelineCreateInfo info = {
        .type = VK_TYPE_COMPUTE_PIPELINE,
        .stage = {
            .type = VK_TYPE_STAGE, .stage = VK_SHADER_COMPUTE, .module = module, .entry = "main",
            .specialization = &specialization},
        .layout = g->layout, .base_index = -1};
    hearth_gpu_pipeline *made = calloc(1, sizeof *made);
    result = made == NULL ? -1 : g->CreateComputePipelines(g->device, g->cache, 1, &info, NULL, &made->pipeline);
    g->DestroyShaderModule(g->device, module, NULL);
    if (result != VK_SUCCESS) {
        free(made);
        return result < 0 ? result : HEARTH_GPU_UNFIT;
    }
    *pipeline = made;
    return VK_SUCCESS;
}

void hearth_gpu_pipeline_free(hearth_gpu *g, hearth_gpu_pipeline *pipeline) {
    if (!g->is_lost) g->DestroyPipeline(g->device, pipeline->pipeline, NULL);
    free(pipeline);
}

// MARK: - Memory

// The best type of memory for a buffer; -1 where there is none. Near memory that the processor reaches counts where its heap is
// the device's largest: a window of some hundred megabytes is for other things.
static int memory_type(const hearth_gpu *g, uint32_t allowed, hearth_gpu_place place) {
    const VkPhysicalDeviceMemoryProperties *m = &g->memory;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < m->heap_count; i++) {
        if (m->heaps[i].flags & VK_HEAP_DEVICE_LOCAL && m->heaps[i].bytes > largest) largest = m->heaps[i].bytes;
    }
    const uint32_t shared = VK_MEMORY_HOST_VISIBLE | VK_MEMORY_HOST_COHERENT;
    int best = -1, best_score = 0;
    for (uint32_t i = 0; i < m->type_count; i++) {
        if (!(allowed >> i & 1)) continue;
        const uint32_t flags = m->types[i].flags;
        const bool is_shared = (flags & shared) == shared, is_local = flags & VK_MEMORY_DEVICE_LOCAL;
        // Types beyond these four properties (protected, lazily allocated) are for other things.
        if (flags & ~15u) continue;
        int score = 0;
        if (place == HEARTH_GPU_SHARED) {
            if (is_shared) score = 1 + (flags & VK_MEMORY_HOST_CACHED ? 2 : 0) + (is_local ? 1 : 0);
        } else if (is_local) {
            const bool is_window = is_shared && m->heaps[m->types[i].heap].bytes < largest;
            score = is_window ? 1 : is_shared && place == HEARTH_GPU_NEAR ? 3 : 2;
        }
        if (score > best_score) (best = (int)i, best_score = score);
    }
    return best;
}

static bool has_extension(VkPhysicalDevice device, const char *name) {
    uint32_t count = 0;
    if (vulkan.EnumerateDeviceExtensionProperties(device, NULL, &count, NULL) != VK_SUCCESS) return false;
    VkExtensionProperties *all = calloc(count > 0 ? count : 1, sizeof *all);
    bool is_there = false;
    if (all != NULL && vulkan.EnumerateDeviceExtensionProperties(device, NULL, &count, all) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count && !is_there; i++) is_there = strcmp(all[i].name, name) == 0;
    }
    free(all);
    return is_there;
}

uint64_t hearth_gpu_available(const hearth_gpu *g) {
    const int type = memory_type(g, ~0u, HEARTH_GPU_NEAR);
    if (type < 0) return 0;
    const uint32_t heap = g->memory.types[type].heap;
    const uint64_t size = g->memory.heaps[heap].bytes;
    if (!has_extension(g->physical, "VK_EXT_memory_budget")) return UINT64_MAX;
    VkPhysicalDeviceMemoryBudgetProperties budget = {.type = VK_TYPE_MEMORY_BUDGET};
    VkPhysicalDeviceMemoryProperties2 all = {.type = VK_TYPE_MEMORY_PROPERTIES, .next = &budget};
    vulkan.GetPhysicalDeviceMemoryProperties2(g->physical, &all);
    const uint64_t available = budget.budget[heap] > budget.usage[heap] ? budget.budget[heap] - budget.usage[heap] : 0;
    return available < size ? available : size;
}

hearth_gpu_status hearth_gpu_memory_make(
    hearth_gpu *g, uint64_t byte_count, hearth_gpu_place place, hearth_gpu_memory *memory) {
    memset(memory, 0, sizeof *memory);
    if (g->is_lost) return VK_ERROR_DEVICE_LOST;
    const VkBufferCreateInfo info = {
        .type = VK_TYPE_BUFFER, .bytes = byte_count > 4 ? byte_count : 4,
        .usage = VK_USAGE_COPY_FROM | VK_USAGE_COPY_TO | VK_USAGE_STORAGE | VK_USAGE_ADDRESS};
    VkResult result = g->CreateBuffer(g->device, &info, NULL, &memory->buffer);
    if (result != VK_SUCCESS) return result;
    VkMemoryRequirements needs;
    g->GetBufferMemoryRequirements(g->device, memory->buffer, &needs);
    const int type = memory_type(g, needs.types, place);
    const VkMemoryAllocateFlagsInfo flags = {.type = VK_TYPE_MEMORY_FLAGS, .flags = VK_MEMORY_ADDRESS};
    const VkMemoryAllocateInfo wanted = {
        .type = VK_TYPE_MEMORY, .next = &flags, .bytes = needs.bytes, .memory_type = (uint32_t)type};
    result = type < 0 ? HEARTH_GPU_NO_MEMORY_TYPE : g->AllocateMemory(g->device, &wanted, NULL, &memory->memory);
    if (result == VK_SUCCESS) result = g->BindBufferMemory(g->device, memory->buffer, memory->memory, 0);
    const uint32_t shared = VK_MEMORY_HOST_VISIBLE | VK_MEMORY_HOST_COHERENT;
    if (result == VK_SUCCESS && place != HEARTH_GPU_CLOSED && (g->memory.types[type].flags & shared) == shared) {
        result = g->MapMemory(g->device, memory->memory, 0, ~0ull, 0, &memory->bytes);
    }
    if (result != VK_SUCCESS) {
        hearth_gpu_memory_free(g, memory);
        return result;
    }
    const VkBufferDeviceAddressInfo buffer = {.type = VK_TYPE_ADDRESS, .buffer = memory->buffer};
    memory->address = g->GetBufferDeviceAddress(g->device, &buffer);
    memory->byte_count = byte_count;
    return VK_SUCCESS;
}

void hearth_gpu_memory_free(hearth_gpu *g, hearth_gpu_memory *memory) {
    if (!g->is_lost) {
        // Freeing unmaps.
        if (memory->buffer) g->DestroyBuffer(g->device, memory->buffer, NULL);
        if (memory->memory) g->FreeMemory(g->device, memory->memory, NULL);
    }
    memset(memory, 0, sizeof *memory);
}

// MARK: - Commands

hearth_gpu_status hearth_gpu_begin(hearth_gpu *g) {
    if (g->is_lost) return VK_ERROR_DEVICE_LOST;
    const VkResult result = g->ResetCommandPool(g->device, g->pool, 0);
    if (result != VK_SUCCESS) return result;
    const VkCommandBufferBeginInfo info = {.type = VK_TYPE_BEGIN, .flags = 1};
    (g->bound = 0, g->is_empty = true);
    return g->BeginCommandBuffer(g->commands, &info);
}

// What was written in front is there for what follows. What the processor wrote before the submission is there by itself.
static void wait_for_all(hearth_gpu *g) {
    if (g->is_empty) {
        g->is_empty = false;
        return;
    }
    const VkMemoryBarrier barrier = {
        .type = VK_TYPE_BARRIER, .from = VK_ACCESS_SHADER_WRITE | VK_ACCESS_COPY_WRITE,
        .to = VK_ACCESS_SHADER_READ | VK_ACCESS_SHADER_WRITE | VK_ACCESS_COPY_READ | VK_ACCESS_COPY_WRITE};
    const uint32_t stages = VK_STAGE_COMPUTE | VK_STAGE_COPY;
    g->CmdPipelineBarrier(g->commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void hearth_gpu_dispatch(
    hearth_gpu *g, const hearth_gpu_pipeline *pipeline, const void *arguments, uint32_t argument_bytes, uint32_t x,
    uint32_t y) {
    if (x == 0 || y == 0) return;
    wait_for_all(g);
    if (g->bound != pipeline->pipeline) g->CmdBindPipeline(g->commands, 1, pipeline->pipeline);
    g->bound = pipeline->pipeline;
    g->CmdPushConstants(g->commands, g->layout, VK_SHADER_COMPUTE, 0, argument_bytes, arguments);
    g->CmdDispatch(g->commands, x, y, 1);
}

void hearth_gpu_copy(
    hearth_gpu *g, const hearth_gpu_memory *from, uint64_t from_offset, const hearth_gpu_memory *to,
    uint64_t to_offset, uint64_t byte_count) {
    if (byte_count == 0) return;
    wait_for_all(g);
    const VkBufferCopy copy = {from_offset, to_offset, byte_count};
    g->CmdCopyBuffer(g->commands, from->buffer, to->buffer, 1, &copy);
}

hearth_gpu_status hearth_gpu_run(hearth_gpu *g, uint64_t timeout_nanoseconds) {
    const VkMemoryBarrier barrier = {
        .type = VK_TYPE_BARRIER, .from = VK_ACCESS_SHADER_WRITE | VK_ACCESS_COPY_WRITE, .to = VK_ACCESS_HOST_READ};
    g->CmdPipelineBarrier(
        g->commands, VK_STAGE_COMPUTE | VK_STAGE_COPY, VK_STAGE_HOST, 0, 1, &barrier, 0, NULL, 0, NULL);
    VkResult result = g->EndCommandBuffer(g->commands);
    if (result == VK_SUCCESS) result = g->ResetFences(g->device, 1, &g->fence);
    if (result != VK_SUCCESS) return result;
    const VkSubmitInfo info = {.type = VK_TYPE_SUBMIT, .buffer_count = 1, .buffers = &g->commands};
    result = g->QueueSubmit(g->queue, 1, &info, g->fence);
    if (result == VK_SUCCESS) result = g->WaitForFences(g->device, 1, &g->fence, 1, timeout_nanoseconds);
    if (result == VK_TIMEOUT) result = HEARTH_GPU_TIMEOUT;
    if (result == HEARTH_GPU_TIMEOUT || result == VK_ERROR_DEVICE_LOST) g->is_lost = true;
    return result;
}
