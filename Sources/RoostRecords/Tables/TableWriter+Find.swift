/// Finds rows while the transaction writes.
extension TableWriter {
  /// The row that now has these values in a unique index; nil if there is none.
  ///
  /// Waiting changes of the index are searched without being applied, so that searches between
  /// changes do not apply them one by one.
  package func row(unique name: String, _ values: [Value]) throws -> RowID? {
    try tables.check(generation)
    guard let index = indexes.first(where: { $0.isUnique && $0.index.name == name }) else {
      throw RecordFault(.unknown, "there is no unique index named \(name)", entity: entity.name)
    }
    var key = ByteBuffer()
    try entity.append(values, of: index.index, to: &key)
    if let row = try index.row(of: key.bytes) { return row }
    // A key ends with the row's number if a text was cut or a part is nil. Such keys are found in
    // the tree only.
    return values.contains { mayBeCut($0, index.index) } ? try reading.row(unique: name, values) : nil
  }

  private func mayBeCut(_ value: Value, _ index: Index) -> Bool {
    switch value {
    case .string(let text), .url(let text): text.utf8.count >= index.textBytes / 4
    case .data(let bytes): bytes.count >= index.textBytes / 4
    default: false
    }
  }
}
