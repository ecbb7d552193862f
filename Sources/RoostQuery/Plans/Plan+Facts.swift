internal import RoostRecords

/// The work that a plan did, as values for callers that do not show text.
extension Plan {
  package struct Facts: Sendable {
    /// The indexes that it reads.
    package var indexes: [String] = []
    /// The test of each row; nil if there is none.
    package var test: String?
    /// Whether the access yields the query's order without sorting.
    package var comesSorted = true
  }

  /// The number of rows that it read, including the rows whose order it followed.
  package var rowsRead: Int { tally.rows + (followed?.rowsRead ?? 0) }
  /// The number of index entries that it read, including those of the followed plan.
  package var entriesRead: Int { tally.entries + (followed?.entriesRead ?? 0) }

  private var followed: Plan? {
    if case .following(let following) = access { following.passing.inner } else { nil }
  }

  package var facts: Facts {
    var facts = Facts()
    facts.comesSorted = direction != nil
    facts.test = residual.map { Describer(ground.catalog, entity.id).text($0.expression) }
    Self.name(access, &facts.indexes)
    return facts
  }

  private static func name(_ access: Access, _ names: inout [String]) {
    switch access {
    case .nothing, .all, .rows: return
    case .single(_, let reader): names.append(reader.index.name)
    case .index(let use): names.append(use.index.index.name)
    case .searched(let answer), .ranked(let answer): names.append(answer.reader.index.name)
    case .through(let passing):
      names.append(passing.index.index.name)
      name(passing.inner.access, &names)
    case .following(let following):
      name(following.passing.inner.access, &names)
      names.append(following.passing.index.index.name)
    case .either(let branches), .both(let branches): for branch in branches { name(branch.access, &names) }
    case .filtered(let base, let filter):
      name(base.access, &names)
      names.append(filter.name)
    }
  }
}

extension RowFilter {
  /// The name of its index.
  var name: String {
    switch self {
    case .index(let use): use.index.index.name
    case .search(let answer): answer.reader.index.name
    }
  }
}
