#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The transaction of one chunk of an import: its copies and statements.
  struct BulkTransaction {
    let copies: [Copy]
    private let late: (statements: [Int], numbers: Set<Int>)
    private(set) var statements: [Statement]
    /// A zone that it writes.
    let zone: String
    /// A new number, so that contexts of this container treat the import as a save of another
    /// program.
    let client: UUIDNumber

    init(_ work: inout BulkWork, _ copies: [Copy]) throws {
      self.copies = copies.filter { $0.count > 0 }
      statements = try work.statements()
      late = (work.lateStatements, work.lateNumbers)
      zone = work.lines.first?.key.zone ?? work.chunk.late.first?.owner.zone ?? ""
      let (notes, store) = (work.notes(), work.store)
      client = store.keys.next()
      if store.configuration.historyDays == nil || notes.isEmpty { return }
      if store.changes.isDistributed, Set(notes.map(\.zone)).count > 1 { statements.append(store.changes.holding) }
      statements.append(
        store.changes.insertion(
          notes, id: store.keys.next(), client: client, author: work.chunk.author,
          after: store.stage?.note(notes.count) ?? 0))
    }

    /// The late references that were not set, because other programs changed the rows.
    func unset(_ answers: [Answer]) -> [Int] {
      // If the commit was found out about after a lost connection, there are no answers.
      guard answers.count >= statements.count else { return [] }
      var left = late.numbers
      for statement in late.statements {
        let answer = answers[statement]
        for row in 0..<answer.count { if let number = answer.integer(row, 0) { left.remove(Int(number)) } }
      }
      return left.sorted()
    }

    var isEmpty: Bool { copies.isEmpty && statements.isEmpty }

    /// The error that the importing program gets for an error of the server.
    func error(_ fault: ServerFault) -> any Error {
      switch fault.state {
      case "22012":
        RoostError(
          .conflict, "another program deleted a row that is imported again: import again", underlyingError: fault)
      default: SaveWork.error(fault)
      }
    }
  }
#endif
