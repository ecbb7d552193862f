import RoostPages
import RoostQuery
import RoostRecords
import Testing

/// A store of one entity with a field of each type, and checks of conditions in every way.
struct Things {
  let store: RecordStore
  let thing: EntityID
  private(set) var catalog: Catalog

  /// The result of a condition.
  enum Answer: Equatable, CustomStringConvertible {
    case yes, no
    case fault(ConditionFault.Code)
    /// Refused before a row was read.
    case refused(ConditionFault.Code)

    init(_ holds: Bool) { self = holds ? .yes : .no }

    var description: String {
      switch self {
      case .yes: "yes"
      case .no: "no"
      case .fault(let code): "fault \(code)"
      case .refused(let code): "refused \(code)"
      }
    }
  }

  static let item = ElementType.structure([.init("name", .plain(.string)), .init("score", .optional(.plain(.double)))])

  init(_ rows: [KeyValuePairs<String, Value>] = [[:]]) throws {
    store = try RecordStore(inMemory: StoreOptions())
    var found: (EntityID, Catalog)?
    try store.write { writer in
      try writer.change { catalog in
        let thing = try catalog.add(entity: "Thing")
        try catalog.change(entity: "Thing") { (entity) throws(RecordFault) in
          try entity.add("int", .int64)
          try entity.add("small", .int8)
          try entity.add("count", .uint64)
          try entity.add("half", .uint16)
          try entity.add("double", .double)
          try entity.add("float", .float)
          try entity.add("text", .string)
          try entity.add("other", .string)
          try entity.add("flag", .bool)
          try entity.add("date", .date)
          try entity.add("uuid", .uuid)
          try entity.add("decimal", .decimal)
          try entity.add("data", .data)
          try entity.add("url", .url)
          try entity.add("oint", .int64, isOptional: true)
          try entity.add("odouble", .double, isOptional: true)
          try entity.add("otext", .string, isOptional: true)
          try entity.add("oflag", .bool, isOptional: true)
          try entity.add("odate", .date, isOptional: true)
          try entity.add("next", .reference(thing), isOptional: true)
          try entity.add("must", .reference(thing))
          try entity.add("tags", .array(.plain(.string)))
          try entity.add("otags", .array(.plain(.string)), isOptional: true)
          try entity.add("numbers", .array(.plain(.int64)))
          try entity.add("doubles", .array(.plain(.double)))
          try entity.add("gaps", .array(.optional(.plain(.int64))))
          try entity.add("set", .set(.plain(.string)))
          try entity.add("map", .dictionary(.plain(.string), .plain(.int64)))
          try entity.add("items", .array(Self.item))
          try entity.add("place", .presence, isOptional: true)
          try entity.add("place.city", .string, isOptional: true)
        }
        try catalog.add(reference: "next", of: "Thing", inverse: .init("kids"), isChecked: false)
        found = (thing, catalog)
      }
      for row in rows { try writer.table("Thing").insert(row) }
      found?.1 = writer.catalog
    }
    (thing, catalog) = try #require(found)
  }

  /// Adds fields to the entity, which existing rows lack.
  mutating func add(_ change: (inout Entity) throws(RecordFault) -> Void) throws {
    catalog = try store.write { writer in
      try writer.change { (catalog) throws(RecordFault) in try catalog.change(entity: "Thing", change) }
      return writer.catalog
    }
  }

  // MARK: Writing conditions

  func id(_ name: String) throws -> FieldID { try #require(catalog.entity(thing)?.field(name)?.id) }

  func callAsFunction(_ name: String, of base: Expression = .row) -> Expression {
    guard let id = catalog.entity(thing)?.field(name)?.id else { return .variable(9999) }
    return .field(base, id)
  }

  func kids(of base: Expression = .row) -> Expression {
    guard let kids = catalog.relationships.first(where: { $0.name == "kids" }) else { return .variable(9999) }
    return .many(base, kids.id)
  }

  // MARK: Asking

  /// The interpreter's result. The program, and the plans with and without the negated condition,
  /// must agree.
  func answer(_ condition: Expression, row: Int = 1) throws -> Answer {
    try store.read { reader in
      let ground = Ground(reader)
      let term: Term
      do throws(ConditionFault) { term = try Checker.condition(condition, reader.catalog, entity: thing) } catch {
        return .refused(error.code)
      }
      let id = RowID(UInt64(row))
      var interpreter = Interpreter(ground, thing)
      let plain = try Self.answer { try interpreter.test(term, id) }
      let program = try Program(condition: term, ground, thing)
      var cursor = try ground.table(thing).cursor()
      #expect(try cursor.seek(id))
      let quick = try Self.answer { try program.test(cursor.row()) }
      #expect(plain == quick, "the program says \(quick), the interpreter \(plain)")
      let turned = try Program(
        condition: Checker.condition(.not(condition), reader.catalog, entity: thing), ground, thing)
      let other = try Self.answer { try turned.test(cursor.row()) }
      switch plain {
      case .yes: #expect(other == .no)
      case .no: #expect(other == .yes)
      default: #expect(other == plain)
      }
      let here = Expression.compare(.equal, .row, .constant(.reference(id), .plain(.reference(thing))))
      let planned = try Self.answer {
        try Planner(ground).plan(Query("Thing", where: .and([here, condition]))).rows() == [id]
      }
      #expect(planned == plain, "the plan says \(planned), the interpreter \(plain)")
      return plain
    }
  }

  private static func answer(_ body: () throws -> Bool) throws -> Answer {
    do { return Answer(try body()) } catch let fault as ConditionFault { return .fault(fault.code) }
  }

  /// The error with which a condition is refused or fails at a row.
  func fault(_ condition: Expression) throws -> ConditionFault? {
    do {
      _ = try store.read { try Planner(Ground($0)).plan(Query("Thing", where: condition)).rows() }
      return nil
    } catch let fault as ConditionFault { return fault }
  }

  /// The rows for which a condition is true, by every plan.
  func rows(_ condition: Expression) throws -> [Int] {
    try store.read { reader in
      let planner = Planner(Ground(reader))
      let query = Query("Thing", where: condition)
      let rows = try planner.plan(query).rows().map { Int($0.number) }.sorted()
      for plan in try planner.plans(query) {
        #expect(try plan.rows().map { Int($0.number) }.sorted() == rows, "\(plan.explanation)")
      }
      return rows
    }
  }
}

// MARK: Constants, as short as in Swift

func int(_ number: Int64) -> Expression { .constant(.int(number), .int) }
func double(_ number: Double) -> Expression { .constant(.double(number), .double) }
func date(_ number: Double) -> Expression { .constant(.date(number), .date) }
func text(_ text: String) -> Expression { .constant(.string(text), .string) }
func bool(_ flag: Bool) -> Expression { .constant(.bool(flag), .bool) }
func null(_ kind: Kind) -> Expression { .constant(.null, kind.optional) }
func array(_ values: [Value], of kind: Kind) -> Expression { .constant(.array(values), .array(kind)) }
func set(_ values: [Value], of kind: Kind) -> Expression { .constant(.set(Set(values)), .set(kind)) }
