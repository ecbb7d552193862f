import RoostGraph
import RoostRecords
import RoostTransfer

/// The entities of a store as models would declare them.
///
/// A store does not contain the names of types in Swift. So structs get the names of their
/// properties, and enums are shown as their stored types. Otherwise the text compiles: an inverse
/// is named on one side, and there is an initializer.
struct SchemaText {
  let catalog: Catalog
  /// By the name of each subclass, the class that it inherits from.
  let superclasses: [String: String]

  init(_ catalog: Catalog) {
    self.catalog = catalog
    let hasFamilies = catalog.entities.contains { $0.field(FieldNames.kind) != nil }
    superclasses = hasFamilies ? (try? StoredModels(catalog).superclasses) ?? [:] : [:]
  }

  var lines: [String] {
    let classes = catalog.entities.filter { !$0.name.hasPrefix("@") }.enumerated().flatMap { number, entity in
      (number > 0 ? [""] : []) + lines(entity)
    }
    return classes + parked
  }

  /// The lines of each class, by its name, without the initializer and without comments.
  var declarations: [String: [String]] {
    var found: [String: [String]] = [:]
    for entity in catalog.entities where !entity.name.hasPrefix("@") {
      var isInitializer = false
      found[entity.name] = lines(entity).dropFirst().compactMap { line in
        let text = line.drop { $0 == " " }
        let isHead = text.hasPrefix("init(") || text.hasPrefix("override init(")
        if isHead { isInitializer = !text.hasSuffix("{}") }
        defer { if line == "  }" { isInitializer = false } }
        return text.isEmpty || text == "}" || isInitializer || isHead ? nil : String(text)
      }
    }
    return found
  }

  /// Comment lines with the data that the last program did not name.
  private var parked: [String] {
    guard let version = catalog.version else { return [] }
    let names = version.parked + version.parts.flatMap { part in part.parked.map { part.name + "." + $0 } }
    if names.isEmpty { return [] }
    return ["", "// Parked, because version \(version.number) of the models does not name it:"]
      + names.map { "//   " + $0 }
  }

  /// The declarations in which a store's models differ from those of another one, entity by entity.
  static func differences(_ catalog: Catalog, from other: Catalog) -> [String] {
    let names = Set((catalog.entities + other.entities).map(\.name)).filter { !$0.hasPrefix("@") }
    return names.sorted().flatMap { name -> [String] in
      switch (catalog.outline(name), other.outline(name)) {
      case (let new?, let old?):
        let lines = new.differences(from: old)
        return lines.isEmpty ? [] : [name] + lines.map { "  " + $0 }
      case (.some, nil): return ["+ " + name]
      case (nil, _): return ["- " + name]
      }
    }
  }

  /// One class as a model.
  func lines(_ entity: Entity) -> [String] {
    let shape = shape(entity.name)
    let isTop = !superclasses.values.contains(entity.name)
    let above = shape.above.map { ": " + $0 } ?? ""
    var lines = ["@Model \(isTop ? "final " : "")class \(entity.name)\(above) {"]
    lines += constraints(shape).map { "  " + $0 }
    var inner: [[String]] = []
    for field in shape.fields {
      if let one = shape.reference(field.id) {
        lines.append("  " + declaration(one, field, in: shape))
      } else if case .reference = field.type {
        continue
      } else if field.type == .presence {
        lines.append("  var \(Self.quoted(field.name)): \(Self.capital(field.name))?")
      } else {
        let derived = derivedAttribute(field, shape)
        if !derived.isEmpty {
          let type = type(field.type, elementsOf: field.name)
          lines.append("  \(derived)var \(Self.quoted(field.name)): \(type)\(field.isOptional ? "?" : "")")
          continue
        }
        lines.append("  " + declaration(field, isUnique: isUnique(field, shape)))
        inner += elements(field.type, field.name)
      }
    }
    let structs = structs(shape.own, "")
    for name in structs where shape.own.field(name) == nil {
      lines.append("  var \(Self.quoted(name)): \(Self.capital(name))")
    }
    for one in shape.relationships {
      if case .one = one.shape { continue }
      lines.append("  " + declaration(one, nil, in: shape))
    }
    lines += [""] + initializer(shape).map { "  " + $0 }
    for one in structs.map({ structure($0, shape.own) }) + inner { lines += [""] + one.map { "  " + $0 } }
    return lines + ["}"]
  }

