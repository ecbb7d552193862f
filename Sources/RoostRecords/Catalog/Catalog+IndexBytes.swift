/// The bytes of indexes in a catalog.
///
/// ## Layout
/// ```
/// list of: id, entity, name, u8 flags (1 unique, 2 is being built), [row built below],
///   list of parts: field, u8 flags (1 descending; from form 6 on also 2 a form follows), [u8 form]
///   list of tests: u8 kind, then
///     0 is nil, 1 is not nil: field      2 equals: field, value (data)
///     from form 6 on: 3 compares: field, u8 comparison, value (data)      4 one of: list of tests of the kinds 0 to 3
/// ```
extension Catalog {
  func encodeIndexes(_ out: inout ByteWriter, _ form: UInt8) {
    out.list(indexes) { out, index in
      out.number(index.id.number)
      out.number(index.entity.number)
      out.text(index.name)
      out.byte((index.isUnique ? 1 : 0) | (index.builtBelow != nil ? 2 : 0))
      if let row = index.builtBelow { out.number(row.number) }
      out.list(index.parts) { out, part in
        out.number(part.field.number)
        out.byte((part.isDescending ? 1 : 0) | (part.form == .value ? 0 : 2))
        if part.form != .value { out.byte(part.form.rawValue) }
      }
      let fields = entity(index.entity)?.fields ?? []
      out.list(index.tests) { out, test in Self.encode(test, &out, fields: fields) }
    }
  }

  private static func encode(_ test: Index.Test, _ out: inout ByteWriter, fields: [Field]) {
    func type(_ id: FieldID) -> FieldType { fields.first { $0.id == id }?.type ?? .data }
    switch test {
    case .isNull(let field):
      out.byte(0)
      out.number(field.number)
    case .isNotNull(let field):
      out.byte(1)
      out.number(field.number)
    case .equals(let id, let value):
      out.byte(2)
      out.number(id.number)
      out.value(value, type(id))
    case .compares(let id, let comparison, let value):
      out.byte(3)
      out.number(id.number)
      out.byte(comparison.rawValue)
      out.value(value, type(id))
    case .any(let tests):
      out.byte(4)
      // Lists contain no lists, so the recursion ends here.
      out.list(tests) { out, test in encode(test, &out, fields: fields) }
    }
  }

  static func index(
    _ reader: inout ByteReader, _ entities: [Entity], next: Numbers, form: UInt8
  ) throws -> Index {
    let id: UInt32 = try reader.number()
    let entity = EntityID(try reader.number())
    let name = try reader.text()
    let flags = try reader.byte()
    let row: UInt64? = flags & 2 != 0 ? try reader.number() : nil
    let knowsForms = form >= formWithIndexForms
    let parts = try reader.list { reader in try part(&reader, knowsForms: knowsForms) }
    guard form >= formWithMoreIndexForms || parts.allSatisfy(\.form.isOfSixthForm) else {
      throw ByteReader.Unreadable()
    }
    let tests = try reader.list { reader in try test(&reader, knowsForms: knowsForms, mayList: true) }
    guard let owner = entities.first(where: { $0.id == entity }), id < next.index else { throw ByteReader.Unreadable() }
    var index = Index(IndexID(id), of: entity, name, parts: parts, isUnique: flags & 1 != 0, tests: tests)
    guard index.complaint(in: owner) == nil else { throw ByteReader.Unreadable() }
    index.builtBelow = row.map { RowID($0) }
    return index
  }

  private static func part(_ reader: inout ByteReader, knowsForms: Bool) throws -> Index.Part {
    let field = FieldID(try reader.number())
    let flags = try reader.byte()
    // Older forms have a flag for descending alone.
    guard knowsForms else { return Index.Part(field, isDescending: flags != 0) }
    guard flags < 4, let form = flags & 2 == 0 ? Index.Form.value : Index.Form(rawValue: try reader.byte()) else {
      throw ByteReader.Unreadable()
    }
    return Index.Part(field, isDescending: flags & 1 != 0, form: form)
  }

  private static func test(
    _ reader: inout ByteReader, knowsForms: Bool, mayList: Bool
  ) throws -> Index.Test {
    let kind = try reader.byte()
    if kind == 4, knowsForms, mayList {
      return .any(try reader.list { reader in try test(&reader, knowsForms: knowsForms, mayList: false) })
    }
    let field = FieldID(try reader.number())
    switch kind {
    case 0: return .isNull(field)
    case 1: return .isNotNull(field)
    case 2: return .equals(field, try reader.value())
    case 3 where knowsForms:
      guard let comparison = Index.Comparison(rawValue: try reader.byte()) else { throw ByteReader.Unreadable() }
      return .compares(field, comparison, try reader.value())
    default: throw ByteReader.Unreadable()
    }
  }
}
