#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Lets objects go one after the other.
///
/// An object that holds another one, that holds another one and so on would be destroyed in as many nested calls as there are.
/// So the slots do not let go themselves: what they held waits here until the destruction that is under way has ended.
@usableFromInline enum _Release {
  /// Something that waits: an object, or an array's memory, of which nobody else holds this reference.
  private struct Waiting {
    var bits: UInt
    var letGo: (UInt) -> Void
  }

  /// What waits on one thread.
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

  /// Takes over what a slot held that has ended.
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
