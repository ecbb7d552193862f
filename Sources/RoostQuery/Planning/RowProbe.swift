package import RoostRecords

/// Tests single rows as a query does, and makes the bytes by which the query sorts them.
///
/// It works on one ground at a time.
package final class RowProbe {
  private var table: TableReader
  private let program: Program?
  private let keys: SortKeys
  private let readsHead: Bool

  package struct Found {
    /// The sort key. No two rows have the same.
    package var key: [UInt8]
    /// The value of the first sort key, if it was requested.
    package var head: Value?
  }

  /// - Parameters:
  ///   - question: its condition contains its constants. It must fit the ground.
  ///   - ground: the rows to test.
  ///   - readsHead: whether to return the value of the first sort key too.
  package init(_ question: Question, _ ground: Ground, readsHead: Bool) throws {
    let table = try ground.table(question.entity)
    self.table = table
    program = try question.condition.map { try Program(condition: $0, ground, table.id) }
    keys = try SortKeys(question.order, ground, entity: table.id)
    self.readsHead = readsHead
  }

  /// Switches to another ground of the same catalog. Returns false if that is impossible; then make
  /// another probe.
  package func move(to ground: Ground) throws -> Bool {
    guard try program?.move(to: ground) != false, try keys.move(to: ground) else { return false }
    table = try ground.table(table.id)
    return true
  }

  /// Nil if the row does not exist or does not fulfil the condition.
  package func look(_ id: RowID) throws -> Found? {
    try table.lend(id) { row in
      guard let row else { return nil }
      defer { program?.rest() }
      if let program, try !program.test(row) { return nil }
      return try found(row)
    }
  }

  /// The key of a row that a query has found.
  package func found(_ row: Row) throws -> Found {
    try keys.make(row)
    return Found(key: [UInt8](keys.key.bytes), head: readsHead ? try keys.values(row).first : nil)
  }
}