  /// The properties without a default value, and the type of each.
  private func needed(_ shape: SchemaClass) -> [(name: String, type: String)] {
    var needed: [(name: String, type: String)] = []
    for field in shape.fields where !field.isOptional {
      if let one = shape.reference(field.id) {
        needed.append((field.name, target(of: one)))
      } else if case .reference = field.type {
        continue
      } else if field.type != .presence, derivedAttribute(field, shape).isEmpty,
        field.initial.flatMap(Self.text) == nil
      {
        needed.append((field.name, type(field.type, elementsOf: field.name)))
      }
    }
    for name in structs(shape.own, "") where shape.own.field(name) == nil {
      needed.append((name, Self.capital(name)))
    }
    return needed
  }

  /// An initializer with a parameter for each property without a default value, also of the classes above.
  private func initializer(_ shape: SchemaClass) -> [String] {
    let own = needed(shape)
    var inherited: [(name: String, type: String)] = []
    var above = shape.above
    while let name = above {
      let next = self.shape(name)
      inherited = needed(next) + inherited
      above = next.above
    }
    func list(_ all: [(name: String, type: String)], _ text: ((name: String, type: String)) -> String) -> String {
      all.map(text).joined(separator: ", ")
    }
    let parameters = list(inherited + own) { "\(Self.quoted($0.name)): \($0.type)" }
    let start = (shape.above != nil && own.isEmpty ? "override " : "") + "init(\(parameters)) {"
    var body = own.map { "  self.\($0.name) = \(Self.quoted($0.name))" }
    if shape.above != nil {
      body.append("  super.init(" + list(inherited) { "\($0.name): \(Self.quoted($0.name))" } + ")")
    }
    return body.isEmpty ? [start + "}"] : [start] + body + ["}"]
  }

  // MARK: Declarations

  private func declaration(_ field: Field, isUnique: Bool) -> String {
    var traits: [String] = []
    if isUnique { traits.append(".unique") }
    if field.isPreserved { traits.append(".preserveValueOnDeletion") }
    let attribute = traits.isEmpty ? "" : "@Attribute(\(traits.joined(separator: ", "))) "
    let initial = field.initial.flatMap(Self.text).map { " = " + $0 } ?? ""
    let type = type(field.type, elementsOf: field.name)
    return "\(attribute)var \(Self.quoted(field.name)): \(type)\(field.isOptional ? "?" : "")\(initial)"
  }

  private func declaration(_ one: Relationship, _ field: Field?, in shape: SchemaClass) -> String {
    let target = target(of: one)
    var traits: [String] = []
    if one.deleteRule != .nullify { traits.append("deleteRule: .\(one.deleteRule)") }
    if let inverse = catalog.inverse(of: one), !inverse.isHidden {
      if inverse.id == one.id {
        traits.append(".mutual")
      } else if names(inverse, by: one) {
        // If both sides named each other, the compiler would report a circular reference.
        traits.append("inverse: \\\(target).\(SchemaClass.property(inverse.name))")
      }
    }
    let attribute = traits.isEmpty ? "" : "@Relationship(\(traits.joined(separator: ", "))) "
    let name = Self.quoted(one.name)
    if one.isToOne { return "\(attribute)var \(name): \(target)\(field?.isOptional ?? true ? "?" : "")" }
    return "\(attribute)var \(name): [\(target)] = []"
  }

  /// The class of a relationship's objects. It is a subclass if the inverse is a property of a subclass.
  private func target(of one: Relationship) -> String {
    let owner = catalog.inverse(of: one).flatMap { $0.isHidden ? nil : SchemaClass.owner($0.name) }
    return owner ?? catalog.name(of: one.target) ?? "?"
  }

  /// Whether this side of a relationship names the other: the to-many side, else the older one.
  private func names(_ inverse: Relationship, by one: Relationship) -> Bool {
    one.isToOne == inverse.isToOne ? one.id < inverse.id : !one.isToOne
  }

