internal import RoostRecords

/// Tests which indexes find the rows that refer to a row.
enum Related {
  /// Whether an index contains every row that refers to another by the field, in the order of the
  /// references.
  static func serves(_ index: IndexReader, _ field: FieldID) -> Bool {
    index.isWhole && !index.isPartial && index.firstField == field && index.firstForm == .value && !index.hasElements
  }
}
