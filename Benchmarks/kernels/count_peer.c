// The same as count.c by llama.cpp's CPU backend: count_peer FORMAT ROWS COLUMNS TOKENS TIMES. Weights are where llama.cpp puts
// them: in the buffer that lays them out anew ("repack") if the backend has a layout for them on this processor.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "ggml.h"

int main(int count, char **arguments) {
    if (count < 6) return 2;
    const enum ggml_type type = !strcmp(arguments[1], "Q4_0") ? GGML_TYPE_Q4_0
        : !strcmp(arguments[1], "Q8_0")                      ? GGML_TYPE_Q8_0
        : !strcmp(arguments[1], "Q4_K")                      ? GGML_TYPE_Q4_K
                                                             : GGML_TYPE_Q6_K;
    const int64_t rows = atol(arguments[2]), columns = atol(arguments[3]), tokens = atol(arguments[4]), times = atol(arguments[5]);
    ggml_backend_t backend = ggml_backend_cpu_init();
    ggml_backend_cpu_set_n_threads(backend, 1);
    struct ggml_context *of_weights = ggml_init((struct ggml_init_params){1 << 20, NULL, true});
    struct ggml_context *of_graph = ggml_init((struct ggml_init_params){1 << 20, NULL, true});
    struct ggml_tensor *weights = ggml_new_tensor_2d(of_weights, type, columns, rows);
    struct ggml_tensor *x = ggml_new_tensor_2d(of_graph, GGML_TYPE_F32, columns, tokens);

    ggml_backend_dev_t device = ggml_backend_get_device(backend);
    ggml_backend_buffer_type_t place = ggml_backend_get_default_buffer_type(backend);
    ggml_backend_dev_get_extra_bufts_t others = (ggml_backend_dev_get_extra_bufts_t)ggml_backend_reg_get_proc_address(
        ggml_backend_dev_backend_reg(device), "ggml_backend_dev_get_extra_bufts");
    ggml_backend_buffer_type_t *extra = others ? others(device) : NULL;
    // As llama.cpp's loader: the first buffer type in which the device can multiply this matrix.
    for (; extra && *extra; extra++) {
        struct ggml_tensor *product = ggml_mul_mat(of_graph, weights, x);
        weights->buffer = ggml_backend_buft_alloc_buffer(*extra, 0);
        const bool works = ggml_backend_dev_supports_op(device, product);
        ggml_backend_buffer_free(weights->buffer);
        weights->buffer = NULL;
        if (works) {
            place = *extra;
            break;
        }
    }
    ggml_backend_alloc_ctx_tensors_from_buft(of_weights, place);

    const size_t bytes = ggml_nbytes(weights);
    unsigned char *blocks = malloc(bytes);
    for (size_t i = 0; i < bytes; i++) blocks[i] = (unsigned char)(0x11 + (i * 2654435761u >> 24) % 8);
    ggml_backend_tensor_set(weights, blocks, 0, bytes);
    struct ggml_tensor *y = ggml_mul_mat(of_graph, weights, x);
    struct ggml_cgraph *graph = ggml_new_graph(of_graph);
    ggml_build_forward_expand(graph, y);
    ggml_backend_alloc_ctx_tensors(of_graph, backend);
    float *values = malloc((size_t)(tokens * columns) * sizeof *values);
    for (int64_t i = 0; i < tokens * columns; i++) values[i] = (float)((int)(i * 7919 % 2001) - 1000) * 1e-3f;
    ggml_backend_tensor_set(x, values, 0, ggml_nbytes(x));
    for (int64_t time = 0; time < times; time++) ggml_backend_graph_compute(backend, graph);
    float first = 0;
    if (times) ggml_backend_tensor_get(y, &first, 0, sizeof first);
    printf("%s, %g\n", ggml_backend_buft_name(place), first);
    return 0;
}
