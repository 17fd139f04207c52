// Memory of a device: its own, and that of this process.
#include "device.h"

#include <string.h>

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

uint64_t hearth_gpu_available(const hearth_gpu *g) {
    const int type = memory_type(g, ~0u, HEARTH_GPU_NEAR);
    if (type < 0) return 0;
    const uint32_t heap = g->memory.types[type].heap;
    const uint64_t size = g->memory.heaps[heap].bytes;
    if (!hearth_gpu_has_extension(g->physical, "VK_EXT_memory_budget")) return UINT64_MAX;
    VkPhysicalDeviceMemoryBudgetProperties budget = {.type = VK_TYPE_MEMORY_BUDGET};
    VkPhysicalDeviceMemoryProperties2 all = {.type = VK_TYPE_MEMORY_PROPERTIES, .next = &budget};
    hearth_vulkan.GetPhysicalDeviceMemoryProperties2(g->physical, &all);
    const uint64_t available = budget.budget[heap] > budget.usage[heap] ? budget.budget[heap] - budget.usage[heap] : 0;
    return available < size ? available : size;
}

// A buffer of `memory->byte_count` bytes, and what it needs; `next` is what its memory will be, or null; `is_filled` whether the
// stream copies to it.
static VkResult buffer_make(
    hearth_gpu *g, const void *next, bool is_filled, hearth_gpu_memory *memory, VkMemoryRequirements *needs) {
    const bool is_common = is_filled && g->families[0] != g->families[1];
    const VkBufferCreateInfo info = {
        .type = VK_TYPE_BUFFER, .next = next, .bytes = memory->byte_count > 4 ? memory->byte_count : 4,
        .usage = HEARTH_GPU_BUFFER_USAGE, .sharing = is_common ? VK_SHARING_CONCURRENT : 0,
        .family_count = is_common ? 2 : 0, .families = g->families};
    const VkResult result = g->CreateBuffer(g->device, &info, NULL, &memory->buffer);
    if (result == VK_SUCCESS) g->GetBufferMemoryRequirements(g->device, memory->buffer, needs);
    return result;
}

// Puts memory of a type behind a buffer; `next` is where it comes from, or null.
static hearth_gpu_status buffer_fill(
    hearth_gpu *g, const void *next, int type, uint64_t byte_count, hearth_gpu_memory *memory) {
    if (type < 0) return HEARTH_GPU_NO_MEMORY_TYPE;
    const VkMemoryAllocateFlagsInfo flags = {.type = VK_TYPE_MEMORY_FLAGS, .next = next, .flags = VK_MEMORY_ADDRESS};
    const VkMemoryAllocateInfo wanted = {
        .type = VK_TYPE_MEMORY, .next = &flags, .bytes = byte_count, .memory_type = (uint32_t)type};
    VkResult result = g->AllocateMemory(g->device, &wanted, NULL, &memory->memory);
    if (result == VK_SUCCESS) result = g->BindBufferMemory(g->device, memory->buffer, memory->memory, 0);
    if (result != VK_SUCCESS) return result;
    const VkBufferDeviceAddressInfo buffer = {.type = VK_TYPE_ADDRESS, .buffer = memory->buffer};
    memory->address = g->GetBufferDeviceAddress(g->device, &buffer);
    return VK_SUCCESS;
}

hearth_gpu_status hearth_gpu_memory_make(
    hearth_gpu *g, uint64_t byte_count, hearth_gpu_place place, hearth_gpu_memory *memory) {
    *memory = (hearth_gpu_memory){.byte_count = byte_count};
    if (g->is_lost) return VK_ERROR_DEVICE_LOST;
    VkMemoryRequirements needs;
    hearth_gpu_status result = buffer_make(g, NULL, place != HEARTH_GPU_SHARED, memory, &needs);
    if (result != VK_SUCCESS) return result;
    const int type = memory_type(g, needs.types, place);
    result = buffer_fill(g, NULL, type, needs.bytes, memory);
    const uint32_t shared = VK_MEMORY_HOST_VISIBLE | VK_MEMORY_HOST_COHERENT;
    if (result == VK_SUCCESS && place != HEARTH_GPU_CLOSED && (g->memory.types[type].flags & shared) == shared) {
        result = g->MapMemory(g->device, memory->memory, 0, ~0ull, 0, &memory->bytes);
    }
    if (result != VK_SUCCESS) hearth_gpu_memory_free(g, memory);
    return result;
}

hearth_gpu_status hearth_gpu_memory_import(
    hearth_gpu *g, const void *bytes, uint64_t byte_count, hearth_gpu_memory *memory) {
    *memory = (hearth_gpu_memory){.byte_count = byte_count};
    if (g->is_lost) return VK_ERROR_DEVICE_LOST;
    if (g->GetMemoryHostPointerPropertiesEXT == NULL) return HEARTH_GPU_UNFIT;
    VkMemoryHostPointerPropertiesEXT allowed = {.type = VK_TYPE_IMPORT_TYPES};
    VkResult result = g->GetMemoryHostPointerPropertiesEXT(g->device, VK_HANDLE_HOST_ALLOCATION, bytes, &allowed);
    if (result != VK_SUCCESS) return result;
    const VkExternalMemoryBufferCreateInfo external = {
        .type = VK_TYPE_EXTERNAL_BUFFER, .handles = VK_HANDLE_HOST_ALLOCATION};
    VkMemoryRequirements needs;
    result = buffer_make(g, &external, false, memory, &needs);
    if (result != VK_SUCCESS) return result;
    // Only the type of memory is chosen as that of other buffers: the bytes stay where they are.
    const int type = memory_type(g, needs.types & allowed.types, HEARTH_GPU_SHARED);
    // The structure has a pointer to bytes that may change; nothing here changes them.
    const VkImportMemoryHostPointerInfoEXT source = {
        .type = VK_TYPE_IMPORT, .handle = VK_HANDLE_HOST_ALLOCATION, .bytes = (void *)(uintptr_t)bytes};
    result = needs.bytes > byte_count ? HEARTH_GPU_UNFIT : buffer_fill(g, &source, type, byte_count, memory);
    if (result != VK_SUCCESS) hearth_gpu_memory_free(g, memory);
    return result;
}

void hearth_gpu_memory_free(hearth_gpu *g, hearth_gpu_memory *memory) {
    if (!g->is_lost) {
        // Freeing unmaps.
        if (memory->buffer) g->DestroyBuffer(g->device, memory->buffer, NULL);
        if (memory->memory) g->FreeMemory(g->device, memory->memory, NULL);
    }
    memset(memory, 0, sizeof *memory);
}
