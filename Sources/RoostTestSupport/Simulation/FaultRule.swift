/// What a failed sync means for the pages it was to save. All three exist in the field.
package enum SyncFailure: String, Sendable, CaseIterable {
  /// The pages stay readable and count as clean: a later sync succeeds without saving them, a crash loses them.
  case keptAndMarkedClean
  /// The pages go back to what is durable at once.
  case reverted
  /// This sync succeeds and saves nothing; the next one fails.
  case reportedLate
}

/// A fault for certain calls: from the `nth` call that matches, once or for ever.
///
/// ```
/// FaultRule(.write, path: "-log", nth: 3, .error(ErrorNumber.noSpace))
/// FaultRule(.sync, .sync(.reverted), forever: true)
/// ```
package struct FaultRule: Sendable, CustomStringConvertible {
  package enum Effect: Sendable, Hashable {
    /// The call changes nothing and fails.
    case error(Int32)
    /// The call does its work and fails all the same.
    case errorAfterEffect(Int32)
    /// A read or a write moves half of the bytes, but at least one. Other calls are left alone.
    case shortTransfer
    /// A read or a write moves nothing and reports no error. Other calls are left alone.
    case zeroTransfer
    /// A sync fails in one of three ways. Other calls are left alone.
    case sync(SyncFailure)
  }

  package var kinds: Set<CallKind>
  package var pathSuffix: String
  package var nth: Int
  package var effect: Effect
  package var forever: Bool
  /// The calls that matched so far.
  private var seen = 0

  package init(
    _ kinds: Set<CallKind>, path suffix: String = "", nth: Int = 1, _ effect: Effect, forever: Bool = false
  ) {
    self.kinds = kinds
    self.pathSuffix = suffix
    self.nth = nth
    self.effect = effect
    self.forever = forever
  }

  package init(_ kind: CallKind, path suffix: String = "", nth: Int = 1, _ effect: Effect, forever: Bool = false) {
    self.init([kind], path: suffix, nth: nth, effect, forever: forever)
  }

  package var description: String {
    let calls = kinds.map(\.rawValue).sorted().joined(separator: "|")
    return "\(calls) *\(pathSuffix) #\(nth) \(effect)" + (forever ? " for ever" : "")
  }

  /// Counts the call if it matches; true if the fault is due.
  mutating func strikes(_ kind: CallKind, _ path: String) -> Bool {
    guard kinds.contains(kind), pathSuffix.isEmpty || path.hasSuffix(pathSuffix) else { return false }
    seen += 1
    return forever ? seen >= nth : seen == nth
  }
}

extension FaultRule.Effect {
  /// The bytes that a transfer of `count` moves under this fault.
  func cut(_ count: Int) -> Int {
    switch self {
    case .shortTransfer: max(count / 2, min(count, 1))
    case .zeroTransfer: 0
    case .error, .errorAfterEffect, .sync: count
    }
  }
}
