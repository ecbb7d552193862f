internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@_EphemeralProperty`, which `@Model` puts before each property that is `.ephemeral`. The
/// property is a variable of the object, and its accessors notify observers.
struct EphemeralPropertyMacro: AccessorMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard case .ephemeral(let property) = MemberKind(declaration) else { return [] }
    let slot = "_" + property.bareName
    return [
      .text(
        """
        @storageRestrictions(initializes: \(slot))
        init(initialValue) {
        \(slot) = initialValue
        }
        get { Roost::_readEphemeral(\(slot), self, \\.\(property.name)) }
        set { Roost::_writeEphemeral(self, \\.\(property.name)) { \(slot) = newValue } }
        """)
    ]
  }
}

extension EphemeralPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard case .ephemeral(let property) = MemberKind(declaration) else { return [] }
    let type = property.type.map { ": \(SlotType.plain($0))" } ?? ""
    let initial = property.initial?.trimmedDescription ?? "nil"
    return [.text("nonisolated(unsafe) final private var _\(property.bareName)\(type) = \(initial)")]
  }
}
