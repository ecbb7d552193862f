internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// One persisted property, as in the source.
struct Property {
  var name: String
  /// The type in the source; nil if only the default value determines it.
  var type: TypeSyntax?
  var initial: ExprSyntax?
  var binding: PatternBindingSyntax
  var declaration: VariableDeclSyntax
  /// Whether the program has written the accessors, and keeps the value in the backing data.
  var isByHand = false
  /// Whether its type has a well-known name, but is the model's own.
  var hasOwnType = false
  /// Whether the program has written observers. The compiler removes them if a macro writes
  /// accessors.
  var isObserved: Bool { binding.accessorBlock?.hasObservers ?? false }

  var attribute: AttributeSyntax? { declaration.attribute("Attribute") }
  var relationship: AttributeSyntax? { declaration.attribute("Relationship") }
  /// Each `@Validate` of the property.
  var validations: [AttributeSyntax] { declaration.attributes.all("Validate") }
  var slot: SlotType { SlotType(type, initial, isOwn: hasOwnType || transformer != nil || isCodable) }

  /// Whether the value is not stored.
  var isEphemeral: Bool { hasOption("ephemeral") }
  /// Whether it is stored as the output of its `encode(to:)`.
  var isCodable: Bool { hasOption("codable") }

  private func hasOption(_ name: String) -> Bool {
    guard let arguments = attribute?.arguments?.as(LabeledExprListSyntax.self) else { return false }
    return arguments.contains { argument in
      argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
    }
  }

  /// The argument of `.transformable(by:)`.
  var transformer: ExprSyntax? {
    guard let arguments = attribute?.arguments?.as(LabeledExprListSyntax.self) else { return nil }
    for argument in arguments {
      guard let call = argument.expression.as(FunctionCallExprSyntax.self),
        call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "transformable"
      else { continue }
      return call.arguments.first?.expression.trimmed
    }
    return nil
  }
}

/// The kinds of members of a model.
enum MemberKind {
  case persisted(Property)
  /// A variable that is not stored, and whose observers are notified.
  case ephemeral(Property)
  /// Several variables in one declaration. No macro can give them accessors.
  case several(VariableDeclSyntax)
  /// A `let`. A macro can give it accessors only in Swift 5 mode.
  case constant(Property)
  /// A variable with a modifier that forbids accessors: `lazy`, `weak` or `unowned`.
  case modified(VariableDeclSyntax, name: String, DeclModifierSyntax)
  case pattern(VariableDeclSyntax)
  case transient(VariableDeclSyntax, name: String)
  case other

  init(_ member: some DeclSyntaxProtocol) {
    self = .other
    guard let variable = member.as(VariableDeclSyntax.self), !variable.isStatic,
      let binding = variable.bindings.first
    else { return }
    if variable.bindings.count > 1 {
      if variable.attribute("Transient") == nil, variable.bindings.contains(where: { $0.accessorBlock == nil }) {
        self = .several(variable)
      }
      return
    }
    let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    if let block = binding.accessorBlock {
      guard let name else { return }
      if block.isByHand {
        self = .persisted(Property(name, variable, binding: binding, isByHand: true))
      } else if block.hasObservers {
        let property = Property(name, variable, binding: binding)
        // The compiler accepts no accessors next to observers, so changes of an ephemeral value are
        // not observed.
        let isStored = variable.attribute("Transient") == nil && !property.isEphemeral
        self = isStored ? .persisted(property) : .transient(variable, name: name)
      }
      return
    }
    guard let name else {
      self = variable.attribute("Transient") == nil ? .pattern(variable) : .other
      return
    }
    if variable.attribute("Transient") != nil {
      self = .transient(variable, name: name)
    } else if let modifier = variable.modifier(of: [.lazy, .weak, .unowned]) {
      self = .modified(variable, name: name, modifier)
    } else if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      self = .constant(Property(name, variable, binding: binding))
    } else {
      let property = Property(name, variable, binding: binding)
      self = property.isEphemeral ? .ephemeral(property) : .persisted(property)
    }
  }
}

extension MemberKind {
  /// The property of the model, or a constant that may be one.
  var property: Property? {
    switch self {
    case .persisted(let property), .constant(let property): property
    default: nil
    }
  }
}

extension Property {
  init(_ name: String, _ declaration: VariableDeclSyntax, binding: PatternBindingSyntax, isByHand: Bool = false) {
    self.name = name
    self.declaration = declaration
    self.binding = binding
    self.isByHand = isByHand
    type = binding.typeAnnotation?.type.trimmed
    initial = binding.initializer?.value.trimmed
  }

  /// Whether its type in the source contains one of these names.
  func names(oneOf names: Set<String>) -> Bool {
    type?.tokens(viewMode: .sourceAccurate).contains { names.contains($0.text) } ?? false
  }
}

extension VariableDeclSyntax {
  func attribute(_ name: String) -> AttributeSyntax? { attributes.named(name) }
  var isStatic: Bool { modifier(of: [.static, .class]) != nil }

  /// Returns the first modifier that is one of these words.
  func modifier(of words: [Keyword]) -> DeclModifierSyntax? {
    modifiers.first { modifier in words.contains { modifier.name.tokenKind == .keyword($0) } }
  }
}

extension AttributeListSyntax {
  func named(_ name: String) -> AttributeSyntax? { first { $0.attribute(name) != nil }?.attribute(name) }

  /// Returns all attributes with a name.
  func all(_ name: String) -> [AttributeSyntax] { compactMap { $0.attribute(name) } }
}

extension AttributeListSyntax.Element {
  fileprivate func attribute(_ name: String) -> AttributeSyntax? {
    guard case .attribute(let attribute) = self else { return nil }
    let written = attribute.attributeName.trimmedDescription
    return written == name || written.hasSuffix("." + name) ? attribute : nil
  }
}

extension AccessorBlockSyntax {
  private var list: AccessorDeclListSyntax? {
    if case .accessors(let list) = accessors { list } else { nil }
  }

  var hasObservers: Bool {
    list?.contains { [.keyword(.didSet), .keyword(.willSet)].contains($0.accessorSpecifier.tokenKind) } ?? false
  }

  /// Whether it has an init accessor that uses the backing data, as in SwiftData's own expansion.
  var isByHand: Bool {
    list?.contains { accessor in
      accessor.accessorSpecifier.tokenKind == .keyword(.`init`)
        && accessor.attributes.description.contains("_$backingData")
    } ?? false
  }
}
