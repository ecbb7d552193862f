import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Lists of rows, compared with plain arrays: links with both orders, one or none, repeating or
/// not, and children by reference with an order, through savepoints, crashes and reopenings.
@Suite struct LinkModelTests {
  /// The content of the store, as arrays.
  struct Model: Equatable {
    var owners: Set<RowID> = []
    var targets: [RowID: RowID?] = [:]
    /// Numbers of targets that were reserved and are not used yet.
    var reserved: [RowID] = []
    /// By relationship and owner; the inverse of links in `backward`.
    var forward: [String: [RowID: [RowID]]] = [:]
    var backward: [String: [RowID: [RowID]]] = [:]
    /// Owners whose children's order is written.
    var written: Set<RowID> = []

    func children(_ owner: RowID) -> [RowID] { forward["children"]?[owner] ?? [] }

    mutating func setChildren(_ rows: [RowID], of owner: RowID) {
      forward["children", default: [:]][owner] = rows.isEmpty ? nil : rows
      if rows.isEmpty { written.remove(owner) }
    }

    /// Makes a target reference another owner, where it comes last, or none.
    mutating func lead(_ target: RowID, to owner: RowID?) {
      let before = targets[target] ?? nil
      if let before, before != owner { setChildren(children(before).filter { $0 != target }, of: before) }
      targets[target] = .some(owner)
      guard let owner, before != owner else { return }
      if let greatest = children(owner).max(), greatest > target { written.insert(owner) }
      setChildren(children(owner) + [target], of: owner)
    }

    mutating func forget(_ target: RowID) {
      lead(target, to: nil)
      targets[target] = nil
    }
  }

  /// The number of times that a list of children was in each form, and changed from one form to the
  /// other.
  struct Census: Equatable {
    var plain = 0
    var written = 0
    var begun = 0
    var ended = 0

    mutating func count(_ before: Model, _ after: Model) {
      let owners = after.owners.filter { after.children($0).count > 1 }
      written += owners.count { after.written.contains($0) }
      plain += owners.count { !after.written.contains($0) }
      begun += after.written.subtracting(before.written).count
      ended += before.written.subtracting(after.written).intersection(owners).count
    }
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
        let tree = forward.lists.tree.root.count
        #expect(tree == UInt64(links * (kind.order && kind.inverseOrder ? 3 : 2)), "\(context) \(kind.name)")
      }
      let children = try reader.links("children", of: "Owner")
      let others = try reader.links("others", of: "Owner")
      let table = try reader.table("Target")
      var kept: UInt64 = 0
      var walk = try MemberWalk(children)
      for owner in model.owners {
        let wanted = model.forward["children"]?[owner] ?? []
        #expect(try children.rows(of: owner) == wanted, "\(context) children of \(owner.number)")
        #expect(try children.count(of: owner) == wanted.count)
        var walked: [RowID] = []
        try walk.begin(owner)
        while let row = try walk.next() { walked.append(row) }
        #expect(walked == wanted, "\(context) children of \(owner.number)")
        let isWritten = try children.order?.holds(owner) ?? false
        #expect(isWritten == model.written.contains(owner), "\(context) children of \(owner.number)")
        if isWritten { kept += UInt64(wanted.count) }
        if let last = wanted.last {
          #expect(try children.row(at: wanted.count - 1, of: owner) == last)
          #expect(try children.contains(last, in: owner) && children.position(of: last, in: owner) == wanted.count - 1)
        }
        for child in wanted { #expect(try table.values(child)?["parent"] == .reference(owner)) }
        let plain = try others.rows(of: owner)
        #expect(plain == plain.sorted())
        for row in plain { #expect(try table.values(row)?["plain"] == .reference(owner)) }
      }
      for (target, parent) in model.targets {
        #expect(try table.values(target)?["parent"] == parent.map { .reference($0) } ?? .null, "\(context)")
      }
      #expect(children.order?.tree.root.count ?? 0 == kept * 2, "\(context)")
    }
  }

  // MARK: Changes

  private static func change(_ writer: RecordWriter, _ model: inout Model, _ generator: inout SplitMix64) throws {
    let owners = model.owners.sorted()
    let targets = model.targets.keys.sorted()
    let choice = generator.below(17)
    if choice == 0 || owners.isEmpty {
      model.owners.insert(try writer.table("Owner").insert(["name": .string("o")]))
      return
    }
    let owner = owners[generator.below(owners.count)]
    if choice < 3 || targets.isEmpty {
      let parent: RowID? = generator.chance(1, in: 2) ? owner : nil
      model.lead(try insert(parent, owner, writer, &model, &generator), to: parent)
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
      model.forget(target)
      for kind in kinds {
        for owner in owners { model.forward[kind.name]?[owner]?.removeAll { $0 == target } }
        model.backward[kind.name]?[target] = nil
      }
    case 4:
      // From the other side, at the end of both lists.
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
        // Which of several links is removed is not specified, so the rest is read back.
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
      // A link that stays keeps its place in the other side's lists, unless links may repeat.
      for row in list where kind.repeats || !wanted.contains(row) {
        model.backward[kind.name]![row]!.removeAll { $0 == owner }
      }
      model.forward[kind.name, default: [:]][owner] = kind.repeats ? [] : list.filter { wanted.contains($0) }
      for row in wanted where kind.repeats || !list.contains(row) {
        #expect(link(&model, number, owner, row, at: nil))
      }
      model.forward[kind.name]![owner] = wanted
    default:
      try changeChildren(of: owner, target, targets, writer, &model, &generator)
    }
  }

