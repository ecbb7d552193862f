import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Customers, invoices, lines and tags with every kind of derived field, and a judge that computes
/// all fields again.
enum InvoiceShop {
  static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    options.segmentBytes = 32768
    options.logBytes = 200_000
    options.draftBytes = 200 * 4096
    options.fanoutLimit = 8
    return options
  }

  static func add(to catalog: inout Catalog, isOrdered: Bool = false) throws {
    let customer = try catalog.add(entity: "Customer") { (entity) throws(RecordFault) in
      try entity.add("name", .string)
      try entity.add("referredCount", .int64)
      try entity.add("invoiceCount", .int64)
      try entity.add("revenue", .int64)
    }
    try catalog.change(entity: "Customer") { (entity) throws(RecordFault) in
      try entity.add("referrer", .reference(customer), isOptional: true)
    }
    let invoice = try catalog.add(entity: "Invoice") { (entity) throws(RecordFault) in
      try entity.add("number", .int64)
      try entity.add("customer", .reference(customer), isOptional: true)
      try entity.add("lineCount", .int64)
      try entity.add("total", .int64)
      try entity.add("weight", .double)
      try entity.add("money", .decimal)
      try entity.add("cheapest", .int64, isOptional: true)
      try entity.add("dearest", .int64, isOptional: true)
      try entity.add("firstDay", .date, isOptional: true)
      try entity.add("lastNote", .string, isOptional: true)
    }
    try catalog.add(entity: "Line") { (entity) throws(RecordFault) in
      try entity.add("invoice", .reference(invoice), isOptional: true)
      try entity.add("price", .int64)
      try entity.add("weight", .double, isOptional: true)
      try entity.add("money", .decimal, isOptional: true)
      try entity.add("day", .date, isOptional: true)
      try entity.add("note", .string, isOptional: true)
    }
    try catalog.add(entity: "Tag") { (entity) throws(RecordFault) in
      try entity.add("name", .string)
      try entity.add("invoiceCount", .int64)
      try entity.add("invoiceTotal", .int64)
    }
    try catalog.add(reference: "referrer", of: "Customer", inverse: .init("referred"))
    try catalog.add(
      reference: "customer", of: "Invoice", inverse: .init("invoices", deleteRule: .cascade, isOrdered: isOrdered))
    try catalog.add(
      reference: "invoice", of: "Line", inverse: .init("lines", deleteRule: .nullify, isOrdered: isOrdered))
    try catalog.add(links: .init("tags"), of: "Invoice", to: "Tag", inverse: .init("invoices"))
    try catalog.add(index: "total", of: "Invoice", on: ["total"])
    try catalog.add(index: "lastNote", of: "Invoice", on: ["lastNote"])
  }

  static func derive(_ catalog: inout Catalog) throws {
    func add(
      _ entity: String, _ field: String, _ kind: Derivation.Kind, over list: String, _ value: String? = nil,
      by key: String? = nil
    ) throws {
      try catalog.add(derivation(catalog, entity, field, kind, list: list, value: value, key: key))
    }
    try add("Customer", "referredCount", .count, over: "referred")
    try add("Customer", "invoiceCount", .count, over: "invoices")
    try add("Customer", "revenue", .sum, over: "invoices", "total")
    try add("Invoice", "lineCount", .count, over: "lines")
    try add("Invoice", "total", .sum, over: "lines", "price")
    try add("Invoice", "weight", .sum, over: "lines", "weight")
    try add("Invoice", "money", .sum, over: "lines", "money")
    try add("Invoice", "cheapest", .minimum, over: "lines", "price")
    try add("Invoice", "dearest", .maximum, over: "lines", "price")
    try add("Invoice", "firstDay", .minimum, over: "lines", "day")
    try add("Invoice", "lastNote", .latest, over: "lines", "note", by: "day")
    try add("Tag", "invoiceCount", .count, over: "invoices")
    try add("Tag", "invoiceTotal", .sum, over: "invoices", "total")
  }

  static func derivation(
    _ catalog: Catalog, _ entity: String, _ field: String, _ kind: Derivation.Kind, list: String, value: String? = nil,
    key: String? = nil
  ) throws -> Derivation {
    let owner = try #require(catalog.entity(entity))
    let relationship = try catalog.relationship(list, of: entity)
    let target = try #require(catalog.entity(relationship.target))
    return Derivation(
      owner.id, try #require(owner.field(field)).id, kind: kind, relationship: relationship.id,
      value: value.flatMap { target.field($0)?.id }, key: key.flatMap { target.field($0)?.id })
  }

  static func make(_ store: RecordStore, isOrdered: Bool = false) throws {
    try store.write { writer in
      try writer.change { catalog in
        try add(to: &catalog, isOrdered: isOrdered)
        try derive(&catalog)
      }
    }
  }

  // MARK: The judge

  private typealias Rows = [UInt64: [String: Value]]

  private static func rows(_ table: TableReader) throws -> Rows {
    var rows: Rows = [:]
    var cursor = try table.cursor()
    while try cursor.next() { rows[try cursor.id.number] = try table.values(cursor.id) }
    return rows
  }

  /// Compares every derived field with plain code over the rows and links.
  static func judge(_ reader: RecordReader, _ context: String) throws {
    let (customers, invoices, lines, tags) = (
      try rows(reader.table("Customer")), try rows(reader.table("Invoice")), try rows(reader.table("Line")),
      try rows(reader.table("Tag"))
    )
    let linked = try reader.links("invoices", of: "Tag")
    func members(_ rows: Rows, _ field: String, of owner: UInt64) -> [[String: Value]] {
      rows.filter { $0.value[field] == .reference(RowID(owner)) }.sorted { $0.key < $1.key }.map(\.value)
    }
    func expect(_ stored: Value?, _ wanted: Value, _ what: String) {
      #expect(stored == wanted, "\(context): \(what)")
    }
    func sum(_ values: [Value]) -> Value {
      .int(values.reduce(0) { if case .int(let number) = $1 { $0 + number } else { $0 } })
    }
    for (id, invoice) in invoices {
      let own = members(lines, "invoice", of: id)
      func values(_ name: String) -> [Value] { own.compactMap { $0[name] }.filter { !$0.isNull } }
      expect(invoice["lineCount"], .int(Int64(own.count)), "lineCount of \(id)")
      expect(invoice["total"], sum(values("price")), "total of \(id)")
      var weight = 0.0
      for case .double(let number) in values("weight") { weight += number }
      expect(invoice["weight"], .double(weight), "weight of \(id)")
      var money = 0.0
      for case .decimal(let number) in values("money") { money += plain(number) }
      if case .decimal(let number)? = invoice["money"] {
        #expect(abs(plain(number) - money) < 1e-6 * max(1, abs(money)), "\(context): money of \(id)")
      }
      let prices = values("price").compactMap { if case .int(let number) = $0 { number } else { nil } }
      expect(invoice["cheapest"], prices.min().map { .int($0) } ?? .null, "cheapest of \(id)")
      expect(invoice["dearest"], prices.max().map { .int($0) } ?? .null, "dearest of \(id)")
      let days = values("day").compactMap { if case .date(let number) = $0 { number } else { nil } }
      expect(invoice["firstDay"], days.min().map { .date($0) } ?? .null, "firstDay of \(id)")
      let last = days.max().flatMap { day in own.last { $0["day"] == .date(day) } }
      expect(invoice["lastNote"], last?["note"] ?? .null, "lastNote of \(id)")
    }
    for (id, customer) in customers {
      let own = members(invoices, "customer", of: id)
      expect(customer["invoiceCount"], .int(Int64(own.count)), "invoiceCount of \(id)")
      expect(customer["revenue"], sum(own.compactMap { $0["total"] }), "revenue of \(id)")
      expect(
        customer["referredCount"], .int(Int64(members(customers, "referrer", of: id).count)), "referredCount of \(id)")
    }
    for (id, tag) in tags {
      let own = try linked.rows(of: RowID(id)).compactMap { invoices[$0.number] }
      expect(tag["invoiceCount"], .int(Int64(own.count)), "invoiceCount of tag \(id)")
      expect(tag["invoiceTotal"], sum(own.compactMap { $0["total"] }), "invoiceTotal of tag \(id)")
    }
  }

  private static func plain(_ number: DecimalNumber) -> Double {
    var value = Double(number.mantissa)
    for _ in 0..<abs(Int(number.exponent)) { value = number.exponent < 0 ? value / 10 : value * 10 }
    return number.isNegative ? -value : value
  }
}