  private func constraints(_ shape: SchemaClass) -> [String] {
    let entity = shape.all
    let shown = shape.indexes.filter { !isHidden($0, entity) }
    var lines: [String] = []
    let unique = shown.filter {
      $0.isUnique && !isConditional($0, entity) && !($0.parts.count == 1 && shape.declares($0.parts[0].field))
    }
    if !unique.isEmpty { lines.append(declaration("Unique", unique, of: entity)) }
    let plain = shown.filter { !$0.isUnique && !isConditional($0, entity) && !isFormed($0) }
    if !plain.isEmpty { lines.append(declaration("Index", plain, of: entity)) }
    let formed = shown.filter { !$0.isUnique && !isConditional($0, entity) && isFormed($0) }
    if !formed.isEmpty { lines.append(declaration("Index", formed, of: entity)) }
    for index in shown where isConditional(index, entity) {
      lines.append(declaration(index.isUnique ? "Unique" : "Index", [index], of: entity))
    }
    for index in catalog.textIndexes(of: entity.id) where index.fields.allSatisfy({ entity.field($0) != nil }) {
      guard index.fields.contains(where: shape.declares) else { continue }
      let names = index.fields.compactMap { path($0, entity) }.joined(separator: ", ")
      lines.append("#FullText<\(entity.name)>(\((["[\(names)]"] + index.options).joined(separator: ", ")))")
    }
    return lines
  }

  /// Whether an index was made for a relationship and not for a declaration.
  private func isHidden(_ index: Index, _ entity: Entity) -> Bool {
    catalog.relationships.contains { $0.index == index.id && $0.traits.contains(.ownsIndex) }
      || index.parts.contains { entity.field($0.field)?.name.hasPrefix("@") ?? true }
  }

  private func isUnique(_ field: Field, _ shape: SchemaClass) -> Bool {
    shape.indexes.contains {
      $0.isUnique && !isConditional($0, shape.all) && $0.parts.count == 1 && $0.parts[0].field == field.id
    }
  }

  // MARK: Structs

  /// The structs directly below a path, which ends with a point.
  func structs(_ entity: Entity, _ above: String) -> [String] {
    var found: [String] = []
    for field in entity.fields where field.name.hasPrefix(above) && !field.name.hasPrefix("@") {
      let rest = field.name.dropFirst(above.count)
      let name = above + rest.prefix { $0 != "." }
      let isStruct = rest.contains(".") || field.type == .presence
      if isStruct, !found.contains(name) { found.append(name) }
    }
    return found
  }

  private func structure(_ path: String, _ entity: Entity) -> [String] {
    let name = String(path.split(separator: ".").last ?? "")
    var lines = ["struct \(Self.capital(name)): Codable {"]
    let inner = structs(entity, path + ".")
    var elements: [[String]] = []
    for field in entity.fields where field.name.hasPrefix(path + ".") {
      let rest = String(field.name.dropFirst(path.count + 1))
      if rest.contains(".") || inner.contains(field.name) { continue }
      let type = type(field.type, elementsOf: rest)
      lines.append("  var \(Self.quoted(rest)): \(type)\(field.isOptional ? "?" : "")")
      elements += self.elements(field.type, rest)
    }
    for one in inner {
      let part = String(one.dropFirst(path.count + 1))
      let isOptional = entity.field(one)?.type == .presence
      lines.append("  var \(Self.quoted(part)): \(Self.capital(part))\(isOptional ? "?" : "")")
    }
    for one in inner.map({ structure($0, entity) }) + elements { lines += [""] + one.map { "  " + $0 } }
    return lines + ["}"]
  }

  /// The structs in a list, which are named after the property.
  private func elements(_ type: FieldType, _ name: String) -> [[String]] {
    switch type {
    case .array(let element), .set(let element): elements(element, name)
    case .dictionary(_, let value): elements(value, name)
    default: []
    }
  }

