internal import RoostRecords

/// Makes rows from records: it maps tokens to fields.
struct RowBinder {
  let binding: FieldBinding
  private let limits: TransferLimits
  private let keepsText: Bool
  /// The columns of a table, or the names of objects so far.
  private var names = NamesMet()
  /// The current name: its number, or if that is -1 a path.
  private var current = -1
  private var currentPath = ""
  private var isNamed: [Bool]
  private var isTable = false
  /// Structs that are nil in the record.
  private var absent: [Int] = []
  /// Parts of structs that are nil in the record. They count only if the struct exists.
  private var nilParts: [(field: Int, presences: [Int], token: Int)] = []
  /// Which fields have a check.
  private let isChecked: [Bool]
  /// The results of checks, by field.
  private var refusals: [Int: [Value: ValueFault?]] = [:]
  /// Names that are ignored because another name of the record means the same.
  private var leftOut: [Int] = []

  init(_ binding: FieldBinding, _ limits: TransferLimits, keepsText: Bool) {
    self.binding = binding
    self.limits = limits
    self.keepsText = keepsText
    isNamed = [Bool](repeating: false, count: binding.entity.fields.count)
    isChecked = binding.entity.fields.indices.map { binding.checks[$0] != nil }
  }

  mutating func take(columns names: [String]) throws {
    isTable = true
    self.names.removeAll()
    for name in names {
      do throws(ValueFault) {
        let meaning = try binding.meaning(name)
        _ = Array(name.utf8).withUnsafeBytes { self.names.add($0, above: -1, path: name, meaning) }
      } catch { throw TransferFault(error.code, error.detail, line: 1, field: name) }
    }
    for (number, name) in names.enumerated() {
      let alike = self.names.alike(number)
      if alike.count < 2 { continue }
      guard let some = binding.leftOut(of: alike) else {
        let fault = twoNames(alike, number)
        throw TransferFault(fault.code, fault.detail, line: 1, field: name)
      }
      for number in some { self.names.leaveOut(number) }
    }
  }

  private func twoNames(_ alike: [(number: Int, isExact: Bool)], _ number: Int) -> ValueFault {
    binding.twoNames(alike.map { names.paths[$0.number] }, for: names.meanings[number].name)
  }

  /// Fills a row from a record.
  mutating func fill(
    _ row: BuiltRow, _ batch: RecordBatch, record: RecordBatch.Record, values: ValueReader,
    finder: inout RowFinder
  ) throws {
    if !leftOut.isEmpty { leftOut = [] }
    var at = record.tokens.lowerBound
    do {
      while true {
        do {
          try takeAll(row, batch, at: &at, values: values, finder: &finder)
          break
        } catch let fault as ValueFault where fault == Self.twice {
          let alike = alike(current, batch, record: record).filter { !leftOut.contains($0.number) }
          if alike.count < 2 { throw fault }
          guard let some = binding.leftOut(of: alike) else { throw twoNames(alike, current) }
          leftOut += some
          row.clear()
          at = record.tokens.lowerBound
        }
      }
    } catch let fault as ValueFault {
      let token = at < record.tokens.upperBound ? batch.tokens[at] : nil
      throw batch.fault(
        fault.code, fault.words(token.map { batch.shown($0) }), at: token?.place ?? record.bytes.lowerBound, in: record,
        field: path(current))
    } catch let fault as RecordFault {
      let place = at < record.tokens.upperBound ? batch.tokens[at].place : record.bytes.lowerBound
      throw batch.fault(TransferFault.Code(fault.code), fault.detail, at: place, in: record, field: path(current))
    }
    let kind = binding.kinds[row.kind]
    for place in kind.initials.indices where !isNamed[kind.initials[place].field] {
      let (number, initial) = kind.initials[place]
      switch initial {
      case .always(let value): try row.builder.set(binding.layout.slots[number], value)
      case .anew(let make): if let value = make() { try row.builder.set(binding.layout.slots[number], value) }
      }
    }
    noteIncomplete(row)
    row.missing = kind.required.first { !isNamed[$0] }
    if row.missing == nil, !row.incomplete.isEmpty { row.missing = row.incomplete.map(\.part).min() }
    row.line = record.line
    if keepsText { row.text.append(contentsOf: batch.bytes(of: record)) }
  }

