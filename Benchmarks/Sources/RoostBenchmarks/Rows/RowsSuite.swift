import Foundation

/// Rows with fields, indexes and references: the music library, without objects, or with objects if
/// the engine has them.
final class RowsSuite: Suite {
  let name: String
  let operations: [Operation]

  private let participants: [any LibraryEngine]
  private let scratch: Scratch
  private let pool: LibraryPool
  private var libraries: [Int: Library] = [:]
  private var answers: [Label: LibraryAnswers] = [:]
  /// The second result of a measurement with two results.
  private var mixedWrites: [String: Sample] = [:]

  private struct Label: Hashable {
    let size: Int
    let hasAlbums: Bool
  }

  init(
    _ participants: [any LibraryEngine], scratch: Scratch, name: String = "rows",
    operations: [RowsOperation] = RowsOperation.rows
  ) {
    self.name = name
    self.operations = operations.map(\.operation)
    self.participants = participants
    self.scratch = scratch
    pool = LibraryPool(scratch)
  }

  var engines: [(name: String, note: String)] {
    participants.map { ($0.name, $0.note) }
  }

  func takesPart(_ engine: String, in operation: String) -> Bool {
    let omits = participants.first { $0.name == engine }?.omits ?? []
    return !omits.contains { $0.rawValue == operation }
  }

  func finishSize() throws {
    try pool.clear()
    answers = [:]
    libraries = [:]
  }

  func measure(_ trial: Trial) throws -> Sample {
    guard let operation = RowsOperation(rawValue: trial.operation),
      let engine = participants.first(where: { $0.name == trial.engine })
    else {
      preconditionFailure("\(trial.engine) \(trial.operation) is not of this suite")
    }
    let answers = answers(operation == .love ? RowsOperation.loveSize : trial.size, engine)
    switch operation {
    case .importSynced, .importRelaxed, .importWhole, .importMillion, .importBatch, .single, .single8, .writers1,
      .writers2, .writers4, .writers8:
      return try fill(operation, engine, answers, trial)
    case .mixedReads, .mixedWrites: return try mixed(operation, engine, answers)
    case .playCounts, .playCountsTogether, .deletions, .deletionsTogether, .upsert, .children, .childrenAssigned:
      return try change(operation, engine, answers)
    case .save1, .save10, .save100: return try save(operation.savedTracks!, engine, answers)
    case .size: return try weigh(engine, answers)
    case .open: return try open(engine, answers)
    case .smallCache: return try scanThroughSmallCache(engine, answers)
    default: return try read(operation, engine, answers)
    }
  }

  private func answers(_ size: Int, _ engine: any LibraryEngine) -> LibraryAnswers {
    let label = Label(size: size, hasAlbums: engine.readsAlbums)
    if let known = answers[label] { return known }
    let library = libraries[size] ?? Library(size: size)
    libraries[size] = library
    let made = LibraryAnswers(library, hasAlbums: engine.readsAlbums)
    answers[label] = made
    return made
  }

  // MARK: Filling

  private func fill(
    _ operation: RowsOperation, _ engine: any LibraryEngine, _ answers: LibraryAnswers, _ trial: Trial
  ) throws -> Sample {
    let isRelaxed = operation == .importRelaxed || operation == .importMillion
    let volume = try LibraryVolume(engine, answers.library, isRelaxed ? .relaxed : .synced, in: scratch)
    do {
      try volume.session.addShelves()
      let milliseconds = try fill(operation, volume, answers)
      let isRight = try check(volume.session, answers, inOrder: operation != .single8 && operation.writers ?? 1 == 1)
      if trial.isLastRun && isRight && operation.operation.fixedSize == nil {
        try pool.keep(volume, engine, answers.size)
      } else {
        try volume.discard()
      }
      return Sample(milliseconds: milliseconds, isRight: isRight)
    } catch {
      try? volume.discard()
      throw error
    }
  }

