/// Forms of properties that do not have them. They exist only so that an error of the compiler names
/// the remedy.
extension Schema.IndexPart {
  /// Only texts have a lower case.
  @available(*, unavailable, message: "only a String has a lower case: index other properties with .ascending")
  public static func lowercased<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only texts have an upper case.
  @available(*, unavailable, message: "only a String has an upper case: index other properties with .ascending")
  public static func uppercased<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only texts have a folded form.
  @available(*, unavailable, message: "only a String has a folded form: index other properties with .ascending")
  public static func folded<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only arrays and sets have elements.
  @available(*, unavailable, message: "only an array or a set has elements: a dictionary has .keys")
  public static func elements<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// A text has no elements.
  @available(*, unavailable, message: "a text has no elements: write .lowercased, .folded or .count")
  public static func elements(_ keyPath: KeyPath<Model, String>) -> Self { ascending(keyPath) }

  /// Only dictionaries have keys.
  @available(*, unavailable, message: "only a dictionary has keys: an array or a set has .elements")
  public static func keys<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only dates have a year.
  @available(*, unavailable, message: "only a Date has a year")
  public static func year<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only dates have a month.
  @available(*, unavailable, message: "only a Date has a month")
  public static func month<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only dates have a day.
  @available(*, unavailable, message: "only a Date has a day")
  public static func day<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only dates have a day of the week.
  @available(*, unavailable, message: "only a Date has a day of the week")
  public static func weekday<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }

  /// Only dates have an hour.
  @available(*, unavailable, message: "only a Date has an hour")
  public static func hour<Value>(_ keyPath: KeyPath<Model, Value>) -> Self { ascending(keyPath) }
}
