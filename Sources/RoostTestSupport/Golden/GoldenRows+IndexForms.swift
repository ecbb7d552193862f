internal import RoostRecords

/// Indexes that only a catalog of form 6 or 7 has.
extension GoldenRows {
  /// Adds an index of each form and with each test, and changes rows after that.
  static func setIndexForms(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.change { catalog in
        guard let every = catalog.entity("Every") else { return }
        func part(_ name: String, _ form: Index.Form = .value, isDescending: Bool = false) -> Index.Part {
          Index.Part(every.field(name)?.id ?? FieldID(0), isDescending: isDescending, form: form)
        }
        func field(_ name: String) -> FieldID { every.field(name)?.id ?? FieldID(0) }
        func add(_ name: String, _ parts: [Index.Part], where tests: [Index.Test] = []) throws {
          try catalog.add(index: name, of: "Every", parts: parts, tests: tests)
        }
        try add("lower", [part("text", .lowercased), part("int8", isDescending: true)])
        try add("upper", [part("text", .uppercased)], where: [.compares(field("double"), .less, .double(100))])
        try add("lengths", [part("text", .count), part("map", .count)])
        try add("numbers", [part("set", .elements)])
        try add(
          "numbers of some", [part("bool"), part("set", .elements, isDescending: true), part("key")],
          where: [
            .any([.compares(field("int32"), .greaterOrEqual, .int(0)), .isNull(field("date"))]),
            .compares(field("key"), .notEqual, .string("no key")),
          ])
        try catalog.add(
          index: "alone", of: "Every", parts: [part("key"), part("int8")], isUnique: true,
          tests: [.compares(field("int64"), .lessOrEqual, .int(0)), .compares(field("uuid"), .greater, .uuid(.zero))])
      }
    }
    try store.write { writer in
      let table = try writer.table("Every")
      try table.insert([
        "key": .string("formed"), "text": .string("Golden É"), "set": .set([.int(3), .int(-3)]), "int32": .int(5),
      ])
      try table.update(RowID(1), ["set": .set([.int(3), .int(4)]), "text": .string("ÄB")])
    }
  }

  /// An index of each form that only a catalog of form 7 has, and changes after them.
  static func setIndexParts(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.change { catalog in
        guard let every = catalog.entity("Every") else { return }
        func part(_ name: String, _ form: Index.Form = .value, isDescending: Bool = false) -> Index.Part {
          Index.Part(every.field(name)?.id ?? FieldID(0), isDescending: isDescending, form: form)
        }
        func add(_ name: String, _ parts: [Index.Part]) throws {
          try catalog.add(index: name, of: "Every", parts: parts)
        }
        try add("folded", [part("text", .folded)])
        try add("keys", [part("bool"), part("map", .keys, isDescending: true)])
        try add("years", [part("date", .year), part("date", .month)])
        try add("days", [part("date", .weekday), part("date", .day), part("date", .hour)])
      }
    }
    try store.write { writer in
      let table = try writer.table("Every")
      try table.insert(["key": .string("parts"), "text": .string("Golden É"), "date": .date(790_000_000)])
      try table.update(RowID(1), ["date": .date(-1), "text": .string("ÄB")])
    }
  }

  static func describeIndexForms(_ reader: RecordReader) throws -> [String] {
    var lines: [String] = []
    for index in reader.catalog.indexes {
      let isNew = index.tests.contains { test in
        switch test {
        case .compares, .any: true
        case .isNull, .isNotNull, .equals: false
        }
      }
      guard index.hasForms || isNew, let found = try reader.table(index.entity).index(index.name) else { continue }
      var cursor = try found.cursor()
      var rows: [String] = []
      while rows.count < 8, try cursor.next() { rows.append("\(try cursor.row().number)") }
      lines.append("index \(index.name), \(found.count) entries: \(rows.joined(separator: " "))")
    }
    return lines
  }
}

extension UUIDNumber {
  fileprivate static var zero: UUIDNumber { UUIDNumber(high: 0, low: 0) }
}
