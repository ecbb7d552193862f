/// The definition of a property marked ``Derived(_:)``: how it is computed from the objects of one
/// of its model's lists.
///
/// ```swift
/// @Model final class Invoice {
///   @Relationship(deleteRule: .cascade, inverse: \Line.invoice) var lines: [Line] = []
///   @Derived(.count(\Invoice.lines)) var lineCount: Int
///   @Derived(.sum(\Invoice.lines, \.price)) var total: Decimal
///   @Derived(.latest(\Invoice.lines, of: \.note, by: \.date)) var lastNote: String?
///
///   init() {}
/// }
/// ```
///
/// Values that are nil, and NaN, are left out of minimum and maximum. `latest` leaves out objects whose
/// key is nil or NaN, and stores nil if the value of the latest object is nil.
public struct DerivedValue<Model: PersistentModel, Value> {
  let kind: DerivedKind
  let list: AnyKeyPath
  let value: AnyKeyPath?
  let key: AnyKeyPath?

  private init(_ kind: DerivedKind, _ list: AnyKeyPath, of value: AnyKeyPath? = nil, by key: AnyKeyPath? = nil) {
    (self.kind, self.list, self.value, self.key) = (kind, list, value, key)
  }
}

/// The kinds of ``DerivedValue``.
enum DerivedKind { case count, sum, minimum, maximum, latest }

extension DerivedValue {
  /// The number of objects in a list.
  public static func count<List: RelationshipCollection>(_ list: KeyPath<Model, List>) -> DerivedValue
  where Value == Int { DerivedValue(.count, list) }

  /// The sum of a number of each object in a list; 0 if there are none.
  ///
  /// A save throws if the sum does not fit into the property's type. Sums of `Double` and `Float`
  /// are added in the order in which the objects were inserted.
  public static func sum<List: RelationshipCollection>(
    _ list: KeyPath<Model, List>, _ value: KeyPath<List.PersistentElement, Value>
  ) -> DerivedValue where Value: AdditiveArithmetic { DerivedValue(.sum, list, of: value) }

  /// The sum of a number of each object in a list. Objects without a number count as 0.
  public static func sum<List: RelationshipCollection>(
    _ list: KeyPath<Model, List>, _ value: KeyPath<List.PersistentElement, Value?>
  ) -> DerivedValue where Value: AdditiveArithmetic { DerivedValue(.sum, list, of: value) }

  /// The least value that an object of a list has; nil if there is none.
  public static func minimum<List: RelationshipCollection, Number: Comparable>(
    _ list: KeyPath<Model, List>, _ value: KeyPath<List.PersistentElement, Number>
  ) -> DerivedValue where Value == Number? { DerivedValue(.minimum, list, of: value) }

  /// The least value that an object of a list has; nil if there is none.
  public static func minimum<List: RelationshipCollection, Number: Comparable>(
    _ list: KeyPath<Model, List>, _ value: KeyPath<List.PersistentElement, Number?>
  ) -> DerivedValue where Value == Number? { DerivedValue(.minimum, list, of: value) }

  /// The greatest value that an object of a list has; nil if there is none.
  public static func maximum<List: RelationshipCollection, Number: Comparable>(
    _ list: KeyPath<Model, List>, _ value: KeyPath<List.PersistentElement, Number>
  ) -> DerivedValue where Value == Number? { DerivedValue(.maximum, list, of: value) }

  /// The greatest value that an object of a list has; nil if there is none.
  public static func maximum<List: RelationshipCollection, Number: Comparable>(
    _ list: KeyPath<Model, List>, _ value: KeyPath<List.PersistentElement, Number?>
  ) -> DerivedValue where Value == Number? { DerivedValue(.maximum, list, of: value) }

  /// A value of the object in a list whose key is the greatest; nil if no object has a key.
  ///
  /// If several objects have the greatest key, the one that was inserted last counts.
  public static func latest<List: RelationshipCollection, Part, Key: Comparable>(
    _ list: KeyPath<Model, List>, of value: KeyPath<List.PersistentElement, Part>,
    by key: KeyPath<List.PersistentElement, Key>
  ) -> DerivedValue where Value == Part? { DerivedValue(.latest, list, of: value, by: key) }

  /// A value of the object in a list whose key is the greatest; nil if no object has a key, or this
  /// object has no value.
  public static func latest<List: RelationshipCollection, Part, Key: Comparable>(
    _ list: KeyPath<Model, List>, of value: KeyPath<List.PersistentElement, Part?>,
    by key: KeyPath<List.PersistentElement, Key>
  ) -> DerivedValue where Value == Part? { DerivedValue(.latest, list, of: value, by: key) }
}
