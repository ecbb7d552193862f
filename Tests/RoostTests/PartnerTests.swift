import SwiftData
import Testing

/// Two contexts give one model two partners.
@Suite struct PartnerTests {
  private let container: ModelContainer
  private let (here, there): (ModelContext, ModelContext)

  init() throws {
    container = try makeFirms()
    (here, there) = (ModelContext(container), ModelContext(container))
    here.insert(Sailor("Ann"))
    try here.save()
    here.automaticallyMergesChanges = false
  }

  private func sailor(_ context: ModelContext) throws -> Sailor {
    try #require(try context.fetch(FetchDescriptor<Sailor>()).first)
  }

  /// The sailor in each cabin, by number.
  private func stored() throws -> [Int: String?] {
    let context = ModelContext(container)
    let all = try context.fetch(FetchDescriptor<Cabin>())
    for cabin in all { #expect(cabin.sailor.map { $0.cabin === cabin } != false) }
    return Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0.sailor?.name) })
  }

  /// Each context puts the sailor into its own cabin, which is new or stored.
  private func clash(isNew: Bool, _ policy: ModelContext.MergePolicy) throws -> (Sailor, Cabin) {
    if !isNew {
      for number in 1...2 { here.insert(Cabin(number)) }
      try here.save()
    }
    func cabin(_ number: Int, _ context: ModelContext) throws -> Cabin {
      let known = try context.fetch(FetchDescriptor<Cabin>(predicate: #Predicate { $0.number == number })).first
      if let known { return known }
      let made = Cabin(number)
      context.insert(made)
      return made
    }
    let (mine, own) = (try sailor(here), try cabin(1, here))
    let (theirs, other) = (try sailor(there), try cabin(2, there))
    own.sailor = mine
    other.sailor = theirs
    try there.save()
    here.mergePolicy = policy
    return (mine, own)
  }

  @Test(arguments: [false, true], [ModelContext.MergePolicy.objectWins, .overwrite])
  func `the last save wins, and the former partner has none`(
    isNew: Bool, policy: ModelContext.MergePolicy
  ) throws {
    let (mine, own) = try clash(isNew: isNew, policy)
    try here.save()
    #expect(mine.cabin === own && own.sailor === mine)
    #expect(try stored() == [1: "Ann", 2: nil])
    there.processPendingChanges()
    #expect(try sailor(there).cabin?.number == 1)
  }

  @Test(arguments: [false, true]) func `the store wins`(isNew: Bool) throws {
    let (mine, own) = try clash(isNew: isNew, .storeWins)
    try here.save()
    #expect(own.sailor == nil && mine.cabin?.number == 2)
    #expect(try stored() == [1: nil, 2: "Ann"])
  }

  @Test(arguments: [false, true]) func `the error policy refuses it`(isNew: Bool) throws {
    let (_, own) = try clash(isNew: isNew, .error)
    let error = #expect(throws: RoostError.self) { try here.save() }
    #expect(error?.code == .conflict, "\(String(describing: error))")
    #expect(error?.faults.contains { $0.model == own.persistentModelID && $0.property == "sailor" } == true)
    #expect(
      error?.description.contains("only one object may") == true && error?.description.contains("Sailor 1") == true)
    here.mergePolicy = .objectWins
    try here.save()
    #expect(try stored() == [1: "Ann", 2: nil])
  }

  @Test func `a model with a required partner keeps it`() throws {
    let captain = ModelContext(container)
    captain.automaticallyMergesChanges = false
    let mine = try #require(try captain.fetch(FetchDescriptor<Sailor>()).first)
    there.insert(Medal(2, try sailor(there)))
    try there.save()
    let own = Medal(1, mine)
    captain.insert(own)
    let error = #expect(throws: RoostError.self) { try captain.save() }
    #expect(error?.code == .denied && error?.faults.first?.model == own.persistentModelID)
    #expect(error?.faults.first?.property == "owner" && error?.faults.first?.others.count == 2)
    captain.rollback()
    #expect(own.owner === mine)
    try captain.save()
  }
}
