package import RoostRecords

/// Rules for records that only the program's classes know, beyond the catalog.
package struct ImportShape: Sendable {
  /// A class whose objects are rows of the entity.
  package struct Kind: Sendable {
    package var name: String
    /// The number of the class in rows; nil if no row has this class.
    package var number: UInt32?
    /// Fields that a new row requires, without an initial value.
    package var required: [String]
    package var initials: [(field: String, value: Initial)]

    package init(
      _ name: String, number: UInt32?, required: [String], initials: [(field: String, value: Initial)]
    ) {
      self.name = name
      self.number = number
      self.required = required
      self.initials = initials
    }
  }

  /// The value of a field that a record does not name.
  package enum Initial: Sendable {
    case always(Value)
    /// Called for each row: it is a new identifier, or the time.
    case anew(@Sendable () -> Value?)
  }

  /// The first one is used for records without a class.
  package var kinds: [Kind]
  /// The names of fields in a text, if the store has other names for them.
  package var names: [String: String]
  /// Relationships that are their own inverse, by their names in the store.
  package var mutual: Set<String>
  /// By field name: checks that the field's type has a value, and returns the error as a clause;
  /// nil if it has. Only for types that lack some values of their fields, such as enums. It may
  /// call code of users.
  package var checks: [String: @Sendable (Value) -> String?]

  /// By field: checks the rules of the model, and returns the error as a clause; nil if the value
  /// keeps all rules.
  package var rules: [String: @Sendable (Value) -> String?]

  package init(
    _ kinds: [Kind], names: [String: String] = [:], mutual: Set<String> = [],
    checks: [String: @Sendable (Value) -> String?] = [:], rules: [String: @Sendable (Value) -> String?] = [:]
  ) {
    self.checks = checks
    self.rules = rules
    self.kinds = kinds
    self.names = names
    self.mutual = mutual
  }
}
