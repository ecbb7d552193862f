import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Random graphs of new models, which reference each other and stored ones, and are given in any
/// order, some of them twice. A bulk insertion must store the same as single insertions and a save.
struct BatchGraphPlay {
  private let seed: UInt64
  private var generator: SplitMix64
  private var story = ""

  init(_ seed: UInt64) {
    self.seed = seed
    generator = SplitMix64(seed: seed)
  }

  private mutating func number(_ below: Int) -> Int { Int(generator.next() % UInt64(below)) }
  private mutating func isChosen(_ of: Int = 2) -> Bool { number(of) == 0 }

  /// How a relationship is set: from one side or both.
  private enum Side: CaseIterable { case near, far, both }

  private mutating func side() -> Side { Side.allCases[number(3)] }

  /// The contents of a store, or the code of the error.
  private func outcome(isBatch: Bool) throws -> (lines: [String], names: [String]) {
    var play = self
    let container = try Stock.container()
    let context = ModelContext(container)
    try play.fill(context)
    var names: [String] = []
    var wares: [Ware] = []
    // After a batch its models have no context. In a reference cycle they would keep the models
    // that they reference, and so the store.
    defer { for ware in wares where ware.modelContext == nil { ware.breakCircles() } }
    for _ in 0..<2 {
      let user = ModelContext(container)
      try play.choosePolicy(user)
      let (elements, links, made) = try play.makeGraph(user)
      wares += made
      if isBatch { names.append(play.story) }
      do {
        if isBatch {
          // A batch is of one class, and these are of several: each class is a batch of its own, in
          // this order.
          names += try insert(elements, links, user)
        } else {
          for run in elements {
            for one in run { user.insert(one) }
            for link in links where link.subject.modelContext != nil { link.make() }
            try user.save()
            names += run.map { Self.text($0.persistentModelID, user) }
          }
        }
      } catch let error as RoostError {
        names.append("\(error.code)")
        user.rollback()
      }
    }
    return (try Self.lines(container), names)
  }

  /// A link from a new model to a stored one. Setting it would insert the new model, so it is set
  /// after the batch has begun, or after the insertion.
  private struct StoredLink {
    let subject: any PersistentModel
    let make: () -> Void
  }

  private func insert(
    _ elements: [[any PersistentModel]], _ links: [StoredLink], _ user: ModelContext
  ) throws -> [String] {
    func insert<Model: PersistentModel>(_ run: [any PersistentModel], _ first: Model) throws -> BulkResult {
      var waiting = links
      return try user.insert(batch: run.compactMap { $0 as? Model }) { model in
        for link in waiting { link.make() }
        waiting = []
        return model
      }
    }
    var names: [String] = []
    for run in elements {
      guard let first = run.first else { continue }
      names += try insert(run, first).map { Self.text($0, user) }
    }
    return names
  }

  private static func text(_ name: PersistentIdentifier, _ user: ModelContext) -> String {
    let model = user.model(for: name)
    switch model {
    case let ware as Ware: return ware.isDeleted ? "gone" : "ware \(ware.code)"
    case let group as WareGroup: return group.isDeleted ? "gone" : "group \(group.name)"
    default: return name.entityName
    }
  }

