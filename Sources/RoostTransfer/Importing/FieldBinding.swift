internal import RoostRecords

/// Maps the names in a text to the fields of an entity.
struct FieldBinding {
  enum Target {
    /// A field, by its index in the entity. The structs around it then exist too.
    case field(Int, presences: [Int])
    /// A reference, by a key of its target.
    case reference(ReferenceTarget)
    /// The list of a relationship with links, by keys.
    case list(Relationship, KeyWay)
    /// The name of the row's class.
    case kind(Int)
    /// A struct as a whole. Each of its parts has its own target.
    case structure(presence: Int?)
    /// The value is ignored.
    case nothing
  }

  /// A reference and the form of its keys. It is one object, so that passing it counts one
  /// reference.
  final class ReferenceTarget: Sendable {
    let relationship: Relationship
    let field: Int
    let way: KeyWay

    init(_ relationship: Relationship, field: Int, _ way: KeyWay) {
      self.relationship = relationship
      self.field = field
      self.way = way
    }
  }

  let entity: Entity
  let layout: Layout
  let catalog: Catalog
  private let targets: [String: Target]
  private let structures: Set<String>
  private let options: TextImportOptions
  /// The classes of rows; the first one is used for records without a class.
  let kinds: [Kind]

  /// For each optional struct, by its presence field: its parts, and the required ones among them.
  let parts: [Int: (all: [Int], needed: [Int])]

  /// For each field, a function that checks a value against the property's type
  /// (``ImportShape/checks``) and its rules (``ImportShape/rules``).
  let checks: [Int: @Sendable (Value) -> ValueFault?]

  /// The rules for rows of one class.
  struct Kind {
    var name: String
    /// Fields that a new row must have.
    var required: [Int]
    /// Initial values of fields that a record does not name.
    var initials: [(field: Int, value: ImportShape.Initial)]
    var number: UInt32?
  }

  init(_ catalog: Catalog, _ options: TextImportOptions) throws {
    guard let entity = catalog.entity(options.entity) else {
      throw TransferFault(
        .unknown, "the store has no '\(options.entity)'; it has \(FieldNames.list(catalog.entities.map(\.name)))")
    }
    self.entity = entity
    self.catalog = catalog
    self.options = options
    layout = Layout(version: entity.layoutVersion, entity.layouts[Int(entity.layoutVersion)])
    var targets: [String: Target] = [:]
    var structures: Set<String> = []
    let relationships = catalog.relationships(of: entity.id).filter { !$0.isHidden }
    for (number, field) in entity.fields.enumerated() {
      if field.name == FieldNames.kind {
        targets[field.name] = .kind(number)
        continue
      }
      let above = FieldNames.above(field.name)
      structures.formUnion(above)
      if field.type == .presence {
        targets[field.name] = .structure(presence: number)
        continue
      }
      let presences = above.compactMap { name in
        entity.fields.firstIndex { $0.name == name && $0.type == .presence }
      }
      targets[field.name] = .field(number, presences: presences)
      guard case .reference(let target) = field.type else { continue }
      let one = relationships.first { $0.shape == .one(field.id) }
      if let one { targets[field.name] = .reference(ReferenceTarget(one, field: number, KeyWay(target, catalog))) }
    }
    for one in relationships where one.shape == .links {
      targets[one.name] = .list(one, KeyWay(one.target, catalog))
    }
    for name in structures where targets[name] == nil { targets[name] = .structure(presence: nil) }
    for (name, field) in options.shape?.names ?? [:] {
      for (known, target) in targets where known == field || known.hasPrefix(field + ".") {
        targets[name + known.dropFirst(field.count)] = target
      }
    }
    self.targets = targets
    self.structures = structures
    parts = Self.parts(of: entity)
    checks = Self.checks(entity, options.shape)
    kinds = try options.shape.map { try $0.kinds.map { try Self.kind($0, entity) } } ?? [Self.kind(of: entity)]
  }

  private static func checks(_ entity: Entity, _ shape: ImportShape?) -> [Int: @Sendable (Value) -> ValueFault?] {
    var checks: [Int: @Sendable (Value) -> ValueFault?] = [:]
    for (number, field) in entity.fields.enumerated() {
      // Without the program's types, the catalog knows the cases of enums.
      let (check, rule) = (shape == nil ? field.caseCheck : shape?.checks[field.name], shape?.rules[field.name])
      if check == nil, rule == nil { continue }
      checks[number] = { value in
        if let fault = check?(value) { return ValueFault(.wrongType, fault) }
        return rule?(value).map { ValueFault(.invalid, $0) }
      }
    }
    return checks
  }

  private static func parts(of entity: Entity) -> [Int: (all: [Int], needed: [Int])] {
    var parts: [Int: (all: [Int], needed: [Int])] = [:]
    for (number, field) in entity.fields.enumerated() where field.type == .presence {
      let all = entity.fields.indices.filter { entity.fields[$0].name.hasPrefix(field.name + ".") }
      let needed = all.filter { part in
        let found = entity.fields[part]
        if found.isOptional || found.initial != nil || found.type == .presence { return false }
        // Parts of a nested optional struct belong to that struct.
        return FieldNames.above(found.name).last { name in
          entity.fields.contains { $0.name == name && $0.type == .presence }
        }
          == field.name
      }
      parts[number] = (all, needed)
    }
    return parts
  }

