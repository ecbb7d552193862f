internal import RoostQuery
internal import RoostRecords

/// Reduces a failing query while it still fails: sort keys, parts of the condition, rows.
struct ConditionReducer {
  let seed: UInt64
  let isCommitted: Bool
  /// The most attempts.
  private static let most = 3000

  private struct Over: Error {}

  /// A sentence about the smallest failing query.
  func reduce(_ query: Query) -> String {
    let small = smaller(query)
    let dropped = fewerRows(small)
    guard let (complaint, rows, text) = look(small, dropped) else { return "it does not fail again" }
    return "\(text), where \(complaint), with rows \(rows)"
  }

  // MARK: The query

  private func smaller(_ query: Query) -> Query {
    var best = query
    var tries = 0
    guard let stage = try? ConditionStage(seed: seed) else { return best }
    on(stage) { ground in
      func fails(_ one: Query) -> Bool {
        tries += 1
        var judge = ConditionJudge(ground)
        do { return try judge.complaint(one) != nil } catch { return false }
      }
      while tries < Self.most, let next = Self.candidates(best).first(where: fails) { best = next }
    }
    return best
  }

  private static func candidates(_ query: Query) -> some Sequence<Query> {
    var simple: [Query] = []
    func add(_ change: (inout Query) -> Void) {
      var other = query
      change(&other)
      simple.append(other)
    }
    if query.limit != nil { add { $0.limit = nil } }
    if query.offset != 0 { add { $0.offset = 0 } }
    for index in query.order.indices { add { $0.order.remove(at: index) } }
    if query.condition != nil { add { $0.condition = nil } }
    let size = query.condition?.size ?? 0
    let others = (0..<size).lazy.flatMap { number -> [Query] in
      guard let condition = query.condition else { return [] }
      return Self.candidates(condition.part(number)).compactMap { part in
        var other = query
        let next = condition.replacing(number, by: part)
        other.condition = next
        return next.size < size ? other : nil
      }
    }
    return [AnySequence(simple), AnySequence(others)].lazy.joined()
  }

  private static let constants: [Expression] = [
    .constant(.bool(true), .bool), .constant(.bool(false), .bool), .constant(.int(0), .int), .constant(.int(1), .int),
    .constant(.string(""), .string), .constant(.string("a"), .string), .constant(.double(0), .double),
  ]

  /// The replacements for a part.
  private static func candidates(_ part: Expression) -> [Expression] {
    var all = part.operands
    switch part {
    case .and(let parts), .or(let parts):
      for index in parts.indices where parts.count > 1 {
        var fewer = parts
        fewer.remove(at: index)
        all.append(part.with(fewer))
      }
    case .constant, .parameter, .variable: return []
    default: break
    }
    return all + constants
  }

  // MARK: The rows

  private func fewerRows(_ query: Query) -> Set<ConditionStage.Place> {
    var dropped: Set<ConditionStage.Place> = []
    guard let stage = try? ConditionStage(seed: seed) else { return dropped }
    for (id, count) in stage.pool.rows.sorted(by: { $0.key < $1.key }) {
      for number in 0..<count {
        let name = ConditionStage.names[Int(id.number) - 1]
        let place = ConditionStage.Place(entity: name, row: RowID(UInt64(number + 1)))
        if look(query, dropped.union([place])) != nil { dropped.insert(place) }
      }
    }
    return dropped
  }

  /// The error of a query, the remaining rows, and the query as text.
  private func look(
    _ query: Query, _ dropped: Set<ConditionStage.Place>
  ) -> (complaint: String, rows: String, text: String)? {
    guard let stage = try? ConditionStage(seed: seed, without: dropped) else { return nil }
    var found: (String, String, String)?
    on(stage) { ground in
      var judge = ConditionJudge(ground)
      guard let complaint = try judge.complaint(query) else { return }
      found = (complaint, try QueryText.rows(query, ground), QueryText.text(query, ground.catalog))
    }
    return found
  }

  private func on(_ stage: ConditionStage, _ body: (Ground) throws -> Void) {
    do {
      if isCommitted { return try stage.store.read { try body(Ground($0)) } }
      var stage = stage
      let store = stage.store
      try store.write { writer in
        try stage.disturb(writer)
        try body(Ground(writer))
        throw Over()
      }
    } catch {}
  }
}

/// Describes queries and rows.
enum QueryText {
  static func text(_ query: Query, _ catalog: Catalog) -> String {
    let describer = Describer(catalog, catalog.entity(query.entity)?.id ?? EntityID(0))
    var words = query.entity
    if let condition = query.condition { words += " where " + describer.text(condition) }
    for (index, order) in query.order.enumerated() {
      words += (index == 0 ? " by " : ", ") + describer.text(order.key) + (order.isDescending ? " descending" : "")
    }
    if query.offset != 0 { words += " from \(query.offset)" }
    if let limit = query.limit { words += " at most \(limit)" }
    return words
  }

  /// The first few rows, with the fields that the query names.
  static func rows(_ query: Query, _ ground: Ground) throws -> String {
    let text = text(query, ground.catalog)
    var words: [String] = []
    for entity in ground.catalog.entities {
      let table = try ground.table(entity.id)
      var cursor = try table.cursor()
      while try cursor.next(), words.count < 4 {
        let row = try cursor.row()
        let values = try entity.fields.compactMap { field -> String? in
          guard text.contains("." + field.name), let access = table.access(field.id) else { return nil }
          return "\(field.name): \(Describer.text(try table.value(access, row)))"
        }
        words.append("\(entity.name) \(row.id.number) {\(values.joined(separator: ", "))}")
      }
    }
    return words.isEmpty ? "none" : words.joined(separator: "; ")
  }
}
