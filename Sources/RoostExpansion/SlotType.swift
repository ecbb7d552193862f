internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The type of the slot that holds a property.
///
/// A macro sees no types, only their source. For types of the language and of Foundation that is
/// enough. For all others the compiler chooses, by an overloaded function.
enum SlotType {
  /// A value, of this type.
  case value(String, isOptional: Bool)
  /// A type that the compiler determines.
  case type(String)
  /// The type of an expression, which the compiler determines.
  case expression(String)

  /// - Parameter isOwn: whether the model has a type of its own with a well-known name.
  init(_ type: TypeSyntax?, _ initial: ExprSyntax?, isOwn: Bool) {
    if let type {
      let text = Self.plain(type)
      let bare = text.hasSuffix("?") ? String(text.dropLast()) : text
      if !isOwn, Self.known.contains(bare) || Self.isKnownList(bare) {
        self = .value(text, isOptional: text.hasSuffix("?"))
      } else {
        self = .type(text)
      }
    } else if !isOwn, let literal = initial.flatMap(Self.literal) {
      self = .value(literal, isOptional: false)
    } else {
      self = .expression(initial?.trimmedDescription ?? "")
    }
  }

  /// Whether the macro knows that it is a value.
  var isKnown: Bool {
    if case .value = self { true } else { false }
  }

  /// The functions that write and read it. If the type is known, the compiler need not choose among
  /// overloads.
  var put: String { isKnown ? "_putKnown" : "_put" }
  var visit: String { isKnown ? "_visitValue" : "_visit" }
  var take: String { isKnown ? "_takeKnown" : "_take" }

  /// Whether the declaration gives the slot an initial value, so that initializers need not.
  var hasBeginning: Bool {
    if case .value(_, let isOptional) = self { isOptional } else { true }
  }

  /// The rest of the slot's declaration, after its name.
  var declaration: String {
    switch self {
    case .value(let type, false): ": _Slot<\(type)>"
    case .value(let type, true): ": _Slot<\(type)> = .init(nil)"
    case .type(let type): " = Roost::_slot(for: (\(type)).self)"
    case .expression(let expression): " = Roost::_slot(like: \(expression))"
    }
  }

  /// Converts `T!` and `Optional<T>` to `T?`.
  static func plain(_ type: TypeSyntax) -> String {
    if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return "\(unwrapped.wrappedType.trimmedDescription)?"
    }
    return type.trimmedDescription
  }

  private static func literal(_ expression: ExprSyntax) -> String? {
    if expression.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if expression.is(FloatLiteralExprSyntax.self) { return "Double" }
    if expression.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if expression.is(StringLiteralExprSyntax.self) { return "String" }
    if let sign = expression.as(PrefixOperatorExprSyntax.self), sign.operator.text == "-" {
      return literal(sign.expression)
    }
    return nil
  }

  private static func isKnownList(_ text: String) -> Bool {
    guard text.hasPrefix("["), text.hasSuffix("]") else { return false }
    return known.contains(String(text.dropFirst().dropLast()))
  }

  static let known: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Bool", "Float", "Double",
    "String", "Date", "UUID", "Data", "URL", "Decimal",
  ]
}
