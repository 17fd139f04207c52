// Devices, their pipelines and commands.
#include "device.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT_BYTES 128
// Vulkan 1.2, where addresses of buffers are part of the core.
#define API_VERSION ((1u << 22) | (2u << 12))

struct hearth_vulkan hearth_vulkan;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

struct hearth_gpu_pipeline {
    VkHandle pipeline;
};

static void open_loader(void) {
    static const char *const names[] = {"libvulkan.so.1", "libvulkan.so"};
    hearth_vulkan.status = HEARTH_GPU_NO_LOADER;
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
    const VkResult result = create(&info, NULL, &hearth_vulkan.instance);
    if (result != VK_SUCCESS) {
        // A loader without any driver says so here.
        hearth_vulkan.status = HEARTH_GPU_NO_DEVICE;
        return;
    }
#define LOAD(result, name, parameters) \
    hearth_vulkan.name = (result(*) parameters)get(hearth_vulkan.instance, "vk" #name); \
    if (hearth_vulkan.name == NULL) { \
        hearth_vulkan.status = HEARTH_GPU_UNFIT; \
        return; \
    }
    INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    hearth_vulkan.status = VK_SUCCESS;
}

enum { MOST_DEVICES = 16 };

static hearth_gpu_status physical_devices(VkPhysicalDevice *devices, uint32_t *count) {
    pthread_once(&opened, open_loader);
    if (hearth_vulkan.status != VK_SUCCESS) return hearth_vulkan.status;
    *count = MOST_DEVICES;
    const VkResult result = hearth_vulkan.EnumeratePhysicalDevices(hearth_vulkan.instance, count, devices);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) return result;
    return *count > 0 ? VK_SUCCESS : HEARTH_GPU_NO_DEVICE;
}

// A family of queues that computes, those that do nothing else first; -1 where there is none.
static int compute_family(VkPhysicalDevice device) {
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof families[0];
    hearth_vulkan.GetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].flags & VK_QUEUE_COMPUTE) || families[i].count == 0) continue;
        if (best < 0 || !(families[i].flags & VK_QUEUE_GRAPHICS)) best = (int)i;
        if (!(families[i].flags & VK_QUEUE_GRAPHICS)) break;
    }
    return best;
}

static const char import_extension[] = "VK_EXT_external_memory_host";

bool hearth_gpu_has_extension(VkPhysicalDevice device, const char *name) {
    uint32_t count = 0;
    if (hearth_vulkan.EnumerateDeviceExtensionProperties(device, NULL, &count, NULL) != VK_SUCCESS) return false;
    VkExtensionProperties *all = calloc(count > 0 ? count : 1, sizeof *all);
    bool is_there = false;
    if (all != NULL && hearth_vulkan.EnumerateDeviceExtensionProperties(device, NULL, &count, all) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count && !is_there; i++) is_there = strcmp(all[i].name, name) == 0;
    }
    free(all);
    return is_there;
}

// Whether and how the device reads memory of this process in place. A card with memory of its own would read it through its bus.
static void describe_import(VkPhysicalDevice device, hearth_gpu_info *info) {
    if (info->kind != HEARTH_GPU_INTEGRATED && info->kind != HEARTH_GPU_SOFTWARE) return;
    if (!hearth_gpu_has_extension(device, import_extension)) return;
    const VkPhysicalDeviceExternalBufferInfo question = {
        .type = VK_TYPE_BUFFER_QUESTION, .usage = HEARTH_GPU_BUFFER_USAGE, .handle = VK_HANDLE_HOST_ALLOCATION};
    VkExternalBufferProperties answer = {.type = VK_TYPE_BUFFER_ANSWER};
    hearth_vulkan.GetPhysicalDeviceExternalBufferProperties(device, &question, &answer);
    if (!(answer.features & VK_EXTERNAL_IMPORTABLE)) return;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {.type = VK_TYPE_IMPORT_LIMITS};
    VkPhysicalDeviceMaintenance3Properties most = {.type = VK_TYPE_ALLOCATION_LIMITS, .next = &host};
    VkPhysicalDeviceProperties2 all = {.type = VK_TYPE_PROPERTIES, .next = &most};
    hearth_vulkan.GetPhysicalDeviceProperties2(device, &all);
    info->import_alignment = host.alignment;
    info->import_bytes = most.bytes;
}

static void describe(VkPhysicalDevice device, hearth_gpu_info *info) {
    memset(info, 0, sizeof *info);
    VkPhysicalDeviceDriverProperties driver = {.type = VK_TYPE_DRIVER};
    VkPhysicalDeviceProperties2 all = {.type = VK_TYPE_PROPERTIES, .next = &driver};
    hearth_vulkan.GetPhysicalDeviceProperties2(device, &all);
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
    hearth_vulkan.GetPhysicalDeviceMemoryProperties(device, &memory);
    for (uint32_t i = 0; i < memory.heap_count; i++) {
        if (memory.heaps[i].flags & VK_HEAP_DEVICE_LOCAL && memory.heaps[i].bytes > info->memory_bytes) {
            info->memory_bytes = memory.heaps[i].bytes;
        }
    }
    if (p->api_version < API_VERSION || compute_family(device) < 0) return;
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {.type = VK_TYPE_ADDRESS_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.type = VK_TYPE_FEATURES, .next = &addresses};
    hearth_vulkan.GetPhysicalDeviceFeatures2(device, &features);
    info->is_fit = addresses.has_addresses != 0;
    describe_import(device, info);
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
    hearth_vulkan.GetPhysicalDeviceMemoryProperties(g->physical, &g->memory);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .type = VK_TYPE_QUEUE, .family = (uint32_t)family, .count = 1, .priorities = &priority};
    const VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {.type = VK_TYPE_ADDRESS_FEATURES, .has_addresses = 1};
    const char *const extensions[] = {import_extension};
    const VkDeviceCreateInfo create = {
        .type = VK_TYPE_DEVICE, .next = &addresses, .queue_count = 1, .queues = &queue,
        .extension_count = info.import_alignment > 0, .extensions = extensions};
    status = hearth_vulkan.CreateDevice(devices[number], &create, NULL, &g->device);
    if (status != VK_SUCCESS) {
        free(g);
        return status;
    }
#define LOAD(result, name, parameters) \
    g->name = (result(*) parameters)hearth_vulkan.GetDeviceProcAddr(g->device, "vk" #name); \
    if (g->name == NULL) status = HEARTH_GPU_UNFIT;
    DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    if (info.import_alignment > 0) {
        g->GetMemoryHostPointerPropertiesEXT = (import_types *)hearth_vulkan.GetDeviceProcAddr(
            g->device, "vkGetMemoryHostPointerPropertiesEXT");
    }
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

void hearth_gpu_beside(hearth_gpu *g) { g->is_empty = true; }

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

bool hearth_gpu_is_lost(const hearth_gpu *g) { return g->is_lost; }
