// For LD_PRELOAD: an accept() behind which there is always somebody else, as in a crowd that connects faster than a server accepts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

int accept(int listener, struct sockaddr *name, socklen_t *length) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    // Whoever connects and leaves at once still waits to be accepted.
    if (getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
        const int next = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        connect(next, (struct sockaddr *)&address, size);
        close(next);
    }
    int (*real)(int, struct sockaddr *, socklen_t *) = NULL;
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "accept");
    return real(listener, name, length);
}
