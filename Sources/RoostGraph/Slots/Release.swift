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
  /// One thread's waiting objects.
  private final class Queue {
    var waiting: [AnyObject] = []
    var lists: [Any] = []
    var isAtWork = false

    func work() {
      isAtWork = true
      while true {
        if let next = waiting.popLast() {
          _ = consume next
        } else if let next = lists.popLast() {
          _ = consume next
        } else {
          break
        }
      }
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

  @usableFromInline @inline(never)
  static func later(_ object: consuming AnyObject) {
    let queue = queue
    queue.waiting.append(consume object)
    if !queue.isAtWork { queue.work() }
  }

  /// Elements are taken apart one by one only where the list is its last owner's; that cannot be seen, so the list waits
  /// as a whole, and its elements' slots come here in their turn.
  @usableFromInline @inline(never)
  static func later<Model: _ModelObject>(_ members: consuming [Model]) {
    let queue = queue
    queue.lists.append(consume members)
    if !queue.isAtWork { queue.work() }
  }
}
