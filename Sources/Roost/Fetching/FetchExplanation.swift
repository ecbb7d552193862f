internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Describes how a fetch, a selection or an aggregate ran, and how many rows it read. Print it to
/// read it.
///
/// ``ModelContext/explain(_:)`` explains a fetch, and ``ModelContext/explain(call:)`` a call that selects or aggregates.
public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
  /// Where the order of a result comes from.
  public enum Sorting: Hashable, Sendable {
    /// The call has no order.
    case none
    /// From an index, or from the row numbers.
    case index
    /// The engine sorts rows.
    case rows
    /// The context sorts models.
    case memory
  }

  /// How a call forms its groups.
  public enum Grouping: Hashable, Sendable {
    /// The call has no groups.
    case none
    /// From indexes, without reading a row.
    case indexes
    /// One after another along an index that has the order of the keys. No table of groups is made.
    case stream
    /// In a table of the engine, from rows.
    case rows
    /// In a table, from values that are read row by row, or from models.
    case memory
  }

  /// How the rows of another class are joined.
  public enum Joining: Hashable, Sendable {
    /// The first class of the call is not joined.
    case none
    /// By a table of equal values, which is made of all rows.
    case table
    /// As `table`, but only rows that can match are read. An index finds them, if one has the key.
    case lookup
    /// Both sides are read along indexes in the order of an equal key, and no side is kept in memory.
    case merge
    /// By the sorted values of a key.
    case sorted
    /// Each row is compared with each row.
    case loop
  }

  /// How many models the fetch finds, including unsaved models.
  public internal(set) var found = 0
  /// How many rows the engine read.
  public internal(set) var rowsRead = 0
  /// How many index entries the engine read.
  public internal(set) var entriesRead = 0
  /// How many rows the class has.
  public internal(set) var rowCount = 0
  /// The names of the indexes that were used.
  public internal(set) var indexes: [String] = []
  /// The condition that the engine tested on rows; nil if none.
  public internal(set) var testedOnRows: String?
  /// The conditions that were tested on models, which takes longer, as one text for each.
  public internal(set) var testedInMemory: [String] = []
  /// Where the order comes from: an index, a sort of rows, or a sort of models.
  public internal(set) var sorting = Sorting.none
  /// How many rows were left out because their models have unsaved changes or were deleted.
  public internal(set) var leftOut = 0
  /// How many unsaved models were added to the rows, because they fulfil the predicate.
  public internal(set) var putIn = 0
  /// The line to add to the model, if an index would avoid nine of ten rows that were read.
  public internal(set) var missingIndex: String?
  /// The properties whose values a selection or an aggregate reads. It is empty for a fetch, which reads whole models.
  public internal(set) var selected: [String] = []
  /// Whether models are made for the answer. A selection makes none, unless a property is computed or has no stored form.
  public internal(set) var makesModels = true
  /// How an aggregate with keys, or a selection of distinct values, forms its groups.
  public internal(set) var grouping = Grouping.none
  /// How a join, or a condition `matching:`, finds the rows of the other class.
  public internal(set) var joining = Joining.none
  /// How each other class of a join, or of a condition `matching:`, is read.
  public internal(set) var others: [FetchExplanation] = []
  /// The whole explanation as text.
  public internal(set) var description = ""
}

extension FetchRun {
  func explanation() throws -> FetchExplanation { try explanation(part()) }

  func explanation(_ part: FetchPart<Model>) throws -> FetchExplanation {
    let isAlone = part.isEngines
    let asked = part.excluded.isEmpty ? part : part.withoutExcluded
    let query = asked.query(isSorted: true, offset: isAlone ? offset : 0, limit: isAlone ? limit : nil)
    let planner = try part.graph.planner()
    let plan = try planner.plan(query)
    var failure: ConditionFault?
    do { try plan.forEach { _ in true } } catch let fault as ConditionFault { failure = fault }
    let facts = plan.facts
    var told = FetchExplanation()
    told.rowsRead = plan.rowsRead
    told.entriesRead = plan.entriesRead
    told.rowCount = try part.graph.session.ground().table(part.map.entity.name).count
    told.indexes = facts.indexes
    told.testedOnRows = facts.test
    told.testedInMemory = part.tests.map(\.description)
    told.sorting = rules.isEmpty ? .none : part.orders == nil ? .memory : facts.comesSorted ? .index : .rows
    (told.leftOut, told.putIn) = (part.excluded.count, part.pending.count)
    var lines = (part.answered?.report() ?? []) + [plan.explanation]
    if let failure {
      lines.append("  it fails: \(failure.detail), in \(failure.part)")
    } else {
      told.found = isAlone ? plan.tally.results : try places(part).rows.count
      told.missingIndex = try missingIndex(part, planner, read: told.rowsRead)
    }
    for test in told.testedInMemory { lines.append("  test in memory \(test)") }
    if part.orders == nil { lines.append("  sorted in memory") }
    if part.isChanged {
      let (rows, models) = (told.leftOut == 1 ? "row" : "rows", told.putIn == 1 ? "model" : "models")
      lines.append(
        "  unsaved changes: \(told.leftOut) \(rows) left out, \(told.putIn) \(models) put in, \(told.found) in the result"
      )
    }
    if let line = told.missingIndex { lines.append("  " + Planner.MissingIndex.advice(line)) }
    told.description = lines.joined(separator: "\n")
    return told
  }

  private func missingIndex(_ part: FetchPart<Model>, _ planner: Planner, read: Int) throws -> String? {
    var query = part.query(isSorted: true, offset: offset, limit: limit)
    query.condition = part.condition ?? part.prepared?.condition
    guard let missing = try planner.missingIndex(query, read: read) else { return nil }
    let all = part.graph.store.maps.filter { $0.entity.id == missing.entity }
    guard let map = missing.entity == part.map.entity.id ? part.map : all.first else { return nil }
    let paths = missing.fields.compactMap(map.propertyPath)
    return paths.count == missing.fields.count ? Planner.MissingIndex.line(map.type.name, paths) : nil
  }
}

extension EntityMap {
  /// Returns the property of a field, or the part of a property that the field stores.
  fileprivate func propertyPath(of field: FieldID) -> String? {
    guard let name = entity.field(field)?.name else { return nil }
    for number in type.properties.indices {
      let own = type.fieldName(number)
      if name == own { return type.propertyName(number) }
      if name.hasPrefix(own + ".") { return type.propertyName(number) + name.dropFirst(own.count) }
    }
    return nil
  }
}
