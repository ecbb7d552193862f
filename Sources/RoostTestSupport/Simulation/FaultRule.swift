/// The effect of a failed sync on its pages. All three occur in practice.
package enum SyncFailure: String, Sendable, CaseIterable {
  /// The pages stay readable and count as clean: a later sync succeeds without saving them, and a
  /// crash loses them.
  case keptAndMarkedClean
  /// The pages return to the durable state at once.
  case reverted
  /// This sync succeeds without saving anything; the next one fails.
  case reportedLate
}

/// A fault of certain calls, beginning with the `nth` matching call, once or forever.
///
/// ```
/// FaultRule(.write, path: "-log", nth: 3, .error(ErrorNumber.noSpace))
/// FaultRule(.sync, .sync(.reverted), forever: true)
/// ```
package struct FaultRule: Sendable, CustomStringConvertible {
  package enum Effect: Sendable, Hashable {
    /// The call changes nothing and fails.
    case error(Int32)
    /// The call takes effect and fails nevertheless.
    case errorAfterEffect(Int32)
    /// A read or a write transfers half of the bytes, but at least one. Other calls are not
    /// affected.
    case shortTransfer
    /// A read or a write transfers nothing and reports no error. Other calls are not affected.
    case zeroTransfer
    /// A sync fails in one of three ways. Other calls are not affected.
    case sync(SyncFailure)
  }

  package var kinds: Set<CallKind>
  package var pathSuffix: String
  package var nth: Int
  package var effect: Effect
  package var forever: Bool
  /// The number of matching calls so far.
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

  /// Counts the call if it matches. Returns true if the fault is due.
  mutating func strikes(_ kind: CallKind, _ path: String) -> Bool {
    guard kinds.contains(kind), pathSuffix.isEmpty || path.hasSuffix(pathSuffix) else { return false }
    seen += 1
    return forever ? seen >= nth : seen == nth
  }
}

extension FaultRule.Effect {
  /// The number of bytes that a transfer of `count` moves with this fault.
  func cut(_ count: Int) -> Int {
    switch self {
    case .shortTransfer: max(count / 2, min(count, 1))
    case .zeroTransfer: 0
    case .error, .errorAfterEffect, .sync: count
    }
  }
}
