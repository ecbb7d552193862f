internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A model's class as it is written in the source.
struct ModelSource {
  let declaration: ClassDeclSyntax
  let name: String
  /// The class it inherits from, if that is a model; a macro only guesses this where the compiler does not say.
  let superclass: String?
  let members: [DeclSyntax]
  let properties: [Property]
  let constraints: [MacroExpansionDeclSyntax]
  let isGeneric: Bool

  /// - Parameter isConforming: whether the class is a model already, because the one it inherits from is; nil where unknown.
  init(_ declaration: ClassDeclSyntax, isConforming: Bool?, _ context: some MacroExpansionContext) {
    self.declaration = declaration
    name = declaration.name.text
    members = declaration.memberBlock.members.map(\.decl)
    properties = members.compactMap { member in
      if case .persisted(let property) = MemberKind(member) { property } else { nil }
    }
    constraints = members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
      .filter { ["Unique", "Index"].contains($0.macroName.text) }
    superclass = isConforming == false ? nil : Self.superclass(declaration)
    isGeneric =
      declaration.genericParameterClause != nil
      || context.lexicalContext.contains {
        $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
      }
  }

  var isFinal: Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(.final) } }
  var access: String { declaration.access }

  /// The first type that the class names, unless it is known as a protocol.
  private static func superclass(_ declaration: ClassDeclSyntax) -> String? {
    guard let first = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmed else { return nil }
    if first.is(CompositionTypeSyntax.self) || first.is(AttributedTypeSyntax.self) { return nil }
    let text = first.trimmedDescription
    let bare = text.split(separator: ".").last.map(String.init) ?? text
    return protocols.contains(bare) ? nil : text
  }

  /// What real models conform to.
  private static let protocols: Set<String> = [
    "Codable", "Encodable", "Decodable", "Identifiable", "Hashable", "Equatable", "Comparable", "Sendable",
    "CustomStringConvertible", "CustomDebugStringConvertible", "PersistentModel", "Observable", "AnyObject", "Error",
    "ObservableObject", "Transferable", "CaseIterable",
  ]
}
