import Foundation
import RoostFile
import RoostQuery
import RoostRecords
import RoostTransfer

/// The groups of a question, as lines of values.
struct GroupRows {
  private let question: GroupQuestion
  private let query: Query
  private let reader: RecordReader

  init(_ question: GroupQuestion, _ query: Query, reader: RecordReader) {
    (self.question, self.query, self.reader) = (question, query, reader)
  }

  /// The name and type of each column. A reference is shown as the key of its target. A
  /// class is shown by its name.
  var columns: [(name: String, type: FieldType)] {
    question.columns.map { column in
      if question.showsClass(column, reader.catalog) { return (column.name, .string) }
      return (column.name, column.kind.entity.map { ReferenceText(of: $0, reader.catalog).type } ?? column.type)
    }
  }

  /// A class by its name.
  private func shown(_ value: Value, _ column: GroupQuestion.Column) -> Value {
    guard case .uint(let number) = value, question.showsClass(column, reader.catalog),
      let name = reader.catalog.name(of: EntityID(UInt32(truncatingIfNeeded: number)))
    else { return value }
    return .string(name)
  }

  /// Calls `body` with the values of each group that fulfils the condition, sorted, and within the
  /// limit.
  func forEach(_ body: ([Value]) throws -> Void) throws {
    var groups = try all()
    var computing = Computing(question, reader)
    if let condition = question.condition {
      groups = try groups.filter { try computing.value(condition, $0) == .bool(true) }
    }
    if !question.order.isEmpty { groups = try sorted(groups, &computing) }
    let names = question.columns.map { $0.kind.entity.map { ReferenceText(of: $0, reader.catalog) } }
    for (number, group) in groups.dropFirst(query.offset).prefix(query.limit ?? .max).enumerated() {
      if number & 255 == 0 { try CallInterrupt.look() }
      var values: [Value] = []
      for (column, name) in zip(question.columns, names) {
        let value = try computing.value(column.expression, group)
        if let name, case .reference(let row) = value {
          values.append(try name.value(row, reader))
        } else {
          values.append(shown(value, column))
        }
      }
      try body(values)
    }
  }

  /// The keys and measures of each group, sorted by the keys.
  private func all() throws -> [[Value]] {
    var decimals: [Place: Decimal] = [:]
    let (found, order) = try Planner(Ground(reader)).aggregate(
      query, by: question.keys.map(\.expression), question.measures.map(\.measure)
    ) { measure, group, number in
      let place = Place(measure: measure, group: group)
      decimals[place, default: 0] += Decimal(string: ValueWriter.plain(.decimal(number))) ?? .nan
    }
    return try order.map { number in
      var values = found[number].keys
      for (place, (measure, tally)) in zip(question.measures, found[number].tallies).enumerated() {
        let decimal = decimals[Place(measure: place, group: number)] ?? 0
        values.append(try Self.value(measure, tally, decimal: decimal))
      }
      return values
    }
  }

  private struct Place: Hashable {
    var measure: Int
    var group: Int
  }

  private static func value(_ measure: GroupMeasure, _ tally: MeasureTally, decimal: Decimal) throws -> Value {
    let isDecimal = measure.kind.whole == .plain(.decimal)
    switch measure.way {
    case .count: return .int(Int64(tally.count))
    case .min, .max: return tally.bound ?? .null
    case .sum:
      if isDecimal { return try number(decimal) }
      if measure.kind.whole == .double { return .double(tally.floats.total) }
      guard let sum = Int64(exactly: tally.integers) else {
        throw CheckFailure(
          sentence: "the sum of a group is \(tally.integers), which an Int64 cannot hold: ask for 'average' and "
            + "'count' instead")
      }
      return .int(sum)
    case .average:
      if tally.count == 0 { return .null }
      if isDecimal { return try number(decimal / Decimal(tally.count)) }
      return .double((Double(tally.integers) + tally.floats.total) / Double(tally.count))
    }
  }

  private static func number(_ decimal: Decimal) throws -> Value {
    .decimal(try Array("\(decimal)".utf8).withUnsafeBytes { bytes in try DecimalText.decimal(bytes) })
  }

  private func sorted(_ groups: [[Value]], _ computing: inout Computing) throws -> [[Value]] {
    var keyed: [(keys: [Value], place: Int)] = []
    for (place, group) in groups.enumerated() {
      keyed.append((try question.order.map { try computing.value($0.key, group) }, place))
    }
    keyed.sort { one, other in
      for (order, (left, right)) in zip(question.order, zip(one.keys, other.keys)) {
        if Self.isBefore(left, right) { return !order.isDescending }
        if Self.isBefore(right, left) { return order.isDescending }
      }
      return one.place < other.place
    }
    return keyed.map { groups[$0.place] }
  }

  /// Nil is first, NaN last, and false comes before true.
  private static func isBefore(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.null, _): !other.isNull
    case (_, .null): false
    case (.double(let one), .double(let other)), (.date(let one), .date(let other)):
      other.isNaN ? !one.isNaN : one < other
    case (.bool(let one), .bool(let other)): !one && other
    case (.url(let one), .url(let other)): one < other
    case (.reference(let one), .reference(let other)): one < other
    case (.data(let one), .data(let other)): one.lexicographicallyPrecedes(other)
    default: ValueOrder.holds(.less, one, other: other)
    }
  }

  /// Computes expressions with the values of one group as parameters.
  private struct Computing {
    private let entity: EntityID
    private let catalog: Catalog
    private var interpreter: Interpreter

    init(_ question: GroupQuestion, _ reader: RecordReader) {
      (entity, catalog) = (question.entity, reader.catalog)
      interpreter = Interpreter(Ground(reader), question.entity)
    }

    mutating func value(_ expression: RoostQuery.Expression, _ values: [Value]) throws -> Value {
      if case .parameter(let number, _) = expression { return values[number] }
      var checker = Checker(catalog, entity)
      return try interpreter.value(try checker.term(expression.bound(values)), [:])
    }
  }
}