  private func fill(_ operation: RowsOperation, _ volume: LibraryVolume, _ answers: LibraryAnswers) throws -> Double {
    let (session, size) = (volume.session, answers.size)
    switch operation {
    case .single: return try Stopwatch.time { try session.insertEach(0..<size) }
    case .single8:
      return try Self.crew(RowsOperation.singleThreads, of: volume.store) { member, session in
        let first = member * RowsOperation.commitsPerThread
        try session.insertEach(first..<first + RowsOperation.commitsPerThread)
      }
    case .writers1, .writers2, .writers4, .writers8:
      let share = size / operation.writers!
      return try Self.crew(operation.writers!, of: volume.store) { member, session in
        try session.insert(member * share..<(member + 1) * share, perTransaction: RowsOperation.writersRows)
      }
    case .importWhole: return try Stopwatch.time { try session.insert(0..<size, perTransaction: size) }
    case .importBatch: return try Stopwatch.time { try session.insertBatch(0..<size) }
    case .importMillion: return try Stopwatch.time { try session.insert(0..<size, perTransaction: 10_000) }
    default: return try Stopwatch.time { try session.insert(0..<size, perTransaction: 1_000) }
    }
  }

  /// The time of threads that insert tracks, each with its own session.
  private static func crew(
    _ count: Int, of store: any LibraryStore, work: @escaping @Sendable (Int, any LibrarySession) throws -> Void
  ) throws -> Double {
    try Crew.time(count) { _ in
      let session = try store.session()
      try session.prepareInserts()
      return session
    } work: { member, session in
      try work(member, session)
    } tidy: { session in
      session.close()
    }.milliseconds
  }

  /// Whether the store holds the library: its rows, and indexes that agree with them.
  private func check(_ session: any LibrarySession, _ answers: LibraryAnswers, inOrder: Bool) throws -> Bool {
    let digest = try session.scan()
    guard inOrder ? digest == answers.whole : digest.hasSameContent(as: answers.whole) else { return false }
    guard try session.indexCounts().allSatisfy({ $0 == answers.size }) else { return false }
    if let stored = try session.storedTracks() {
      let expected = LibraryAnswers(answers.library).whole
      guard inOrder ? stored == expected : stored.hasSameContent(as: expected) else { return false }
    }
    try session.prepare()
    guard try session.sum(ids: answers.ids.asked) == answers.ids.sum else { return false }
    return try !inOrder || session.dateOrder() == answers.wholeDateOrder
  }

  // MARK: Reading

  private func read(
    _ operation: RowsOperation, _ engine: any LibraryEngine, _ answers: LibraryAnswers
  ) throws -> Sample {
    let session = try pool.reader(engine, answers).session
    switch operation {
    case .byRow:
      let rows = answers.rows
      return try ask(rows.sum) { try session.sum(rows: rows.asked) }
    case .ids:
      let ids = answers.ids
      return try ask(ids.sum) { try session.sum(ids: ids.asked) }
    case .idsFirst:
      let ids = answers.ids
      return try ask(ids.sum) { try session.sumFirst(ids: ids.asked) }
    case .scan: return try ask(answers.whole) { try session.scan() }
    case .two: return try ask(answers.titlesAndDurations) { try session.titlesAndDurations() }
    case .firstByDate:
      return try ask(answers.firstByDate) { try session.firstByDate(queries: LibraryAnswers.dateQueries) }
    case .love: return try ask(answers.love) { try session.love(rounds: LibraryAnswers.loveRounds) }
    case .genreCounts: return try ask(answers.genreCounts) { try session.countGenres() }
    case .genreAverages:
      return try ask(answers.genreAverages) { try Self.again { try session.averageGenres() } }
    case .playSum: return try ask(answers.playSum) { try Self.again { try session.sumPlays() } }
    case .titlesJoined: return try ask(answers.albumTitles) { try session.albumTitlesJoined() }
    case .titlesOneByOne: return try ask(answers.albumTitles) { try session.albumTitlesOneByOne() }
    default: preconditionFailure("\(operation.rawValue) does not only read")
    }
  }

  private func scanThroughSmallCache(_ engine: any LibraryEngine, _ answers: LibraryAnswers) throws -> Sample {
    let small = try engine.limited(toCache: RowsOperation.smallCacheBytes)
    let volume = try pool.copy(small, answers, .relaxed)
    defer { try? volume.discard() }
    return try ask(answers.whole) { try volume.session.scan() }
  }

  private static func again<Value>(_ body: () throws -> Value) throws -> Value {
    for _ in 1..<LibraryAnswers.sumRounds { _ = try body() }
    return try body()
  }

  private func ask<Value: Equatable>(_ expected: Value, _ body: () throws -> Value) throws -> Sample {
    var value: Value?
    let milliseconds = try Stopwatch.time { value = try body() }
    return Sample(milliseconds: milliseconds, isRight: value == expected)
  }

  // MARK: Changing

