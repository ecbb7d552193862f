import Foundation
import SwiftData

/// Random changes of two contexts. They are saved one after the other, or the second context is a
/// child of the first. The stored models must be the same.
///
/// Or random changes, saves and rollbacks of a context, its child and that child's child. Each of them
/// must show the models of its parent.
///
/// The container has a second store with music, if the play is made `withMusic`.
struct ChildPlay {
  private typealias Named = (name: String, context: ModelContext)

  private var random: Random
  private let withMusic: Bool
  private let container: ModelContainer
  private let first: ModelContext
  private let second: ModelContext
  private var next = 100
  /// The changes, for a failure.
  private(set) var story: [String] = []
  /// Whether the first, and the second context could not save.
  private(set) var hasFailed = (first: false, second: false)
  /// The first difference between a parent and its child.
  private(set) var difference: String?

  init(seed: UInt64, isChild: Bool, withMusic: Bool = false) throws {
    try self.init(seed, isChild: isChild, withMusic)
    for _ in 0...random.next(4) { try change(second, "second") }
    for _ in 0...random.next(4) { try change(first, "first") }
    if isChild { hasFailed.second = !save(second) }
    hasFailed.first = !save(first)
    if !isChild { hasFailed.second = !save(second) }
  }

  /// Makes a play with a third context, which is a child of the second one.
  init(threeFrom seed: UInt64, withMusic: Bool = false) throws {
    try self.init(seed, isChild: true, withMusic)
    let third = try ModelContext(parent: second)
    let all: [Named] = [("first", first), ("second", second), ("third", third)]
    if random.next(2) == 0 { first.undoManager = UndoManager() }
    for _ in 0..<6 where difference == nil {
      for _ in 0...random.next(3) {
        let one = all[random.next(all.count)]
        try change(one.context, one.name)
      }
      try act(all)
      for (parent, child) in zip(all, all.dropFirst()) where difference == nil && !child.context.hasChanges {
        let (above, below) = (try content(parent.context), try content(child.context))
        if above != below {
          let lines = Set(above).symmetricDifference(below).sorted()
          difference = "\(child.name) differs from \(parent.name): \(lines)"
        }
      }
    }
  }

  private mutating func act(_ all: [Named]) throws {
    var saved: [Named] = []
    switch random.next(7) {
    case 0:
      story.append("first is rolled back")
      first.rollback()
    case 1 where first.undoManager != nil:
      story.append("first undoes")
      first.undoManager?.undo()
    case 2: saved = all.reversed()
    default: saved = [all[random.next(all.count)]]
    }
    for (name, context) in saved {
      story.append("\(name) saves")
      if !save(context) { context.rollback() }
    }
  }

  static func container(withMusic: Bool) throws -> ModelContainer {
    if !withMusic { return try Stock.container() }
    let stock = Schema([Ware.self, WareGroup.self, Part.self, WareLabel.self, Seal.self])
    return try ModelContainer(
      for: Schema([Ware.self, Artist.self]),
      configurations: [
        ModelConfiguration("stock", schema: stock, isStoredInMemoryOnly: true),
        ModelConfiguration("music", schema: Schema([Artist.self, Album.self]), isStoredInMemoryOnly: true),
      ])
  }

  private init(_ seed: UInt64, isChild: Bool, _ withMusic: Bool) throws {
    random = Random(seed: seed)
    self.withMusic = withMusic
    container = try Self.container(withMusic: withMusic)
    let context = ModelContext(container)
    let groups = (1...2).map { WareGroup("g\($0)") }
    let labels = (1...3).map { WareLabel("l\($0)") }
    for model in groups { context.insert(model) }
    for number in 1...4 {
      let ware = Ware("w\(number)", version: number, group: groups[number % 2])
      context.insert(ware)
      ware.parts = (1...3).map { Part("p\(number)\($0)") }
      ware.labels = Array(labels.prefix(number))
      if number < 4 { ware.seal = Seal(number) }
    }
    for number in 0..<(withMusic ? 3 : 0) {
      let artist = Artist("a\(number)")
      context.insert(artist)
      artist.albums = (1...2).map { Album("x\(number)\($0)") }
    }
    try context.save()
    first = ModelContext(container)
    second = try isChild ? ModelContext(parent: first) : ModelContext(container)
    let policy = random.next(5)
    for context in [first, second] {
      switch policy {
      case 0: context.uniquePolicy = .upsert
      case 1: context.uniquePolicy = .keepExisting
      case 2: context.uniquePolicy = .mergeNonNil
      case 3: try context.setUniquePolicy(.fields(\.title), for: Ware.self)
      default:
        try context.setUniquePolicy(
          .resolve { inserted, existing in
            inserted.count += existing.count
            return inserted.version % 2 == 0 ? .upsert : .keepExisting
          }, for: Ware.self)
      }
    }
    // The second context reads all of them before the first one changes them.
    for context in [first, second] { _ = try content(context) }
  }

  private mutating func save(_ context: ModelContext) -> Bool {
    do { try context.save() } catch {
      story.append("\(context === first ? "first" : "a later one") threw \(error)")
      return false
    }
    return true
  }

  /// The stored models.
  func stored() throws -> [String] { try content(ModelContext(container)) }