  /// The names of a record that mean the same as one of them.
  private mutating func alike(
    _ number: Int, _ batch: RecordBatch, record: RecordBatch.Record
  ) -> [(number: Int, isExact: Bool)] {
    if number < 0 || isTable { return [] }
    let (name, path) = (current, currentPath)
    var found: Set<Int> = []
    var at = record.tokens.lowerBound
    collect(batch, &at, above: -1, into: &found)
    (current, currentPath) = (name, path)
    return names.alike(number).filter { found.contains($0.number) }
  }

  /// Collects the names of an object and of the structs in it.
  private mutating func collect(_ batch: RecordBatch, _ at: inout Int, above: Int, into found: inout Set<Int>) {
    let end = at + batch.tokens[at].count
    at += 1
    while at < end {
      let number = (try? member(batch, batch.tokens[at], above: above, expected: 0)) ?? nil
      at += 1
      if let number { found.insert(number) }
      if let number, batch.tokens[at].kind == .object, case .structure = names.meanings[number].target {
        collect(batch, &at, above: number, into: &found)
      } else {
        skip(batch, &at)
      }
    }
    at = end + 1
  }

  private static let twice = ValueFault(.duplicate, "it occurs twice in one record")

  /// Takes all values of a record, beginning at a token.
  private mutating func takeAll(
    _ row: BuiltRow, _ batch: RecordBatch, at: inout Int, values: ValueReader, finder: inout RowFinder
  ) throws {
    for number in isNamed.indices { isNamed[number] = false }
    absent.removeAll(keepingCapacity: true)
    nilParts.removeAll(keepingCapacity: true)
    (current, currentPath) = (-1, "")
    if isTable {
      for number in 0..<names.count {
        current = number
        try take(number, batch, at: &at, values: values, row: row, finder: &finder)
      }
    } else {
      var expected = 0
      try members(batch, &at, above: -1, expected: &expected, values: values, row: row, finder: &finder)
    }
    for part in nilParts where part.presences.allSatisfy({ isNamed[$0] && !absent.contains($0) }) {
      (at, current, currentPath) = (part.token, -1, binding.entity.fields[part.field].name)
      guard binding.isOptional(part.field) else {
        throw ValueFault(.missing, "there is no value, and the field needs one")
      }
      try note(part.field, row)
    }
  }

  private func path(_ number: Int) -> String { number < 0 ? currentPath : names.paths[number] }

  /// Takes the members of an object with a name, or of the record if the name is -1.
  private mutating func members(
    _ batch: RecordBatch, _ at: inout Int, above: Int, expected: inout Int, values: ValueReader, row: BuiltRow,
    finder: inout RowFinder
  ) throws {
    let end = at + batch.tokens[at].count
    at += 1
    while at < end {
      guard let number = try member(batch, batch.tokens[at], above: above, expected: expected) else {
        at += 1
        skip(batch, &at)
        continue
      }
      expected = number + 1
      current = number
      at += 1
      if !leftOut.isEmpty, leftOut.contains(number) {
        skip(batch, &at)
        continue
      }
      if names.field(number) < 0, batch.tokens[at].kind == .object,
        case .structure(let presence) = names.meanings[number].target
      {
        if let presence { try note(presence, row) }
        try members(batch, &at, above: number, expected: &expected, values: values, row: row, finder: &finder)
      } else {
        try take(number, batch, at: &at, values: values, row: row, finder: &finder)
      }
    }
    at = end + 1
  }

  /// The number of the name in a token; nil if it is ignored and too many names are ignored
  /// already.
  private mutating func member(_ batch: RecordBatch, _ token: Token, above: Int, expected: Int) throws -> Int? {
    let bytes = batch.bytes(token)
    if let found = names.find(bytes, above: above, expected: expected) { return found }
    let name = (above < 0 ? "" : names.paths[above] + ".") + String(decoding: bytes, as: UTF8.self)
    (current, currentPath) = (-1, name)
    let meaning = try binding.meaning(name)
    // There may be any number of ignored names.
    if case .nothing = meaning.target, names.count >= limits.columns { return nil }
    return names.add(bytes, above: above, path: name, meaning)
  }

