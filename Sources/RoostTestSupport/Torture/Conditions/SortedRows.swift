internal import RoostQuery
internal import RoostRecords

/// The expected rows of a query, sorted value by value.
struct SortedRows {
  /// All rows that fulfil the condition, sorted if the query has an order.
  private var rows: [RowID]
  private let isOrdered: Bool
  private let offset: Int
  private let limit: Int
  /// Whether the key of any row cannot be computed.
  private(set) var hasFaults = false

  init(_ hits: [RowID], _ query: Query, ground: Ground) throws {
    offset = max(0, query.offset)
    limit = max(0, query.limit ?? .max)
    isOrdered = !query.order.isEmpty
    rows = hits
    guard let first = query.order.first else { return }
    let entity = try ground.entity(query.entity).id
    var interpreter = Interpreter(ground, entity)
    var keys: [RowID: [Value]] = [:]
    do {
      for row in hits {
        keys[row] = try query.order.map { order in
          var checker = Checker(ground.catalog, entity)
          return try interpreter.value(checker.term(order.key), row)
        }
      }
    } catch is ConditionFault {
      hasFaults = true
      return
    }
    rows.sort { one, other in
      for (index, order) in query.order.enumerated() {
        let way = Self.compare(keys[one]![index], keys[other]![index])
        if way != 0 { return order.isDescending ? way > 0 : way < 0 }
      }
      return first.isDescending ? one > other : one < other
    }
  }

  var count: Int { max(0, min(rows.count - min(offset, rows.count), limit)) }

  /// The error in the found rows.
  func complaint(_ found: [RowID]) -> String? {
    // A single row needs no key.
    if hasFaults, rows.count > 1, !found.isEmpty || count > 0 { return "rows are sorted by what cannot be computed" }
    let wanted = Array(rows.dropFirst(offset).prefix(limit))
    func text(_ rows: [RowID]) -> String { "\(rows.prefix(12).map(\.number))" }
    if isOrdered { return found == wanted ? nil : "\(text(found)) are found instead of \(text(wanted))" }
    guard found.count == wanted.count, Set(found).count == found.count else {
      return "\(text(found)) are found, instead of \(wanted.count) of \(text(rows))"
    }
    return Set(found).isSubset(of: rows) ? nil : "\(text(found)) are found, not all of them among \(text(rows))"
  }

  // MARK: Values

  /// -1, 0 or 1: nil is first, NaN last.
  private static func compare(_ one: Value, _ other: Value) -> Int {
    func sign<Wanted: Comparable>(_ one: Wanted, _ other: Wanted) -> Int { one < other ? -1 : one == other ? 0 : 1 }
    func floating<Number: BinaryFloatingPoint>(_ one: Number, _ other: Number) -> Int {
      one.isNaN || other.isNaN ? sign(one.isNaN ? 1 : 0, other.isNaN ? 1 : 0) : sign(one, other)
    }
    switch (one, other) {
    case (.null, .null): return 0
    case (.null, _): return -1
    case (_, .null): return 1
    case (.bool(let one), .bool(let other)): return sign(one ? 1 : 0, other ? 1 : 0)
    case (.int(let one), .int(let other)): return sign(one, other)
    case (.uint(let one), .uint(let other)): return sign(one, other)
    case (.float(let one), .float(let other)): return floating(one, other)
    case (.double(let one), .double(let other)), (.date(let one), .date(let other)): return floating(one, other)
    case (.decimal(let one), .decimal(let other)): return sign(one, other)
    case (.string(let one), .string(let other)), (.url(let one), .url(let other)):
      // Not with Swift's own `<`, which compares raw lengths if one normal form is a prefix of the
      // other.
      return TextComparing.isLess(one, other) ? -1 : TextComparing.isLess(other, one) ? 1 : 0
    case (.data(let one), .data(let other)):
      return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    case (.uuid(let one), .uuid(let other)): return sign(one, other)
    case (.reference(let one), .reference(let other)): return sign(one, other)
    default: return 0
    }
  }
}
