package import RoostRecords

/// Tests the rules of all properties of one class on a row under construction.
package final class RuleCheck: Sendable {
  /// The rules of one property.
  package struct Entry: Sendable {
    package let property: Int
    /// The bit that tells whether a write sets the property.
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
    /// The error, as a clause.
    package let detail: String
  }

  package let entries: [Entry]
  /// The bits of all properties with rules.
  package let bits: UInt64
  /// The bits of the properties with a pattern.
  package let patternBits: UInt64

  package init(_ entries: [Entry]) {
    self.entries = entries
    bits = entries.reduce(0) { $0 | $1.bit }
    patternBits = entries.reduce(0) { bits, entry in
      entry.rules.contains { $0.hasPattern } ? bits | entry.bit : bits
    }
  }

  /// The rules that the row breaks, in the order of the properties.
  ///
  /// - Parameters:
  ///   - builder: the row.
  ///   - mask: the bits of the properties that are written; others are not tested.
  ///   - matches: known results of matching texts with patterns.
  package func breaches(
    _ builder: borrowing RowBuilder, _ mask: UInt64 = .max, matches: RuleMatches? = nil
  ) -> [Breach] {
    if mask & bits == 0 { return [] }
    var found: [Breach] = []
    for entry in entries where mask & entry.bit != 0 { add(entry, builder, to: &found, matches: matches) }
    return found
  }

  /// Matches the row's written texts.
  func note(_ builder: borrowing RowBuilder, _ mask: UInt64, in matches: RuleMatches) {
    for entry in entries where mask & entry.bit & patternBits != 0 {
      guard let value = builder.value(entry.slot) else { continue }
      for one in entry.rules { one.note(value, in: matches) }
    }
  }

  private func add(
    _ entry: Entry, _ builder: borrowing RowBuilder, to found: inout [Breach], matches: RuleMatches?
  ) {
    // Nil if the value is stored outside the row. This write did not set such a value.
    guard let value = builder.value(entry.slot) else { return }
    for one in entry.rules {
      guard let fault = one.shownFault(value, matches: matches) else { continue }
      found.append(Breach(property: entry.property, rule: one.rule, value: value, detail: fault))
    }
  }
}