  private func content(_ context: ModelContext) throws -> [String] {
    try wares(context).map { ware in
      "\(ware.code) \(ware.title ?? "-") \(ware.count) \(ware.version) \(ware.group?.name ?? "-") \(ware.parts.map(\.name)) "
        + "\(ware.labels.map(\.text)) \(ware.seal?.number ?? 0)"
    }
      + groups(context).map { "\($0.name) \($0.wares.map(\.version))" }
      + parts(context).map { "\($0.name) \($0.ware?.version ?? 0)" }
      + labels(context).map { "\($0.text) \($0.wares.map(\.version))" }
      + seals(context).map { "\($0.number) \($0.ware?.version ?? 0)" }
      + (withMusic ? music(context) : [])
  }

  private func music(_ context: ModelContext) throws -> [String] {
    try artists(context).map { "\($0.name) \($0.address.number ?? 0) \($0.albums.map(\.title))" }
      + albums(context).map { "\($0.title) \($0.year) \($0.note ?? "-") \($0.artist?.name ?? "-")" }
  }

  // MARK: Models

  private func wares(_ context: ModelContext) throws -> [Ware] {
    try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.version)]))
  }

  private func groups(_ context: ModelContext) throws -> [WareGroup] {
    try context.fetch(FetchDescriptor<WareGroup>(sortBy: [SortDescriptor(\.name)]))
  }

  private func parts(_ context: ModelContext) throws -> [Part] {
    try context.fetch(FetchDescriptor<Part>(sortBy: [SortDescriptor(\.name)]))
  }

  private func labels(_ context: ModelContext) throws -> [WareLabel] {
    try context.fetch(FetchDescriptor<WareLabel>(sortBy: [SortDescriptor(\.text)]))
  }

  private func seals(_ context: ModelContext) throws -> [Seal] {
    try context.fetch(FetchDescriptor<Seal>(sortBy: [SortDescriptor(\.number)]))
  }

  private func artists(_ context: ModelContext) throws -> [Artist] {
    try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)]))
  }

  private func albums(_ context: ModelContext) throws -> [Album] {
    try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
  }

  private mutating func any<Model>(_ models: [Model]) -> Model? {
    models.isEmpty ? nil : models[random.next(models.count)]
  }

  private mutating func number() -> Int {
    next += 1
    return next
  }

  // MARK: Changes

  private mutating func change(_ context: ModelContext, _ name: String) throws {
    if withMusic, random.next(5) < 2 { return try changeMusic(context, name) }
    let kind = random.next(18)
    guard let ware = any(try wares(context)), let group = any(try groups(context)), let part = any(try parts(context)),
      let label = any(try labels(context)), let seal = any(try seals(context))
    else { return }
    story.append(
      "\(name) \(kind): ware \(ware.version), \(group.name), \(part.name), \(label.text), seal \(seal.number)")
    switch kind {
    case 0: ware.title = random.next(3) == 0 ? nil : "t\(number())"
    case 1: ware.count = number()
    case 2: ware.group = random.next(3) == 0 ? nil : group
    case 3: group.wares.reverse()
    case 4: ware.parts.reverse()
    case 5: ware.parts.insert(Part("p\(number())"), at: 0)
    case 6: part.ware = random.next(4) == 0 ? nil : ware
    case 7:
      if ware.labels.contains(label) { ware.labels.removeAll { $0 == label } } else { ware.labels.insert(label, at: 0) }
    case 8: label.wares.reverse()
    case 9: ware.seal = seal
    case 10: seal.ware = random.next(2) == 0 ? nil : ware
    case 11: ware.seal = Seal(number())
    case 12: delete([ware, group, part, label, seal], context)
    case 13, 14:
      // A save merges its inserted models last. So the first context inserts no code of a stored ware,
      // because the second one may have changed that ware.
      let code = context === first ? 5 + random.next(2) : 1 + random.next(6)
      let new = Ware("w\(code)", count: number(), version: number())
      if random.next(2) == 0 { new.title = "t\(new.version)" }
      story[story.count - 1] += " as \(new.version) \(new.code)"
      context.insert(new)
      switch random.next(5) {
      case 0: new.group = group
      case 1: new.parts = [Part("p\(number())"), part]
      case 2: new.labels = [label]
      case 3: new.seal = seal
      default: break
      }
    case 15: if !ware.parts.isEmpty { ware.parts.removeFirst() }
    case 16:
      let new = WareLabel("l\(number())")
      context.insert(new)
      new.wares = [ware]
    default:
      let new = Part("p\(number())")
      context.insert(new)
      new.ware = ware
    }
  }

  private mutating func changeMusic(_ context: ModelContext, _ name: String) throws {
    let kind = random.next(9)
    guard let artist = any(try artists(context)), let album = any(try albums(context)) else { return }
    story.append("\(name) music \(kind): \(artist.name), \(album.title)")
    switch kind {
    case 0: artist.address.number = number()
    case 1: album.year = number()
    case 2: album.note = random.next(3) == 0 ? nil : "n\(number())"
    case 3: album.artist = random.next(3) == 0 ? nil : artist
    case 4: artist.albums.reverse()
    case 5: if !artist.albums.contains(album) { artist.albums.append(album) }
    case 6: artist.albums.insert(Album("x\(number())"), at: 0)
    case 7: context.insert(Artist("a\(number())"))
    default: if random.next(3) == 0 { context.delete(artist) } else { context.delete(album) }
    }
  }

  private mutating func delete(_ models: [any PersistentModel], _ context: ModelContext) {
    let number = random.next(models.count)
    story[story.count - 1] += " deletes \(number)"
    context.delete(models[number])
  }
}
