internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// How a fetch, a selection or an aggregate was carried out, with the numbers of rows that it read. Print it for a person.
///
/// ``ModelContext/explain(_:)`` explains a fetch, and ``ModelContext/explain(call:)`` a call that selects or aggregates.
public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
  /// How what was found comes into its order.
  public enum Sorting: Hashable, Sendable {
    /// No order is asked for.
    case none
    /// It comes so from an index, or by the numbers of rows.
    case index
    /// By the engine, on rows.
    case rows
    /// On models.
    case memory
  }

  /// How groups are found.
  public enum Grouping: Hashable, Sendable {
    /// No groups are asked for.
    case none
    /// Indexes know the answer, and no row is read.
    case indexes
    /// In a table of the engine, from rows.
    case rows
    /// In a table, from values that are read row by row or from models.
    case memory
  }

  /// How the rows of another class are joined.
  public enum Joining: Hashable, Sendable {
    /// It is the first class of the call.
    case none
    /// By a table of the equal values, which is made of all rows.
    case table
    /// As `table`, but only the rows that can match are read. An index finds them, if one has the key.
    case lookup
    /// By the sorted values of a key.
    case sorted
    /// Each row is compared with each one.
    case loop
  }

  /// How many models the fetch finds, with those that wait to be saved.
  public internal(set) var found = 0
  /// How many rows the engine read.
  public internal(set) var rowsRead = 0
  /// How many entries of indexes it read.
  public internal(set) var entriesRead = 0
  /// How many rows there are.
  public internal(set) var rowCount = 0
  /// The names of the indexes that were used.
  public internal(set) var indexes: [String] = []
  /// What the engine tested on rows; nil for nothing.
  public internal(set) var testedOnRows: String?
  /// What was tested on models, each part by itself. It takes longer.
  public internal(set) var testedInMemory: [String] = []
  /// Where the order comes from: an index, a sort of rows, or a sort of models.
  public internal(set) var sorting = Sorting.none
  /// Rows that were left out because their models wait to be saved or deleted, and models that were put in for that.
  public internal(set) var leftOut = 0
  /// Unsaved models that were put in among the rows, because they pass the test.
  public internal(set) var putIn = 0
  /// The line to write in the model, where an index would spare nine of ten rows that were read.
  public internal(set) var missingIndex: String?
  /// The properties whose values a selection or an aggregate reads. It is empty for a fetch, which reads whole models.
  public internal(set) var selected: [String] = []
  /// Whether models are made for the answer. A selection makes none, unless a property is computed or has no stored form.
  public internal(set) var makesModels = true
  public internal(set) var grouping = Grouping.none
  public internal(set) var joining = Joining.none
  /// How each other class of a join, or of a condition `matching:`, is read.
  public internal(set) var others: [FetchExplanation] = []
  /// Everything in words.
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
    if part.isChanged { lines.append("  \(told.leftOut) rows left out, \(told.putIn) models put in") }
    if let line = told.missingIndex { lines.append("  it would read less with \(line)") }
    told.description = lines.joined(separator: "\n")
    return told
  }

  /// An index is worth while where nine of ten rows are read for nothing, and there are not few of them.
  private func missingIndex(_ part: FetchPart<Model>, _ planner: Planner, read: Int) throws -> String? {
    guard read >= 100 else { return nil }
    var query = part.query(isSorted: true, offset: offset, limit: limit)
    query.condition = part.condition ?? part.prepared?.condition
    guard let missing = try planner.missingIndex(query), missing.reads <= read / 10 else { return nil }
    let all = part.graph.store.maps.filter { $0.entity.id == missing.entity }
    guard let map = missing.entity == part.map.entity.id ? part.map : all.first else { return nil }
    var names: [String] = []
    for field in missing.fields {
      guard let name = map.propertyPath(of: field) else { return nil }
      names.append("\\." + name)
    }
    return "#Index<\(map.type.name)>([\(names.joined(separator: ", "))])"
  }
}

extension EntityMap {
  /// The property, or the part of one, that a field holds.
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
