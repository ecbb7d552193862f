internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@_PersistedProperty`, which `@Model` puts before each property: its accessors and its slot.
struct PersistedPropertyMacro: AccessorMacro, PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard case .persisted(let property) = MemberKind(declaration), !property.isByHand else { return [] }
    let slot = "_" + property.bareName
    let number = number(node, property)
    var accessors: [AccessorDeclSyntax] = [
      """
      @storageRestrictions(initializes: \(raw: slot))
      init(initialValue) {
        \(raw: slot) = .init(initialValue)
      }
      """,
      """
      get {
        if _$state._isReady && \(raw: slot)._isAtHand { return \(raw: slot)._value }
        _$willRead(\(raw: number))
        return \(raw: slot)._read(self, \(raw: number))
      }
      """,
      """
      set {
        if \(raw: slot)._mayStore(_$state, \(raw: number)) { return \(raw: slot)._store(newValue) }
        _$willWrite(\(raw: number))
        \(raw: slot)._store(newValue)
        _$didWrite(\(raw: number))
      }
      """,
    ]
    if property.isCollection {
      accessors.append(
        """
        _modify {
          let isFree = \(raw: slot)._isAtHand && \(raw: slot)._mayStore(_$state, \(raw: number))
          if !isFree { _$willModify(\(raw: number)) }
          var value = \(raw: slot)._take(self, \(raw: number))
          _$state._lend()
          defer {
            \(raw: slot)._store(value)
            _$state._giveBack()
            if !isFree { _$didWrite(\(raw: number)) }
          }
          yield &value
        }
        """)
    }
    return accessors
  }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard case .persisted(let property) = MemberKind(declaration), !property.isByHand else { return [] }
    return [
      """
      @exclusivity(unchecked) nonisolated(unsafe) private var _\(raw: property.bareName)\(raw: property.slot.declaration)
      """
    ]
  }

  /// The property's number: that in its class, behind those of the superclass; found by the name where nobody gives it.
  private static func number(_ node: AttributeSyntax, _ property: Property) -> String {
    guard let arguments = node.arguments?.as(LabeledExprListSyntax.self), let first = arguments.first else {
      return "Self._$type._number(of: \"\(property.bareName)\")"
    }
    let own = first.expression.trimmedDescription
    guard let model = arguments.dropFirst().first?.expression.as(StringLiteralExprSyntax.self) else { return own }
    return "\(model.segments.trimmedDescription)._$first &+ \(own)"
  }
}

extension Property {
  /// Without the quotes of a name that is a keyword too.
  var bareName: String { name.hasPrefix("`") ? String(name.dropFirst().dropLast()) : name }

  /// Whether it is worth while to change it in place.
  var isCollection: Bool {
    guard let type else {
      return initial.map { $0.is(ArrayExprSyntax.self) || Self.isCollection($0.trimmedDescription) } ?? false
    }
    return Self.isCollection(SlotType.plain(type))
  }

  private static func isCollection(_ text: String) -> Bool {
    text.hasPrefix("[") || ["Array<", "Set<", "Dictionary<"].contains { text.hasPrefix($0) } || text == "Data"
  }
}