  /// Some targets get numbers that were reserved before those of others.
  private static func insert(
    _ parent: RowID?, _ plain: RowID, _ writer: RecordWriter, _ model: inout Model, _ generator: inout SplitMix64
  ) throws -> RowID {
    let table = try writer.table("Target")
    var builder = table.makeBuilder()
    try builder.set(table.slot("name"), .string("t"))
    try builder.set(table.slot("parent"), parent.map { .reference($0) } ?? .null)
    try builder.set(table.slot("plain"), .reference(plain))
    guard writer.tables.numbers != nil, generator.chance(1, in: 2) else { return try table.insert(&builder) }
    if model.reserved.isEmpty {
      for _ in 0..<1 + generator.below(6) { model.reserved.append(try table.newNumber()) }
    }
    let row = model.reserved.remove(at: generator.below(model.reserved.count))
    try table.insert(&builder, as: row)
    return row
  }

  /// The children and their order.
  private static func changeChildren(
    of owner: RowID, _ target: RowID, _ targets: [RowID], _ writer: RecordWriter, _ model: inout Model,
    _ generator: inout SplitMix64
  ) throws {
    let children = try writer.links("children", of: "Owner")
    var list = model.children(owner)
    func replace(_ wanted: [RowID]) throws {
      try children.replace(wanted, of: owner)
      for row in list where !wanted.contains(row) { model.lead(row, to: nil) }
      for row in wanted { model.lead(row, to: owner) }
      if model.children(owner) == wanted { return }
      if wanted == wanted.sorted() { model.written.remove(owner) } else { model.written.insert(owner) }
      model.setChildren(wanted, of: owner)
    }
    switch generator.below(10) {
    case 0:
      let place = generator.chance(1, in: 2) ? generator.below(list.count + 1) : list.count
      if list.contains(target) { return }
      #expect(try children.insert(target, at: place, in: owner))
      model.lead(target, to: owner)
      if place == list.count { return }
      list.insert(target, at: place)
      model.written.insert(owner)
      model.setChildren(list, of: owner)
    case 1:
      guard list.count > 1 else { return }
      let (from, to) = (generator.below(list.count), generator.below(list.count))
      try children.move(from: from, to: to, in: owner)
      if from == to { return }
      list.insert(list.remove(at: from), at: to)
      model.written.insert(owner)
      model.setChildren(list, of: owner)
    case 2:
      try writer.table("Target").update(target, ["parent": .null])
      model.lead(target, to: nil)
    case 3, 4:
      // Independent of its former owner.
      try writer.table("Target").update(target, ["parent": .reference(owner)])
      model.lead(target, to: owner)
    case 5, 6:
      // In the order of their numbers: then no order needs to be written.
      let some = model.written.sorted().randomElement(using: &generator)
      if let some, some != owner { return try sort(some, children, &model) }
      try replace(list.sorted())
    case 7:
      if generator.chance(1, in: 2) { return }
      try children.removeAll(of: owner)
      for row in list { model.lead(row, to: nil) }
    case 8:
      guard let last = list.indices.randomElement(using: &generator) else { return }
      #expect(try children.remove(at: last, from: owner) == list[last])
      model.lead(list[last], to: nil)
    default:
      var wanted = targets.filter { _ in generator.chance(1, in: 4) }
      if generator.chance(1, in: 2) { wanted.shuffle(using: &generator) }
      try replace(wanted)
    }
  }

  private static func sort(_ owner: RowID, _ children: LinkWriter, _ model: inout Model) throws {
    let wanted = model.children(owner).sorted()
    try children.replace(wanted, of: owner)
    if model.children(owner) != wanted { model.written.remove(owner) }
    model.setChildren(wanted, of: owner)
  }

  /// Deletes an owner with its links; its children stay without a parent.
  private static func delete(_ owner: RowID, _ writer: RecordWriter, _ model: inout Model) throws {
    #expect(try writer.table("Owner").deleteFollowingRules(owner).rows.count == 1)
    model.owners.remove(owner)
    for kind in kinds {
      model.forward[kind.name]?[owner] = nil
      for target in model.targets.keys { model.backward[kind.name]?[target]?.removeAll { $0 == owner } }
    }
    for child in model.children(owner) { model.lead(child, to: nil) }
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
    // Some changes of a step may be in flight when it crashes, so the next model is allowed too.
    try crashes.play(steps, from: 1, stride: 5)
    let policy = CrashPolicy(exhaustiveUpTo: 0, ofEach: 1, randoms: 2, garbage: 1, seed: seed)
    var looked = 0
    let images = try crashes.examine(policy) { store, acknowledged, context in
      let rows = try store.read { reader in (try reader.table("Owner").count, try reader.table("Target").count) }
      let changes = try store.read { $0.commit }
      // The first step made the catalog, and each commit has the next number.
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
    // In some plays, numbers are reserved before the rows are written.
    let reserves = seed % 2 == 0
    var store = try RecordStore("/a.roost", options: Self.options(), reservesRows: reserves, fileSystem: fileSystem)
    try store.write { try $0.change { $0 = try Self.catalog() } }
    var model = Model()
    var census = Census()
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
        census.count(model, next)
        model = next
      } catch is Stop {}
      if generator.chance(1, in: 5) {
        model.reserved = []
        if generator.chance(1, in: 2) {
          try store.close()
        } else {
          // All unsynced data is lost.
          fileSystem = fileSystem.crashPoint().image(CrashChoice.none)
          fileSystem.recordsSteps = false
        }
        store = try RecordStore("/a.roost", options: Self.options(), reservesRows: reserves, fileSystem: fileSystem)
      }
      if round % 10 == 9 { try Self.check(store, model, "seed \(seed), round \(round)") }
    }
    try store.close()
    #expect(census.plain > 20 && census.written > 20 && census.begun > 5 && census.ended > 0, "\(census)")
  }
}
