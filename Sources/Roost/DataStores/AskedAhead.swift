internal import RoostGraph

/// The requests that the async form of a call sends to a store before the call runs.
///
/// The call runs on the context's actor, where it may not wait for a network. If it needs the
/// store, it throws ``NetworkWork``. The async form does that work on another thread and runs the
/// call again, until the call needs nothing more: see ``ModelContext/fetching(_:isolation:)``.
/// Meanwhile this object keeps the answers.
///
/// Unchecked because the actor uses it while the call runs, and the other thread while the async
/// form waits for that thread.
final class AskedAhead: @unchecked Sendable {
  /// A fetch or a count for a store.
  struct Wish: Sendable {
    private let descriptor: any Sendable & Equatable
    private let question: StoreQuestion?

    init<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, _ question: StoreQuestion?) {
      (self.descriptor, self.question) = (descriptor, question)
    }

    func isAnswered(by other: Wish) -> Bool {
      if let question { return other.question.map { question.isAnswered(by: $0) } ?? false }
      func isEqual<One: Equatable>(_ one: One) -> Bool { one == other.descriptor as? One }
      return isEqual(descriptor)
    }
  }

  var rows: [(wish: Wish, answer: SourceAnswer)] = []
  var counts: [(wish: Wish, answer: Int?)] = []
  private var loaded: Set<PersistentIdentifier> = []

  /// The requests of the call that a context is running; nil if the call itself may wait.
  static func current(_ context: any BackedContext) -> AskedAhead? {
    (context.owner as? ContextState)?.asked as? AskedAhead
  }
}

/// Work for the network that a call needs. It runs on a thread that may wait.
struct NetworkWork: Error {
  let set: WorkingSet
  let body: @Sendable () throws -> Void
}

extension AskedAhead? {
  /// Answers a request: with the kept answer, or without this object by a call of the store.
  func answer<Answer>(
    _ wish: AskedAhead.Wish, from set: WorkingSet,
    kept: any (ReferenceWritableKeyPath<AskedAhead, [(wish: AskedAhead.Wish, answer: Answer)]> & Sendable),
    _ ask: @escaping @Sendable () throws -> Answer
  ) throws -> Answer {
    guard let self else { return try ask() }
    if let known = self[keyPath: kept].first(where: { wish.isAnswered(by: $0.wish) }) { return known.answer }
    throw NetworkWork(set: set) { self[keyPath: kept].append((wish, try ask())) }
  }

  /// Loads the models that were not requested yet.
  func load(
    _ identifiers: [PersistentIdentifier], lists: Bool, from set: WorkingSet,
    _ ask: @escaping @Sendable ([PersistentIdentifier]) throws -> Void
  ) throws {
    guard let self else { return try ask(identifiers) }
    // Lists are requested only if they are missing.
    let wanted = lists ? identifiers : self.missing(identifiers)
    if wanted.isEmpty { return }
    throw NetworkWork(set: set) {
      try ask(wanted)
      self.note(wanted)
    }
  }
}

extension AskedAhead {
  fileprivate func missing(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier] {
    identifiers.filter { !loaded.contains($0) }
  }

  fileprivate func note(_ identifiers: [PersistentIdentifier]) { loaded.formUnion(identifiers) }
}
