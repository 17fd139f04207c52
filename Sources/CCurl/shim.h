#ifndef HEARTH_CCURL_SHIM_H
#define HEARTH_CCURL_SHIM_H

#include <curl/curl.h>

// Types and constants come from libcurl's header; its functions are looked up when the first transfer needs them, and
// nothing here may refer to one by its name: that would make every program that is linked with this load the library.

// libcurl's setters take anything by `...`, which Swift cannot call. One function for each type of argument; `setter` is
// the address of `curl_easy_setopt`.

typedef CURLcode (*hearth_curl_setter)(CURL *, CURLoption, ...);

static inline CURLcode hearth_curl_set_long(void *setter, CURL *curl, CURLoption option, long value) {
    return ((hearth_curl_setter)setter)(curl, option, value);
}

static inline CURLcode hearth_curl_set_string(void *setter, CURL *curl, CURLoption option, const char *value) {
    return ((hearth_curl_setter)setter)(curl, option, value);
}

static inline CURLcode hearth_curl_set_pointer(void *setter, CURL *curl, CURLoption option, void *value) {
    return ((hearth_curl_setter)setter)(curl, option, value);
}

static inline CURLcode hearth_curl_set_list(void *setter, CURL *curl, CURLoption option, struct curl_slist *value) {
    return ((hearth_curl_setter)setter)(curl, option, value);
}

typedef size_t (*hearth_curl_data_function)(char *, size_t, size_t, void *);

static inline CURLcode hearth_curl_set_data_function(
    void *setter, CURL *curl, CURLoption option, hearth_curl_data_function value) {
    return ((hearth_curl_setter)setter)(curl, option, value);
}

static inline CURLcode hearth_curl_set_open_socket(void *setter, CURL *curl, curl_opensocket_callback value) {
    return ((hearth_curl_setter)setter)(curl, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode hearth_curl_allow_http_only(void *setter, CURL *curl) {
    // A library older than this header knows the second option only.
#if CURL_AT_LEAST_VERSION(7, 85, 0)
    if (((hearth_curl_setter)setter)(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK) return CURLE_OK;
#endif
    return ((hearth_curl_setter)setter)(curl, (CURLoption)(CURLOPTTYPE_LONG + 181), 3L);
}

// Without it, closing waits for a name lookup that is still under way.
static inline void hearth_curl_leave_quickly(void *setter, CURL *curl) {
#if CURL_AT_LEAST_VERSION(7, 87, 0)
    ((hearth_curl_setter)setter)(curl, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)setter;
    (void)curl;
#endif
}

// `getter` is the address of `curl_easy_getinfo`.
static inline CURLcode hearth_curl_get_string(void *getter, CURL *curl, CURLINFO info, char **value) {
    return ((CURLcode (*)(CURL *, CURLINFO, ...))getter)(curl, info, value);
}

// What a finished transfer's message says; the union in it is out of Swift's reach on some versions. `reader` is the
// address of `curl_multi_info_read`.
static inline CURL *hearth_curl_next_finished(void *reader, CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = ((CURLMsg * (*)(CURLM *, int *)) reader)(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#endif