  private func elements(_ type: ElementType, _ name: String) -> [[String]] {
    switch type {
    case .plain(let type): return elements(type, name)
    case .optional(let inner): return elements(inner, name)
    case .structure(let parts):
      var lines = ["struct \(Self.element(name)): Codable, Hashable {"]
      for part in parts {
        lines.append("  var \(Self.quoted(part.name)): \(self.type(part.type, elementsOf: part.name))")
      }
      for one in parts.flatMap({ elements($0.type, $0.name) }) { lines += [""] + one.map { "  " + $0 } }
      return [lines + ["}"]]
    }
  }

  // MARK: Names

  private static func element(_ name: String) -> String { capital(name) + "Element" }

  /// The keywords of the language.
  static let words: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]

  /// A name in a declaration, quoted if it is a keyword.
  static func quoted(_ name: String) -> String { words.contains(name) ? "`\(name)`" : name }

  // MARK: Types

  static func capital(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

  func type(_ type: FieldType) -> String {
    switch type {
    case .bool: "Bool"
    case .int8: "Int8"
    case .int16: "Int16"
    case .int32: "Int32"
    case .int64: "Int"
    case .uint8: "UInt8"
    case .uint16: "UInt16"
    case .uint32: "UInt32"
    case .uint64: "UInt64"
    case .float: "Float"
    case .double: "Double"
    case .decimal: "Decimal"
    case .string: "String"
    case .data: "Data"
    case .date: "Date"
    case .uuid: "UUID"
    case .url: "URL"
    case .presence: "Bool"
    case .reference(let id): catalog.name(of: id) ?? "?"
    case .array(let element): "[\(self.type(element))]"
    case .set(let element): "Set<\(self.type(element))>"
    case .dictionary(let key, let value): "[\(self.type(key)): \(self.type(value))]"
    }
  }

  private func type(_ type: ElementType) -> String {
    switch type {
    case .plain(let type): self.type(type)
    case .optional(let inner): self.type(inner) + "?"
    case .structure(let parts): "(" + parts.map { "\($0.name): \(self.type($0.type))" }.joined(separator: ", ") + ")"
    }
  }

  /// A type in a declaration, in which structs in a list have a name.
  private func type(_ type: FieldType, elementsOf name: String) -> String {
    switch type {
    case .array(let element): "[\(self.type(element, elementsOf: name))]"
    case .set(let element): "Set<\(self.type(element, elementsOf: name))>"
    case .dictionary(let key, let value): "[\(self.type(key)): \(self.type(value, elementsOf: name))]"
    default: self.type(type)
    }
  }

  private func type(_ type: ElementType, elementsOf name: String) -> String {
    switch type {
    case .plain(let type): self.type(type, elementsOf: name)
    case .optional(let inner): self.type(inner, elementsOf: name) + "?"
    case .structure: Self.element(name)
    }
  }
}

extension Command {
  static var schema: Command {
    Command(
      name: "schema", summary: "Print the models of a store as Swift code. Writes nothing.",
      discussion: [
        "The store does not have the names of structs and enums: a struct gets the name of its property, and an enum is",
        "shown as its stored type. The text compiles after 'import Foundation' and 'import SwiftData'.",
        "Data that the last program did not name is listed as parked.",
        "With --diff: + is new in <store>, - is missing there, and ~ has another type. It ends with 1 if there is any,",
        "and with 2 if the stores could not be compared.",
      ],
      syntax: Syntax(
        operands: storeAndJSON.operands,
        options: storeAndJSON.options + [
          Syntax.Option(name: "diff", value: "other", help: "Print what differs from the models of another store.")
        ])
    ) { arguments, console in
      let catalog = try Looking.rows(arguments.operands[0]).read { $0.catalog }
      if let other = arguments.text("diff") {
        let lines = SchemaText.differences(catalog, from: try Looking.rows(other).read { $0.catalog })
        if arguments.has("json") { try console.json(lines) } else { for line in lines { console.line(text: line) } }
        return lines.isEmpty ? .good : .failed
      }
      if arguments.has("json") {
        try console.json(SchemaFacts(catalog))
      } else {
        for line in SchemaText(catalog).lines { console.line(text: line) }
      }
      return .good
    }
  }
}