  /// Notes that the record names a field.
  private mutating func note(_ field: Int, _ row: BuiltRow) throws {
    if isNamed[field] { throw Self.twice }
    isNamed[field] = true
    row.named.append(field)
    if binding.entity.fields[field].type == .presence { row.builder.setPresent(binding.layout.slots[field]) }
  }

  /// Notes that the record has nil for a struct.
  private mutating func noteNothing(_ presence: Int, _ row: BuiltRow) throws {
    // A struct inside a nil struct is nil too.
    if absent.contains(where: { binding.parts[$0]?.all.contains(presence) == true }) { return }
    if isNamed[presence] { throw Self.twice }
    isNamed[presence] = true
    row.named.append(presence)
    absent.append(presence)
    for part in binding.parts[presence]?.all ?? [] where !isNamed[part] {
      isNamed[part] = true
      row.named.append(part)
    }
  }

  /// Notes structs that exist without a required part.
  private func noteIncomplete(_ row: BuiltRow) {
    if binding.parts.isEmpty { return }
    for (presence, parts) in binding.parts where isNamed[presence] && !absent.contains(presence) {
      if let part = parts.needed.first(where: { !isNamed[$0] }) { row.incomplete.append((presence, part)) }
    }
  }

  private func skip(_ batch: RecordBatch, _ at: inout Int) {
    let token = batch.tokens[at]
    at += token.kind == .object || token.kind == .list ? token.count + 1 : 1
  }

  /// Takes the value of a name at a token, and moves after it.
  private mutating func take(
    _ name: Int, _ batch: RecordBatch, at: inout Int, values: ValueReader, row: BuiltRow,
    finder: inout RowFinder
  ) throws {
    let field = names.field(name)
    if field < 0 {
      return try take(names.meanings[name].target, batch, at: &at, values: values, row: row, finder: &finder)
    }
    if isNamed[field] { throw Self.twice }
    isNamed[field] = true
    row.named.append(field)
    try set(field, batch, at: &at, values: values, row: row)
  }

  /// Takes the value at a token, and moves after it.
  private mutating func take(
    _ target: FieldBinding.Target, _ batch: RecordBatch, at: inout Int, values: ValueReader, row: BuiltRow,
    finder: inout RowFinder
  ) throws {
    if isTable, !binding.keepsBlanks(target) { batch.trim(at) }
    let token = batch.tokens[at]
    switch target {
    case .nothing: skip(batch, &at)
    case .field(let number, let presences):
      // A nil part may belong to a nil struct.
      if !presences.isEmpty, values.isNil(token) {
        nilParts.append((number, presences, at))
        at += 1
        return
      }
      try note(number, row)
      for presence in presences where !isNamed[presence] { try note(presence, row) }
      try set(number, batch, at: &at, values: values, row: row)
    case .structure(let presence):
      guard let presence, !values.isNil(token) else {
        guard values.isNil(token) else { throw ValueFault(.wrongType, "an object is expected") }
        if let presence { try noteNothing(presence, row) }
        at += 1
        return
      }
      guard case .bool(let isThere) = try ValueReader.plain(batch, token, type: .bool) else { return }
      if isThere, !isNamed[presence] { try note(presence, row) } else if !isThere { try noteNothing(presence, row) }
      at += 1
    case .kind(let number):
      try note(number, row)
      let name = batch.string(token)
      guard token.kind == .text || token.kind == .bare, let kind = binding.kind(name) else {
        throw ValueFault(.unknown, "the store has no class '\(name)' of this entity")
      }
      row.kind = kind.place
      row.builder.set(binding.layout.slots[number], half: kind.number)
      at += 1
    case .reference(let target):
      let (number, way) = (target.field, target.way)
      try note(number, row)
      if values.isNil(token) {
        guard binding.isOptional(number) else {
          throw ValueFault(.missing, "the reference is empty, but required")
        }
        // A waiting reference then keeps waiting.
        if !binding.skipsNil { row.references.append(number) }
        at += 1
        return
      }
      row.references.append(number)
      let (key, next) = try values.key(at: at, way)
      if let found = try finder.row(key, way) {
        row.builder.set(binding.layout.slots[number], reference: found)
        row.leads.append((number, way.entity, found))
      } else {
        // The target may be among earlier records that are not stored yet.
        row.sought.append(SoughtReference(field: number, way: way, key: key))
      }
      at = next
    case .list(let one, let way): try list(one, way, batch: batch, at: &at, values: values, row: row, finder: &finder)
    }
  }

