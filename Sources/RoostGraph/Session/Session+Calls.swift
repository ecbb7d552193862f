internal import RoostFile

/// Enters and leaves calls that do not throw.
extension Session {
  /// Takes the lock for an accessor that the object alone cannot serve, and gives it back.
  ///
  /// - Parameters:
  ///   - activity: the kind of access, for errors.
  ///   - object: the object.
  ///   - property: the property.
  ///   - tells: whether observers may be notified at the end. Between the two halves of a setter
  ///     they are not.
  ///   - otherwise: runs if another thread does not give the lock back. It uses only the object.
  ///   - body: serves the accessor.
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
    // No later call would close the snapshot that an accessor opened after the context was closed.
    if isClosed { dropSnapshot() }
    if tells { end() } else { lock.give() }
  }

  /// Runs `body` when no call is active; returns nil if one is, on this thread, or on another one
  /// until the deadline.
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
