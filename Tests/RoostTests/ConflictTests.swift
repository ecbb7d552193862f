import SwiftData
import Testing

@Model final class Turnstile {
  var n = 0
  var m = 0
  var other: Turnstile?

  init() {}
}

/// Regression: two contexts each ran `n += 1` from the same base. Under `.error` both saves
/// succeeded and `n` was 1: the values were equal, and equal values were no conflict. Objects could
/// not count safely.
@Suite struct ConflictTests {
  private let container: ModelContainer
  private let (here, there): (ModelContext, ModelContext)

  init() throws {
    container = try ModelContainer(for: Turnstile.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    (here, there) = (ModelContext(container), ModelContext(container))
    here.insert(Turnstile())
    try here.save()
    here.mergePolicy = .error
    there.mergePolicy = .error
  }

  private func tally(_ context: ModelContext) throws -> Turnstile {
    try #require(try context.fetch(FetchDescriptor<Turnstile>(sortBy: [SortDescriptor(\.m, order: .reverse)])).first)
  }

  @Test(arguments: [false, true]) func `of two increments from one base the second is refused`(follows: Bool) throws {
    for context in [here, there] { context.automaticallyMergesChanges = follows }
    let (mine, yours) = (try tally(here), try tally(there))
    mine.n += 1
    yours.n += 1
    try there.save()
    // With a fetch in between, which moves to the other context's save.
    if follows { _ = try tally(here) }
    let error = #expect(throws: RoostError.self) { try here.save() }
    let fault = try #require(error?.faults.first)
    #expect(fault.code == .conflict && fault.property == "n" && error?.faults.count == 1)
    here.rollback()
    mine.n += 1
    try here.save()
    #expect(try tally(ModelContext(container)).n == 2)
  }

  @Test func `different properties still merge, and other policies allow equal values`() throws {
    let (mine, yours) = (try tally(here), try tally(there))
    mine.n += 1
    yours.m += 1
    try there.save()
    try here.save()
    let stored = try tally(ModelContext(container))
    #expect(stored.n == 1 && stored.m == 1)
    for policy in [ModelContext.MergePolicy.objectWins, .storeWins, .overwrite] {
      here.mergePolicy = policy
      mine.n += 1
      try tally(there).n += 1
      try there.save()
      try here.save()
      #expect(here.lastSave.conflicts.isEmpty)
    }
  }

  @Test func `a reference that two contexts set is a conflict, even to the same model`() throws {
    let other = Turnstile()
    here.insert(other)
    try here.save()
    let (mine, yours) = (try tally(here), try tally(there))
    func partner(_ context: ModelContext) throws -> Turnstile {
      let found: Turnstile? = try context.existingModel(for: other.persistentModelID)
      return try #require(found)
    }
    mine.other = try partner(here)
    yours.other = try partner(there)
    try there.save()
    let error = #expect(throws: RoostError.self) { try here.save() }
    #expect(error?.faults.first?.property == "other")
  }

  @Test func `increments that are repeated after a refusal all count`() throws {
    let contexts = (0..<5).map { _ in ModelContext(container) }
    for context in contexts { context.mergePolicy = .error }
    var refusals = 0
    for _ in 0..<20 {
      for context in contexts { try tally(context).n += 1 }
      for context in contexts {
        while true {
          do {
            try context.save()
            break
          } catch let error as RoostError {
            #expect(error.faults.map(\.code) == [.conflict])
            refusals += 1
            context.rollback()
            try tally(context).n += 1
          }
        }
      }
    }
    #expect(try tally(ModelContext(container)).n == 100 && refusals == 80)
  }
}
