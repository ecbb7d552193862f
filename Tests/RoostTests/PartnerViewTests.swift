import RoostTestSupport
import SwiftData
import Testing

/// A context with unsaved changes shows one partner for each model, whatever other contexts save.
@Suite struct PartnerViewTests {
  private let container: ModelContainer
  private let (here, there): (ModelContext, ModelContext)

  init() throws {
    container = try makeFirms()
    (here, there) = (ModelContext(container), ModelContext(container))
    for number in 0..<5 {
      here.insert(Sailor("\(number)"))
      here.insert(Cabin(number))
    }
    try here.save()
  }

  private func sailors(_ context: ModelContext) throws -> [Sailor] {
    try context.fetch(FetchDescriptor<Sailor>(sortBy: [SortDescriptor(\.name)]))
  }

  private func cabins(_ context: ModelContext) throws -> [Cabin] {
    try context.fetch(FetchDescriptor<Cabin>(sortBy: [SortDescriptor(\.number)]))
  }

  /// The cabin of each sailor, after both sides were compared.
  private func berths(_ context: ModelContext, _ comment: Comment = "") throws -> [String: Int] {
    let (sailors, cabins) = (try sailors(context), try cabins(context))
    for sailor in sailors {
      if let cabin = sailor.cabin { #expect(cabin.sailor === sailor, "\(comment), cabin \(cabin.number)") }
    }
    for cabin in cabins {
      if let sailor = cabin.sailor { #expect(sailor.cabin === cabin, "\(comment), sailor \(sailor.name)") }
      let number = cabin.number
      let found = try context.fetch(FetchDescriptor<Sailor>(predicate: #Predicate { $0.cabin?.number == number }))
      #expect(found.map(\.name) == sailors.filter { $0.cabin === cabin }.map(\.name), "\(comment), fetch \(number)")
    }
    return Dictionary(uniqueKeysWithValues: sailors.compactMap { one in one.cabin.map { (one.name, $0.number) } })
  }

  @Test func `a partner that another context moved is shown as it was set here`() throws {
    let (mine, theirs) = (try sailors(here), try sailors(there))
    mine[0].cabin = try cabins(here)[0]
    theirs[1].cabin = try cabins(there)[0]
    try there.save()
    #expect(try berths(here) == ["0": 0])
    #expect(mine[1].cabin == nil)
    here.rollback()
    #expect(try berths(here) == ["1": 0])
    #expect(mine[1].cabin?.number == 0)
  }

  @Test func `a model that another context moved has the partner that was set here`() throws {
    let (mine, theirs) = (try sailors(here), try sailors(there))
    let free = try cabins(here)[1]
    #expect(free.sailor == nil)
    mine[0].cabin = try cabins(here)[0]
    theirs[0].cabin = try cabins(there)[1]
    try there.save()
    #expect(try berths(here) == ["0": 0])
    #expect(free.sailor == nil)
    try here.save()
    #expect(try berths(here) == ["0": 0])
    #expect(try berths(ModelContext(container)) == ["0": 0])
  }

  @Test func `a model without a partner here has none until the save`() throws {
    let mine = try sailors(here)
    mine[0].cabin = try cabins(here)[0]
    try here.save()
    mine[0].cabin = nil
    try sailors(there)[1].cabin = try cabins(there)[0]
    try there.save()
    #expect(try berths(here).isEmpty)
    try here.save()
    // The cabin was changed here last, and it is empty.
    #expect(try berths(here).isEmpty)
    #expect(try berths(ModelContext(container)).isEmpty)
  }

  @Test func `a setter sets the partner that another context set too`() throws {
    let mine = try sailors(here)
    let cabin = try cabins(here)[0]
    mine[0].cabin = cabin
    try sailors(there)[1].cabin = try cabins(there)[0]
    try there.save()
    #expect(try berths(here) == ["0": 0])
    mine[1].cabin = cabin
    #expect(mine[0].cabin == nil && cabin.sailor === mine[1])
    #expect(try berths(here) == ["1": 0])
    try here.save()
    #expect(try berths(here) == ["1": 0])
    #expect(try berths(ModelContext(container)) == ["1": 0])
  }

  @Test func `two friends agree, whatever another context saves`() throws {
    let container = try Town.container()
    let (here, there) = (ModelContext(container), ModelContext(container))
    for name in ["a", "b", "c"] { here.insert(Person(name)) }
    try here.save()
    let byName = FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])
    let (mine, theirs) = (try here.fetch(byName), try there.fetch(byName))
    mine[0].spouse = mine[1]
    theirs[2].spouse = theirs[0]
    try there.save()
    here.processPendingChanges()
    #expect(mine[0].spouse === mine[1] && mine[1].spouse === mine[0] && mine[2].spouse == nil)
    here.rollback()
    #expect(mine[0].spouse === mine[2] && mine[1].spouse == nil && mine[2].spouse === mine[0])
  }

  @Test(arguments: UInt64(1)...80) func `by seed, both sides agree after each step`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    here.mergePolicy = random.chance(1, in: 3) ? .storeWins : .objectWins
    /// By sailor, the cabin that was set here; nil for none.
    var chosen: [String: Int?] = [:]
    func change(_ context: ModelContext) throws -> String? {
      let (sailor, cabin) = (try sailors(context)[random.below(5)], try cabins(context)[random.below(5)])
      switch random.below(4) {
      case 0: sailor.cabin = nil
      case 1: cabin.sailor = nil
      case 2: cabin.sailor = sailor
      default: sailor.cabin = cabin
      }
      return sailor.cabin === cabin ? sailor.name : nil
    }
    for step in 0..<60 {
      let comment: Comment = "seed \(seed), step \(step)"
      switch random.below(10) {
      case 0:
        try here.save()
        chosen = [:]
        let fresh = ModelContext(container)
        #expect(try berths(here, comment) == berths(fresh, comment))
      case 1:
        here.rollback()
        chosen = [:]
        #expect(try berths(here, comment) == berths(ModelContext(container), comment))
      case 2...5:
        let before = try berths(here, comment)
        let named = try change(here)
        let after = try berths(here, comment)
        for one in (0..<5).map(String.init) where one == named || before[one] != after[one] {
          chosen[one] = .some(after[one])
        }
      default:
        _ = try change(there)
        try there.save()
        let shown = try berths(here, comment)
        for (sailor, cabin) in chosen { #expect(shown[sailor] == cabin, "\(comment): sailor \(sailor)") }
      }
    }
  }
}
