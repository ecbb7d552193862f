internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@Snapshots`: adds a struct with a field for each property.
struct SnapshotsMacro: MemberMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self), declaration.attributes.named("Model") != nil else {
      context.complain(node, "'@Snapshots' can only be attached to a class with '@Model'")
      return []
    }
    let isConforming = !protocols.contains { $0.isNamed("PersistentModel") }
    let model = ModelSource(declaration, isConforming: isConforming, context)
    for member in model.members {
      guard let named = member.asProtocol((any NamedDeclSyntax).self), named.name.text == "Snapshot" else { continue }
      context.complain(
        named.name,
        "'\(model.name)' already has a type 'Snapshot', the name that '@Snapshots' uses: rename it, or remove '@Snapshots' and "
          + "use 'ModelSnapshot<\(model.name)>'")
      return []
    }
    let arguments = node.arguments?.as(LabeledExprListSyntax.self) ?? []
    let isCodable = arguments.contains { $0.expression.trimmedDescription.hasSuffix("codable") }
    return [.text(SnapshotWriter(model, isCodable: isCodable).text)]
  }
}

/// Writes the members that `@Snapshots` adds to a class.
struct SnapshotWriter {
  private let model: ModelSource
  private let isCodable: Bool
  private let access: String
  /// The properties with an explicit type, by number.
  private let properties: [(number: Int, property: Property)]

  init(_ model: ModelSource, isCodable: Bool) {
    self.model = model
    self.isCodable = isCodable
    access = model.access
    properties = model.properties.enumerated().filter { $1.type != nil || $1.initial != nil }.map { ($0, $1) }
  }

  var text: String {
    let lookUp = model.superclass == nil ? "" : "@dynamicMemberLookup "
    var lines = [
      "\(lookUp)\(access)struct Snapshot: \(conformances.joined(separator: ", ")) {",
      "\(access)typealias SnapshotModel = \(model.name)",
      "\(access)let persistentModelID: PersistentIdentifier",
    ]
    if let superclass = model.superclass { lines.append("\(access)var inherited: ModelSnapshot<\(superclass)>") }
    if hasOwnIdentifier {} else { lines.append("\(access)var id: PersistentIdentifier { persistentModelID }") }
    lines += properties.map { field($0.property) }
    lines.append("\(access)init(_ snapshot: ModelSnapshot<\(model.name)>) {")
    lines.append("self.persistentModelID = snapshot.persistentModelID")
    if model.superclass != nil { lines.append("self.inherited = snapshot._inherited()") }
    for (number, property) in properties {
      lines.append(
        property.slot.isKnown
          ? "self.\(property.name) = snapshot._known(\(index(number)))"
          : "self._\(property.bareName) = snapshot._field(\(index(number)))")
    }
    lines.append("}")
    lines.append("\(access)func _$put(into values: inout _SnapshotSink) {")
    if model.superclass != nil { lines.append("values._inherit(self.inherited)") }
    for (number, property) in properties { lines.append("values._put(self.\(property.name), \(index(number)))") }
    lines.append("}")
    lines.append("}")
    if model.superclass == nil {
      let final = model.isFinal ? "" : "final "
      lines.append("nonisolated \(final)\(access)var typedSnapshot: Snapshot { Snapshot(Roost::ModelSnapshot(self)) }")
    }
    return lines.joined(separator: "\n")
  }

  private var conformances: [String] {
    var all = [model.superclass == nil ? "TypedSnapshot" : "InheritingSnapshot", "Hashable"]
    if isCodable { all.append("Codable") }
    if !hasOwnIdentifier { all.append("Identifiable") }
    return all
  }

  private var hasOwnIdentifier: Bool { properties.contains { $0.property.bareName == "id" } }

  private func field(_ property: Property) -> String {
    let access = Self.access(property)
    switch property.slot {
    case .value(let type, _): return "\(access)var \(property.name): \(type)"
    case .type(let type): return "@_SnapshotField((\(type)).self) \(access)var \(property.name)"
    case .expression(let expression): return "@_SnapshotField(like: \(expression)) \(access)var \(property.name)"
    }
  }

  /// The access of the property itself, because its type may not be more visible.
  private static func access(_ property: Property) -> String {
    for modifier in property.declaration.modifiers where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.open): return "public "
      case .keyword(.public), .keyword(.package), .keyword(.internal), .keyword(.fileprivate), .keyword(.private):
        return modifier.name.text + " "
      default: continue
      }
    }
    return ""
  }

  /// The number of a property, after those of the superclass.
  private func index(_ number: Int) -> String {
    model.superclass == nil ? "\(number)" : "\(model.name)._$first._$plus(\(number))"
  }
}
