import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Derived fields in the catalog, at their limits, in verify and in the log.
@Suite struct DerivedCareTests {
  private static func catalog() throws -> Catalog {
    var catalog = Catalog()
    try InvoiceShop.add(to: &catalog)
    try InvoiceShop.derive(&catalog)
    return catalog
  }

  private static func store(_ prices: [Int64] = [1, 2, 3]) throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try InvoiceShop.make(store)
    try store.write { writer in
      let invoice = try writer.table("Invoice").insert(["number": .int(1)])
      for price in prices { try writer.table("Line").insert(["invoice": .reference(invoice), "price": .int(price)]) }
    }
    return store
  }

  private static func value(_ store: RecordStore, _ field: String, of row: UInt64 = 1) throws -> Value? {
    try store.read { try $0.table("Invoice").values(RowID(row))?[field] }
  }

  // MARK: The catalog

  @Test func `a catalog with derived fields has the fifth form, and is read back from its bytes`() throws {
    let catalog = try Self.catalog()
    #expect(catalog.encoded.first == 5)
    #expect(try Catalog(decoding: catalog.encoded) == catalog)
    var plain = catalog
    for one in catalog.derivations { plain.remove(derivationOf: one.field, in: one.entity) }
    #expect(plain.encoded.first == 1)
  }

  @Test func `changed bytes are refused, or are a consistent catalog`() throws {
    let bytes = try Self.catalog().encoded
    for place in bytes.indices.reversed().prefix(120) {
      for change: UInt8 in [1, 3, 0x80, 0xFF] {
        var spoiled = bytes
        spoiled[place] ^= change
        do throws(StoreError) {
          let catalog = try Catalog(decoding: spoiled)
          #expect(catalog.derivationsAgree)
        } catch {
          #expect([.damaged, .futureVersion].contains(error.code))
        }
      }
      #expect(throws: StoreError.self) { try Catalog(decoding: Array(bytes[..<place])) }
    }
  }

  @Test func `definitions that no field can store are refused`() throws {
    var catalog = Catalog()
    try InvoiceShop.add(to: &catalog)
    func refused(
      _ entity: String, _ field: String, _ kind: Derivation.Kind, _ list: String, _ value: String? = nil,
      by key: String? = nil
    ) {
      #expect(throws: RecordFault.self, "\(entity).\(field)") {
        try catalog.add(
          InvoiceShop.derivation(catalog, entity, field, kind, list: list, value: value, key: key))
      }
    }
    refused("Invoice", "weight", .count, "lines")
    refused("Invoice", "lastNote", .sum, "lines", "note")
    refused("Invoice", "total", .sum, "lines", "weight")
    refused("Invoice", "lineCount", .minimum, "lines", "price")
    refused("Invoice", "lastNote", .latest, "lines", "note")
    refused("Invoice", "lineCount", .count, "customer")
    try catalog.add(
      InvoiceShop.derivation(catalog, "Tag", "invoiceTotal", .sum, list: "invoices", value: "number"))
    try catalog.add(InvoiceShop.derivation(catalog, "Invoice", "total", .sum, list: "lines", value: "price"))
    // It would depend on itself.
    refused("Invoice", "number", .sum, "tags", "invoiceTotal")
    #expect(throws: RecordFault.self) {
      try catalog.add(index: "unique", of: "Invoice", on: ["total"], isUnique: true)
    }
  }

  @Test func `a field that is derived from itself in a circle is refused`() throws {
    var catalog = Catalog()
    let box = try catalog.add(entity: "Box") { (entity) throws(RecordFault) in try entity.add("total", .int64) }
    try catalog.change(entity: "Box") { (entity) throws(RecordFault) in
      try entity.add("outer", .reference(box), isOptional: true)
    }
    try catalog.add(reference: "outer", of: "Box", inverse: .init("inner"))
    #expect(throws: RecordFault.self) {
      try catalog.add(InvoiceShop.derivation(catalog, "Box", "total", .sum, list: "inner", value: "total"))
    }
    #expect(catalog.derivations.isEmpty)
  }

  // MARK: Limits

  @Test func `a sum that does not fit names its field, and nothing is stored`() throws {
    let store = try Self.store([.max])
    let fault = #expect(throws: RecordFault.self) {
      try store.write { writer in
        _ = try writer.table("Line").insert(["invoice": .reference(RowID(1)), "price": .int(1)])
      }
    }
    #expect(fault?.code == .outOfRange && fault?.entity == "Invoice" && fault?.field == "total")
    #expect(try Self.value(store, "total") == .int(.max) && Self.value(store, "lineCount") == .int(1))
    // Inside a savepoint the rest of the transaction continues.
    try store.write { writer in
      #expect(throws: RecordFault.self) {
        try writer.savepoint {
          _ = try writer.table("Line").insert(["invoice": .reference(RowID(1)), "price": .int(1)])
        }
      }
      try writer.table("Line").insert(["invoice": .reference(RowID(1)), "price": .int(-4)])
    }
    #expect(try Self.value(store, "total") == .int(.max - 4) && Self.value(store, "lineCount") == .int(2))
  }

  @Test func `decimal sums are exact in any order`() throws {
    var generator = SplitMix64(seed: 5)
    for _ in 0..<200 {
      var sum = DecimalSum()
      var numbers = (0..<30).map { _ in
        DecimalNumber(
          mantissa: UInt128(generator.next()) << UInt128(generator.below(20)), exponent: Int8(generator.below(6)) - 3,
          isNegative: generator.chance(1, in: 2))
      }
      for number in numbers { sum.add(number) }
      let total = try #require(sum.number)
      numbers.shuffle(using: &generator)
      for number in numbers { sum.add(number, isRemoved: true) }
      #expect(sum.number == DecimalNumber(0))
      for number in numbers { sum.add(number) }
      #expect(sum.number == total)
    }
    var wide = DecimalSum()
    wide.add(DecimalNumber(mantissa: 1, exponent: 127))
    wide.add(DecimalNumber(mantissa: 1, exponent: -128))
    #expect(wide.number == nil)
    wide.add(DecimalNumber(mantissa: 1, exponent: 127), isRemoved: true)
    #expect(wide.number == DecimalNumber(mantissa: 1, exponent: -128))
    var large = DecimalSum()
    large.add(DecimalNumber(mantissa: .max, exponent: 0, isNegative: true))
    #expect(large.number == DecimalNumber(mantissa: .max, exponent: 0, isNegative: true))
    large.add(DecimalNumber(mantissa: 1, exponent: 0, isNegative: true))
    #expect(large.number == nil)
  }

  @Test func `a writer cannot set a derived field`() throws {
    let store = try Self.store()
    try store.write { writer in
      let table = try writer.table("Invoice")
      try table.update(RowID(1), ["total": .int(99), "lastNote": .string("mine"), "number": .int(2)])
      var builder = table.makeBuilder()
      _ = try table.read(RowID(1), into: &builder)
      try builder.set(table.slot("lineCount"), .int(99))
      try table.replace(RowID(1), with: &builder)
    }
    #expect(try Self.value(store, "total") == .int(6) && Self.value(store, "lineCount") == .int(3))
    #expect(try Self.value(store, "lastNote") == .null && Self.value(store, "number") == .int(2))
  }

  @Test func `many changes of one row write it once`() throws {
    let store = try Self.store()
    let before = try store.read { $0.commit }
    try store.write { writer in
      for price in 0..<500 {
        try writer.table("Line").insert(["invoice": .reference(RowID(1)), "price": .int(Int64(price))])
      }
      #expect(try writer.derivedRows() == [RowName(writer.table("Invoice").entity.id, RowID(1))])
      // The reader of the transaction saw it, and nothing is pending any more.
      #expect(try writer.reading("Invoice").values(RowID(1))?["lineCount"] == .int(503))
    }
    #expect(try store.read { $0.commit } == before + 1)
  }

  // MARK: Damage

  private static func spoil(_ store: RecordStore) throws {
    try store.write { writer in
      let table = try writer.tables.table("Invoice")
      #expect(try table.load(RowID(1)))
      try table.builder.set(table.slot("total"), .int(999))
      try table.replace(RowID(1), table.assemble(&table.builder, RowID(1)))
    }
  }

  @Test func `verify finds a wrong derived value`() throws {
    let store = try Self.store()
    #expect(try store.verify().isSound)
    try Self.spoil(store)
    let findings = try store.verify().findings
    #expect(findings.count == 1)
    #expect(findings.first?.entity == "Invoice" && findings.first?.row == 1)
    #expect(findings.first?.sentence.contains("total") == true)
    try store.write { try $0.tables.fillAllDerived() }
    #expect(try store.verify().isSound)
  }
}
