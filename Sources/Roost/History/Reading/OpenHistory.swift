internal import Foundation
internal import RoostGraph
internal import RoostRecords

/// The history of one store of a container, in one snapshot.
final class OpenHistory {
  let store: GraphStore
  let reader: RecordReader
  let number: StoreNumber
  let isOn: Bool

  init(_ store: GraphStore) throws {
    self.store = store
    reader = try store.records.snapshot()
    do {
      number = StoreNumber(try reader.oldestToken)
      isOn = try reader.historyMode != .off
    } catch {
      reader.close()
      throw error
    }
  }

  deinit { reader.close() }

  /// Returns the range of transactions for some bounds. Throws if the history after a token is not
  /// known.
  ///
  /// - Parameter isLoose: whether the caller tests each transaction, so that one too many does no
  ///   harm.
  func range(_ bounds: HistoryBounds, isLoose: Bool = false) throws -> HistoryRange {
    var range = HistoryRange(after: try reader.oldestToken.transaction, crossesGaps: !bounds.hasLowerToken)
    for bound in bounds.bounds {
      let place: UInt64
      switch bound.edge {
      case .token(let token):
        guard let known = token.place(in: number) else {
          // The place is before all transactions of this store.
          if bound.comparison != .greater && bound.comparison != .greaterOrEqual { range.through = 0 }
          continue
        }
        let isLower = bound.comparison == .greater || bound.comparison == .greaterOrEqual
        let oldest = try reader.oldestToken.transaction
        if isLower || known.transaction >= oldest { try reader.check(known) }
        place = known.transaction
      case .number(let number): place = UInt64(max(number, 0))
      case .time(let time):
        try narrow(&range, bound.comparison, time: time)
        continue
      }
      switch bound.comparison {
      case .less where isLoose && bound.token != nil: range.through = min(range.through, place)
      case .less: range.through = min(range.through, place == 0 ? 0 : place - 1)
      case .lessOrEqual: range.through = min(range.through, place)
      case .equal:
        range.through = min(range.through, place)
        range.after = max(range.after, place == 0 ? 0 : place - 1)
      case .greaterOrEqual: range.after = max(range.after, place == 0 ? 0 : place - 1)
      case .greater: range.after = max(range.after, place)
      }
      if case .number(let number) = bound.edge, number < 0, bound.comparison != .greater,
        bound.comparison != .greaterOrEqual
      {
        range.through = 0
      }
    }
    range.author = bounds.authors.first
    range.program = bounds.programs.first
    range.process = bounds.processes.first
    if bounds.contradictThemselves { range.through = 0 }
    return range
  }

  private func narrow(_ range: inout HistoryRange, _ comparison: HistoryBounds.Comparison, time: Date) throws {
    switch comparison {
    case .less: range.through = min(range.through, try last(olderThan: time))
    case .lessOrEqual: range.through = min(range.through, try last(through: time))
    case .equal:
      range.through = min(range.through, try last(through: time))
      range.after = max(range.after, try last(olderThan: time))
    case .greaterOrEqual: range.after = max(range.after, try last(olderThan: time))
    case .greater: range.after = max(range.after, try last(through: time))
    }
  }

  /// Returns the newest transaction that is older than a time.
  func last(olderThan time: Date) throws -> UInt64 { try last { $0 >= time } }
  private func last(through time: Date) throws -> UInt64 { try last { $0 > time } }

  /// Returns the newest transaction for which the closure is false; it is true for all later ones.
  private func last(before isReached: (Date) -> Bool) throws -> UInt64 {
    var (low, high) = (UInt64(0), UInt64(1) << 48)
    while low < high {
      let middle = (low + high) / 2
      if isReached(Date(HybridTime(milliseconds: middle))) { high = middle } else { low = middle + 1 }
    }
    let stamp = low == 1 << 48 ? HybridTime(bits: .max) : HybridTime(milliseconds: low)
    return try reader.token(before: stamp).transaction
  }

  /// Returns the place of this store when another one committed.
  func place(at stamp: HybridTime, of other: StoreNumber) throws -> RoostRecords.HistoryPlace {
    // Of two commits at the same time, the one of the store with the lower number came first.
    let bits = number < other && stamp.bits < .max ? stamp.bits + 1 : stamp.bits
    return try reader.token(before: HybridTime(bits: bits))
  }
}
