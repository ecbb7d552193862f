import Synchronization

/// Runs one writer and some readers concurrently on one store.
enum MixedWork {
  struct Result {
    let writeMilliseconds: Double
    let reads: Int
    let isRight: Bool
  }

  /// The writer adds its tracks and ends the measurement; readers read until then, at least one
  /// snapshot each.
  static func run(_ store: any LibraryStore, _ answers: LibraryAnswers) throws -> Result {
    let added = answers.size..<answers.size + answers.size / 5
    let questions = Questions(answers.chunks)
    let (_, results) = try Crew.time(1 + RowsOperation.mixedReaders) { member in
      let session = try store.session()
      try member == 0 ? session.prepareInserts() : session.prepare()
      return session
    } work: { member, session -> Part in
      if member > 0 { return try questions.ask(session, member) }
      defer { questions.isOver.store(true, ordering: .releasing) }
      return Part(
        milliseconds: try Stopwatch.time { try session.insert(added, perTransaction: RowsOperation.mixedRows) })
    } tidy: { session in
      session.close()
    }
    return Result(
      writeMilliseconds: results[0].milliseconds, reads: results.reduce(0) { $0 + $1.reads },
      isRight: results.allSatisfy(\.isRight))
  }

  private struct Part: Sendable {
    var milliseconds = 0.0
    var reads = 0
    var isRight = true
  }

  private final class Questions: Sendable {
    private let chunks: [(asked: [UInt64], sum: UInt64)]
    let isOver = Atomic(false)

    init(_ chunks: [(asked: [UInt64], sum: UInt64)]) {
      self.chunks = chunks
    }

    func ask(_ session: any LibrarySession, _ member: Int) throws -> Part {
      var part = Part()
      var next = member * chunks.count / (RowsOperation.mixedReaders + 1)
      repeat {
        let chunk = chunks[next]
        if try session.sum(rows: chunk.asked) != chunk.sum { part.isRight = false }
        part.reads += chunk.asked.count
        next = next + 1 < chunks.count ? next + 1 : 0
      } while !isOver.load(ordering: .acquiring)
      return part
    }
  }
}
