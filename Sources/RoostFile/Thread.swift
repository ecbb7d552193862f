#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of the operating system that runs one closure and can be waited for.
package final class Thread: @unchecked Sendable {
  // Unchecked because `handle` is written before the thread is handed out and only `join` reads it.
  #if canImport(Darwin)
    private var handle: pthread_t?
  #else
    private var handle = pthread_t()
  #endif

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  package init(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      let result = pthread_create(&handle, nil, { Thread.run($0) }, work.toOpaque())
    #else
      let result = pthread_create(&handle, nil, { Thread.run($0!) }, work.toOpaque())
    #endif
    if result != 0 {
      work.release()
      throw StoreError(.outOfMemory, "a thread could not be created", errorNumber: result)
    }
  }

  /// Waits until the closure has returned. Call it once.
  package func join() {
    #if canImport(Darwin)
      if let handle { pthread_join(handle, nil) }
    #else
      pthread_join(handle, nil)
    #endif
  }

  /// Lets the thread end without `join`. Call it once, instead of ``join()``.
  package func detach() {
    #if canImport(Darwin)
      if let handle { pthread_detach(handle) }
    #else
      pthread_detach(handle)
    #endif
  }

  private static func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    return nil
  }

  /// Lets other threads run.
  package static func yield() { sched_yield() }
  package static func sleep(microseconds: UInt32) { usleep(microseconds) }

  /// A number that distinguishes this thread from all living ones.
  package static var currentID: UInt64 {
    #if canImport(Darwin)
      var id: UInt64 = 0
      pthread_threadid_np(nil, &id)
      return id
    #else
      UInt64(pthread_self())
    #endif
  }
}

/// This process's number, which identifies the holder of a lock.
package var currentProcessID: Int32 { getpid() }

/// The name of a process's program; nil if it is unknown.
package func programName(of process: Int32) -> String? {
  #if os(Linux)
    // Only the name, which every process may read; it has at most fifteen bytes.
    let descriptor = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    // A program can set any name.
    let name = bytes.prefix(max(0, count)).filter { (0x20..<0x7F).contains($0) }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  #else
    return nil
  #endif
}
