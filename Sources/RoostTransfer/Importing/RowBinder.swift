package import RoostRecords

/// Makes rows of records: it knows which token goes where.
struct RowBinder {
  let binding: FieldBinding
  private let limits: TransferLimits
  private let keepsText: Bool
  /// Of a table's columns, where each one goes.
  private var columns: [FieldBinding.Target] = []
  private var columnNames: [String] = []
  /// Of objects, the names met so far. Records mostly name the same in the same order.
  private var known: [(name: [UInt8], path: String, target: FieldBinding.Target)] = []
  private var isNamed: [Bool]
  private var isTable = false
  /// Structs of which the record says that they are not there.
  private var absent: [Int] = []
  /// Parts of structs that are nil in the record: said of a struct that is there, and of none else.
  private var nilParts: [(field: Int, presences: [Int], token: Int)] = []

  init(_ binding: FieldBinding, _ limits: TransferLimits, keepsText: Bool) {
    self.binding = binding
    self.limits = limits
    self.keepsText = keepsText
    isNamed = [Bool](repeating: false, count: binding.entity.fields.count)
  }

  mutating func take(columns names: [String]) throws {
    isTable = true
    columnNames = names
    columns = []
    for name in names {
      do throws(ValueFault) { columns.append(try binding.target(name)) } catch {
        throw TransferFault(error.code, error.detail, line: 1, field: name)
      }
    }
  }

  /// Fills a row from a record.
  mutating func fill(
    _ row: BuiltRow, _ batch: RecordBatch, _ record: RecordBatch.Record, _ values: ValueReader,
    _ finder: inout RowFinder
  ) throws {
    for number in isNamed.indices { isNamed[number] = false }
    absent.removeAll(keepingCapacity: true)
    nilParts.removeAll(keepingCapacity: true)
    var at = record.tokens.lowerBound
    var path = ""
    do {
      if isTable {
        for (number, target) in columns.enumerated() {
          path = columnNames[number]
          try take(target, batch, &at, values, row, &finder)
        }
      } else {
        try members(batch, &at, "", values, row, &finder, &path)
      }
      for part in nilParts where part.presences.allSatisfy({ isNamed[$0] && !absent.contains($0) }) {
        (at, path) = (part.token, binding.entity.fields[part.field].name)
        guard binding.isOptional(part.field) else {
          throw ValueFault(.missing, "there is no value, and the field needs one")
        }
        try note(part.field, row)
      }
    } catch let fault as ValueFault {
      let place = at < record.tokens.upperBound ? batch.tokens[at].place : record.bytes.lowerBound
      throw batch.fault(fault.code, fault.detail, at: place, in: record, field: path)
    } catch let fault as RecordFault {
      let place = at < record.tokens.upperBound ? batch.tokens[at].place : record.bytes.lowerBound
      throw batch.fault(TransferFault.Code(fault.code), fault.detail, at: place, in: record, field: path)
    }
    let kind = binding.kinds[row.kind]
    for (number, initial) in kind.initials where !isNamed[number] {
      switch initial {
      case .always(let value): try row.builder.set(binding.layout.slots[number], value)
      case .anew(let make): if let value = make() { try row.builder.set(binding.layout.slots[number], value) }
      }
    }
    noteIncomplete(row)
    row.missing = kind.required.first { !isNamed[$0] } ?? row.incomplete.map(\.part).min()
    row.line = record.line
    if keepsText { row.text.append(contentsOf: batch.bytes(of: record)) }
  }

  /// The members of an object whose names begin with a path.
  private mutating func members(
    _ batch: RecordBatch, _ at: inout Int, _ above: String, _ values: ValueReader, _ row: BuiltRow,
    _ finder: inout RowFinder, _ path: inout String
  ) throws {
    let end = at + batch.tokens[at].count
    at += 1
    var expected = 0
    while at < end {
      let (name, target) = try member(batch, batch.tokens[at], above, &expected, &path)
      path = name
      at += 1
      guard case .structure(let presence) = target, batch.tokens[at].kind == .object else {
        try take(target, batch, &at, values, row, &finder)
        continue
      }
      if let presence { try note(presence, row) }
      try members(batch, &at, name + ".", values, row, &finder, &path)
    }
    at = end + 1
  }

  private mutating func member(
    _ batch: RecordBatch, _ token: Token, _ above: String, _ expected: inout Int, _ path: inout String
  ) throws -> (String, FieldBinding.Target) {
    let bytes = batch.bytes(token)
    if above.isEmpty {
      let found =
        expected < known.count && known[expected].name.elementsEqual(bytes)
        ? expected : known.firstIndex { $0.name.elementsEqual(bytes) }
      if let found {
        expected = found + 1
        return (known[found].path, known[found].target)
      }
    }
    let name = above + String(decoding: bytes, as: UTF8.self)
    path = name
    let target = try binding.target(name)
    // Names that nobody wants may be any number.
    if above.isEmpty, known.count < limits.columns { known.append((Array(bytes), name, target)) }
    return (name, target)
  }

  /// Notes that a field is named.
  private mutating func note(_ field: Int, _ row: BuiltRow) throws {
    if isNamed[field] { throw ValueFault(.duplicate, "it stands twice in one record") }
    isNamed[field] = true
    row.named.append(field)
    if binding.entity.fields[field].type == .presence { row.builder.setPresent(binding.layout.slots[field]) }
  }

  /// Notes that a struct is not there, whatever it would be if nobody had said so.
  private mutating func noteNothing(_ presence: Int, _ row: BuiltRow) throws {
    // Of a struct that is not there no struct within is.
    if absent.contains(where: { binding.parts[$0]?.all.contains(presence) == true }) { return }
    if isNamed[presence] { throw ValueFault(.duplicate, "it stands twice in one record") }
    isNamed[presence] = true
    row.named.append(presence)
    absent.append(presence)
    for part in binding.parts[presence]?.all ?? [] where !isNamed[part] {
      isNamed[part] = true
      row.named.append(part)
    }
  }

