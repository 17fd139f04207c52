#ifndef HEARTH_CMICROHTTPD_SHIM_H
#define HEARTH_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <string.h>

// libmicrohttpd is set up by `...`, which Swift cannot call, and some of its constants are casts, which Swift cannot read.

typedef struct hearth_http_callbacks {
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *context;
} hearth_http_callbacks;

static const ssize_t hearth_http_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t hearth_http_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
static const uint64_t hearth_http_unknown_size = MHD_SIZE_UNKNOWN;
// Swift sees enumerations under other names from version to version of the library.
static const enum MHD_Result hearth_http_yes = MHD_YES;
static const enum MHD_Result hearth_http_no = MHD_NO;
static const enum MHD_ValueKind hearth_http_headers = MHD_HEADER_KIND;
static const enum MHD_ValueKind hearth_http_arguments = MHD_GET_ARGUMENT_KIND;
static const enum MHD_ResponseMemoryMode hearth_http_copies = MHD_RESPMEM_MUST_COPY;
static const enum MHD_ConnectionNotificationCode hearth_http_started = MHD_CONNECTION_NOTIFY_STARTED;

// Paths are compared as they came: no escape stands for anything, so that none can hide a slash or a zero.
static inline size_t hearth_http_no_unescaping(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

// One thread of the library's own for all connections of a socket that listens already.
static inline struct MHD_Daemon *hearth_http_start(
    int listener, unsigned int connections, unsigned int idle_seconds, size_t memory, hearth_http_callbacks callbacks) {
    return MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, callbacks.handle,
        callbacks.context, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context, MHD_OPTION_NOTIFY_CONNECTION,
        callbacks.connection, callbacks.context, MHD_OPTION_UNESCAPE_CALLBACK, hearth_http_no_unescaping, NULL,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

// -1 where the library does not say.
static inline int hearth_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline size_t hearth_http_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

#endif
