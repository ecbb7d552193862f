#if Postgres
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// A pipe that wakes a thread that waits in `poll`.
  final class WakePipe: Sendable {
    /// It has a byte after ``wake()``.
    let descriptor: Int32
    private let writing: Int32

    /// Nil if the process has no descriptors left.
    init?() {
      var ends: [Int32] = [0, 0]
      guard Self.open(&ends) == 0 else { return nil }
      (descriptor, writing) = (ends[0], ends[1])
      // A thread with a full pipe is awake already.
      for end in ends { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    }

    deinit {
      _ = close(descriptor)
      _ = close(writing)
    }

    func wake() {
      var byte: UInt8 = 0
      _ = write(writing, &byte, 1)
    }

    /// Takes the bytes out.
    func drain() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }

    /// Waits until the pipe has a byte. Returns false if the time is over; -1 waits forever.
    @discardableResult
    func wait(milliseconds: Int32) -> Bool {
      var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&place, 1, milliseconds) > 0
    }

    private static func open(_ ends: inout [Int32]) -> Int32 {
      #if canImport(Glibc)
        Glibc.pipe(&ends)
      #elseif canImport(Musl)
        Musl.pipe(&ends)
      #else
        Darwin.pipe(&ends)
      #endif
    }
  }
#endif
