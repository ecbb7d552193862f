internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// Checks the source of a model before it is compiled.
struct ModelCheck<Context: MacroExpansionContext> {
  private let model: ModelSource
  private let context: Context

  init(_ model: ModelSource, _ context: Context) {
    self.model = model
    self.context = context
  }

  /// Reports a type that is not a class.
  static func refuse(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax, context: Context) {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      let kind =
        declaration.is(ActorDeclSyntax.self) ? "an actor" : declaration.is(EnumDeclSyntax.self) ? "an enum" : "this"
      return context.complain(node, "'@Model' can only be attached to a class, not to \(kind)")
    }
    let word = structure.structKeyword
    context.complain(
      node, "'@Model' can only be attached to a class, not to a struct",
      fixIts: [
        .replace("make '\(structure.name.text)' a class", old: word, new: word.with(\.tokenKind, .keyword(.class)))
      ])
  }

  func run() {
    for member in model.members { check(MemberKind(member)) }
    checkConstraints()
    DerivedSyntaxCheck(model).run(
      complain: { context.complain($0, $1) }, warn: { context.warn($0, $1) })
    checkInitializers()
  }

  private func check(_ kind: MemberKind) {
    switch kind {
    case .persisted(let property): check(property)
    case .several(let variable):
      context.complain(variable, "'@Model' needs one declaration for each property: write several 'var'")
    case .pattern(let variable):
      context.complain(variable, "'@Model' cannot store a pattern: write one 'var' for each name")
    case .constant(let property):
      if model.storesConstants { check(property) } else { refuse(property) }
    case .modified(let variable, let name, let modifier):
      let word = modifier.name.text
      context.complain(
        variable,
        "'\(name)' cannot be \(word), because its model stores it: remove '\(word)', or mark it '@Transient'",
        fixIts: [
          .replace(
            "remove '\(word)'", old: variable,
            new: variable.with(\.modifiers, variable.modifiers.filter { $0.id != modifier.id }))
        ])
    case .ephemeral(let property):
      if let rule = property.validations.first {
        context.complain(rule, "'\(property.name)' is not stored, so '@Validate' has no effect: remove it")
      }
      if let derived = property.derived {
        context.complain(derived, "'\(property.name)' is not stored, so it cannot be derived: remove '@Derived'")
      }
      checkUnstored(property.declaration, property.name, word: ".ephemeral")
    case .transient(let variable, let name):
      if let rule = variable.attribute("Validate") {
        context.complain(rule, "'\(name)' is not stored, so '@Validate' has no effect: remove it")
      }
      if let derived = variable.attribute("Derived") {
        context.complain(derived, "'\(name)' is not stored, so it cannot be derived: remove '@Derived'")
      }
      checkUnstored(variable, name, word: "@Transient")
    case .other: return
    }
  }

  private func check(_ property: Property) {
    if property.type == nil, property.initial == nil {
      context.complain(
        property.binding, "'\(property.name)' needs a type: '@Model' cannot store a property without one")
    }
    if let attribute = property.attribute, property.relationship != nil {
      context.complain(
        attribute, "'\(property.name)' is an attribute or a relationship, not both: remove one of the two")
    }
    RuleSyntaxCheck(property).run { context.complain($0, $1) }
    if let derived = property.derived { check(derived, property) }
    if property.isObserved {
      context.warn(
        property.declaration,
        "the observers of '\(property.name)' are never called, because its model stores it: mark it '@Transient', or react "
          + "where you set it")
    }
    guard let type = property.binding.typeAnnotation?.type else { return }
    if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count != 1 {
      context.complain(type, "'\(property.name)' cannot be stored, because it is a tuple: make it a Codable struct")
    }
    if type.is(FunctionTypeSyntax.self) {
      context.complain(type, "'\(property.name)' cannot be stored, because it is a function: mark it '@Transient'")
    }
  }

  private func check(_ derived: AttributeSyntax, _ property: Property) {
    if property.relationship != nil {
      context.complain(derived, "'\(property.name)' is derived or a relationship, not both: remove one of the two")
    } else if property.type == nil {
      context.complain(derived, "'\(property.name)' is derived and needs its type: write ': ' and the type after it")
    } else if property.isByHand {
      context.complain(derived, "'\(property.name)' is derived, so it cannot have accessors: remove them")
    } else if property.derivedBeginning == nil {
      context.complain(
        derived, "'\(property.name)' is derived and needs a value for objects that are not saved: write '= …' after it")
    }
  }

  /// Reports a `let` if the compiler does not let a macro give it accessors.
  private func refuse(_ constant: Property) {
    let (variable, name, initial) = (constant.declaration, constant.name, constant.initial)
    let fix = FixIt.replace(
      "write 'var'", old: variable.bindingSpecifier, new: variable.bindingSpecifier.with(\.tokenKind, .keyword(.var)))
    if constant.attribute != nil || constant.relationship != nil || initial == nil {
      context.complain(
        variable.bindingSpecifier, "'\(name)' cannot be stored, because it is a 'let': write 'var'", fixIts: [fix])
    } else if let initial, !initial.isLiteral {
      context.warn(
        variable.bindingSpecifier,
        "'\(name)' is not stored, because it is a 'let' that each object may set to another value: write 'var', or mark it '@Transient'",
        fixIts: [fix])
    }
  }

  private func checkUnstored(_ variable: VariableDeclSyntax, _ name: String, word: String) {
    guard let binding = variable.bindings.first, binding.initializer == nil else { return }
    if let block = binding.accessorBlock, !block.hasObservers { return }
    let isOptional = binding.typeAnnotation.map { SlotType.plain($0.type).hasSuffix("?") } ?? false
    if isOptional, variable.bindingSpecifier.tokenKind == .keyword(.var) { return }
    context.complain(
      binding,
      "'\(name)' is '\(word)' and needs a default value, because the store does not have it: write '= …' after it")
  }

  private func checkConstraints() {
    for kind in ["Unique", "Index"] {
      let plain = model.constraints.filter { one in
        one.macroName.text == kind && one.condition == nil && one.conditionMacro == nil && !one.isFormed
      }
      for again in plain.dropFirst() {
        let lists = plain.flatMap { $0.arguments.map(\.expression.trimmedDescription) }.joined(separator: ", ")
        context.complain(again, "a model has one '#\(kind)' at most: write '#\(kind)<\(model.name)>(\(lists))'")
      }
    }
    for constraint in model.constraints {
      if let (first, lists) = constraint.mixedLists {
        context.complain(
          first, "'#\(constraint.macroName.text)' has key paths and parts: write '\(lists)'")
      }
      if let predicate = constraint.conditionMacro {
        let closure = predicate.trailingClosure?.trimmedDescription ?? "{ … }"
        context.complain(
          predicate, "the condition of '#\(constraint.macroName.text)' is a closure: write 'where: \(closure)'")
      }
      guard let condition = constraint.condition else { continue }
      _ = condition.predicateText { context.complain(condition, $0) }
    }
    let texts = Dictionary(grouping: model.constraints.filter { $0.macroName.text == "FullText" }) { text in
      text.arguments.contains { $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "substrings" }
    }
    for again in texts.values.flatMap({ $0.dropFirst() }) {
      context.complain(
        again, "a model has one '#FullText' for words and one for '.substrings' at most: name all properties in one")
    }
  }

  // MARK: Initializers

  private func checkInitializers() {
    let initializers = model.members.compactMap { $0.as(InitializerDeclSyntax.self) }
    let designated = initializers.filter { initializer in
      initializer.body != nil && !initializer.modifiers.contains { $0.name.tokenKind == .keyword(.convenience) }
    }
    guard !initializers.isEmpty || model.superclass != nil else {
      return context.complain(
        model.declaration.name, "@Model requires an initializer be provided for '\(model.name)'")
    }
    let needed = model.properties.filter {
      !$0.isByHand && $0.derived == nil && $0.initial == nil && $0.slot.hasBeginning && $0.mustBeSet
    }
    for initializer in designated {
      let words = Set(initializer.body!.tokens(viewMode: .sourceAccurate).map(\.text))
      if words.contains("persistentBackingData") || initializer.signature.description.contains("backingData") {
        continue
      }
      // An initializer that never returns need not set anything.
      if words.contains("fatalError") || words.contains("preconditionFailure") { continue }
      for property in needed where !words.contains(property.name) && !words.contains("_" + property.bareName) {
        context.complain(
          initializer.initKeyword,
          "this initializer leaves '\(property.name)' without a value: set it, or give it a default")
      }
    }
  }
}

extension Property {
  /// Whether the property has no value unless an initializer sets it.
  fileprivate var mustBeSet: Bool {
    guard let type else { return false }
    let text = SlotType.plain(type)
    return !text.hasSuffix("?") && !text.hasPrefix("Optional<") && !text.hasPrefix("[") && !text.hasPrefix("Array<")
  }
}

extension ExprSyntax {
  fileprivate var isLiteral: Bool {
    `is`(IntegerLiteralExprSyntax.self) || `is`(FloatLiteralExprSyntax.self) || `is`(BooleanLiteralExprSyntax.self)
      || `is`(StringLiteralExprSyntax.self) || `is`(NilLiteralExprSyntax.self)
  }
}
