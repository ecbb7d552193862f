import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Lists of rows against plain arrays: links with both orders, one or none, repeating or not, and children by reference with an
/// order, through savepoints, crashes and reopenings.
@Suite struct LinkModelTests {
  /// What is in the store, as arrays.
  struct Model: Equatable {
    var owners: Set<RowID> = []
    var targets: [RowID: RowID?] = [:]
    var nextOwner: UInt64 = 1
    var nextTarget: UInt64 = 1
    /// By relationship and owner; the inverse of links in `backward`.
    var forward: [String: [RowID: [RowID]]] = [:]
    var backward: [String: [RowID: [RowID]]] = [:]
  }

  /// Name, ordered, inverse ordered, repeating.
  static let kinds: [(name: String, order: Bool, inverseOrder: Bool, repeats: Bool)] = [
    ("both", true, true, false), ("bag", true, true, true), ("list", true, false, false), ("rows", true, false, true),
    ("tags", false, false, false), ("back", false, true, false),
  ]

  static func catalog() throws -> RoostRecords.Catalog {
    var catalog = RoostRecords.Catalog()
    let owner = try catalog.add(entity: "Owner") { (entity) throws(RecordFault) in try entity.add("name", .string) }
    try catalog.add(entity: "Target") { (entity) throws(RecordFault) in
      try entity.add("name", .string)
      try entity.add("parent", .reference(owner), isOptional: true)
      try entity.add("plain", .reference(owner), isOptional: true)
    }
    for kind in kinds {
      try catalog.add(
        links: .init(kind.name, isOrdered: kind.order), of: "Owner", to: "Target",
        inverse: .init("of " + kind.name, isOrdered: kind.inverseOrder), repeats: kind.repeats)
    }
    try catalog.add(reference: "parent", of: "Target", inverse: .init("children", isOrdered: true))
    try catalog.add(reference: "plain", of: "Target", inverse: .init("others"))
    return catalog
  }

  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    options.segmentBytes = 32768
    options.logBytes = 60_000
    options.draftBytes = 100 * 4096
    options.fanoutLimit = 8
    return options
  }

  // MARK: The model's own rules

  private static func link(_ model: inout Model, _ kind: Int, _ owner: RowID, _ target: RowID, at place: Int?) -> Bool {
    let kind = kinds[kind]
    var list = model.forward[kind.name]?[owner] ?? []
    if !kind.repeats, list.contains(target) { return false }
    list.insert(target, at: place ?? list.count)
    model.forward[kind.name, default: [:]][owner] = kind.order ? list : list.sorted()
    var back = model.backward[kind.name]?[target] ?? []
    back.append(owner)
    model.backward[kind.name, default: [:]][target] = kind.inverseOrder ? back : back.sorted()
    return true
  }

  private static func check(_ store: RecordStore, _ model: Model, _ context: String, verifies: Bool = true) throws {
    let complaints = verifies ? try store.complaints() : []
    #expect(complaints == [], "\(context)")
    try store.read { reader in
      for kind in kinds {
        let (forward, backward) = (
          try reader.links(kind.name, of: "Owner"), try reader.links("of " + kind.name, of: "Target")
        )
        for owner in model.owners {
          let wanted = model.forward[kind.name]?[owner] ?? []
          let found = try forward.rows(of: owner)
          #expect(found == wanted, "\(context) \(kind.name) of \(owner.number)")
          #expect(try forward.count(of: owner) == wanted.count)
          if let last = wanted.last {
            #expect(try forward.row(at: wanted.count - 1, of: owner) == last)
            #expect(try forward.contains(last, in: owner) && backward.contains(owner, in: last))
            if !kind.repeats { #expect(try forward.position(of: last, in: owner) == wanted.count - 1) }
          }
        }
        for target in model.targets.keys {
          let found = try backward.rows(of: target)
          #expect(found == model.backward[kind.name]?[target] ?? [], "\(context) \(kind.name) at \(target.number)")
        }
        let links = model.forward[kind.name]?.values.reduce(0) { $0 + $1.count } ?? 0
        let tree = forward.tree.root.count
        #expect(tree == UInt64(links * (kind.order && kind.inverseOrder ? 3 : 2)), "\(context) \(kind.name)")
      }
      let children = try reader.links("children", of: "Owner")
      let others = try reader.links("others", of: "Owner")
      let table = try reader.table("Target")
      var kept: UInt64 = 0
      for owner in model.owners {
        let wanted = model.forward["children"]?[owner] ?? []
        #expect(try children.rows(of: owner) == wanted, "\(context) children of \(owner.number)")
        for child in wanted { #expect(try table.values(child)?["parent"] == .reference(owner)) }
        let plain = try others.rows(of: owner)
        #expect(plain == plain.sorted())
        for row in plain { #expect(try table.values(row)?["plain"] == .reference(owner)) }
      }
      for (target, parent) in model.targets {
        #expect(try table.values(target)?["parent"] == parent.map { .reference($0) } ?? .null, "\(context)")
        if parent != nil { kept += 1 }
      }
      #expect(children.tree.root.count == kept * 2, "\(context)")
    }
  }

  // MARK: Changes

  private static func change(_ writer: RecordWriter, _ model: inout Model, _ generator: inout SplitMix64) throws {
    let owners = model.owners.sorted()
    let targets = model.targets.keys.sorted()
    let choice = generator.below(14)
    if choice == 0 || owners.isEmpty {
      let row = try writer.table("Owner").insert(["name": .string("o")])
      #expect(row.number == model.nextOwner)
      model.nextOwner += 1
      model.owners.insert(row)
      return
    }
    let owner = owners[generator.below(owners.count)]
    if choice < 3 || targets.isEmpty {
      let parent: RowID? = generator.chance(1, in: 2) ? owner : nil
      let row = try writer.table("Target").insert([
        "name": .string("t"), "parent": parent.map { .reference($0) } ?? .null, "plain": .reference(owner),
      ])
      model.nextTarget += 1
      model.targets[row] = .some(parent)
      if let parent { model.forward["children", default: [:]][parent, default: []].append(row) }
      return
    }
    let target = targets[generator.below(targets.count)]
    let number = generator.below(kinds.count)
    let kind = kinds[number]
    let links = try writer.links(kind.name, of: "Owner")
    let list = model.forward[kind.name]?[owner] ?? []
    switch choice {
    case 3:
      if generator.chance(2, in: 3) { return }
      if generator.chance(1, in: 4) { return try delete(owner, writer, &model) }
      try writer.table("Target").delete(target)
      if let parent = model.targets[target]! { model.forward["children"]?[parent]?.removeAll { $0 == target } }
      model.targets[target] = nil
      for kind in kinds {
        for owner in owners { model.forward[kind.name]?[owner]?.removeAll { $0 == target } }
        model.backward[kind.name]?[target] = nil
      }
    case 4:
      // From the other side, at the end of both.
      let back = try writer.links("of " + kind.name, of: "Target")
      let isNew = link(&model, number, owner, target, at: nil)
      #expect(try back.append(owner, to: target) == isNew)
    case 5...7:
      let place = kind.order && generator.chance(1, in: 2) ? generator.below(list.count + 1) : nil
      let isNew = link(&model, number, owner, target, at: place)
      #expect(try links.insert(target, at: place, in: owner) == isNew)
    case 8:
      guard !list.isEmpty else { return }
      let place = generator.below(list.count)
      let count = list.count { $0 == list[place] }
      if count > 1 {
        #expect(try links.remove(list[place], from: owner))
        // Which of several goes is not promised; what is left is read back.
        let left = try links.rows(of: owner)
        #expect(left.sorted() == (list.prefix(place) + list.dropFirst(place + 1)).sorted())
        model.forward[kind.name]![owner] = left
        model.backward[kind.name]![list[place]] = try writer.links("of " + kind.name, of: "Target").rows(
          of: list[place])
      } else {
        #expect(try links.remove(at: place, from: owner) == list[place])
        model.forward[kind.name]![owner]!.remove(at: place)
        model.backward[kind.name]![list[place]]!.removeAll { $0 == owner }
      }
    case 9:
      guard kind.order, list.count > 1 else { return }
      let (from, to) = (generator.below(list.count), generator.below(list.count))
      try links.move(from: from, to: to, in: owner)
      let row = model.forward[kind.name]![owner]!.remove(at: from)
      model.forward[kind.name]![owner]!.insert(row, at: to)
    case 10:
      if generator.chance(1, in: 2) { return }
      var wanted = targets.filter { _ in generator.chance(1, in: 3) }
      wanted.shuffle(using: &generator)
      if !kind.order { wanted.sort() }
      try links.replace(wanted, of: owner)
      // What stays keeps its place in the other side's lists, but for links that may repeat.
      for row in list where kind.repeats || !wanted.contains(row) {
        model.backward[kind.name]![row]!.removeAll { $0 == owner }
      }
      model.forward[kind.name, default: [:]][owner] = kind.repeats ? [] : list.filter { wanted.contains($0) }
      for row in wanted where kind.repeats || !list.contains(row) {
        #expect(link(&model, number, owner, row, at: nil))
      }
      model.forward[kind.name]![owner] = wanted
    default:
      // The children and their order.
      let children = try writer.links("children", of: "Owner")
      var list = model.forward["children"]?[owner] ?? []
      switch generator.below(4) {
      case 0:
        let place = generator.below(list.count + 1)
        if list.contains(target) { return }
        #expect(try children.insert(target, at: place, in: owner))
        if let old = model.targets[target]! { model.forward["children"]![old]!.removeAll { $0 == target } }
        list.insert(target, at: place)
        model.targets[target] = .some(owner)
      case 1:
        guard list.count > 1 else { return }
        let (from, to) = (generator.below(list.count), generator.below(list.count))
        try children.move(from: from, to: to, in: owner)
        list.insert(list.remove(at: from), at: to)
      case 2:
        try writer.table("Target").update(target, ["parent": .null])
        if let old = model.targets[target]! { model.forward["children"]![old]!.removeAll { $0 == target } }
        list.removeAll { $0 == target }
        model.targets[target] = .some(nil)
      default:
        var wanted = targets.filter { _ in generator.chance(1, in: 4) }
        wanted.shuffle(using: &generator)
        try children.replace(wanted, of: owner)
        for row in list { model.targets[row] = .some(nil) }
        for row in wanted {
          if let old = model.targets[row]! { model.forward["children"]![old]!.removeAll { $0 == row } }
          model.targets[row] = .some(owner)
        }
        list = wanted
      }
      model.forward["children", default: [:]][owner] = list
    }
  }

  /// An owner goes, with its links; its children stay without a parent.
  private static func delete(_ owner: RowID, _ writer: RecordWriter, _ model: inout Model) throws {
    #expect(try writer.table("Owner").deleteFollowingRules(owner).rows.count == 1)
    model.owners.remove(owner)
    for kind in kinds {
      model.forward[kind.name]?[owner] = nil
      for target in model.targets.keys { model.backward[kind.name]?[target]?.removeAll { $0 == owner } }
    }
    for child in model.forward["children"]?[owner] ?? [] { model.targets[child] = .some(nil) }
    model.forward["children"]?[owner] = nil
  }

  struct Stop: Error {}

  @Test(arguments: UInt64(1)...3) func `lists agree from both sides after a crash at any call`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let crashes = CrashEverywhere(Self.options())
    var models = [Model()]
    var steps: [(RecordStore) throws -> Void] = [
      { store in try store.write { try $0.change { $0 = try Self.catalog() } } }
    ]
    for _ in 0..<25 {
      steps.append { store in
        var next = models.last!
        try store.write { writer in
          for _ in 0..<8 { try Self.change(writer, &next, &generator) }
        }
        models.append(next)
      }
    }
    // Sometimes the changes of a step are still on the way when it crashes, so the next model must be there too.
    try crashes.play(steps, from: 1, stride: 5)
    let policy = CrashPolicy(exhaustiveUpTo: 0, ofEach: 1, randoms: 2, garbage: 1, seed: seed)
    var looked = 0
    let images = try crashes.examine(policy) { store, acknowledged, context in
      let rows = try store.read { reader in (try reader.table("Owner").count, try reader.table("Target").count) }
      let changes = try store.read { $0.commit }
      // The first step made the catalog, and each commit has the number after the one before.
      let number = Int(changes) - Int(crashes.firstCommit)
      #expect(number == acknowledged - 1 || number == acknowledged, "\(context)")
      let model = models[number]
      #expect(rows == (model.owners.count, model.targets.count), "\(context)")
      looked += 1
      try Self.check(store, model, "seed \(seed), \(context)", verifies: looked % 4 == 0)
    }
    #expect(images > 20)
  }

  @Test(arguments: UInt64(1)...8) func `lists agree with arrays from both sides, through crashes`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    try store.write { try $0.change { $0 = try Self.catalog() } }
    var model = Model()
    for round in 0..<60 {
      var next = model
      do {
        try store.write { writer in
          for _ in 0..<generator.below(14) { try Self.change(writer, &next, &generator) }
          if generator.chance(1, in: 4) {
            var inner = next
            let keeps = generator.chance(1, in: 2)
            do {
              try writer.savepoint {
                for _ in 0..<generator.below(8) { try Self.change(writer, &inner, &generator) }
                if !keeps { throw Stop() }
              }
              next = inner
            } catch is Stop {}
            for _ in 0..<generator.below(4) { try Self.change(writer, &next, &generator) }
          }
          if generator.chance(1, in: 6) { throw Stop() }
        }
        model = next
      } catch is Stop {}
      if generator.chance(1, in: 5) {
        if generator.chance(1, in: 2) {
          try store.close()
        } else {
          // Everything that is not synced is lost.
          fileSystem = fileSystem.crashPoint().image(CrashChoice.none)
          fileSystem.recordsSteps = false
        }
        store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
      }
      if round % 10 == 9 { try Self.check(store, model, "seed \(seed), round \(round)") }
    }
    try store.close()
  }
}
