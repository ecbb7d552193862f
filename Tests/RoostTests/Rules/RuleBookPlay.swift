import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Random changes of two containers and three contexts of one file, by every way that moves members:
/// setters, unique merges, deletions, bulk writes and stale contexts. After each step the store holds
/// what the plain model says, or keeps all rules if two contexts met.
@Suite struct RuleBookTests {
  @Test(arguments: UInt64(1)...12) func `no way of moving members breaks a rule`(seed: UInt64) throws {
    let folder = try ScratchFolder()
    try RuleBookPlay(URL(filePath: folder.file("rules.roost")), seed).run()
  }
}

private final class RuleBookPlay {
  private var random: SplitMix64
  private let seed: UInt64
  private let containers: [ModelContainer]
  private let contexts: [ModelContext]
  private var book = RuleBook()
  private var log: [String] = []

  /// A change under way: the plain model after it, and the objects as the context shows them before a merge.
  private struct Step {
    var after: RuleBook
    /// New objects are rabbits and hutches of their own here.
    var memory: RuleBook
    let keeps: Bool
    var names: Set<String> = []
    /// Hutches of `memory` that a merge concerns: of themselves, or of a rabbit that they get or lose. Their
    /// rule is tested after the merge.
    var merging: Set<String> = []

    var fault: String? {
      var memory = memory
      for hutch in merging { memory.hutches[hutch] = nil }
      return memory.fault ?? after.fault
    }
  }

  init(_ url: URL, _ seed: UInt64) throws {
    (random, self.seed) = (SplitMix64(seed: seed &* 7919), seed)
    containers = try (0..<2).map { _ in
      try ModelContainer(for: Gallery.self, Hutch.self, configurations: ModelConfiguration(url: url))
    }
    contexts = [ModelContext(containers[0]), ModelContext(containers[0]), ModelContext(containers[1])]
  }

  func run() throws {
    for number in 0..<150 {
      log = ["seed \(seed), step \(number)"]
      switch random.below(10) {
      case ..<6: try saveOnce(contexts[random.below(3)])
      case ..<8: try writeInBulk(contexts[random.below(3)])
      default: try saveTwice()
      }
    }
    for container in containers { try container.close() }
  }

  private func fail(_ text: String) -> RuleBookFault { RuleBookFault(text: log.joined(separator: "; ") + ": " + text) }

  private func stored() throws -> RuleBook {
    do { return try RuleBook(containers[random.below(2)]) } catch let fault as RuleBookFault { throw fail(fault.text) }
  }

  /// Compares the store with the plain model.
  private func check() throws {
    let stored = try stored()
    if stored != book { throw fail("stored \(stored), expected \(book)") }
  }

  /// Runs a write whose outcome is known.
  private func write(_ step: Step, _ context: ModelContext, _ body: () throws -> Void) throws {
    let reason = step.fault
    do {
      try body()
      if let reason { throw fail("it was stored, although \(reason)") }
      book = step.after
    } catch let error as RoostError {
      if reason == nil { throw fail("it was refused: \(error)") }
      context.rollback()
    }
    try check()
  }

  private func saveOnce(_ context: ModelContext) throws {
    let step = try change(context)
    try write(step, context) { try context.save() }
  }

  /// Two contexts change the same store without knowing of each other. The second save is refused, or
  /// all rules hold after it.
  private func saveTwice() throws {
    let (one, two) = (contexts[0], contexts[random.below(2) + 1])
    two.automaticallyMergesChanges = false
    two.mergePolicy = ModelContext.MergePolicy.allCases[random.below(4)]
    defer { (two.automaticallyMergesChanges, two.mergePolicy) = (true, .objectWins) }
    _ = try change(two)
    log.append("and before that, with \(two.mergePolicy)")
    try saveOnce(one)
    do { try two.save() } catch is RoostError { two.rollback() }
    let stored = try stored()
    if let fault = stored.fault { throw fail("after two saves: \(fault): \(stored), before \(book)") }
    book = stored
  }

  // MARK: Changes

  private func some<Element>(_ all: some Collection<Element>) -> Element? where Element: Comparable {
    all.isEmpty ? nil : all.sorted()[random.below(all.count)]
  }

  private func find<Model: PersistentModel>(
    _ context: ModelContext, _ name: String?, _ path: (Model) -> String
  ) throws -> Model? {
    guard let name else { return nil }
    return try context.fetch(FetchDescriptor<Model>()).first { path($0) == name }
  }

  /// A name that no other change of this step uses: of an existing model, or a new one.
  private func name(_ all: some Collection<String>, _ prefix: String, _ step: inout Step) -> String? {
    let name = random.below(3) == 0 ? some(all) ?? prefix : "\(prefix)\(random.below(6))"
    return step.names.insert(name).inserted ? name : nil
  }