  private func change(
    _ operation: RowsOperation, _ engine: any LibraryEngine, _ answers: LibraryAnswers
  ) throws -> Sample {
    let volume =
      operation == .children || operation == .childrenAssigned
      ? try LibraryVolume(engine, answers.library, .synced, in: scratch)
      : try pool.copy(engine, answers, operation == .upsert ? .relaxed : .synced)
    defer { try? volume.discard() }
    let session = volume.session
    switch operation {
    case .playCounts:
      let plays = answers.plays
      let milliseconds = try Stopwatch.time { try session.setPlayCounts(plays.changes) }
      return Sample(milliseconds: milliseconds, isRight: try session.scan() == plays.digest)
    case .playCountsTogether:
      let digest = answers.playsTogether
      let milliseconds = try Stopwatch.time { try session.addPlays() }
      return Sample(milliseconds: milliseconds, isRight: try session.scan() == digest)
    case .deletionsTogether:
      let digest = answers.deletionsTogether
      let milliseconds = try Stopwatch.time { try session.deleteGenre() }
      let isRight = try session.scan() == digest && holds(session, digest.count)
      return Sample(milliseconds: milliseconds, isRight: isRight)
    case .deletions:
      let deletions = answers.deletions
      let milliseconds = try Stopwatch.time { try session.deleteAlbums(deletions.albums) }
      let isRight = try session.scan() == deletions.digest && holds(session, deletions.digest.count)
      return Sample(milliseconds: milliseconds, isRight: isRight)
    case .upsert:
      let upserts = answers.upserts
      let milliseconds = try Stopwatch.time { try session.upsert(answers, perTransaction: 1_000) }
      let isRight = try session.scan().hasSameContent(as: upserts.digest) && holds(session, upserts.digest.count)
      return Sample(milliseconds: milliseconds, isRight: isRight)
    default:
      let children = answers.children
      try session.addParents(children.parents)
      let milliseconds = try Stopwatch.time {
        try operation == .children ? session.append(children.list) : session.assign(children.list)
      }
      return Sample(milliseconds: milliseconds, isRight: try session.childDigest() == children.digest)
    }
  }

  /// Measures one save in milliseconds.
  private func save(_ tracks: Int, _ engine: any LibraryEngine, _ answers: LibraryAnswers) throws -> Sample {
    let volume = try pool.copy(engine, answers, .synced)
    defer { try? volume.discard() }
    let session = volume.session
    try session.prepareInserts()
    let saves = RowsOperation.saves(of: tracks, size: answers.size)
    let added = answers.size..<answers.size + saves * tracks
    let milliseconds = try Stopwatch.time { try session.insert(added, perTransaction: tracks) }
    let isRight = try session.scan() == answers.digest(0..<added.upperBound) && holds(session, added.upperBound)
    return Sample(milliseconds: milliseconds / Double(saves), isRight: isRight)
  }

  private func holds(_ session: any LibrarySession, _ count: Int) throws -> Bool {
    try session.indexCounts().allSatisfy { $0 == count }
  }

  // MARK: Reading during writing

  private func mixed(
    _ operation: RowsOperation, _ engine: any LibraryEngine, _ answers: LibraryAnswers
  ) throws -> Sample {
    if operation == .mixedWrites, let half = mixedWrites.removeValue(forKey: engine.name) { return half }
    let volume = try pool.copy(engine, answers, .relaxed)
    defer { try? volume.discard() }
    let result = try MixedWork.run(volume.store, answers)
    let isRight = try result.isRight && volume.session.scan() == answers.digest(0..<answers.size + answers.size / 5)
    let writes = Sample(milliseconds: result.writeMilliseconds, isRight: isRight)
    let reads = Sample(
      milliseconds: result.writeMilliseconds * 100_000 / Double(max(result.reads, 1)), isRight: isRight)
    if operation == .mixedWrites { return writes }
    mixedWrites[engine.name] = writes
    return reads
  }

  // MARK: Opening

  private func open(_ engine: any LibraryEngine, _ answers: LibraryAnswers) throws -> Sample {
    let folder = try pool.restingCopy(engine, answers)
    defer { try? scratch.remove(folder) }
    return try Opening.ask(engine, folder, expecting: answers.firstTrack)
  }

  // MARK: Size

  private func weigh(_ engine: any LibraryEngine, _ answers: LibraryAnswers) throws -> Sample {
    let folder = try pool.folder(engine, answers)
    var bytes = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      bytes += try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int ?? 0
    }
    return Sample(milliseconds: Double(bytes) / 1_000_000, isRight: bytes > 0)
  }
}
