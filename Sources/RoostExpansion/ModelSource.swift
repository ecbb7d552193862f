internal import SwiftIfConfig
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// The class of a model, as in the source.
struct ModelSource {
  let declaration: ClassDeclSyntax
  let name: String
  /// The superclass, if it is a model. If the compiler does not say so, a macro can only guess.
  let superclass: String?
  /// Whether the class names a type that may be its superclass.
  let mayInherit: Bool
  let members: [DeclSyntax]
  let properties: [Property]
  /// The properties that no store has.
  let ephemerals: [Property]
  let constraints: [MacroExpansionDeclSyntax]
  let isGeneric: Bool
  /// Whether a `let` is a property too. In Swift 5 mode the compiler accepts accessors for it, with
  /// a warning, and SwiftData stores it. In Swift 6 mode the compiler does not.
  let storesConstants: Bool

  /// - Parameter isConforming: whether the class is a model already, because its superclass is; nil
  ///   if unknown.
  init(_ declaration: ClassDeclSyntax, isConforming: Bool?, _ context: some MacroExpansionContext) {
    self.declaration = declaration
    name = declaration.name.text
    members = Self.active(declaration.memberBlock.members, context)
    let ownTypes = Self.ownTypes(declaration, members)
    let storesConstants = context.buildConfiguration.map { $0.languageVersion < VersionTuple(6) } ?? false
    self.storesConstants = storesConstants
    properties = members.compactMap { member in
      var property: Property
      switch MemberKind(member) {
      case .persisted(let found): property = found
      case .constant(let found) where storesConstants: property = found
      default: return nil
      }
      property.hasOwnType = !ownTypes.isEmpty && property.names(oneOf: ownTypes)
      return property
    }
    ephemerals = members.compactMap { if case .ephemeral(let property) = MemberKind($0) { property } else { nil } }
    constraints = members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
      .filter { ["Unique", "Index", "FullText"].contains($0.macroName.text) }
    let candidate = Self.superclass(declaration)
    mayInherit = candidate != nil
    superclass = isConforming == false ? nil : candidate
    isGeneric =
      declaration.genericParameterClause != nil
      || context.lexicalContext.contains {
        $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
      }
  }

  var isFinal: Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(.final) } }
  /// Whether the class is isolated to no actor, or to the main actor.
  var isOfKnownActor: Bool {
    let known: Set<String> = [
      "Model", "MainActor", "available", "objc", "objcMembers", "dynamicMemberLookup", "Observable",
    ]
    return declaration.attributes.allSatisfy { attribute in
      guard case .attribute(let attribute) = attribute else { return false }
      let name = attribute.attributeName.trimmedDescription
      return known.contains(name.split(separator: ".").last.map(String.init) ?? name)
    }
  }
  var isOpen: Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(.open) } }
  var access: String { declaration.access }

  /// Returns the members, including members under conditions that hold.
  private static func active(_ list: MemberBlockItemListSyntax, _ context: some MacroExpansionContext) -> [DeclSyntax] {
    list.flatMap { item -> [DeclSyntax] in
      guard let condition = item.decl.as(IfConfigDeclSyntax.self) else { return [item.decl] }
      guard let configuration = context.buildConfiguration,
        case .decls(let members) = condition.activeClause(in: configuration).clause?.elements
      else { return [] }
      return active(members, context)
    }
  }

  /// Returns the well-known type names that the class gives to types of its own.
  private static func ownTypes(_ declaration: ClassDeclSyntax, _ members: [DeclSyntax]) -> Set<String> {
    var names = members.compactMap { member in
      member.asProtocol((any NamedDeclSyntax).self)?.name.text
    }
    names += declaration.genericParameterClause?.parameters.map(\.name.text) ?? []
    return SlotType.known.intersection(names)
  }

  /// Returns the first type that the class names, unless it is a well-known protocol.
  private static func superclass(_ declaration: ClassDeclSyntax) -> String? {
    guard let first = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmed else { return nil }
    if first.is(CompositionTypeSyntax.self) || first.is(AttributedTypeSyntax.self) { return nil }
    let text = first.trimmedDescription
    let bare = text.split(separator: ".").last.map(String.init) ?? text
    return protocols.contains(bare) ? nil : text
  }

  /// Protocols that models often conform to.
  private static let protocols: Set<String> = [
    "Codable", "Encodable", "Decodable", "Identifiable", "Hashable", "Equatable", "Comparable", "Sendable",
    "CustomStringConvertible", "CustomDebugStringConvertible", "PersistentModel", "Observable", "AnyObject", "Error",
    "ObservableObject", "Transferable", "CaseIterable",
  ]
}
