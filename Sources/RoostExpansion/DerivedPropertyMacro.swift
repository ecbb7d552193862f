internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@Derived`: read by `@Model`.
struct DerivedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

extension Property {
  /// The attribute `@Derived`, if the property has it.
  var derived: AttributeSyntax? { declaration.attribute("Derived") }

  /// The value of a derived property before the first save; nil if the macro does not know a value
  /// of its type.
  var derivedBeginning: String? {
    if let initial { return initial.trimmedDescription }
    guard let type else { return nil }
    let text = SlotType.plain(type)
    if text.hasSuffix("?") || text.hasPrefix("Optional<") { return "nil" }
    if hasOwnType { return nil }
    switch text {
    case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
      "Decimal":
      return "0"
    case "String": return "\"\""
    case "Bool": return "false"
    default: return nil
    }
  }
}
