internal import RoostBytes
internal import RoostFile
internal import RoostRecords

/// Reads ranges of an index, forwards or backwards.
struct IndexScan {
  private let use: IndexAccess
  private let direction: Direction
  private let plan: Plan
  /// Whether the index may hold truncated texts and the query asks for their order.
  private let isCareful: Bool

  init(_ use: IndexAccess, _ direction: Direction, plan: Plan) {
    self.use = use
    self.direction = direction
    self.plan = plan
    isCareful =
      plan.direction != nil && !plan.order.isEmpty
      && use.index.index.parts.dropFirst(use.fixedParts).contains { $0.mayBeCut(plan.entity) }
  }

  /// Reads rows whose order does not matter.
  init(_ use: IndexAccess, _ plan: Plan) {
    self.use = use
    direction = .forward
    self.plan = plan
    isCareful = false
  }

  /// Calls `body` with each row until it returns false; returns whether it reached the end.
  func run(_ skipped: Int, _ body: (RowID) throws -> Bool) throws -> Bool {
    var left = skipped
    let ranges = direction == .forward ? use.ranges : use.ranges.reversed()
    for range in ranges {
      let count = try range.count(in: use.index)
      if left >= count {
        left -= count
        continue
      }
      var cursor = try use.index.cursor()
      let start = try range.low.withBytes { (low) throws(StoreError) in try use.index.rank(of: low) }
      let place = direction == .forward ? start + left : start + count - 1 - left
      guard try cursor.move(to: place) else { throw damaged }
      if isCareful, left > 0, try isCut(cursor.entry().valueBytes) {
        // The index does not know the order of these rows: begin at the first of them.
        guard
          try walk(&cursor, from: direction == .forward ? start : start + count - 1, count, skipped: left, body: body)
        else {
          return false
        }
      } else if try !walk(&cursor, from: place, count - left, skipped: 0, body: body) {
        return false
      }
      left = 0
    }
    return true
  }

  private var damaged: StoreError {
    StoreError(.damaged, "the index \(use.index.index.name) has fewer entries than it says")
  }

  /// Reads `count` entries and leaves out the first `skipped`.
  private func walk(
    _ cursor: inout IndexCursor, from place: Int, _ count: Int, skipped: Int, body: (RowID) throws -> Bool
  ) throws -> Bool {
    guard try cursor.move(to: place) else { throw damaged }
    var (read, left) = (0, skipped)
    var group: [RowID] = []
    var groupKey: [UInt8] = []
    func give(_ row: RowID) throws -> Bool {
      if left > 0 {
        left -= 1
        return true
      }
      return try body(row)
    }
    func giveGroup() throws -> Bool {
      for row in try plan.sorted(group) where try !give(row) { return false }
      group.removeAll(keepingCapacity: true)
      return true
    }
    if !isCareful {
      while read < count {
        let row = try cursor.row()
        try plan.noteEntry()
        read += 1
        if try !give(row) { return false }
        if read < count {
          guard try direction == .forward ? cursor.next() : cursor.previous() else { throw damaged }
        }
      }
      return true
    }
    while read < count {
      let (row, key, valueBytes) = try cursor.entry()
      try plan.noteEntry()
      read += 1
      if isCut(valueBytes) {
        let values = UnsafeRawBufferPointer(rebasing: key[..<valueBytes])
        if !group.isEmpty, !groupKey.elementsEqual(values), try !giveGroup() { return false }
        if group.isEmpty { groupKey = [UInt8](values) }
        group.append(row)
      } else {
        if !group.isEmpty, try !giveGroup() { return false }
        if try !give(row) { return false }
      }
      if read < count {
        guard try direction == .forward ? cursor.next() : cursor.previous() else { throw damaged }
      }
    }
    return group.isEmpty ? true : try giveGroup()
  }

  private func isCut(_ valueBytes: Int) -> Bool { valueBytes > use.index.index.textBytes }
}
