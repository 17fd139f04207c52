#ifndef HEARTH_CMICROHTTPD_SHIM_H
#define HEARTH_CMICROHTTPD_SHIM_H

#include <dlfcn.h>
#include <microhttpd.h>
#include <string.h>

// Types and constants come from libmicrohttpd's header; its functions are looked up when the first server starts, and
// nothing here may refer to one by its name: that would make every start of the program load the library, and a library
// for TLS with it.
//
// It is set up by `...`, which Swift cannot call, and some of its constants are casts, which Swift cannot read.

typedef struct hearth_http_library {
    struct MHD_Daemon *(*start)(
        unsigned int, uint16_t, MHD_AcceptPolicyCallback, void *, MHD_AccessHandlerCallback, void *, ...);
    MHD_socket (*quiesce)(struct MHD_Daemon *);
    void (*stop)(struct MHD_Daemon *);
    void (*suspend)(struct MHD_Connection *);
    void (*resume)(struct MHD_Connection *);
    int (*values)(struct MHD_Connection *, enum MHD_ValueKind, MHD_KeyValueIterator, void *);
    const union MHD_ConnectionInfo *(*info)(struct MHD_Connection *, enum MHD_ConnectionInfoType, ...);
    struct MHD_Response *(*from_buffer)(size_t, void *, enum MHD_ResponseMemoryMode);
    struct MHD_Response *(*from_callback)(
        uint64_t, size_t, MHD_ContentReaderCallback, void *, MHD_ContentReaderFreeCallback);
    enum MHD_Result (*add_header)(struct MHD_Response *, const char *, const char *);
    enum MHD_Result (*queue)(struct MHD_Connection *, unsigned int, struct MHD_Response *);
    void (*destroy)(struct MHD_Response *);
} hearth_http_library;

// Fills the table; false where the library, or a function of it, is not there. It stays loaded.
static inline _Bool hearth_http_load(hearth_http_library *library) {
#ifdef __APPLE__
    const char *names[] = {"libmicrohttpd.dylib", "/opt/homebrew/lib/libmicrohttpd.dylib"};
#else
    const char *names[] = {"libmicrohttpd.so.12", "libmicrohttpd.so"};
#endif
    void *handle = NULL;
    for (size_t i = 0; handle == NULL && i < sizeof names / sizeof names[0]; i++) {
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) return 0;
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"MHD_start_daemon", &library->start},
        {"MHD_quiesce_daemon", &library->quiesce},
        {"MHD_stop_daemon", &library->stop},
        {"MHD_suspend_connection", &library->suspend},
        {"MHD_resume_connection", &library->resume},
        {"MHD_get_connection_values", &library->values},
        {"MHD_get_connection_info", &library->info},
        {"MHD_create_response_from_buffer", &library->from_buffer},
        {"MHD_create_response_from_callback", &library->from_callback},
        {"MHD_add_response_header", &library->add_header},
        {"MHD_queue_response", &library->queue},
        {"MHD_destroy_response", &library->destroy},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(handle, functions[i].name);
        if (function == NULL) return 0;
        memcpy(functions[i].place, &function, sizeof function);
    }
    return 1;
}

typedef struct hearth_http_callbacks {
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *context;
} hearth_http_callbacks;

static const ssize_t hearth_http_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t hearth_http_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
// Swift sees enumerations under other names from version to version of the library.
static const enum MHD_Result hearth_http_yes = MHD_YES;
static const enum MHD_Result hearth_http_no = MHD_NO;
static const enum MHD_ValueKind hearth_http_headers = MHD_HEADER_KIND;
static const enum MHD_ValueKind hearth_http_arguments = MHD_GET_ARGUMENT_KIND;
static const enum MHD_ConnectionNotificationCode hearth_http_started = MHD_CONNECTION_NOTIFY_STARTED;

// Paths are compared as they came: no escape stands for anything, so that none can hide a slash or a zero.
static inline size_t hearth_http_no_unescaping(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

// One thread of the library's own for all connections of a socket that listens already.
static inline struct MHD_Daemon *hearth_http_start(
    hearth_http_library library, int listener, unsigned int connections, unsigned int idle_seconds, size_t memory,
    hearth_http_callbacks callbacks) {
    return library.start(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, callbacks.handle,
        callbacks.context, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context, MHD_OPTION_NOTIFY_CONNECTION,
        callbacks.connection, callbacks.context, MHD_OPTION_UNESCAPE_CALLBACK, hearth_http_no_unescaping, NULL,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

// The listening socket, which is the caller's again.
static inline int hearth_http_quiesce(hearth_http_library library, struct MHD_Daemon *daemon) {
    return library.quiesce(daemon);
}

static inline void hearth_http_stop(hearth_http_library library, struct MHD_Daemon *daemon) { library.stop(daemon); }

static inline void hearth_http_suspend(hearth_http_library library, struct MHD_Connection *connection) {
    library.suspend(connection);
}

static inline void hearth_http_resume(hearth_http_library library, struct MHD_Connection *connection) {
    library.resume(connection);
}

static inline void hearth_http_values(
    hearth_http_library library, struct MHD_Connection *connection, enum MHD_ValueKind kind,
    MHD_KeyValueIterator iterator, void *context) {
    library.values(connection, kind, iterator, context);
}

// -1 where the library does not say.
static inline int hearth_http_socket(hearth_http_library library, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = library.info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline size_t hearth_http_header_size(hearth_http_library library, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = library.info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

// An answer with a copy of these bytes.
static inline struct MHD_Response *hearth_http_whole(hearth_http_library library, const void *bytes, size_t count) {
    return library.from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

// An answer of unknown length, read piece by piece.
static inline struct MHD_Response *hearth_http_stream(
    hearth_http_library library, size_t block, MHD_ContentReaderCallback reader, void *context,
    MHD_ContentReaderFreeCallback release) {
    return library.from_callback(MHD_SIZE_UNKNOWN, block, reader, context, release);
}

static inline void hearth_http_add_header(
    hearth_http_library library, struct MHD_Response *response, const char *name, const char *value) {
    library.add_header(response, name, value);
}

// Hands the answer over and lets go of it.
static inline enum MHD_Result hearth_http_send(
    hearth_http_library library, struct MHD_Connection *connection, unsigned int status,
    struct MHD_Response *response) {
    enum MHD_Result result = library.queue(connection, status, response);
    library.destroy(response);
    return result;
}

#endif
