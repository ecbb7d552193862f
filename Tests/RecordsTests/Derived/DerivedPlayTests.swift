import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Random changes of rows and links. After each round all derived fields are compared with plain code.
@Suite struct DerivedPlayTests {
  private struct Undone: Error {}

  private static func line(_ generator: inout SplitMix64, _ table: TableWriter, _ builder: inout RowBuilder) throws {
    let price = generator.chance(1, in: 9) ? -5 : Int64(generator.below(20))
    try builder.set(table.slot("price"), .int(price))
    let weights = [0.1, 0.2, 1e17, -1e17, 3.5]
    try builder.set(
      table.slot("weight"), generator.chance(1, in: 4) ? .null : .double(weights[generator.below(weights.count)]))
    let money = DecimalNumber(
      mantissa: UInt128(generator.below(100_000)), exponent: Int8(generator.below(6)) - 4,
      isNegative: generator.chance(1, in: 3))
    try builder.set(table.slot("money"), generator.chance(1, in: 4) ? .null : .decimal(money))
    try builder.set(
      table.slot("day"), generator.chance(1, in: 4) ? .null : .date(Double(generator.below(6))))
    let note = String(repeating: "n", count: generator.chance(1, in: 15) ? 1500 : 3) + "\(generator.below(100))"
    try builder.set(table.slot("note"), generator.chance(1, in: 5) ? .null : .string(note))
  }

  private static func some(_ writer: RecordWriter, _ entity: String, generator: inout SplitMix64) throws -> RowID? {
    let reading = try writer.table(entity).reading
    var cursor = try reading.cursor()
    var rows: [RowID] = []
    while try cursor.next() { rows.append(try cursor.id) }
    return rows.randomElement(using: &generator)
  }

  private static func reference(
    _ row: RowID?, _ table: TableWriter, _ name: String, builder: inout RowBuilder
  ) throws { try builder.set(table.slot(name), row.map { .reference($0) } ?? .null) }

  private static func change(_ writer: RecordWriter, generator: inout SplitMix64, depth: Int = 0) throws {
    switch generator.below(20) {
    case 0:
      let referrer = try some(writer, "Customer", generator: &generator)
      let table = try writer.table("Customer")
      var builder = table.makeBuilder()
      // A writer's values for derived fields have no effect.
      try builder.set(table.slot("revenue"), .int(77))
      try reference(referrer, table, "referrer", builder: &builder)
      _ = try table.insert(&builder)
    case 1, 2:
      let customer = try some(writer, "Customer", generator: &generator)
      let table = try writer.table("Invoice")
      var builder = table.makeBuilder()
      try builder.set(table.slot("lineCount"), .int(99))
      try reference(customer, table, "customer", builder: &builder)
      _ = try table.insert(&builder)
    case 3...7:
      let invoice = try some(writer, "Invoice", generator: &generator)
      let table = try writer.table("Line")
      var builder = table.makeBuilder()
      try line(&generator, table, &builder)
      try reference(invoice, table, "invoice", builder: &builder)
      _ = try table.insert(&builder)
    case 8, 9:
      guard let row = try some(writer, "Line", generator: &generator) else { return }
      let table = try writer.table("Line")
      try table.update(row) { builder in try line(&generator, table, &builder) }
    case 10, 11:
      guard let row = try some(writer, "Line", generator: &generator) else { return }
      let invoice = generator.chance(1, in: 4) ? nil : try some(writer, "Invoice", generator: &generator)
      let table = try writer.table("Line")
      try table.update(row) { builder in try reference(invoice, table, "invoice", builder: &builder) }
    case 12:
      guard let row = try some(writer, "Invoice", generator: &generator) else { return }
      let customer = try some(writer, "Customer", generator: &generator)
      let table = try writer.table("Invoice")
      try table.update(row) { builder in
        try builder.set(table.slot("total"), .int(-1))
        try reference(customer, table, "customer", builder: &builder)
      }
    case 13:
      let entity = ["Line", "Line", "Invoice", "Customer", "Tag"][generator.below(5)]
      guard let row = try some(writer, entity, generator: &generator) else { return }
      _ = try writer.deleteFollowingRules([RowName(writer.table(entity).entity.id, row)])
    case 14: _ = try writer.table("Tag").insert(["name": .string("tag")])
    case 15, 16:
      guard let tag = try some(writer, "Tag", generator: &generator),
        let invoice = try some(writer, "Invoice", generator: &generator)
      else { return }
      let links = try writer.links("tags", of: "Invoice")
      if generator.chance(2, in: 3) { try links.append(tag, to: invoice) } else { try links.remove(tag, from: invoice) }
    case 17:
      guard !writer.catalog.derivations.isEmpty, let row = try some(writer, "Customer", generator: &generator) else {
        return
      }
      // Reads of a transaction include the derived values of its own changes.
      let reading = try writer.reading("Customer")
      let members = try writer.links("invoices", of: "Customer").rows(of: row)
      #expect(try reading.values(row)?["invoiceCount"] == .int(Int64(members.count)))
    default:
      if depth > 1 { return }
      let isKept = generator.chance(1, in: 2)
      do {
        try writer.savepoint {
          for _ in 0..<generator.below(6) { try change(writer, generator: &generator, depth: depth + 1) }
          if !isKept { throw Undone() }
        }
      } catch is Undone {}
    }
  }

  @Test(arguments: UInt64(1)...14) func `random changes keep every derived field right`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try RecordStore("/a.roost", options: InvoiceShop.options(), fileSystem: fileSystem)
    try InvoiceShop.make(store, isOrdered: seed % 2 == 0)
    for round in 0..<30 {
      let context = "seed \(seed), round \(round)"
      let isKept = !generator.chance(1, in: 6)
      do {
        try store.write { writer in
          for _ in 0..<1 + generator.below(25) { try Self.change(writer, generator: &generator) }
          if !isKept { throw Undone() }
        }
      } catch is Undone {}
      try store.read { try InvoiceShop.judge($0, context) }
      if generator.chance(1, in: 4) {
        // A crash, after which the log is replayed. Otherwise the file is closed.
        if generator.chance(1, in: 2) {
          fileSystem = fileSystem.crashPoint().image(CrashChoice.none)
          fileSystem.recordsSteps = false
        } else {
          try store.close()
        }
        store = try RecordStore("/a.roost", options: InvoiceShop.options(), fileSystem: fileSystem)
        try store.read { try InvoiceShop.judge($0, context + ", opened again") }
      }
    }
    #expect(try store.verify().findings == [], "seed \(seed)")
    try store.close()
  }

  @Test(arguments: UInt64(1)...4) func `later derived fields are filled from the rows`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in try writer.change { try InvoiceShop.add(to: &$0) } }
    try store.write { writer in for _ in 0..<300 { try Self.change(writer, generator: &generator) } }
    try store.write { writer in
      for _ in 0..<20 { try Self.change(writer, generator: &generator) }
      try writer.change { try InvoiceShop.derive(&$0) }
      for _ in 0..<20 { try Self.change(writer, generator: &generator) }
    }
    try store.read { try InvoiceShop.judge($0, "seed \(seed)") }
    #expect(try store.verify().isSound)
  }
}
