/// Unwraps optionals whose type is known at run time only.
enum FlatValue {
  /// Returns the value in an optional of any depth, or the value itself; nil if there is none.
  static func of(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.content.flatMap(of)
  }
}

private protocol AnyOptional { var content: Any? { get } }
extension Optional: AnyOptional { fileprivate var content: Any? { self } }
