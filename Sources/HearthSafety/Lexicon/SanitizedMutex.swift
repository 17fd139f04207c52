#if THREAD_SANITIZER
internal import HearthSystem

typealias Mutex<Value> = SanitizedMutex<Value>
#endif
