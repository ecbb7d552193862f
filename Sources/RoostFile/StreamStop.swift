#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Wakes a thread that waits for the bytes of a pipe, because nobody wants them any more.
package final class StreamStop: Sendable {
  // A pipe of its own, of which one end is waited for beside the other pipe.
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

  /// Any thread may call it. What comes after is stopped too.
  package func stop() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Waits until a descriptor has bytes, is at its end or in error; false if somebody said stop.
  func wait(for descriptor: Int32) -> Bool {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&waiting, 2, -1) < 0 {
      // What cannot be waited for says so when it is read.
      guard errno == EINTR || errno == EAGAIN else { return true }
    }
    return waiting[1].revents == 0
  }
}
