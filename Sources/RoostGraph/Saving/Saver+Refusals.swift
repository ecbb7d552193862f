internal import RoostRecords

/// Converts errors of rows to errors of objects.
extension Saver {
  /// The error of an object, for an error of its row.
  func refusal(_ fault: RecordFault, _ object: any _ModelObject, run: SaveRun) -> GraphFault {
    refusal(fault, objects.name(object), writer: run.writer)
  }

  func refusal(_ fault: RecordFault, _ own: ObjectName, writer: RecordWriter) -> GraphFault {
    let others = fault.rows.map(objects.name).filter { $0 != own }
    let property = property(fault.field)
    func badValue(_ cure: String) -> GraphFault {
      GraphFault(.badValue, fault.detail + cure, name: own, property: property, others: others)
    }
    switch fault.code {
    case .notUnique:
      let text = values(fault, writer)
      let other = others.last.map { "\($0)" } ?? "another object"
      if let target = sharedPartner(fault, writer) {
        return GraphFault(
          .notUnique, "\(other) references \(target) already, and only one object may: clear one of the two references",
          name: own, property: property, others: others + [target])
      }
      let first = others.count > 1 ? ", and \(others[0]) has another one of its unique values" : ""
      return GraphFault(
        .notUnique,
        "\(other) already has the unique value\(text.isEmpty ? "" : " \(text)")\(first): give one of them "
          + "another value, or delete one", name: own, property: property, others: others)
    case .denied: return GraphFault(.denied, fault.detail, name: own, property: property, others: others)
    case .invalid: return GraphFault(.invalid, fault.detail, name: own, property: property, others: others)
    case .unknown: return GraphFault(.deleted, fault.detail, name: own, property: property, others: others)
    case .conflict, .expired: return GraphFault(.conflict, fault.detail, name: own, property: property, others: others)
    case .wrongType, .outOfRange: return badValue(": give it a value that can be stored")
    case .missing: return badValue(": set it, or give it a default")
    case .tooLarge: return badValue(": make it smaller")
    }
  }

  /// The object that two rows reference although only one may; nil if the fault is about other values.
  private func sharedPartner(_ fault: RecordFault, _ writer: RecordWriter) -> ObjectName? {
    guard let other = fault.rows.last, let home = store.map(of: other.entity) else { return nil }
    let maps = store.maps.filter { $0.home == home.home }
    guard let relation = maps.lazy.compactMap({ self.partnership(fault, $0) }).first,
      let field = home.entity.fields.first(where: { $0.name == fault.field })?.id
    else { return nil }
    var row: UInt64?
    if case .reference(let stored)? = (try? writer.reading(other.entity).values([field], of: other.row))?.first {
      row = stored.number
    } else if let object = objects.registered(store.maps[home.number], other.row) {
      row = leads(object, relation)
    }
    return row.map { objects.name(LinkKey(map: relation.home, row: $0, property: 0)) }
  }

  /// Runs code that writes derived values. If two rows get the same unique value, the error names both
  /// objects.
  func writingDerived<Result>(_ writer: RecordWriter, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let fault as RecordFault where fault.code == .notUnique && fault.rows.count > 1 {
      throw SaveRefusal(faults: [refusal(fault, objects.name(fault.rows[0]), writer: writer)])
    }
  }

  /// Property names for field names: the fields of a subclass begin with its name.
  func property(_ fields: String?) -> String? {
    guard let fields, fields.contains("/") else { return fields }
    return fields.split(separator: ",").map { part in
      String(part.split(separator: "/").last ?? part).trimmingPrefix { $0 == " " }
    }.joined(separator: ", ")
  }

  /// The values of the conflicting row in the fields of a unique index. An error about two rows
  /// names the field of the last one.
  private func values(_ fault: RecordFault, _ writer: RecordWriter) -> String {
    guard let other = fault.rows.last, let home = store.map(of: other.entity) else { return "" }
    let entity = home.entity
    let fields = (fault.field ?? "").split(separator: ",").compactMap { part in
      entity.fields.first { $0.name == part.drop { $0 == " " } }?.id
    }
    if let values = try? writer.reading(other.entity).values(fields, of: other.row) {
      return values.map(\.brief).joined(separator: ", ")
    }
    // A new object may have no row yet.
    guard let object = objects.registered(store.maps[home.number], other.row), let map = object.entityMap,
      let values = try? self.values(of: object, map)
    else { return "" }
    return fields.compactMap { values[$0]?.brief }.joined(separator: ", ")
  }

  /// The errors of objects, for a deletion that a rule forbids.
  func refusals(_ fault: RecordFault) -> [GraphFault] {
    ([fault] + fault.others).map { fault in
      let rows = fault.rows.map(objects.name)
      if fault.code == .missing, rows.count > 1 {
        return GraphFault.needed(rows[1], property(fault.field), other: rows[0])
      }
      guard fault.code == .denied, let first = rows.first else {
        return GraphFault(.denied, fault.detail, entity: fault.entity, property: property(fault.field), others: rows)
      }
      return GraphFault.denied(first, property(fault.field), others: Array(rows.dropFirst()))
    }
  }
}

extension Value {
  /// Whether the value is unchanged; NaN equals the same NaN.
  func isStill(_ other: Value) -> Bool {
    switch (self, other) {
    case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern || one == other
    case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern || one == other
    case (.date(let one), .date(let other)): one.bitPattern == other.bitPattern || one == other
    default: self == other
    }
  }
}
