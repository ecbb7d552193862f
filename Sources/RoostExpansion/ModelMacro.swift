internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@Model`.
struct ModelMacro {
  static var formatMode: FormatMode { .disabled }
}

extension ModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      ModelCheck.refuse(node, declaration, context: context)
      return []
    }
    let model = ModelSource(declaration, isConforming: !protocols.contains { $0.isNamed("PersistentModel") }, context)
    ModelCheck(model, context).run()
    return MemberWriter(model).members
  }
}

extension ModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    if case .ephemeral = MemberKind(member), declaration.is(ClassDeclSyntax.self) { return ["@_EphemeralProperty"] }
    guard let declaration = declaration.as(ClassDeclSyntax.self), let property = MemberKind(member).property,
      !property.isByHand, property.declaration.attribute("_PersistedProperty") == nil,
      property.declaration.attribute("_DerivedProperty") == nil,
      property.declaration.attribute("_TransformablePersistedProperty") == nil,
      property.type != nil || property.initial != nil
    else { return [] }
    let model = ModelSource(declaration, isConforming: nil, context)
    guard let number = model.properties.firstIndex(where: { $0.name == property.name }) else { return [] }
    var arguments = "\(number)"
    if model.superclass != nil { arguments += ", in: \"\(model.name)\"" }
    if model.properties[number].hasOwnType { arguments += ", hasOwnType: true" }
    if property.derived != nil { return ["@_DerivedProperty(\(raw: arguments))"] }
    return ["@_PersistedProperty(\(raw: arguments))"]
  }
}

extension ModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ClassDeclSyntax.self) else { return [] }
    var extensions: [ExtensionDeclSyntax] = []
    if protocols.contains(where: { $0.isNamed("PersistentModel") }) {
      extensions.append(
        try ExtensionDeclSyntax("extension \(type.trimmed): nonisolated PersistentModel, nonisolated _ModelObject {}"))
    }
    if protocols.contains(where: { $0.isNamed("Sendable") }) {
      extensions.append(
        try ExtensionDeclSyntax(
          """
          @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use \
          \(type.trimmed)'s persistentModelID instead.")
          extension \(type.trimmed): Sendable {}
          """))
    }
    return extensions
  }
}

extension TypeSyntax {
  func isNamed(_ name: String) -> Bool { trimmedDescription == name || trimmedDescription.hasSuffix("." + name) }
}