  private func list(
    _ one: Relationship, _ way: KeyWay, batch: RecordBatch, at: inout Int, values: ValueReader,
    row: BuiltRow, finder: inout RowFinder
  ) throws {
    let token = batch.tokens[at]
    if values.isNil(token) {
      at += 1
      return
    }
    let (keys, next) = try values.keys(at: at, way)
    if row.lists.contains(where: { $0.relationship.id == one.id })
      || row.soughtLists.contains(where: { $0.relationship.id == one.id })
    {
      throw Self.twice
    }
    var rows: [RowID] = []
    for key in keys {
      // If one member is missing, all are looked up again, so that their order stays.
      if let row = try finder.row(key, way) { rows.append(row) }
    }
    if !one.traits.contains(.repeating), Set(rows).count < rows.count || Set(keys).count < keys.count {
      throw ValueFault(.duplicate, "a row occurs twice in the list")
    }
    if rows.count == keys.count {
      row.lists.append((one, rows))
    } else {
      row.soughtLists.append(SoughtList(relationship: one, way: way, keys: keys))
    }
    at = next
  }

  /// Throws if a field's type lacks a value, or if a rule forbids it. Each distinct value is
  /// checked once.
  private mutating func check(_ value: Value, _ field: Int) throws(ValueFault) {
    guard let ask = binding.checks[field] else { return }
    if let known = refusals[field]?[value] {
      if let known { throw known }
      return
    }
    let refusal = ask(value)
    // Long values and lists often differ in each record, so their results are not cached.
    if Self.isShort(value) {
      if refusals[field]?.count ?? 0 >= 1000 { refusals[field] = nil }
      refusals[field, default: [:]].updateValue(refusal, forKey: value)
    }
    if let refusal { throw refusal }
  }

  /// Whether the result for a value is cached: a thousand of them need little memory.
  private static func isShort(_ value: Value) -> Bool {
    switch value {
    case .string(let text), .url(let text): text.utf8.count <= 64
    case .data, .array, .set, .dictionary, .structure: false
    default: true
    }
  }

  /// Sets the value at a token after checking it.
  private mutating func setChecked(
    _ number: Int, _ batch: RecordBatch, at: inout Int, values: ValueReader, row: BuiltRow
  ) throws {
    let slot = binding.layout.slots[number]
    let (value, next) = try values.value(at: at, as: slot.type, isOptional: binding.isOptional(number))
    if !value.isNull {
      try check(value, number)
      try row.builder.set(slot, value)
    }
    at = next
  }

  private mutating func set(
    _ number: Int, _ batch: RecordBatch, at: inout Int, values: ValueReader, row: BuiltRow
  ) throws {
    let slot = binding.layout.slots[number]
    if isTable, !slot.type.keepsBlanks { batch.trim(at) }
    let token = batch.tokens[at]
    if isChecked[number] {
      do { return try setChecked(number, batch, at: &at, values: values, row: row) } catch let fault as ValueFault {
        // Blanks around an enum's text belong to it only if a case contains them.
        guard isTable, batch.trim(at) else { throw fault }
        return try setChecked(number, batch, at: &at, values: values, row: row)
      }
    }
    let isText = token.kind == .text || token.kind == .bare && token.count > 0
    // Values of the most common types are written directly into the row.
    switch slot.type {
    case .string where isText: row.builder.set(slot, bytes: batch.bytes(token))
    case .int64 where isText || token.kind == .number:
      let word: Int64 = try NumberText.integer(batch.bytes(token))
      row.builder.set(slot, word: UInt64(bitPattern: word))
    case .double where isText || token.kind == .number:
      row.builder.set(slot, double: try NumberText.double(batch.bytes(token)))
    case .date where isText || token.kind == .number:
      row.builder.set(slot, double: try values.dates.date(batch.bytes(token), isNumber: token.kind == .number))
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
