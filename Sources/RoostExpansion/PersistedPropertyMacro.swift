internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@_PersistedProperty`, which `@Model` puts before each property: its accessors and its slot.
///
/// `@Model` itself could write the slots, but would have to declare that it makes arbitrary names.
/// Then the compiler would find the class's operators twice, and no model could be `Comparable`.
struct PersistedPropertyMacro: AccessorMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = property(node, declaration) else { return [] }
    let slot = "_" + property.bareName
    let number = number(node, property)
    if property.derived != nil { return derivedAccessors(property, number) }
    var text = """
      @storageRestrictions(initializes: \(slot))
      init(initialValue) {
      \(slot) = .init(initialValue)
      }
      get { \(slot)._get(_$state._isReady, self, \(number)) }
      set { \(slot)._set(\(property.checked), _$state._isFree(\(number)), self, \(number)) }
      """
    if property.isCollection {
      text += """

        _modify {
        let isFree = _$state._isFree(\(number))
        var value = \(slot)._lend(isFree, self, \(number))
        defer { \(slot)._giveBack(value, isFree, self, \(number)) }
        yield &value
        }
        """
    }
    return [.text(text)]
  }

  /// Code cannot set a derived property. A derived property with a default value nevertheless needs
  /// an initial value.
  private static func derivedAccessors(_ property: Property, _ number: String) -> [AccessorDeclSyntax] {
    let slot = "_" + property.bareName
    let getter = "get { \(slot)._get(_$state._isReady, self, \(number)) }"
    if property.initial == nil { return [.text(getter)] }
    return [
      .text(
        """
        @storageRestrictions(initializes: \(slot))
        init(initialValue) {
        \(slot) = .init(initialValue)
        }
        \(getter)
        """)
    ]
  }

  fileprivate static func property(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) -> Property? {
    guard var property = MemberKind(declaration).property, !property.isByHand else { return nil }
    property.hasOwnType = argument("hasOwnType", of: node) != nil
    return property
  }

  private static func argument(_ label: String, of node: AttributeSyntax) -> ExprSyntax? {
    node.arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }?.expression
  }

  /// The property's number: its index in its class, after the properties of the superclass. It is
  /// found by name if the attribute does not give it.
  private static func number(_ node: AttributeSyntax, _ property: Property) -> String {
    guard let arguments = node.arguments?.as(LabeledExprListSyntax.self), let first = arguments.first else {
      return "Self._$type._number(of: \"\(property.bareName)\")"
    }
    let own = first.expression.trimmedDescription
    guard let model = argument("in", of: node)?.as(StringLiteralExprSyntax.self) else { return own }
    return "\(model.segments.trimmedDescription)._$first._$plus(\(own))"
  }
}

extension PersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = property(node, declaration) else { return [] }
    var slot = "_\(property.bareName)\(property.slot.declaration)"
    if property.derived != nil, property.initial == nil, let type = property.type {
      let beginning = property.derivedBeginning ?? ""
      slot = "_\(property.bareName): _Slot<\(SlotType.plain(type))> = .init(\(beginning))"
    }
    return [.text("@exclusivity(unchecked) nonisolated(unsafe) final private var \(slot)")]
  }
}

extension Property {
  /// The new value. If the macro does not know whether its type can be stored, the compiler checks
  /// it.
  var checked: String {
    if relationship != nil { return "Roost::_related(newValue)" }
    if transformer != nil { return "newValue" }
    return slot.isKnown ? "newValue" : "Roost::_stored(newValue)"
  }

  /// The default value, converted to the property's type.
  var initialOfType: String {
    guard let initial else { return "nil" }
    let text = initial.trimmedDescription
    return type.map { "(\(text)) as \(SlotType.plain($0))" } ?? text
  }

  /// The coder, if only the compiler can choose it.
  var coder: String {
    let by = transformer.map { "by: \($0.trimmedDescription), " } ?? (isCodable ? "codable: (), " : "")
    return switch slot {
    case .value: "nil"
    case .type(let type): "Roost::_coder(\(by)for: (\(type)).self)"
    case .expression(let expression): "Roost::_coder(\(by)like: \(expression))"
    }
  }

  /// The name without backticks.
  var bareName: String { name.hasPrefix("`") ? String(name.dropFirst().dropLast()) : name }

  /// Whether changing it in place is faster.
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
