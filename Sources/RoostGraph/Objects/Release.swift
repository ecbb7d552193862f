#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Releases objects one after the other.
///
/// A chain of objects that hold each other would be destroyed in as many nested calls as it has
/// objects. So slots do not release their values: these wait here until the current destruction has
/// ended.
@usableFromInline enum _Release {
  /// An object or an array's memory that waits. No other reference to it exists.
  private struct Waiting {
    var bits: UInt
    var letGo: (UInt) -> Void
  }

  /// The values that wait on one thread.
  private final class Queue {
    var waiting: [Waiting] = []
    var isAtWork = false

    func work() {
      isAtWork = true
      while let next = waiting.popLast() { next.letGo(next.bits) }
      isAtWork = false
    }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { memory in
      #if canImport(Darwin)
        Unmanaged<Queue>.fromOpaque(memory).release()
      #else
        if let memory { Unmanaged<Queue>.fromOpaque(memory).release() }
      #endif
    }
    return key
  }()

  private static var queue: Queue {
    if let memory = pthread_getspecific(key) { return Unmanaged<Queue>.fromOpaque(memory).takeUnretainedValue() }
    let made = Queue()
    pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
    return made
  }

  /// Takes over the value of a slot that was destroyed.
  @usableFromInline @inline(never)
  static func later<Value>(_ held: borrowing _Held<Value>) {
    if held.bits == 0 { return }
    let queue = queue
    queue.waiting.append(
      Waiting(bits: held.bits) { bits in
        var bits = bits
        withUnsafeMutablePointer(to: &bits) { memory in
          _ = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: Value.self).deinitialize(count: 1)
        }
      })
    if !queue.isAtWork { queue.work() }
  }
}
