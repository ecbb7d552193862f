internal import RoostBytes
package import RoostFile

/// The catalog's bytes.
///
/// ## Layout
/// Numbers are varints, texts a varint length and UTF-8, lists a varint count and their elements, flags a byte.
/// ```
/// u8 1 (the form), 2 if a field has cases, 3 if the version of the models is known, 4 with full text indexes,
///   5 with derived fields, or 6 or 7 with indexes that older programs cannot keep
/// next entity, index, relationship
/// entities: id, name, next field,
///   fields: id, name, type, flags (1 optional, 2 preserved, 4 has an initial value, 8 has cases, 16 needed by a subclass), initial value (data), cases: values
///   layouts: members: id, type, flag optional
/// indexes: id, entity, name, flags (1 unique, 2 is being built), row built below if so,
///   parts and tests: see `Catalog+IndexBytes.swift`
/// relationships: id, entity, name, target, delete rule, inverse, u8 traits, index + 1 or 0,
///   u8 shape: 0 field | 1 entity, field | 2
/// in form 3, and in forms from 4 on after a u8 1, the version: number (text), parked entities: name,
///   parts: name, u64 fingerprint, u64 digest, parked properties: name, pairs of names
///   In forms from 4 on a u8 0 says that there is no version.
/// in forms from 4 on, full text indexes: see `Catalog+TextBytes.swift`
/// in forms from 5 on, derived fields: see `Catalog+Derivations.swift`
/// type: u8, for a reference its entity, for a collection its elements
/// element: u8 0 type | 1 element | 2 parts: name, element
/// value: u8 0, or 1, type, varint length and the bytes as in a row
/// ```
extension Catalog {
  static let form: UInt8 = 1
  /// The form of a catalog in which a field has cases. Programs that do not know this form refuse
  /// the store. Catalogs without cases are still written in form 1.
  static let formWithCases: UInt8 = 2
  /// The form of a catalog that names the version of the program's models.
  static let formWithVersion: UInt8 = 3
  /// The form of a catalog with full text indexes.
  static let formWithTexts: UInt8 = 4

  /// The form of a catalog with derived fields. An older program would leave derived values wrong
  /// after a change, so it must refuse the store.
  static let formWithDerivations: UInt8 = 5

  /// The form of a catalog with indexes of expressions, of elements, or with other conditions. An
  /// older program would write rows without their index entries, so it must refuse the store.
  static let formWithIndexForms: UInt8 = 6

  /// The form of a catalog with indexes of folded texts, of keys, or of parts of dates.
  static let formWithMoreIndexForms: UInt8 = 7
  private static let newestForm = formWithMoreIndexForms

  private var form: UInt8 {
    if !indexes.allSatisfy(\.isOfSixthForm) { return Self.formWithMoreIndexForms }
    if !indexes.allSatisfy(\.isOld) { return Self.formWithIndexForms }
    if !derivations.isEmpty { return Self.formWithDerivations }
    if !textIndexes.isEmpty { return Self.formWithTexts }
    return version != nil ? Self.formWithVersion : hasCases ? Self.formWithCases : Self.form
  }

  package var encoded: [UInt8] {
    var out = ByteWriter()
    let form = form
    out.byte(form)
    out.number(next.entity)
    out.number(next.index)
    out.number(next.relationship)
    out.list(entities) { out, entity in
      out.number(entity.id.number)
      out.text(entity.name)
      out.number(entity.nextField)
      out.list(entity.fields) { out, field in
        out.number(field.id.number)
        out.text(field.name)
        out.type(field.type)
        out.byte(field.flags)
        if let initial = field.initial { out.value(initial, field.type) }
        if let cases = field.cases { out.list(cases) { out, one in out.value(one, field.caseType) } }
      }
      out.list(entity.layouts) { out, members in
        out.list(members) { out, member in
          out.number(member.id.number)
          out.type(member.type)
          out.byte(member.isOptional ? 1 : 0)
        }
      }
    }
    encodeIndexes(&out, form)
    out.list(relationships) { out, one in
      out.number(one.id.number)
      out.number(one.entity.number)
      out.text(one.name)
      out.number(one.target.number)
      out.byte(one.deleteRule.rawValue)
      out.number(one.inverse.number)
      out.byte(one.traits.rawValue)
      out.number(one.index.map { UInt64($0.number) + 1 } ?? 0)
      switch one.shape {
      case .one(let field):
        out.byte(0)
        out.number(field.number)
      case .manyByReference(let entity, let field):
        out.byte(1)
        out.number(entity.number)
        out.number(field.number)
      case .links: out.byte(2)
      }
    }
    if form >= Self.formWithTexts { out.byte(version == nil ? 0 : 1) }
    if let version {
      out.text(version.number)
      out.list(version.parked) { out, name in out.text(name) }
      out.list(version.parts) { out, part in
        out.text(part.name)
        out.word(part.fingerprint)
        out.word(part.digest)
        out.list(part.parked) { out, name in out.text(name) }
        out.list(part.formerNames.sorted { $0.key < $1.key }) { out, one in
          out.text(one.key)
          out.text(one.value)
        }
      }
    }
    if form >= Self.formWithTexts { encodeTexts(&out) }
    if form >= Self.formWithDerivations { encodeDerivations(&out) }
    return out.bytes
  }

  init(decoding bytes: [UInt8]) throws(StoreError) {
    let result = bytes.withUnsafeBytes { bytes -> Result<Catalog, StoreError> in
      do throws(StoreError) { return .success(try Catalog(decoding: bytes)) } catch { return .failure(error) }
    }
    self = try result.get()
  }

