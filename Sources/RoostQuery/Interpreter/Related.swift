internal import RoostRecords

/// Which indexes lead from a row to those that refer to it.
enum Related {
  /// Whether an index has every row that refers to another by the field, in the order of what it refers to.
  static func serves(_ index: IndexReader, _ field: FieldID) -> Bool {
    index.isWhole && !index.isPartial && index.firstField == field && index.firstForm == .value && !index.hasElements
  }
}
