#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A mutual exclusion lock on `pthread_mutex_t`.
///
/// `Synchronization.Mutex` is not used: the thread sanitizer does not understand it and raises false alarms.
package final class Lock: @unchecked Sendable {
  // Unchecked because the mutex is made to be shared, and the pointer never changes.
  fileprivate let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "a lock could not be made")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func acquire() { pthread_mutex_lock(mutex) }
  package func release() { pthread_mutex_unlock(mutex) }
  package func tryAcquire() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  /// Acquires the lock if it becomes free before a monotonic time in nanoseconds. Returns false
  /// otherwise.
  package func acquire(until deadline: UInt64) -> Bool {
    var polling = Polling(until: deadline)
    while !tryAcquire() { guard polling.pause() else { return false } }
    return true
  }

  @inlinable
  package func withLock<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    acquire()
    defer { release() }
    return try body()
  }
}

/// A condition that threads wait for while they hold a ``Lock``.
package final class ConditionVariable: @unchecked Sendable {
  // Unchecked because the condition variable is made to be shared, and the pointer never changes.
  private let variable: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    variable = .allocate(capacity: 1)
    variable.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    #if !canImport(Darwin)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    #endif
    let result = pthread_cond_init(variable, &attributes)
    precondition(result == 0, "a condition could not be made")
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(variable)
    variable.deallocate()
  }

  package func wait(_ lock: Lock) { pthread_cond_wait(variable, lock.mutex) }

  /// Waits until `deadline` of ``Clock/monotonicNanoseconds()`` at the latest. Returns false when
  /// that has passed.
  package func wait(_ lock: Lock, until deadline: UInt64) -> Bool {
    #if canImport(Darwin)
      let now = Clock.monotonicNanoseconds()
      if deadline <= now { return false }
      var span = timespec(deadline - now)
      return pthread_cond_timedwait_relative_np(variable, lock.mutex, &span) != ETIMEDOUT
    #else
      var moment = timespec(deadline)
      return pthread_cond_timedwait(variable, lock.mutex, &moment) != ETIMEDOUT
    #endif
  }

  package func signal() { pthread_cond_signal(variable) }
  package func broadcast() { pthread_cond_broadcast(variable) }
}

extension timespec {
  fileprivate init(_ nanoseconds: UInt64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}

/// Time, read from the operating system.
package enum Clock {
  /// Never goes back; for deadlines and durations.
  package static func monotonicNanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }
  /// The time of day since 1970.
  package static func wallMilliseconds() -> UInt64 { read(CLOCK_REALTIME) / 1_000_000 }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var moment = timespec()
    clock_gettime(clock, &moment)
    return UInt64(moment.tv_sec) * 1_000_000_000 + UInt64(moment.tv_nsec)
  }
}
