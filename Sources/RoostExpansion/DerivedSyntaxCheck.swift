internal import SwiftSyntax

/// Finds derived properties that no store can keep, as far as the source of the class shows that.
///
/// The compiler checks the others, or the container when it is made.
struct DerivedSyntaxCheck {
  private let model: ModelSource
  /// The derived properties, by name.
  private let derived: [String: Property]

  init(_ model: ModelSource) {
    self.model = model
    let all = model.properties.filter { $0.derived != nil }.map { ($0.name, $0) }
    derived = Dictionary(all) { first, _ in first }
  }

  /// - Parameters:
  ///   - complain: called with each wrong node, and a sentence.
  ///   - warn: called with each node that is probably wrong, and a sentence.
  func run(complain: (Syntax, String) -> Void, warn: (Syntax, String) -> Void) {
    for property in model.properties {
      guard let attribute = property.derived else { continue }
      if let unique = uniqueOption(property) {
        complain(unique, "'\(property.name)' is derived, so it cannot be unique: remove '.unique'")
      }
      checkType(property, attribute, complain: complain)
      checkCircle(property, attribute, complain: complain, warn: warn)
    }
    for constraint in model.constraints where constraint.macroName.text == "Unique" {
      for path in constraint.arguments.flatMap({ Self.paths(Syntax($0)) }) {
        guard let name = Self.names(path).first, derived[name] != nil else { continue }
        complain(Syntax(path), "'\(name)' is derived, so '#Unique' cannot name it: remove it there")
      }
    }
  }

  private func uniqueOption(_ property: Property) -> Syntax? {
    guard case .argumentList(let list)? = property.attribute?.arguments else { return nil }
    for argument in list {
      let member = argument.expression.as(MemberAccessExprSyntax.self)
      if member?.declName.baseName.text == "unique" { return Syntax(argument.expression) }
    }
    return nil
  }

  // MARK: Types

  private func checkType(_ property: Property, _ attribute: AttributeSyntax, complain: (Syntax, String) -> Void) {
    guard property.relationship == nil, let type = property.type.map(SlotType.plain),
      let word = Self.argument(attribute)?.as(FunctionCallExprSyntax.self)?.calledExpression
        .as(MemberAccessExprSyntax.self)?.declName.baseName.text
    else { return }
    let isOptional = type.hasSuffix("?") || type.hasPrefix("Optional<")
    switch word {
    case "count" where type != "Int":
      complain(Syntax(attribute), "'\(property.name)' is a count, so its type is 'Int', not '\(type)'")
    case "minimum" where !isOptional, "maximum" where !isOptional, "latest" where !isOptional:
      complain(
        Syntax(attribute),
        "'\(property.name)' has no value while the list is empty, so its type is optional: write '\(type)?'")
    default: return
    }
  }

  // MARK: Cycles

  /// Refuses properties that are computed from themselves, directly or through others.
  private func checkCircle(
    _ property: Property, _ attribute: AttributeSyntax, complain: (Syntax, String) -> Void,
    warn: (Syntax, String) -> Void
  ) {
    var (seen, next): ([String], String?) = ([property.name], Self.source(attribute))
    while let name = next, let other = derived[name], let own = other.derived {
      seen.append(name)
      if name == property.name {
        let way = seen.map { "'\($0)'" }.joined(separator: " from ")
        return complain(Syntax(attribute), "a property cannot be derived from itself: \(way)")
      }
      if seen.dropLast().contains(name) { return }
      next = Self.source(own)
    }
    guard let name = next, derived[name] == nil, let body = computed(name), Self.reads(property.name, in: body) else {
      return
    }
    warn(
      Syntax(attribute),
      "'\(name)' reads '\(property.name)', which is derived from it: each save would compute another value")
  }

  /// Returns the accessors of a computed property of the class.
  private func computed(_ name: String) -> AccessorBlockSyntax? {
    for member in model.members {
      guard let variable = member.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
        binding.pattern.trimmedDescription == name
      else { continue }
      return binding.accessorBlock
    }
    return nil
  }

  /// Whether code names a property of its own object.
  private static func reads(_ name: String, in body: AccessorBlockSyntax) -> Bool {
    body.tokens(viewMode: .sourceAccurate).contains { token in
      guard token.text == name, token.parent?.is(DeclReferenceExprSyntax.self) == true else { return false }
      guard let before = token.previousToken(viewMode: .sourceAccurate), before.tokenKind == .period else {
        return true
      }
      return before.previousToken(viewMode: .sourceAccurate)?.tokenKind == .keyword(.self)
    }
  }

  // MARK: Key paths

  private static func argument(_ attribute: AttributeSyntax) -> ExprSyntax? {
    guard case .argumentList(let list)? = attribute.arguments else { return nil }
    return list.first?.expression
  }

  /// Returns the property of the object from which a value is computed; nil for a list.
  private static func source(_ attribute: AttributeSyntax) -> String? {
    argument(attribute)?.as(KeyPathExprSyntax.self).flatMap { names($0).first }
  }

  private static func names(_ path: KeyPathExprSyntax) -> [String] {
    path.components.compactMap { $0.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text }
  }

  /// Returns all key paths in a node. An argument of a macro is no deeper than its source.
  private static func paths(_ node: Syntax) -> [KeyPathExprSyntax] {
    if let path = node.as(KeyPathExprSyntax.self) { return [path] }
    return node.children(viewMode: .sourceAccurate).flatMap(paths)
  }
}
