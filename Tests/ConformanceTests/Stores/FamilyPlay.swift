#if canImport(Roost)
  import Foundation
  import SwiftData

  /// Random changes of a context, its child and that child's child, to models of several classes.
  ///
  /// The children read a part of the models before each change. A child without changes must show
  /// the models of its parent, and at the end the store has them too.
  struct FamilyPlay {
    private let container: ModelContainer
    /// A context, its child and that child's child.
    private var contexts: [ModelContext]
    private var random: RandomSource
    private var next = 0
    /// The changes, for a failure.
    private(set) var story: [String] = []
    /// The first difference between a parent and its child, or between the first context and the store.
    private(set) var difference: String?

    init(seed: UInt64, _ container: ModelContainer) throws {
      self.container = container
      random = RandomSource(seed)
      let first = ModelContext(container)
      contexts = [first]
      for _ in 0..<5 {
        let craft = newCraft()
        first.insert(craft)
        let sailor = Sailor("s\(next)")
        first.insert(sailor)
        sailor.home = craft
      }
      for name in ["p", "q"] { first.insert(Port(name)) }
      try first.save()
      try renew()
      for _ in 0..<10 where difference == nil {
        if random.next(below: 4) == 0, !contexts[1].hasChanges, !contexts[2].hasChanges { try renew() }
        for _ in 0...random.next(below: 3) { try change() }
        let last = random.next(below: 5)
        for number in last > 2 ? [2, 1, 0] : [last] { try save(number) }
        for number in 0..<2 where !contexts[number + 1].hasChanges {
          try compare(contexts[number], contexts[number + 1], "\(number + 1)")
        }
      }
      for number in [2, 1, 0] { try save(number) }
      try compare(ModelContext(container), first, "the store")
    }

    /// Makes children that have loaded nothing.
    private mutating func renew() throws {
      story.append("new children")
      let child = try ModelContext(parent: contexts[0])
      contexts = [contexts[0], child, try ModelContext(parent: child)]
    }

    private mutating func save(_ number: Int) throws {
      story.append("\(number) saves")
      do { try contexts[number].save() } catch let error as RoostError
        where [.denied, .conflict, .deleted].contains(error.code)
      {
        story.append("threw \(error)")
        contexts[number].rollback()
      }
    }

    // MARK: Showing

    private static func facts(_ craft: Craft?) -> String {
      craft.map { "\($0.facts) \($0.persistentModelID.entityName)" } ?? "-"
    }

    private func sailors(_ context: ModelContext) throws -> [Sailor] {
      try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Sailor.name)]))
    }

    private func ports(_ context: ModelContext) throws -> [Port] {
      try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Port.name)]))
    }

    private func crafts(_ context: ModelContext) throws -> [Craft] {
      try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Craft.name)]))
    }

    private func content(_ context: ModelContext) throws -> [String] {
      let (sailors, ports, crafts) = (try sailors(context), try ports(context), try crafts(context))
      return sailors.map { "\($0.name) \(Self.facts($0.home)) \($0.crafts.map(Self.facts))" }
        + ports.map { "\($0.name) \(Self.facts($0.flagship)) \($0.crafts.map(Self.facts))" }
        + crafts.map { "\(Self.facts($0)) \($0.port?.name ?? "-") \(Self.facts($0.tows)) \(Self.facts($0.towedBy))" }
    }

    private mutating func compare(_ one: ModelContext, _ other: ModelContext, _ name: String) throws {
      if difference != nil { return }
      let (one, other) = (try content(one), try content(other))
      if one != other { difference = "\(name): \(Set(one).symmetricDifference(other).sorted())" }
    }

    // MARK: Changes

    private mutating func newCraft() -> Craft {
      next += 1
      return switch random.next(below: 4) {
      case 0: Craft("c\(next)", weight: next)
      case 1: Boat("c\(next)", weight: next, oars: next)
      case 2: Ferry("c\(next)", weight: next, cars: next)
      default: Barge("c\(next)", weight: next, load: Double(next))
      }
    }

    /// Loads some models.
    private mutating func read(_ context: ModelContext) throws {
      switch random.next(below: 5) {
      case 0: for sailor in try sailors(context) { _ = sailor.home?.weight }
      case 1: for port in try ports(context) { _ = port.crafts.first?.name }
      case 2: for boat in try context.fetch(FetchDescriptor<Boat>()) { _ = boat.tows?.name }
      case 3:
        let heavy = #Predicate<Sailor> { ($0.home?.weight ?? 0) > 4 }
        for sailor in try context.fetch(FetchDescriptor(predicate: heavy)) { _ = sailor.crafts.last?.name }
      default: break
      }
    }

    private mutating func change() throws {
      let number = random.next(below: 3)
      let context = contexts[number]
      try read(context)
      let kind = random.next(below: 12)
      let sailors = try sailors(context)
      let crafts = try random.next(below: 2) == 0 ? sailors.compactMap(\.home) : crafts(context)
      guard let sailor = sailors.randomElement(using: &random),
        let port = try ports(context).randomElement(using: &random),
        let craft = crafts.randomElement(using: &random), let other = crafts.randomElement(using: &random)
      else { return }
      story.append("\(number) \(kind): \(sailor.name) \(port.name) \(craft.name) \(other.name)")
      next += 1
      switch kind {
      case 0: sailor.home = craft
      case 1: craft.weight = next
      case 2: (craft as? Boat)?.oars = next
      case 3: craft.port = random.next(below: 3) == 0 ? nil : port
      case 4: port.flagship = craft as? Boat
      case 5: if craft !== other { craft.tows = other }
      case 6: if !sailor.crafts.contains(craft) { sailor.crafts.append(craft) }
      case 7: sailor.crafts.removeAll { $0 === craft }
      case 8: if crafts.count > 3 { context.delete(craft) }
      case 9:
        let new = newCraft()
        context.insert(new)
        new.port = port
        sailor.home = new
      case 10: if !port.crafts.contains(craft) { port.crafts.append(craft) }
      default:
        let new = Sailor("s\(next)")
        context.insert(new)
        new.home = craft
        new.crafts = [craft]
      }
    }
  }
#endif
