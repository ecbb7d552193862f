internal import RoostGraph

/// What the async form of a call has asked a store before the call runs.
///
/// The call runs on the context's actor, where it may not wait for a network. Where it needs the store, it throws ``NetworkWork``. The
/// async form carries that out on another thread, and runs the call again, until the call needs nothing more: see
/// ``ModelContext/fetching(_:isolation:)``. This object keeps the answers meanwhile.
///
/// Unchecked because the actor uses it while the call runs, and the other thread while the async form waits for that thread.
final class AskedAhead: @unchecked Sendable {
  /// What a fetch or a count asks a store.
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

  /// What was asked ahead for the call that a context runs; nil if the call may wait itself.
  static func current(_ context: any BackedContext) -> AskedAhead? {
    (context.owner as? ContextState)?.asked as? AskedAhead
  }
}

/// What a call needs from the network. It is carried out on a thread that may wait.
struct NetworkWork: Error {
  let set: WorkingSet
  let body: @Sendable () throws -> Void
}

extension AskedAhead? {
  /// The answer to a wish: the one that is kept; without this object that of the store.
  func answer<Answer>(
    _ wish: AskedAhead.Wish, from set: WorkingSet,
    kept: any (ReferenceWritableKeyPath<AskedAhead, [(wish: AskedAhead.Wish, answer: Answer)]> & Sendable),
    _ ask: @escaping @Sendable () throws -> Answer
  ) throws -> Answer {
    guard let self else { return try ask() }
    if let known = self[keyPath: kept].first(where: { wish.isAnswered(by: $0.wish) }) { return known.answer }
    throw NetworkWork(set: set) { self[keyPath: kept].append((wish, try ask())) }
  }

  /// Loads those models that were not asked for yet.
  func load(
    _ identifiers: [PersistentIdentifier], lists: Bool, from set: WorkingSet,
    _ ask: @escaping @Sendable ([PersistentIdentifier]) throws -> Void
  ) throws {
    guard let self else { return try ask(identifiers) }
    // Lists are asked for only where they are missing.
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
