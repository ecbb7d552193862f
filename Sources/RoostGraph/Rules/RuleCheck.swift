package import RoostRecords

/// The rules of all properties of one class, tested on a row that is put together.
package final class RuleCheck: Sendable {
  /// The rules of one property.
  package struct Entry: Sendable {
    package let property: Int
    /// The bit that says whether a write sets the property.
    package let bit: UInt64
    package let field: FieldID
    package let slot: RoostRecords.Slot
    package let rules: [CompiledRule]

    package init(_ property: Int, bit: UInt64, field: FieldID, slot: RoostRecords.Slot, rules: [CompiledRule]) {
      (self.property, self.bit, self.field, self.slot, self.rules) = (property, bit, field, slot, rules)
    }
  }

  /// A value that breaks a rule.
  package struct Breach: Sendable {
    package let property: Int
    package let rule: ValueRule
    package let value: Value
    /// What is wrong, as a clause.
    package let detail: String
  }

  package let entries: [Entry]
  /// The bits of all properties with rules.
  package let bits: UInt64

  package init(_ entries: [Entry]) {
    self.entries = entries
    bits = entries.reduce(0) { $0 | $1.bit }
  }

  /// The rules that the row at hand breaks, in the order of the properties.
  ///
  /// - Parameter mask: the bits of the properties that are written; others are not tested.
  package func breaches(_ builder: borrowing RowBuilder, _ mask: UInt64 = .max) -> [Breach] {
    if mask & bits == 0 { return [] }
    var found: [Breach] = []
    for entry in entries where mask & entry.bit != 0 { add(entry, builder, to: &found) }
    return found
  }

  private func add(_ entry: Entry, _ builder: borrowing RowBuilder, to found: inout [Breach]) {
    // What is stored outside of a row was not set.
    guard let value = builder.value(entry.slot) else { return }
    for one in entry.rules {
      guard let fault = one.shownFault(value) else { continue }
      found.append(Breach(property: entry.property, rule: one.rule, value: value, detail: fault))
    }
  }
}
