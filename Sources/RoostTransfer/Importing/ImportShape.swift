package import RoostRecords

/// What whoever knows the classes says of records beyond what the catalog does.
package struct ImportShape: Sendable {
  /// A class whose objects are rows of the entity.
  package struct Kind: Sendable {
    package var name: String
    /// By what a row says that it is of the class; nil where no row does.
    package var number: UInt32?
    /// Fields that a new row needs, and that have no value of their own.
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

  /// What a field holds that a record does not name.
  package enum Initial: Sendable {
    case always(Value)
    /// Asked for each row: it is a new identifier, or the time.
    case anew(@Sendable () -> Value?)
  }

  /// The first one is that of records which do not say.
  package var kinds: [Kind]
  /// What fields are called in a text, where the store has another name for them.
  package var names: [String: String]
  /// Relationships that are their own other side, by their names in the store.
  package var mutual: Set<String>
  /// Why a value is none of a field's type, as a clause; nil where it is one. Of fields, by name, whose types do not have all values that rows
  /// can hold, as enums. It may call code of users.
  package var checks: [String: @Sendable (Value) -> String?]

  /// Why a value breaks a rule of the model, as a clause; nil where it keeps all. By field.
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