  private func change(_ context: ModelContext) throws -> Step {
    let keeps = random.below(4) == 0
    context.uniquePolicy = keeps ? .keepExisting : .upsert
    var step = Step(after: book, memory: book, keeps: keeps)
    // Lists with bounds are counted in the rows, after merges.
    step.memory.galleries = []
    for _ in 0...random.below(3) {
      switch random.below(10) {
      case 0, 1: try moveExhibit(context, &step)
      case 2, 3: try insertExhibit(context, &step)
      case 4: try deleteSome(context, &step)
      case 5, 6: try moveRabbit(context, &step)
      case 7, 8: try insertRabbit(context, &step)
      default: try insertHutch(context, &step)
      }
    }
    if keeps { log.append("keeps") }
    return step
  }

  private func moveExhibit(_ context: ModelContext, _ step: inout Step) throws {
    guard let name = some(book.exhibits.keys), step.names.insert(name).inserted,
      let exhibit: Exhibit = try find(context, name, \.name)
    else { return }
    let code = random.below(4) == 0 ? nil : some(book.galleries.filter { !step.names.contains($0) })
    log.append("move \(name) to \(code ?? "-")")
    exhibit.gallery = try find(context, code, \.code)
    step.after.exhibits[name] = .some(code)
    step.memory.exhibits[name] = .some(code)
  }

  /// Alone into a stored gallery, or in the list of a new one.
  private func insertExhibit(_ context: ModelContext, _ step: inout Step) throws {
    guard let name = name(book.exhibits.keys, "e", &step) else { return }
    let isKept = step.keeps && book.exhibits[name] != nil
    if random.below(2) == 0 {
      let code = some(book.galleries.filter { !step.names.contains($0) })
      log.append("insert \(name) into \(code ?? "-")")
      context.insert(Exhibit(name, try find(context, code, \.code)))
      if let code, !isKept { step.after.exhibits[name] = .some(code) }
      if book.exhibits[name] == nil { step.after.exhibits[name] = .some(code) }
    } else if let code = self.name(book.galleries, "g", &step) {
      log.append("insert \(code) with \(name)")
      context.insert(Gallery(code, [Exhibit(name)]))
      step.after.galleries.insert(code)
      if !isKept { step.after.exhibits[name] = .some(code) }
    }
  }

  private func deleteSome(_ context: ModelContext, _ step: inout Step) throws {
    switch random.below(4) {
    case 0:
      guard let name = some(book.exhibits.keys), step.names.insert(name).inserted else { return }
      try find(context, name, \Exhibit.name).map(context.delete)
      step.after.exhibits[name] = nil
      step.memory.exhibits[name] = nil
      log.append("delete \(name)")
    case 1:
      guard step.names.isEmpty, let code = some(book.galleries) else { return }
      step.names.insert(code)
      try find(context, code, \Gallery.code).map(context.delete)
      step.after.remove(gallery: code)
      step.memory.remove(gallery: code)
      log.append("delete \(code)")
    case 2:
      guard let name = some(book.rabbits.keys), step.names.insert(name).inserted else { return }
      try find(context, name, \Rabbit.name).map(context.delete)
      step.after.rabbits[name] = nil
      step.memory.rabbits[name] = nil
      log.append("delete \(name)")
    default:
      guard step.names.isEmpty, let name = some(book.hutches.keys) else { return }
      step.names.insert(name)
      try find(context, name, \Hutch.name).map(context.delete)
      step.after.remove(hutch: name)
      step.memory.remove(hutch: name)
      log.append("delete \(name)")
    }
  }

  private func moveRabbit(_ context: ModelContext, _ step: inout Step) throws {
    guard let name = some(book.rabbits.keys), step.names.insert(name).inserted,
      let rabbit: Rabbit = try find(context, name, \.name)
    else { return }
    let hutch = random.below(4) == 0 ? nil : some(book.hutches.keys.filter { !step.names.contains($0) })
    let isShy = random.below(4) == 0
    log.append("move \(name) to \(hutch ?? "-")\(isShy ? ", shy" : "")")
    (rabbit.hutch, rabbit.isShy) = (try find(context, hutch, \.name), isShy)
    step.after.rabbits[name] = RuleBook.Pet(hutch: hutch, isShy: isShy)
    step.memory.rabbits[name] = RuleBook.Pet(hutch: hutch, isShy: isShy)
  }

