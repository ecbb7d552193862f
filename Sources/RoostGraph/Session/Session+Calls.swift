internal import RoostFile

/// Entering and leaving calls that do not throw.
extension Session {
  /// Takes the lock for what an accessor cannot do alone, and gives it back.
  ///
  /// - Parameters:
  ///   - tells: whether observers may be notified at the end. Between the two halves of a setter they are not.
  ///   - otherwise: what is done where another thread does not give the lock back. It touches the object alone.
  @inline(__always)
  func accessor<Result>(
    _ activity: ContextLock.Activity, _ object: any _ModelObject, property: Int, tells: Bool = true,
    otherwise: @autoclosure () -> Result, body: () -> Result
  ) -> Result {
    let taking = lock.take(activity, Self.place(object, property))
    if taking == .denied { return otherwise() }
    defer { if taking == .taken { leave(tells) } }
    return body()
  }

  private static func place(_ object: any _ModelObject, _ property: Int) -> String {
    type(of: object)._$type.name + "." + type(of: object)._$type.propertyName(property)
  }

  private func leave(_ tells: Bool) {
    // No later call would close the snapshot that an accessor opened after the context's end.
    if isClosed { dropSnapshot() }
    if tells { end() } else { lock.give() }
  }

  /// Runs a body when no call is under way; nil where one is, on this thread, or on another one until the deadline.
  func whenFree<Result>(until deadline: UInt64, _ body: () -> Result) -> Result? {
    var polling = Polling(until: deadline)
    while true {
      do throws(GraphFault) {
        guard try lock.takeOrThrow(.closing) else { return nil }
        defer { lock.give() }
        return body()
      } catch {
        guard polling.pause() else { return nil }
      }
    }
  }
}