  /// The rules that the catalog has for an entity's rows.
  private static func kind(of entity: Entity) -> Kind {
    let required = entity.fields.indices.filter { number in
      let field = entity.fields[number]
      return !field.isOptional && field.initial == nil && field.type != .presence && field.name != FieldNames.kind
        && FieldNames.above(field.name).allSatisfy { name in
          !entity.fields.contains { $0.name == name && $0.type == .presence }
        }
    }
    let initials = entity.fields.enumerated().compactMap { number, field -> (Int, ImportShape.Initial)? in
      if field.name == FieldNames.kind { return (number, .always(.uint(UInt64(entity.id.number)))) }
      return field.initial.map { (number, .always($0)) }
    }
    return Kind(name: entity.name, required: required, initials: initials)
  }

  private static func kind(_ kind: ImportShape.Kind, _ entity: Entity) throws -> Kind {
    func number(_ name: String) throws -> Int {
      if let found = entity.fields.firstIndex(where: { $0.name == name }) { return found }
      throw TransferFault(.unknown, "\(entity.name) has no '\(name)' in this store", field: name)
    }
    var initials = try kind.initials.map { (field: try number($0.field), value: $0.value) }
    if let own = kind.number { initials.append((try number(FieldNames.kind), .always(.uint(UInt64(own))))) }
    return Kind(
      name: kind.name, required: try kind.required.map(number), initials: initials, number: kind.number)
  }

  /// The class with a name: its index, and its number in rows; nil if no row can have this class.
  func kind(_ name: String) -> (place: Int, number: UInt32)? {
    if options.shape == nil {
      // A class whose rows are in another entity has an entity without fields, for its number.
      guard let found = catalog.entity(name), found.id == entity.id || found.fields.isEmpty else { return nil }
      return (0, found.id.number)
    }
    guard let place = kinds.firstIndex(where: { $0.name == name }), let number = kinds[place].number else { return nil }
    return (place, number)
  }

  /// The meaning of a name in a text.
  struct Meaning {
    var target: Target
    /// The name of the entity's property; empty for a field that is left out.
    var name = ""
    /// Whether the spelling is exactly that of the entity or of a rename.
    var isExact = true

    static let nothing = Meaning(target: .nothing)
  }

  /// The meaning of a name, which may be a path. Case and blanks around the name are ignored,
  /// unless two names differ only in these. A name that is spelled exactly as in the entity is
  /// never renamed by a rename of another spelling.
  func meaning(_ written: String) throws(ValueFault) -> Meaning {
    var renamed = Self.find(written, in: options.renames)
    if let found = renamed, found.name != written, targets[written] != nil { renamed = nil }
    if let renamed, renamed.value == nil { return .nothing }
    let name = (renamed?.value).flatMap { $0 } ?? written
    if let found = Self.find(name, in: targets) {
      let isExact = renamed.map { $0.name == written } ?? (found.name == written)
      return Meaning(target: found.value, name: found.name, isExact: isExact)
    }
    if options.ignoresUnknown { return .nothing }
    let known = targets.keys.filter { !structures.contains($0) }.sorted()
    throw ValueFault(.unknown, "\(entity.name) has no '\(name)'; it has \(FieldNames.list(known))")
  }

  private static func find<Value>(_ name: String, in known: [String: Value]) -> (name: String, value: Value)? {
    if let found = known[name] { return (name, found) }
    let plain = plain(name)
    let alike = known.filter { self.plain($0.key) == plain }
    return alike.count == 1 ? alike.first.map { ($0.key, $0.value) } : nil
  }

  /// Returns the names to ignore if several names of one text mean the same property. With
  /// `ignoresUnknown`, all are ignored except the one with the exact spelling. Otherwise, and if
  /// several or none are exact, it returns nil.
  func leftOut(of names: [(number: Int, isExact: Bool)]) -> [Int]? {
    guard options.ignoresUnknown, names.count(where: \.isExact) == 1 else { return nil }
    return names.filter { !$0.isExact }.map(\.number)
  }

  func twoNames(_ written: [String], for name: String) -> ValueFault {
    ValueFault(
      .duplicate,
      "\(FieldNames.list(written)) are all '\(name)' of \(entity.name): keep one column, and rename or ignore the others"
    )
  }

  private static func plain(_ name: String) -> String {
    String(name.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()).lowercased()
  }

  /// Whether blanks around a cell belong to its value. This is so for texts only.
  func keepsBlanks(_ target: Target) -> Bool {
    switch target {
    case .field(let number, _): entity.fields[number].type.keepsBlanks
    case .reference(let target): target.way.isText
    case .list, .kind, .structure: false
    case .nothing: true
    }
  }

  /// Whether nil in a record counts as a missing value.
  var skipsNil: Bool { options.conflict == .merge }

  func isOptional(_ field: Int) -> Bool { entity.fields[field].isOptional }
}