  private func insertRabbit(_ context: ModelContext, _ step: inout Step) throws {
    guard let name = name(book.rabbits.keys, "r", &step) else { return }
    let hutch = some(book.hutches.keys.filter { !step.names.contains($0) })
    let rabbit = Rabbit(name, try find(context, hutch, \.name))
    rabbit.isShy = random.below(4) == 0
    log.append("insert \(name) into \(hutch ?? "-")\(rabbit.isShy ? ", shy" : "")")
    context.insert(rabbit)
    let pet = RuleBook.Pet(hutch: hutch, isShy: rabbit.isShy)
    step.memory.rabbits[name + " new"] = pet
    if let old = book.rabbits[name] { step.merging.formUnion([hutch, old.hutch].compactMap { $0 }) }
    merge(name, pet, &step)
  }

  private func merge(_ name: String, _ pet: RuleBook.Pet, _ step: inout Step) {
    guard let old = step.after.rabbits[name] else { return step.after.rabbits[name] = pet }
    if step.keeps { return }
    step.after.rabbits[name] = RuleBook.Pet(hutch: pet.hutch ?? old.hutch, isShy: pet.isShy)
  }

  private func insertHutch(_ context: ModelContext, _ step: inout Step) throws {
    guard let name = name(book.hutches.keys, "h", &step) else { return }
    let cage = RuleBook.Cage(size: random.below(4), least: random.below(2))
    let hutch = Hutch(name, size: cage.size, least: cage.least)
    log.append("insert \(name) \(cage.least)...\(cage.size)")
    context.insert(hutch)
    step.memory.hutches[name + " new"] = cage
    if book.hutches[name] != nil { step.merging.insert(name) }
    if !step.keeps || book.hutches[name] == nil { step.after.hutches[name] = cage }
    for _ in 0..<random.below(3) {
      guard let rabbit = self.name(book.rabbits.keys, "r", &step) else { continue }
      hutch.rabbits.append(Rabbit(rabbit))
      log.append("with \(rabbit)")
      step.memory.rabbits[rabbit + " new"] = RuleBook.Pet(hutch: name + " new")
      if let old = book.rabbits[rabbit] {
        if let hutch = old.hutch { step.merging.insert(hutch) }
        if book.hutches[name] == nil { step.merging.insert(name + " new") }
      }
      merge(rabbit, RuleBook.Pet(hutch: name), &step)
    }
  }

  // MARK: Bulk writes

  private func writeInBulk(_ context: ModelContext) throws {
    context.uniquePolicy = .upsert
    var step = Step(after: book, memory: RuleBook(), keeps: false)
    switch random.below(6) {
    case 0:
      guard let name = some(book.rabbits.keys) else { return }
      log.append("delete \(name) in bulk")
      step.after.rabbits[name] = nil
      try write(step, context) { try context.deleteAll(model: Rabbit.self, where: #Predicate { $0.name == name }) }
    case 1:
      guard let name = some(book.hutches.keys) else { return }
      log.append("delete \(name) in bulk")
      step.after.remove(hutch: name)
      try write(step, context) { try context.deleteAll(model: Hutch.self, where: #Predicate { $0.name == name }) }
    case 2:
      guard let name = some(book.exhibits.keys) else { return }
      log.append("delete \(name) in bulk")
      step.after.exhibits[name] = nil
      try write(step, context) { try context.deleteAll(model: Exhibit.self, where: #Predicate { $0.name == name }) }
    case 3:
      guard let name = some(book.rabbits.keys), let hutch = some(book.hutches.keys),
        let target: Hutch = try find(context, hutch, \.name)
      else { return }
      log.append("update \(name) to \(hutch) in bulk")
      step.after.rabbits[name]?.hutch = hutch
      try write(step, context) {
        try context.update(model: Rabbit.self, where: #Predicate { $0.name == name }) { $0.hutch = target }
      }
    case 4:
      guard let name = name(book.exhibits.keys, "e", &step), let code = self.name(book.galleries, "g", &step) else {
        return
      }
      log.append("batch of \(name) into \(code)")
      step.after.galleries.insert(code)
      step.after.exhibits[name] = .some(code)
      try write(step, context) { try context.insert(batch: [Exhibit(name, Gallery(code))]) }
    default:
      guard let name = name(book.rabbits.keys, "r", &step), let hutch = self.name(book.hutches.keys, "h", &step) else {
        return
      }
      let cage = RuleBook.Cage(size: random.below(4), least: 0)
      log.append("batch of \(name) into \(hutch) with \(cage.size)")
      step.after.hutches[hutch] = cage
      merge(name, RuleBook.Pet(hutch: hutch), &step)
      try write(step, context) { try context.insert(batch: [Rabbit(name, Hutch(hutch, size: cage.size))]) }
    }
  }
}
