/// The definition of a derived field: what its values are computed from.
///
/// The engine updates every kind except `computed` wherever rows and links are written. The program
/// computes the values of `computed` fields when it saves.
///
/// ## Invariants
/// 1. A field has one derivation at most.
/// 2. The relationship belongs to the field's entity. It has many rows, or one row that holds the
///    reference.
/// 3. The value and the key are fields of the relationship's target entity.
/// 4. Derivations over derived fields have no cycle.
package struct Derivation: Hashable, Sendable {
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The number of rows in the relationship.
    case count = 0
    /// The sum of a field of these rows; 0 if there are none.
    case sum = 1
    /// The least value of a field of these rows; nil if there is none.
    case minimum = 2
    /// The greatest value of a field of these rows; nil if there is none.
    case maximum = 3
    /// A field of the row with the greatest key. If keys are equal, the greater row number wins.
    case latest = 4
    /// A value that only the program can compute.
    case computed = 5

    /// The word that Swift and the tool write.
    package var word: String {
      switch self {
      case .count: "count"
      case .sum: "sum"
      case .minimum: "minimum"
      case .maximum: "maximum"
      case .latest: "latest"
      case .computed: "computed"
      }
    }
  }

  package var entity: EntityID
  package var field: FieldID
  package var kind: Kind
  /// Nil for `computed`.
  package var relationship: RelationshipID?
  /// Nil for `count` and `computed`.
  package var value: FieldID?
  /// The field that `latest` compares.
  package var key: FieldID?
  /// The program's name for its computation; empty for other kinds.
  package var text: String

  package init(
    _ entity: EntityID, _ field: FieldID, kind: Kind, relationship: RelationshipID? = nil, value: FieldID? = nil,
    key: FieldID? = nil, text: String = ""
  ) {
    (self.entity, self.field, self.kind) = (entity, field, kind)
    (self.relationship, self.value, self.key, self.text) = (relationship, value, key, text)
  }

  /// Prefix of a computed field's text while its values wait for the program: see
  /// ``Catalog/awaitComputed(of:)``.
  package static let waiting = "?"
  /// Whether the next opening by the program computes the values of all rows.
  package var isWaiting: Bool { kind == .computed && text.hasPrefix(Self.waiting) }
  /// The program's name for its computation.
  package var computation: String { isWaiting ? String(text.dropFirst(Self.waiting.count)) : text }

  /// Whether the engine updates the field.
  package var isKept: Bool { kind != .computed }
}

extension FieldType {
  var isInteger: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
    default: false
    }
  }

  /// Whether the values of the type can be added.
  var isSummable: Bool { isInteger || self == .float || self == .double || self == .decimal }

  /// Whether derivations compare values of the type.
  var isRanked: Bool { isSummable || self == .date }

  /// Whether one row's field may hold a value of the type that a derivation copies.
  var isCopied: Bool {
    switch self {
    case .reference, .presence, .array, .set, .dictionary: false
    default: true
    }
  }
}
