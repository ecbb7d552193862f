import RoostDoorTrials
import SwiftData
import Synchronization
import Testing

/// Regression: for a model with more than 63 properties, one context set `p70` and saved, then
/// another set `p75` and saved. `p70` then had its old value again, although its save had
/// succeeded. Properties from the 64th on share a bit, and were written together.
@Suite struct BroadModelTests {
  private let container: ModelContainer
  private let (here, there): (ModelContext, ModelContext)

  init() throws {
    container = try ModelContainer(for: Broad.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    (here, there) = (ModelContext(container), ModelContext(container))
    here.insert(Broad())
    for name in ["a", "b"] { here.insert(BroadOwner(name)) }
    try here.save()
  }

  private func wide(_ context: ModelContext) throws -> Broad {
    try #require(try context.fetch(FetchDescriptor<Broad>()).first)
  }

  private func owner(_ name: String, _ context: ModelContext) throws -> BroadOwner {
    try #require(try context.fetch(FetchDescriptor<BroadOwner>(predicate: #Predicate { $0.name == name })).first)
  }

  @Test(arguments: ModelContext.MergePolicy.allCases.filter { $0 != .overwrite }, [false, true])
  func `different properties are all kept`(policy: ModelContext.MergePolicy, fetches: Bool) throws {
    here.mergePolicy = policy
    let (mine, yours) = (try wide(here), try wide(there))
    mine.p66 = 66
    mine.note = "mine"
    mine.spare = BroadPlace(x: 1, name: "s")
    mine.p10 = 10
    yours.p68 = 68
    yours.title = "yours"
    yours.place = BroadPlace(x: 2, name: nil)
    yours.owner = try owner("a", there)
    yours.p11 = 11
    try there.save()
    if fetches { _ = try wide(here) }
    try here.save()
    #expect(here.lastSave.conflicts.isEmpty)
    for context in [here, ModelContext(container)] {
      let stored = try wide(context)
      #expect(stored.p66 == 66 && stored.note == "mine" && stored.spare == BroadPlace(x: 1, name: "s"))
      #expect(stored.p68 == 68 && stored.title == "yours" && stored.place == BroadPlace(x: 2, name: nil))
      #expect(stored.p10 == 10 && stored.p11 == 11 && stored.owner?.name == "a")
      #expect(try owner("a", context).wides.count == 1)
    }
  }

  @Test func `one property is a conflict, and the others merge`() throws {
    for policy in ModelContext.MergePolicy.allCases {
      here.mergePolicy = policy
      let (mine, yours) = (try wide(here), try wide(there))
      let base = mine.p64
      mine.p64 = base + 1
      mine.p65 = base + 1
      yours.p64 = base + 2
      yours.p69 = base + 2
      try there.save()
      if policy == .error {
        let error = #expect(throws: RoostError.self) { try here.save() }
        #expect(error?.faults.map(\.property) == ["p64"])
        here.rollback()
        continue
      }
      try here.save()
      #expect(here.lastSave.conflicts.map(\.property) == ["p64"])
      let stored = try wide(ModelContext(container))
      #expect(stored.p64 == base + (policy == .storeWins ? 2 : 1), "\(policy)")
      #expect(stored.p65 == base + 1, "\(policy)")
      // The whole model as it is here, including properties that were not changed here.
      #expect(stored.p69 == (policy == .overwrite ? base : base + 2), "\(policy)")
      mine.p64 = 10
      mine.p65 = 10
      mine.p69 = 10
      try here.save()
    }
  }

  @Test func `a change that was read in between is the base of the next change`() throws {
    here.mergePolicy = .error
    let (mine, yours) = (try wide(here), try wide(there))
    mine.p10 = 1
    yours.p65 = 5
    try there.save()
    _ = try wide(here)
    mine.p65 += 1
    try here.save()
    #expect(try wide(ModelContext(container)).p65 == 6)
  }

  /// A save writes the properties that share a bit together, and one of them may hold a default in
  /// place of a stored value.
  @Test func `a stored value that its type rejects stays when a neighbour is set`() throws {
    try wide(here).mood = BroadMood(rawValue: "sad")
    try here.save()
    for (number, isRead) in [(5, false), (6, true)] {
      BroadMood.takesSad.store(false, ordering: .relaxed)
      defer { BroadMood.takesSad.store(true, ordering: .relaxed) }
      let context = ModelContext(container)
      let other = try wide(context)
      if isRead { #expect(other.mood == nil) }
      other.p66 = number
      try context.save()
      BroadMood.takesSad.store(true, ordering: .relaxed)
      let stored = try wide(ModelContext(container))
      #expect(stored.p66 == number && stored.mood?.rawValue == "sad")
    }
  }

  @Test func `a reference that another context set to a deleted owner is not followed back`() throws {
    let mine = try wide(here)
    mine.owner = try owner("a", here)
    try here.save()
    let yours = try wide(there)
    here.automaticallyMergesChanges = false
    mine.p65 = 1
    yours.owner = try owner("b", there)
    try there.save()
    there.delete(try owner("a", there))
    try there.save()
    try here.save()
    let stored = try wide(ModelContext(container))
    #expect(stored.p65 == 1 && stored.owner?.name == "b")
  }
}
