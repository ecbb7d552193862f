package import RoostRecords

/// Shows a former state of a store of rows, and compares it with a model.
package struct RowRewind {
  /// The number of states that were shown.
  package private(set) var shown = 0
  /// The number of states after which the catalog changed.
  package private(set) var crossed = 0
  /// The number of states that the history no longer contains.
  package private(set) var refused = 0

  package init() {}

  /// The error in the shown state after a commit; nil if it is right.
  package mutating func complaint(_ store: RecordStore, commit: Int, _ state: RowState) throws -> String? {
    let token = try store.read { try $0.token(behind: UInt64(commit)) }
    // This part of the history was removed, and `token(behind:)` returned a later place.
    guard token.transaction == UInt64(commit) else { return nil }
    let then: RecordStore
    do { then = try store.rewound(to: token) } catch let fault as RecordFault where fault.code == .expired {
      refused += 1
      return nil
    }
    defer { try? then.close() }
    shown += 1
    if try state.catalog != store.read({ $0.catalog.encoded }) { crossed += 1 }
    let difference = try then.read { reader in
      let found = try RowState(reader)
      return found.difference(from: Self.shown(state, reader, beside: found))
    }
    if let difference { return "commit \(commit), gone back to: \(difference)" }
    // The history continues to the present, so it names other rows.
    let finding = try RowAudit.findings(then).first { $0.kind != .history }
    return finding.map { "commit \(commit), gone back to: \($0.description)" }
  }

  /// A former state with the present fields and settings.
  private static func shown(_ state: RowState, _ reader: RecordReader, beside found: RowState) -> RowState {
    var state = state
    let fields = reader.catalog.entity("Item")?.fields ?? []
    state.tables["Item"] = (state.tables["Item"] ?? [:]).mapValues { row in
      Dictionary(uniqueKeysWithValues: fields.map { ($0.name, row[$0.name] ?? $0.initial ?? .null) })
    }
    state.tables.merge(found.tables.mapValues { _ in [:] }) { known, _ in known }
    state.lists.merge(found.lists.mapValues { _ in [:] }) { known, _ in known }
    (state.catalog, state.mode, state.consumers) = (found.catalog, found.mode, found.consumers)
    return state
  }
}
