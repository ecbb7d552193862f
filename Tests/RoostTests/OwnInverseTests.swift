import RoostTestSupport
import SwiftData
import Testing

@Suite struct OwnInverseTests {
  @Test func `friends reference each other, before and after a save`() throws {
    let container = try Town.container()
    do {
      let context = ModelContext(container)
      let (ann, bob, cem) = (Person("Ann"), Worker("Bob"), Person("Cem"))
      ann.friends = [bob]
      context.insert(ann)
      #expect(bob.modelContext === context && bob.friends.map(\.name) == ["Ann"])
      cem.friends.append(ann)
      context.insert(cem)
      #expect(ann.friends.map(\.name) == ["Bob", "Cem"])
      try context.save()
      bob.friends.append(cem)
      #expect(cem.friends.map(\.name) == ["Ann", "Bob"])
      try context.save()
    }
    let context = ModelContext(container)
    func person(_ name: String) throws -> Person {
      try #require(try context.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.name == name })).first)
    }
    let ann = try person("Ann")
    // The lists of the others are not loaded when this one changes.
    ann.friends.removeAll { $0.name == "Bob" }
    try context.save()
    #expect(try person("Bob").friends.map(\.name) == ["Cem"] && person("Cem").friends.map(\.name) == ["Ann", "Bob"])
    context.delete(try person("Cem"))
    #expect(ann.friends.isEmpty)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Person>()).allSatisfy { $0.friends.isEmpty })
  }

  @Test func `a spouse has one spouse`() throws {
    let container = try Town.container()
    let context = ModelContext(container)
    let all = ["a", "b", "c", "d"].map { Person($0) }
    all[0].spouse = all[1]
    for one in all { context.insert(one) }
    #expect(all[1].spouse === all[0])
    all[2].spouse = all[3]
    try context.save()
    all[0].spouse = all[2]
    #expect(all.map { $0.spouse?.name } == ["c", nil, "a", nil])
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.spouse?.name } == ["c", nil, "a", nil])
    found[0].spouse = found[0]
    #expect(found.map { $0.spouse?.name } == ["a", nil, nil, nil])
    found[0].spouse = found[3]
    #expect(found.map { $0.spouse?.name } == ["d", nil, nil, "a"])
    other.delete(found[3])
    #expect(found[0].spouse == nil)
    try other.save()
    #expect(found[0].spouse == nil)
  }

  @Test func `a delete rule follows a cycle`() throws {
    let context = ModelContext(try Town.container())
    let all = (0..<6).map { Worker("\($0)") }
    for one in all { context.insert(one) }
    for number in 0..<4 { all[number].helpers.append(all[(number + 1) % 4]) }
    try context.save()
    context.delete(all[2])
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Worker>()).map(\.name).sorted() == ["4", "5"])
  }

  @Test(arguments: [ModelContext.MergePolicy.storeWins, .objectWins, .overwrite])
  func `two contexts that marry the same person leave all with one spouse`(
    _ policy: ModelContext.MergePolicy
  ) throws {
    let container = try Town.container()
    let (one, two) = (ModelContext(container), ModelContext(container))
    for name in ["a", "b", "c", "d"] { one.insert(Person(name)) }
    try one.save()
    let byName = FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])
    let (here, there) = (try one.fetch(byName), try two.fetch(byName))
    two.mergePolicy = policy
    here[0].spouse = here[1]
    there[2].spouse = there[1]
    try one.save()
    try two.save()
    for context in [two, ModelContext(container)] {
      let all = try context.fetch(byName)
      #expect(all.allSatisfy { $0.spouse == nil || $0.spouse?.spouse === $0 }, "\(all.map { $0.spouse?.name })")
      #expect(all.filter { $0.spouse != nil }.count == 2)
    }
  }

  @Test(arguments: 0..<20) func `two contexts at random leave both sides equal`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let container = try Town.container()
    let contexts = [ModelContext(container), ModelContext(container)]
    for number in 0..<6 { contexts[0].insert(number % 2 == 0 ? Person("\(number)") : Worker("\(number)")) }
    try contexts[0].save()
    let byName = FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])
    let people = try contexts.map { try $0.fetch(byName) }
    contexts[1].mergePolicy = generator.chance(1, in: 2) ? .storeWins : .objectWins
    for step in 0..<40 {
      let place = generator.below(2)
      let (one, other) = (people[place][generator.below(6)], people[place][generator.below(6)])
      switch generator.below(6) {
      case 0, 1: one.spouse = other
      case 2: one.spouse = nil
      case 3: if !one.friends.contains(where: { $0 === other }) { one.friends.append(other) }
      case 4: one.friends.removeAll { $0 === other }
      default: try contexts[place].save()
      }
      if step % 8 < 7 { continue }
      for context in contexts { try context.save() }
      for context in contexts + [ModelContext(container)] {
        for one in try context.fetch(byName) {
          #expect(one.spouse.map { $0.spouse === one } ?? true, "seed \(seed), step \(step), \(one.name)")
          for friend in one.friends {
            let isBack = friend.friends.contains { $0 === one }
            #expect(isBack, "seed \(seed), step \(step), \(one.name), \(friend.name)")
          }
        }
      }
    }
  }

  @Test func `an invalid mutual relationship is refused`() {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Lonely.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect("\(error as Any)".contains("Lonely.other cannot be mutual"))
  }

  @Test(arguments: 0..<30) func `people at random`(_ seed: UInt64) throws {
    var play = try TownPlay(seed)
    for step in 0..<40 { try play.step("seed \(seed), step \(step)") }
  }
}

