package import RoostRecords

/// Counts the bytes that one call keeps in memory: groups, distinct values, joined rows, windows.
///
/// The numbers are estimates, so the limit is reached a little early or late. One call has the
/// object for itself.
package final class QueryMemory {
  private let entity: String
  /// Whether a limit reduces the number of rows that are read. It does not if all rows must be read
  /// before the first result is known.
  package var limitHelps = true
  private let limit: () -> Int
  /// The call may use this much. It asks `limit` only when it needs more, because finding the limit
  /// is slow.
  ///
  /// Unchecked, because both are numbers: no code of a user runs while they are read or written.
  @exclusivity(unchecked) private var most: Int
  @exclusivity(unchecked) private var taken = 0

  /// - Parameters:
  ///   - least: the number of bytes that the call may use in any case.
  ///   - entity: the entity that is queried, for the error.
  ///   - limit: returns the number of bytes that the call may use, at least `least`.
  package init(least: Int, entity: String, limit: @escaping () -> Int) {
    (most, self.limit, self.entity) = (least, limit, entity)
  }

  /// The bytes of one value of a row, without the bytes of a long text.
  package static let value = 24
  /// The bytes of one group, without its keys and values.
  package static let group = 300

  package enum Use: String {
    case rows = "the selected rows"
    case groups = "the groups"
    case distinct = "the distinct values"
    case join = "the joined rows"
    case window = "the groups of the window"

    fileprivate func remedy(limitHelps: Bool) -> String {
      switch self {
      case .rows: limitHelps ? "ask for fewer with a predicate or a limit" : "ask for fewer with a predicate"
      case .join: "ask for fewer with a predicate of either class, or another key"
      case .groups, .distinct, .window: "ask for fewer rows with a predicate, or for fewer distinct values"
      }
    }
  }

  @inline(__always)
  package func take(_ bytes: Int, for use: Use) throws(ConditionFault) {
    taken &+= bytes
    if taken > most { try checkLimit(use) }
  }

  /// How much the call has taken so far.
  package var mark: Int { taken }

  /// Gives back all that was taken after a mark.
  package func giveBack(to mark: Int) { taken = mark }

  @inline(never)
  private func checkLimit(_ use: Use) throws(ConditionFault) {
    most = limit()
    if taken <= most { return }
    throw ConditionFault(
      .tooLarge,
      "\(use.rawValue) take more than \(most) bytes of memory: \(use.remedy(limitHelps: limitHelps)), or set queryBytes of the configuration",
      in: entity)
  }
}

extension Value {
  /// The bytes on the heap that it uses.
  package var heapBytes: Int {
    switch self {
    case .string(let text), .url(let text): text.utf8.count > 15 ? text.utf8.count + 32 : 0
    case .data(let bytes): bytes.count + 32
    case .array(let values), .structure(let values): 32 + 2 * QueryMemory.value * values.count
    case .set(let values): 64 + 4 * QueryMemory.value * values.count
    case .dictionary(let values): 64 + 6 * QueryMemory.value * values.count
    default: 0
    }
  }
}
