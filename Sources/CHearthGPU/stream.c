// Copies beside the commands, for weights on their way to the device.
#include "device.h"

// How often a wait asks whether another thread has lost the device.
static const uint64_t slice_nanoseconds = 20000000;

hearth_gpu_status hearth_gpu_stream_open(hearth_gpu *g) {
    struct hearth_gpu_stream *s = &g->stream;
    g->GetDeviceQueue(g->device, g->families[1], 0, &s->queue);
    const VkCommandPoolCreateInfo pool = {
        .type = VK_TYPE_COMMAND_POOL, .flags = VK_POOL_RESETS_BUFFERS, .family = g->families[1]};
    VkResult result = g->CreateCommandPool(g->device, &pool, NULL, &s->pool);
    if (result != VK_SUCCESS) return result;
    const VkCommandBufferAllocateInfo commands = {
        .type = VK_TYPE_COMMAND_BUFFER, .pool = s->pool, .count = HEARTH_GPU_STREAM_DEPTH};
    if ((result = g->AllocateCommandBuffers(g->device, &commands, s->commands)) != VK_SUCCESS) return result;
    const VkSemaphoreTypeCreateInfo timeline = {.type = VK_TYPE_SEMAPHORE_KIND, .kind = VK_SEMAPHORE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore = {.type = VK_TYPE_SEMAPHORE, .next = &timeline};
    return g->CreateSemaphore(g->device, &semaphore, NULL, &s->done);
}

void hearth_gpu_stream_close(hearth_gpu *g) {
    if (g->stream.done) g->DestroySemaphore(g->device, g->stream.done, NULL);
    if (g->stream.pool) g->DestroyCommandPool(g->device, g->stream.pool, NULL);
}

hearth_gpu_status hearth_gpu_stream_copy(
    hearth_gpu *g, const hearth_gpu_memory *from, const hearth_gpu_part *parts, size_t count, uint64_t *number) {
    if (g->is_lost) return VK_ERROR_DEVICE_LOST;
    struct hearth_gpu_stream *s = &g->stream;
    const uint64_t next = s->count + 1;
    const VkCommandBuffer commands = s->commands[next % HEARTH_GPU_STREAM_DEPTH];
    const VkCommandBufferBeginInfo begin = {.type = VK_TYPE_BEGIN, .flags = 1};
    VkResult result = g->BeginCommandBuffer(commands, &begin);
    if (result != VK_SUCCESS) return result;
    // They write different bytes, so none waits for another.
    for (size_t i = 0; i < count; i++) {
        const VkBufferCopy copy = {parts[i].from_offset, parts[i].to_offset, parts[i].byte_count};
        if (copy.bytes > 0) g->CmdCopyBuffer(commands, from->buffer, parts[i].buffer, 1, &copy);
    }
    if ((result = g->EndCommandBuffer(commands)) != VK_SUCCESS) return result;
    const VkTimelineSemaphoreSubmitInfo value = {.type = VK_TYPE_TIMELINE_SUBMIT, .signal_count = 1, .signals = &next};
    const VkSubmitInfo info = {
        .type = VK_TYPE_SUBMIT, .next = &value, .buffer_count = 1, .buffers = &commands, .signal_count = 1,
        .signals = &s->done};
    result = hearth_gpu_submit(g, s->queue, &info, 0);
    if (result == VK_ERROR_DEVICE_LOST) g->is_lost = true;
    if (result != VK_SUCCESS) return result;
    *number = s->count = next;
    return VK_SUCCESS;
}

hearth_gpu_status hearth_gpu_stream_wait(hearth_gpu *g, uint64_t number, uint64_t timeout_nanoseconds) {
    const VkSemaphoreWaitInfo info = {
        .type = VK_TYPE_TIMELINE_WAIT, .count = 1, .semaphores = &g->stream.done, .values = &number};
    uint64_t left = timeout_nanoseconds;
    for (;;) {
        if (g->is_lost) return VK_ERROR_DEVICE_LOST;
        const uint64_t slice = left < slice_nanoseconds ? left : slice_nanoseconds;
        VkResult result = g->WaitSemaphores(g->device, &info, slice);
        if (result == VK_SUCCESS) return VK_SUCCESS;
        left -= slice;
        if (result == VK_TIMEOUT && left > 0) continue;
        // Also after another failure, such as of memory, the copy may still be under way: nobody knows when its buffers are free.
        g->is_lost = true;
        return result == VK_TIMEOUT ? HEARTH_GPU_TIMEOUT : result;
    }
}