  private static func lines(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    var lines: [String] = []
    for ware in try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)])) {
      lines.append(
        "ware \(ware.code) \(ware.title ?? "nil") \(ware.count) \(ware.version) \(ware.group?.name ?? "-") \(ware.parts.map(\.name).sorted()) "
          + "\(ware.labels.map(\.text).sorted()) \(ware.seal?.number ?? -1)")
    }
    for group in try context.fetch(FetchDescriptor<WareGroup>(sortBy: [SortDescriptor(\.name)])) {
      // The order of lists has its own tests: here both ways may add members of stored lists in
      // different orders.
      lines.append("group \(group.name) \(group.wares.map(\.code).sorted())")
    }
    for label in try context.fetch(FetchDescriptor<WareLabel>(sortBy: [SortDescriptor(\.text)])) {
      let codes = label.wares.map(\.code)
      // The list of a new label has the order in which it was written.
      lines.append("label \(label.text) \(label.text.hasPrefix("m") ? codes : codes.sorted())")
    }
    for part in try context.fetch(FetchDescriptor<Part>(sortBy: [SortDescriptor(\.name)])) {
      lines.append("part \(part.name) \(part.ware?.code ?? "-")")
    }
    for seal in try context.fetch(FetchDescriptor<Seal>(sortBy: [SortDescriptor(\.number)])) {
      lines.append("seal \(seal.number) \(seal.ware?.code ?? "-")")
    }
    return lines
  }

  // MARK: Making

  private mutating func fill(_ context: ModelContext) throws {
    let groups = (0..<3).map { WareGroup("g\($0)") }
    let labels = (0..<2).map { WareLabel("l\($0)") }
    for group in groups { context.insert(group) }
    for label in labels { context.insert(label) }
    for place in 0..<5 {
      let ware = Ware("c\(place)", title: isChosen() ? "stored" : nil, count: number(4), version: number(4))
      context.insert(ware)
      if isChosen() { ware.group = groups[number(3)] }
      if isChosen(3) { ware.seal = Seal(place) }
      if isChosen(3) { ware.labels = labels }
      for part in 0..<number(3) { ware.parts.append(Part("s\(place)\(part)")) }
    }
    context.insert(Seal(50))
    try context.save()
  }

  private mutating func choosePolicy(_ context: ModelContext) throws {
    let policy = number(8)
    story = "story policy \(policy)"
    switch policy {
    case 0: context.uniquePolicy = .keepExisting
    case 1: context.uniquePolicy = .mergeNonNil
    case 2: if isChosen(3) { context.uniquePolicy = .throw }
    case 3: try context.setUniquePolicy(.newest(by: \.version), for: Ware.self)
    case 4: try context.setUniquePolicy(.fields(\.title, \.group), for: Ware.self)
    case 5: try context.setUniquePolicy(.fields(\.seal, \.count), for: Ware.self)
    case 6: try context.setUniquePolicy(.keepExisting, for: WareGroup.self)
    default: break
    }
  }

  /// The models to give, class by class. Other models are reached from these or not at all.
  private mutating func makeGraph(_ context: ModelContext) throws -> ([[any PersistentModel]], [StoredLink], [Ware]) {
    var links: [StoredLink] = []
    let storedWares = try context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)]))
    let storedGroups = try context.fetch(FetchDescriptor<WareGroup>(sortBy: [SortDescriptor(\.name)]))
    let storedLabels = try context.fetch(FetchDescriptor<WareLabel>(sortBy: [SortDescriptor(\.text)]))
    let codes = isChosen() ? 9 : 100
    var wares: [Ware] = []
    for place in 0..<(1 + number(5)) {
      wares.append(
        Ware(
          "c\(number(codes))", title: isChosen() ? "t\(place)" : nil, count: number(9), version: number(5)))
    }
    var groups: [WareGroup] = []
    for _ in 0..<number(3) { groups.append(WareGroup("g\(number(6))")) }
    var labels: [WareLabel] = []
    for _ in 0..<number(3) { labels.append(WareLabel("m\(number(1000))")) }
    var parts: [Part] = []
    for _ in 0..<number(4) { parts.append(Part("p\(number(100_000))")) }
    var seals: [Seal] = []
    for _ in 0..<number(3) { seals.append(Seal(100 + number(100_000))) }
    var moved = storedWares.filter { _ in isChosen(4) }
    for ware in wares.shuffled(using: &generator) {
      if !groups.isEmpty, isChosen() {
        let (group, side) = (groups[number(groups.count)], side())
        if side != .near { group.wares.insert(ware, at: number(group.wares.count + 1)) }
        if side != .far { ware.group = group }
      } else if !storedGroups.isEmpty, isChosen() {
        let group = storedGroups[number(storedGroups.count)]
        links.append(StoredLink(subject: ware) { ware.group = group })
      }
      if !labels.isEmpty, isChosen() {
        let label = labels[number(labels.count)]
        let side = side()
        if side != .near { label.wares.insert(ware, at: number(label.wares.count + 1)) }
        if side != .far { ware.labels.append(label) }
      }
      if !storedLabels.isEmpty, isChosen(4) {
        let label = storedLabels[number(storedLabels.count)]
        links.append(StoredLink(subject: ware) { ware.labels.append(label) })
      }
    }
    for part in parts where isChosen(3) == false {
      let (ware, side) = (wares[number(wares.count)], side())
      if side != .near { ware.parts.insert(part, at: number(ware.parts.count + 1)) }
      if side != .far { part.ware = ware }
    }
    for (seal, ware) in zip(seals, wares.shuffled(using: &generator)) {
      let side = side()
      if side != .near { ware.seal = seal }
      if side != .far { seal.ware = ware }
    }
    // Stored models in lists of new ones.
    for group in groups where isChosen() {
      guard let ware = moved.popLast() else { continue }
      let place = number(group.wares.count + 1)
      links.append(StoredLink(subject: group) { group.wares.insert(ware, at: place) })
    }
    for label in labels where isChosen() {
      if !storedWares.isEmpty {
        let (ware, place) = (storedWares[number(storedWares.count)], number(label.wares.count + 1))
        links.append(StoredLink(subject: label) { label.wares.insert(ware, at: place) })
      }
    }
    let all: [[any PersistentModel]] = [wares, groups, labels, parts, seals]
    var elements: [[any PersistentModel]] = []
    for some in all {
      var given = some.shuffled(using: &generator).filter { _ in isChosen(3) == false }
      if let first = given.first, isChosen(3) { given.append(first) }
      if !given.isEmpty { elements.append(given) }
    }
    for ware in wares {
      story += ", \(ware.code) \(ware.title ?? "nil") \(ware.count) \(ware.version) \(ware.group?.name ?? "-")"
      story += " \(ware.parts.map(\.name)) \(ware.labels.map(\.text))"
    }
    for group in groups { story += ", \(group.name) \(group.wares.map(\.code))" }
    for label in labels { story += ", \(label.text) \(label.wares.map(\.code))" }
    for part in parts { story += ", \(part.name) \(part.ware?.code ?? "-")" }
    // One class, so that both ways use one transaction.
    let given = elements.shuffled(using: &generator).prefix(1).map { $0 }
    for one in given.joined() {
      story +=
        "; \(type(of: one)) \((one as? Ware)?.code ?? (one as? WareGroup)?.name ?? (one as? WareLabel)?.text ?? "")"
    }
    return (given, links, wares)
  }

  func run() throws {
    let (one, two) = (try outcome(isBatch: false), try outcome(isBatch: true))
    #expect(one.lines == two.lines, "seed \(seed): \(two.names)")
    #expect(one.names == two.names.filter { !$0.hasPrefix("story") }, "seed \(seed)")
  }
}

extension Ware {
  /// Every reference cycle of the play contains a ware.
  fileprivate func breakCircles() {
    (parts, labels) = ([], [])
    (group, seal) = (nil, nil)
  }
}

@Suite struct BatchGraphTests {
  @Test(arguments: 0..<400)
  func `by seed, a batch stores the same as insertion and a save`(_ seed: Int) throws {
    try BatchGraphPlay(UInt64(seed)).run()
  }
}