/// People who make friends and marry at random, compared with plain lists of names.
private struct TownPlay {
  private var generator: SplitMix64
  private let container: ModelContainer
  private var context: ModelContext
  private var people: [String: Person] = [:]
  private var friends: [String: [String]] = [:]
  private var spouses: [String: String] = [:]
  private var lastNumber = 0

  init(_ seed: UInt64) throws {
    generator = SplitMix64(seed: seed)
    container = try Town.container()
    context = ModelContext(container)
    for _ in 0..<6 { insert() }
  }

  private mutating func any() -> (name: String, object: Person) {
    let names = people.keys.sorted()
    let name = names[generator.below(names.count)]
    return (name, people[name]!)
  }

  private mutating func insert() {
    lastNumber += 1
    let name = "p\(lastNumber)"
    let made = generator.chance(1, in: 2) ? Person(name) : Worker(name)
    if lastNumber > 3, generator.chance(1, in: 2) {
      let (other, object) = any()
      made.friends = [object]
      friends[name] = [other]
      friends[other]?.append(name)
    } else {
      friends[name] = []
    }
    people[name] = made
    context.insert(made)
  }

  private mutating func change() {
    let (name, object) = any()
    let (otherName, other) = any()
    switch generator.below(10) {
    case 0, 1, 2:
      if friends[name]!.contains(otherName) { return }
      object.friends.append(other)
      friends[name]?.append(otherName)
      if name != otherName { friends[otherName]?.append(name) }
    case 3, 4:
      object.friends.removeAll { $0 === other }
      friends[name]?.removeAll { $0 == otherName }
      friends[otherName]?.removeAll { $0 == name }
    case 5:
      let list = people.keys.sorted().shuffled(using: &generator).prefix(generator.below(5)).map { $0 }
      for one in friends[name]! where !list.contains(one) { friends[one]?.removeAll { $0 == name } }
      for one in list where one != name && !friends[name]!.contains(one) { friends[one]?.append(name) }
      friends[name] = list
      object.friends = list.map { people[$0]! }
    case 6, 7:
      divorce(name)
      divorce(otherName)
      spouses[name] = otherName
      spouses[otherName] = name
      object.spouse = other
    case 8:
      divorce(name)
      object.spouse = nil
    default:
      if people.count < 5 || generator.chance(1, in: 2) { return insert() }
      context.delete(object)
      divorce(name)
      for one in friends.keys { friends[one]?.removeAll { $0 == name } }
      friends[name] = nil
      people[name] = nil
    }
  }

  private mutating func divorce(_ name: String) {
    if let partner = spouses[name] { spouses[partner] = nil }
    spouses[name] = nil
  }

  mutating func step(_ story: String) throws {
    for _ in 0..<1 + generator.below(4) { change() }
    if generator.chance(1, in: 3) { check(story + ", before") }
    if generator.chance(1, in: 3) { try context.save() }
    check(story)
    if generator.chance(1, in: 6) {
      try context.save()
      context = ModelContext(container)
      people = [:]
      for one in try context.fetch(FetchDescriptor<Person>()) { people[one.name] = one }
      if generator.chance(1, in: 2) { check(story + ", reopened") }
    }
  }

  /// Checks half of them only, so that the lists of others are not loaded.
  private mutating func check(_ story: String) {
    let isHalf = generator.chance(1, in: 2)
    for (name, object) in people.sorted(by: { $0.key < $1.key }) where !isHalf || generator.chance(1, in: 2) {
      #expect(object.friends.map(\.name).sorted() == friends[name]!.sorted(), "\(story), \(name)")
      #expect(object.spouse?.name == spouses[name], "\(story), \(name)")
    }
  }
}
