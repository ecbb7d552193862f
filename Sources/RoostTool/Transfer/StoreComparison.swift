import RoostFile
import RoostRecords
import RoostTransfer

/// Compares the rows of two stores, entity by entity.
///
/// Rows are paired by their numbers, with a cursor in each store; the one at the smaller number
/// moves on. If they are paired by keys, each row looks up its partner in the other store's unique
/// index. In both cases one row of each store is in memory.
struct StoreComparison {
  enum Pairing { case numbers, keys }

  /// One difference between the stores.
  struct Difference: Encodable {
    enum Change: String, Encodable { case added, removed, changed }

    struct Property: Encodable {
      var name: String
      var old: String?
      var new: String?
    }

    var change: Change
    var entity: String
    /// The number of the row as `#12`, or its key.
    var row: String
    var properties: [Property]?
  }

  struct Counts: Encodable {
    var added = 0
    var removed = 0
    var changed = 0

    var isSame: Bool { added == 0 && removed == 0 && changed == 0 }
  }

  let old: RecordReader
  let new: RecordReader
  let pairing: Pairing

  /// The declarations that differ, entity by entity: lines of `@Model` classes.
  var schema: [String] {
    let (before, after) = (SchemaText(old.catalog).declarations, SchemaText(new.catalog).declarations)
    return Set(before.keys).union(after.keys).sorted().flatMap { name -> [String] in
      guard let left = before[name] else { return ["+ " + name] }
      guard let right = after[name] else { return ["- " + name] }
      let lines =
        left.filter { !right.contains($0) }.map { "  - " + $0 }
        + right.filter { !left.contains($0) }.map { "  + " + $0 }
      return lines.isEmpty ? [] : [name] + lines
    }
  }

  /// The names of all entities with rows, including those of one store only.
  var entities: [String] {
    let all = (old.catalog.entities + new.catalog.entities).map(\.name).filter { !$0.hasPrefix("@") }
    var known: Set<String> = []
    return all.filter { known.insert($0).inserted }
  }

  /// The entities that are compared by default. The rows of subclasses belong to their topmost
  /// class.
  func topmost() throws -> [String] {
    try entities.filter { name in
      try [old.catalog, new.catalog].contains { catalog in
        try catalog.entity(name) != nil && !Looking.rowClass(name, catalog).isSubclass
      }
    }
  }

  /// Calls `body` with each difference between the rows of an entity.
  func compare(_ name: String, _ body: (Difference) throws -> Void) throws -> Counts {
    var counts = Counts()
    func tell(_ change: Difference.Change, _ row: String, properties: [Difference.Property]?) throws {
      switch change {
      case .added: counts.added += 1
      case .removed: counts.removed += 1
      case .changed: counts.changed += 1
      }
      try body(Difference(change: change, entity: name, row: row, properties: properties))
    }
    guard old.catalog.entity(name) != nil else {
      counts.added = try Looking.rowClass(name, new.catalog).count(new)
      return counts
    }
    let left = try Looking.rowClass(name, old.catalog)
    guard new.catalog.entity(name) != nil else {
      counts.removed = try left.count(old)
      return counts
    }
    let right = try Looking.rowClass(name, new.catalog)
    let rows = try RowComparison(left, right, in: self)
    switch pairing {
    case .numbers: try byNumbers(rows, tell)
    case .keys: try byKeys(rows, tell)
    }
    return counts
  }

  private typealias Tell = (Difference.Change, String, [Difference.Property]?) throws -> Void

  private func byNumbers(_ rows: RowComparison, _ tell: Tell) throws {
    var left = try rows.oldTable.cursor()
    var right = try rows.newTable.cursor()
    var (one, other) = (try rows.next(&left, isOld: true), try rows.next(&right, isOld: false))
    while one != nil || other != nil {
      if let before = one, other.map({ before.id < $0.id }) ?? true {
        try tell(.removed, "#\(before.id.number)", nil)
        one = try rows.next(&left, isOld: true)
      } else if let after = other, one.map({ after.id < $0.id }) ?? true {
        try tell(.added, "#\(after.id.number)", nil)
        other = try rows.next(&right, isOld: false)
      } else if let before = one, let after = other {
        let changes = try rows.changes(before, after)
        if !changes.isEmpty { try tell(.changed, "#\(before.id.number)", changes) }
        one = try rows.next(&left, isOld: true)
        other = try rows.next(&right, isOld: false)
      }
    }
  }

  private func byKeys(_ rows: RowComparison, _ tell: Tell) throws {
    var left = try rows.oldTable.cursor()
    while let before = try rows.next(&left, isOld: true) {
      guard let partner = try rows.partner(of: before, isOld: true) else {
        try tell(.removed, rows.name(of: before.id, isOld: true), nil)
        continue
      }
      var right = try rows.newTable.cursor()
      guard try right.seek(partner) else { continue }
      let changes = try rows.changes(before, right.row())
      if !changes.isEmpty { try tell(.changed, rows.name(of: before.id, isOld: true), changes) }
    }
    var right = try rows.newTable.cursor()
    while let after = try rows.next(&right, isOld: false) {
      if try rows.partner(of: after, isOld: false) != nil { continue }
      try tell(.added, rows.name(of: after.id, isOld: false), nil)
    }
  }
}
