internal import RoostFile
internal import RoostKV
internal import RoostPages

/// Kinds of damage to a closed file.
package enum Damage: String, CaseIterable, Sendable {
  case bit, byte, zeroedSector, swappedSectors, swappedPages, stalePage

  /// The changed bytes, with their offsets. Empty if nothing would change.
  package func strike(
    _ file: [UInt8], older: [UInt8], _ generator: inout SplitMix64
  ) -> [(offset: Int, bytes: [UInt8])] {
    func swap(_ size: Int) -> [(offset: Int, bytes: [UInt8])] {
      let (first, second) = (generator.below(file.count / size) * size, generator.below(file.count / size) * size)
      let (left, right) = (Array(file[first..<first + size]), Array(file[second..<second + size]))
      return left == right ? [] : [(first, right), (second, left)]
    }
    switch self {
    case .bit:
      let at = generator.below(file.count)
      return [(at, [file[at] ^ (1 << UInt8(generator.below(8)))])]
    case .byte:
      let at = generator.below(file.count)
      return [(at, [file[at] &+ UInt8(1 + generator.below(255))])]
    case .zeroedSector:
      let at = generator.below(file.count / 512) * 512
      return file[at..<at + 512].allSatisfy { $0 == 0 } ? [] : [(at, [UInt8](repeating: 0, count: 512))]
    case .swappedSectors: return swap(512)
    case .swappedPages: return swap(4096)
    case .stalePage:
      let at = generator.below(min(file.count, older.count) / 4096) * 4096
      let old = Array(older[at..<at + 4096])
      return old == Array(file[at..<at + 4096]) ? [] : [(at, old)]
    }
  }
}

/// A healthy store, closed or stopped, that tests damage.
struct HealthyStore: Sendable {
  var options: StoreOptions
  var crash: CrashPoint
  var file: [UInt8]
  /// The file some commits earlier.
  var older: [UInt8]
  var model: Model
  var history: History
  var reached: Set<UInt32>
  /// Copies of pages, which are read only if their pages are damaged.
  var copies: Set<UInt32>

  /// Writes every kind of page: both kinds of trees, several levels, plain and compressed extents
  /// and, with `isLarge`, lists in extents.
  init?(_ seed: UInt64, isLarge: Bool = false, isClosed: Bool = true, scale: Int = 1) {
    var shape = Scenario.Shape()
    shape.actions = 14 * scale
    shape.keys = 150 * scale
    shape.changes = 40
    shape.largeOneIn = 30
    shape.namedOneIn = 1000
    var scenario = Scenario.random(seed, shape)
    scenario.options.fanoutLimit = seed % 2 == 0 ? 6 : 12
    let play = Play(scenario.options)
    play.run(scenario)
    if isLarge {
      let value = Change.Value(length: 9 << 20, seed: seed, repeats: true)
      play.run(.write([.put(Change.Place(isTable: false, number: 0), key: 1, value)], .full, abandons: false))
    }
    play.run(.reopen)
    let older = play.fileSystem.contents(of: Play.path)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<(isClosed ? 4 : 9) {
      let changes = (0..<8).map { _ in
        Change.put(
          Change.Place(isTable: generator.chance(1, in: 2), number: generator.below(3)), key: generator.below(150),
          Change.Value(length: generator.pick([5, 80, 400, 5000]), seed: generator.next()))
      }
      play.run(.write(changes, .full, abandons: false))
    }
    model = play.model
    if isClosed { play.close() } else { play.releaseAll() }
    history = play.history
    options = scenario.options
    crash = play.fileSystem.crashPoint()
    guard play.failures.isEmpty, let older, let file = play.fileSystem.contents(of: Play.path),
      let head = Reach.newest(file)
    else { return nil }
    self.file = file
    self.older = older
    reached = Reach(head, in: file).places
    copies = Set(head.copies.map(\.copy))
    play.abandon()
  }

  /// A copy of the file system with these changed bytes.
  func spoiled(_ changes: [(offset: Int, bytes: [UInt8])], path: String = Play.path) throws(StoreError)
    -> SimulatedFileSystem
  {
    let image = crash.image(.all)
    let opened = try image.open(path, .write)
    for change in changes { try opened.write(change.bytes, at: UInt64(change.offset)) }
    try opened.sync()
    opened.close()
    image.recordsSteps = false
    return image
  }

  /// Opens the store, reads everything in several ways and compares.
  ///
  /// - Parameter repairs: gets the number of pages that were repaired in memory.
  func outcome(_ image: SimulatedFileSystem, _ generator: inout SplitMix64, repairs: inout Int) -> Outcome {
    do {
      let store = try KeyValueStore(Play.path, options: options, fileSystem: image)
      defer {
        repairs = store.store.takeRepairs().count
        image.stopAfter(step: 0)
        try? store.close()
      }
      let (commit, digest) = try store.digest()
      guard digest == model.digest else {
        // A damaged log may end early; everything before that must be right.
        let isOlder = commit < history.digests.count && history.digests[Int(commit)] == digest
        return isOlder ? .older : .wrong("commit \(commit) does not read as it was written")
      }
      for _ in 0..<6 {
        let name = generator.pick(model.names)
        guard let tree = model.trees[name], tree.count > 0 else { continue }
        let index = generator.below(tree.count)
        if let complaint = try look(store, name, tree: tree, index: index) { return .wrong(complaint) }
      }
      return .right
    } catch let error as StoreError {
      return .error(error)
    } catch { return .wrong("\(error)") }
  }

  func outcome(_ image: SimulatedFileSystem, _ generator: inout SplitMix64) -> Outcome {
    var repairs = 0
    return outcome(image, &generator, repairs: &repairs)
  }

  enum Outcome {
    case right
    /// The state after an earlier commit.
    case older
    case error(StoreError)
    case wrong(String)
  }

  /// Reads one entry by key, by rank and by index.
  private func look(_ store: KeyValueStore, _ name: String, tree: Model.Tree, index: Int) throws -> String? {
    try store.read { reader in
      let key = tree.keys[index]
      if tree.isTable {
        let table = try reader.table(name)
        let number = Model.number(of: key)
        if try table.value(number) != tree.values[index] { return "\(name): a value is wrong" }
        if try table.rank(of: number) != index { return "\(name): a rank is wrong" }
        var cursor = try table.cursor()
        guard try cursor.move(to: index), try cursor.key == number else { return "\(name): entry \(index) is wrong" }
      } else {
        let bytes = try reader.tree(name)
        if try bytes.value(key) != tree.values[index] { return "\(name): a value is wrong" }
        if try bytes.rank(of: key) != index { return "\(name): a rank is wrong" }
        var cursor = try bytes.cursor()
        guard try cursor.move(to: index), try cursor.key() == key else { return "\(name): entry \(index) is wrong" }
      }
      return nil
    }
  }
}
