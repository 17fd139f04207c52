// A plugin for QEMU's user-mode emulators that prints how many instructions a program executed: "instructions N" on standard
// error. The declarations are those of QEMU's plugin interface, of which distributions install no header; it has versions, and
// QEMU_PLUGIN_VERSION is that of the emulator (1 up to QEMU 8.1). One thread is counted exactly.
//
//     cc -shared -fPIC -O2 Benchmarks/kernels/emulator_count.c -o count.so && qemu-aarch64 -plugin ./count.so PROGRAM
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#ifndef QEMU_PLUGIN_VERSION
#define QEMU_PLUGIN_VERSION 1
#endif

#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(
    struct qemu_plugin_tb *block, void (*callback)(unsigned, void *), int registers, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

EXPORTED int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static uint64_t instructions = 0;

static void block_runs(unsigned processor, void *length) {
    (void)processor;
    instructions += (uintptr_t)length;
}

static void block_is_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(block, block_runs, 0, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void program_ends(qemu_plugin_id_t id, void *data) {
    (void)id, (void)data;
    char line[64];
    const int length = snprintf(line, sizeof line, "instructions %llu\n", (unsigned long long)instructions);
    if (write(STDERR_FILENO, line, (size_t)length) < 0) return;
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count, char **arguments) {
    (void)info, (void)count, (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(id, block_is_translated);
    qemu_plugin_register_atexit_cb(id, program_ends, NULL);
    return 0;
}