  /// Notes parts without which structs that are named cannot be.
  private func noteIncomplete(_ row: BuiltRow) {
    if binding.parts.isEmpty { return }
    for (presence, parts) in binding.parts where isNamed[presence] && !absent.contains(presence) {
      if let part = parts.needed.first(where: { !isNamed[$0] }) { row.incomplete.append((presence, part)) }
    }
  }

  /// Takes the value at a token, and goes behind it.
  private mutating func take(
    _ target: FieldBinding.Target, _ batch: RecordBatch, _ at: inout Int, _ values: ValueReader, _ row: BuiltRow,
    _ finder: inout RowFinder
  ) throws {
    let token = batch.tokens[at]
    switch target {
    case .nothing: at += token.kind == .object || token.kind == .list ? token.count + 1 : 1
    case .field(let number, let presences):
      // A part of a struct that is not there is no part.
      if !presences.isEmpty, values.isNil(token) {
        nilParts.append((number, presences, at))
        at += 1
        return
      }
      try note(number, row)
      for presence in presences where !isNamed[presence] { try note(presence, row) }
      try set(number, batch, &at, values, row)
    case .structure(let presence):
      guard let presence, !values.isNil(token) else {
        guard values.isNil(token) else { throw ValueFault(.wrongType, "an object is expected") }
        if let presence { try noteNothing(presence, row) }
        at += 1
        return
      }
      guard case .bool(let isThere) = try ValueReader.plain(batch, token, .bool) else { return }
      if isThere, !isNamed[presence] { try note(presence, row) } else if !isThere { try noteNothing(presence, row) }
      at += 1
    case .kind(let number):
      try note(number, row)
      let name = batch.string(token)
      guard token.kind == .text || token.kind == .bare, let kind = binding.kind(name) else {
        throw ValueFault(.unknown, "there is no class '\(name)' here")
      }
      row.kind = kind.place
      row.builder.set(binding.layout.slots[number], half: kind.number)
      at += 1
    case .reference(let one, let number, let way):
      try note(number, row)
      if values.isNil(token) {
        guard binding.isOptional(number) else {
          throw ValueFault(.missing, "it leads nowhere, and must lead somewhere")
        }
        // Then one that waits goes on waiting, too.
        if !binding.skipsNil { row.references.append(number) }
        at += 1
        return
      }
      row.references.append(number)
      let (key, next) = try values.key(at: at, way)
      if let found = try finder.row(key, way) {
        row.builder.set(binding.layout.slots[number], reference: found)
        row.leads.append((number, one.target, found))
      } else if !binding.isOptional(number) {
        // It may be among the records before this one, which are not stored yet.
        row.needed.append(NeededReference(field: number, way: way, key: key))
      } else {
        row.open.append(OpenReference(relationship: one.id, place: 0, key: finder.text(key, way)))
      }
      at = next
    case .list(let one, let way): try list(one, way, batch, &at, values, row, &finder)
    }
  }

  private func list(
    _ one: Relationship, _ way: FieldBinding.KeyWay, _ batch: RecordBatch, _ at: inout Int, _ values: ValueReader,
    _ row: BuiltRow, _ finder: inout RowFinder
  ) throws {
    let token = batch.tokens[at]
    if values.isNil(token) {
      at += 1
      return
    }
    let (keys, next) = try values.keys(at: at, way)
    var rows: [RowID] = []
    for key in keys {
      // Where one is missing all are looked up at the end, so that their order stays.
      if let row = try finder.row(key, way) { rows.append(row) }
    }
    if !one.traits.contains(.repeating), Set(rows).count < rows.count || Set(keys).count < keys.count {
      throw ValueFault(.duplicate, "a row stands twice in the list")
    }
    if rows.count == keys.count {
      row.lists.append((one, rows))
    } else {
      for (place, key) in keys.enumerated() {
        row.open.append(OpenReference(relationship: one.id, place: place, key: finder.text(key, way)))
      }
    }
    at = next
  }

  private func set(
    _ number: Int, _ batch: RecordBatch, _ at: inout Int, _ values: ValueReader, _ row: BuiltRow
  ) throws {
    let (slot, token) = (binding.layout.slots[number], batch.tokens[at])
    let isText = token.kind == .text || token.kind == .bare && token.count > 0
    // What most fields are goes straight into the row.
    switch slot.type {
    case .string where isText: row.builder.set(slot, bytes: batch.bytes(token))
    case .int64 where isText || token.kind == .number:
      let word: Int64 = try NumberText.integer(batch.bytes(token))
      row.builder.set(slot, word: UInt64(bitPattern: word))
    case .double where isText || token.kind == .number:
      row.builder.set(slot, double: try NumberText.double(batch.bytes(token)))
    case .date where isText: row.builder.set(slot, double: try DateText.date(batch.bytes(token)))
    case .uuid where isText: row.builder.set(slot, uuid: try UUIDText.uuid(batch.bytes(token)))
    default:
      let (value, next) = try values.value(at: at, as: slot.type, isOptional: binding.isOptional(number))
      if !value.isNull { try row.builder.set(slot, value) }
      at = next
      return
    }
    at += 1
  }
}

extension TransferFault.Code {
  package init(_ code: RecordFault.Code) {
    self =
      switch code {
      case .wrongType: .wrongType
      case .outOfRange: .outOfRange
      case .missing: .missing
      case .notUnique: .duplicate
      case .tooLarge: .tooLarge
      case .unknown, .denied, .conflict, .expired: .unknown
      }
  }
}
