#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Wakes a thread that waits for the bytes of a pipe, because they are no longer needed.
package final class StreamStop: Sendable {
  // A separate pipe. The reading thread waits for its end and for the other pipe together.
  private let reading: Int32
  private let writing: Int32

  package init() throws(StoreError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw StoreError(.ioError, "no pipe can be made", errorNumber: errno)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    _ = close(reading)
    _ = close(writing)
  }

  /// Stops the wait. Any thread may call it. Later waits are stopped too.
  package func stop() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Waits until a descriptor has bytes, is at its end or in error. Returns false after ``stop()``.
  func wait(for descriptor: Int32) -> Bool {
    var waiting = awaited(descriptor)
    while poll(&waiting, 2, -1) < 0 {
      // A descriptor that cannot be polled reports its error when it is read.
      guard errno == EINTR || errno == EAGAIN else { return true }
    }
    return waiting[1].revents == 0
  }

  /// Whether a read will not block: a descriptor has bytes, is at its end or in error, or
  /// ``stop()`` was called. Waits for that until `deadline`.
  func isReady(_ descriptor: Int32, by deadline: ContinuousClock.Instant) -> Bool {
    var waiting = awaited(descriptor)
    while true {
      let left = (ContinuousClock.now.duration(to: deadline) / .milliseconds(1)).rounded(.up)
      let count = poll(&waiting, 2, Int32(max(0, min(left, 60_000))))
      if count > 0 || count == 0 && left <= 0 { return count > 0 }
      if count < 0, errno != EINTR, errno != EAGAIN { return true }
    }
  }

  private func awaited(_ descriptor: Int32) -> [pollfd] {
    [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
  }
}
