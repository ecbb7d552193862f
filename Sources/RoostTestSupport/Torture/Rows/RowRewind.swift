package import RoostRecords

/// Goes back to a former state of a store of rows, and compares it with what a model knows of it.
package struct RowRewind {
  /// How many states were shown.
  package private(set) var shown = 0
  /// Those since which the catalog changed.
  package private(set) var crossed = 0
  /// Those that the history does not know any more.
  package private(set) var refused = 0

  package init() {}

  /// What is wrong with the state behind a commit, as it is shown; nil if nothing is.
  package mutating func complaint(_ store: RecordStore, commit: Int, _ state: RowState) throws -> String? {
    let token = try store.read { try $0.token(behind: UInt64(commit)) }
    // This part of the history was removed, and `token(behind:)` gave a later place.
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
    // The history goes on to today, so it tells of other rows.
    let finding = try RowAudit.findings(then).first { $0.kind != .history }
    return finding.map { "commit \(commit), gone back to: \($0.description)" }
  }

  /// A former state with the fields and the settings of today.
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
