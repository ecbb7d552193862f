internal import RoostQuery
internal import RoostRecords

/// Makes a failing condition smaller as long as it fails: parts go, and rows.
struct ConditionReducer {
  let seed: UInt64
  let isCommitted: Bool
  let entity: EntityID
  /// How often a smaller one is tried.
  private static let most = 3000

  init(seed: UInt64, isCommitted: Bool, _ entity: EntityID) {
    self.seed = seed
    self.isCommitted = isCommitted
    self.entity = entity
  }

  private struct Over: Error {}

  /// A sentence about the smallest that was found.
  func reduce(_ expression: Expression) -> String {
    let small = smaller(expression)
    let dropped = fewerRows(small)
    guard let (complaint, rows, text) = look(small, dropped) else { return "it does not fail again" }
    return "\(text), where \(complaint), with rows \(rows)"
  }

  private static let constants: [Expression] = [
    .constant(.bool(true), .bool), .constant(.bool(false), .bool), .constant(.int(0), .int), .constant(.int(1), .int),
    .constant(.string(""), .string), .constant(.string("a"), .string), .constant(.double(0), .double),
  ]

  private func smaller(_ expression: Expression) -> Expression {
    var best = expression
    var tries = 0
    guard let stage = try? ConditionStage(seed: seed) else { return best }
    on(stage) { ground in
      func fails(_ one: Expression) -> Bool {
        tries += 1
        var judge = ConditionJudge(ground, entity)
        return (try? judge.complaint(one)) ?? nil != nil
      }
      var goesOn = true
      while goesOn, tries < Self.most {
        goesOn = false
        for number in 0..<best.size {
          if let next = Self.candidates(best.part(number)).lazy.map({ best.replacing(number, by: $0) }).first(where: {
            $0.size < best.size && fails($0)
          }) {
            best = next
            goesOn = true
            break
          }
        }
      }
    }
    return best
  }

  /// What may stand in the place of a part.
  private static func candidates(_ part: Expression) -> [Expression] {
    var all = part.operands
    switch part {
    case .and(let parts), .or(let parts):
      for index in parts.indices where parts.count > 1 {
        var fewer = parts
        fewer.remove(at: index)
        all.append(part.with(fewer))
      }
    case .constant, .variable: return []
    default: break
    }
    return all + constants
  }

  private func fewerRows(_ expression: Expression) -> Set<ConditionStage.Place> {
    var dropped: Set<ConditionStage.Place> = []
    guard let stage = try? ConditionStage(seed: seed) else { return dropped }
    for (id, count) in stage.pool.rows {
      for number in 0..<count {
        let name = ConditionStage.names[Int(id.number) - 1]
        let place = ConditionStage.Place(entity: name, row: RowID(UInt64(number + 1)))
        if look(expression, dropped.union([place])) != nil { dropped.insert(place) }
      }
    }
    return dropped
  }

  /// The complaint about a condition, the rows that are left, and the condition as text.
  private func look(
    _ expression: Expression, _ dropped: Set<ConditionStage.Place>
  ) -> (complaint: String, rows: String, text: String)? {
    guard let stage = try? ConditionStage(seed: seed, without: dropped) else { return nil }
    var found: (String, String, String)?
    on(stage) { ground in
      var judge = ConditionJudge(ground, entity)
      guard let complaint = try judge.complaint(expression) else { return }
      found = (complaint, try Self.rows(ground), Describer(ground.catalog, entity).text(expression))
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

  /// The first few rows that are left, with what they hold.
  private static func rows(_ ground: Ground) throws -> String {
    var words: [String] = []
    for entity in ground.catalog.entities {
      let table = try ground.table(entity.id)
      var cursor = try table.cursor()
      while try cursor.next(), words.count < 4 {
        let row = try cursor.row()
        let values = try entity.fields.compactMap { field -> String? in
          guard let access = table.access(field.id) else { return nil }
          return "\(field.name): \(Describer.text(try table.value(access, row)))"
        }
        words.append("\(entity.name) \(row.id.number) {\(values.joined(separator: ", "))}")
      }
    }
    return words.isEmpty ? "none" : words.joined(separator: "; ")
  }
}