  /// Reads a catalog and checks everything in it.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var reader = ByteReader(bytes)
    do {
      self = try Self.decode(&reader)
    } catch is ByteReader.Unreadable {
      throw StoreError(.damaged, "the catalog of entities is unreadable at byte \(reader.position)")
    } catch let error as StoreError {
      throw error
    } catch { throw StoreError(.damaged, "the catalog of entities is unreadable: \(error)") }
  }

  private static func decode(_ reader: inout ByteReader) throws -> Catalog {
    let form = try reader.byte()
    guard (Self.form...Self.newestForm).contains(form) else {
      throw StoreError(
        .futureVersion, "the catalog has form \(form); this version knows the forms up to \(Self.newestForm)")
    }
    var next = Numbers()
    next.entity = try reader.number()
    next.index = try reader.number()
    next.relationship = try reader.number()
    let entities = try reader.list { reader in
      let id: UInt32 = try reader.number()
      let name = try reader.text()
      let nextField: UInt16 = try reader.number()
      let fields = try reader.list { reader in try field(&reader, form) }
      let layouts = try reader.list { reader in
        try reader.list { reader in
          Layout.Member(FieldID(try reader.number()), try reader.type(), isOptional: try reader.byte() != 0)
        }
      }
      guard let last = layouts.last, last == fields.map(\.member), layouts.count <= Entity.mostLayouts,
        fields.allSatisfy({ $0.id.number < nextField }), id < next.entity, Entity.typesStay(in: layouts)
      else { throw ByteReader.Unreadable() }
      return Entity(EntityID(id), name, fields: fields, layouts: layouts, nextField: nextField)
    }
    let indexes = try reader.list { reader in try index(&reader, entities, next: next, form: form) }
    let relationships = try reader.list { reader in try relationship(&reader) }
    var catalog = Catalog(entities, indexes, relationships: relationships, next: next)
    let hasVersion = form >= Self.formWithTexts ? try reader.byte() == 1 : form == Self.formWithVersion
    if hasVersion { catalog.version = try version(&reader) }
    if form >= Self.formWithTexts { catalog.textIndexes = try texts(&reader, catalog) }
    if form >= Self.formWithDerivations { catalog.derivations = try derivations(&reader) }
    guard reader.isAtEnd, catalog.relationshipsAgree, catalog.derivationsAgree,
      Set(entities.map(\.id)).count == entities.count,
      Set(entities.map(\.name)).count == entities.count, Set(indexes.map(\.id)).count == indexes.count
    else { throw ByteReader.Unreadable() }
    return catalog
  }

  private static func field(_ reader: inout ByteReader, _ form: UInt8) throws -> Field {
    let id: UInt16 = try reader.number()
    let name = try reader.text()
    let type = try reader.type()
    let flags = try reader.byte()
    var field = Field(
      FieldID(id), name, type: type, isOptional: flags & 1 != 0, initial: flags & 4 != 0 ? try reader.value() : nil,
      isPreserved: flags & 2 != 0)
    field.isNeeded = flags & 16 != 0
    if flags & 8 == 0 { return field }
    let cases = try reader.list { reader in try reader.value() }
    guard form != Self.form, cases.count <= Field.mostCases, !cases.contains(.null) else {
      throw ByteReader.Unreadable()
    }
    field.cases = cases
    return field
  }

  private static func version(_ reader: inout ByteReader) throws -> ModelVersion {
    let number = try reader.text()
    let parked = try reader.list { reader in try reader.text() }
    let parts = try reader.list { reader in
      let name = try reader.text()
      var part = ModelVersion.Part(
        name, fingerprint: try reader.word(), digest: try reader.word(),
        parked: try reader.list { reader in try reader.text() })
      let names = try reader.list { reader in (now: try reader.text(), before: try reader.text()) }
      part.formerNames = Dictionary(names.map { ($0.now, $0.before) }) { first, _ in first }
      return part
    }
    return ModelVersion(number, parts: parts, parked: parked)
  }

  private static func relationship(_ reader: inout ByteReader) throws -> Relationship {
    let id: UInt32 = try reader.number()
    let entity = EntityID(try reader.number())
    let name = try reader.text()
    let target = EntityID(try reader.number())
    guard let rule = Relationship.DeleteRule(rawValue: try reader.byte()) else { throw ByteReader.Unreadable() }
    let inverse = RelationshipID(try reader.number())
    let traits = Relationship.Traits(rawValue: try reader.byte())
    let index: UInt64 = try reader.number()
    let shape: Relationship.Shape
    switch try reader.byte() {
    case 0: shape = .one(FieldID(try reader.number()))
    case 1: shape = .manyByReference(EntityID(try reader.number()), FieldID(try reader.number()))
    case 2: shape = .links
    default: throw ByteReader.Unreadable()
    }
    guard Relationship.Traits.known.isSuperset(of: traits), index <= UInt64(UInt32.max) else {
      throw ByteReader.Unreadable()
    }
    return Relationship(
      id: RelationshipID(id), entity: entity, name: name, target: target, shape: shape, inverse: inverse,
      deleteRule: rule, traits: traits, index: index == 0 ? nil : IndexID(UInt32(index - 1)))
  }
}

extension ByteWriter {
  fileprivate mutating func word(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { byte(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}

extension ByteReader {
  fileprivate mutating func word() throws -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) { number |= UInt64(try byte()) << shift }
    return number
  }
}

extension Field {
  fileprivate var flags: UInt8 {
    (isOptional ? 1 : 0) | (isPreserved ? 2 : 0) | (initial != nil ? 4 : 0) | (cases != nil ? 8 : 0)
      | (isNeeded ? 16 : 0)
  }
}
