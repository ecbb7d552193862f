import RoostFile
@testable import RoostPages
import RoostTestSupport
@testable import RoostTrees
import Testing

/// All trees of a store while a transaction changes them.
@Suite struct ForestTests {
  private let ground: Ground
  private let forest: Forest

  init() throws {
    ground = try Ground(fanout: 4)
    forest = Forest(in: ground.transaction)
  }

  private func name(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func put(_ tree: Forest.Opened, _ key: UInt64, _ value: [UInt8] = [1]) throws(StoreError) {
    try borrow(value) { (value) throws(StoreError) in
      switch tree.trunk {
      case .integers(let draft): try draft.put(key, value.bytes)
      case .bytes(let draft):
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: key >> (56 - 8 * UInt64($0))) }
        _ = try borrow(digits) { (key) throws(StoreError) in try draft.put(key, value.bytes) }
      }
    }
  }

  private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? { failure(body) }

  /// The content of the catalog, by name.
  private func catalog() throws(StoreError) -> [String: TreeDescriptor] {
    Dictionary(
      uniqueKeysWithValues: try forest.reading.all().map { (String(decoding: $0.name, as: UTF8.self), $0.descriptor) })
  }

  /// The places of the catalog and its trees.
  private func reached() throws -> Set<UInt32> {
    var places: [UInt32] = []
    func note(_ reached: Reached) { places += reached.places }
    #expect(forest.catalog.tree.verify(note).isEmpty)
    for (_, descriptor) in try forest.reading.all() {
      let view = ground.transaction.view
      let findings =
        switch descriptor.kind {
        case .bytes: ByteTree(descriptor.root, id: descriptor.id, view: view).verify(extents: descriptor.extents, note)
        case .integers:
          IntegerTree(descriptor.root, id: descriptor.id, view: view).verify(extents: descriptor.extents, note)
        }
      #expect(findings.isEmpty)
    }
    #expect(places.count == Set(places).count)
    return Set(places)
  }

  // MARK: Names and numbers

  @Test func `trees are found by name and by number, in the order of their names`() throws {
    let second = try forest.create(name("b"), .bytes)
    let first = try forest.create(name("a"), .integers)
    #expect(second.id == 1)
    #expect(first.id == 2)
    #expect(try forest.names() == [name("a"), name("b")])
    #expect(try forest.find(name("a"))?.id == 2)
    #expect(try forest.find(id: 1)?.name == name("b"))
    #expect(try forest.find(name("c")) == nil)
    #expect(try forest.find(id: 3) == nil)
    // Another forest knows them only from the catalog.
    _ = try forest.seal()
    let other = Forest(in: ground.transaction)
    other.catalog = forest.catalog
    #expect(try other.find(id: 2)?.name == name("a"))
    #expect(try other.find(name("b"))?.known.kind == .bytes)
  }

  @Test func `a name has 1 to 255 bytes, of any kind`() throws {
    for bad in [[], [UInt8](repeating: 7, count: 256)] {
      #expect(code { () throws(StoreError) in _ = try forest.create(bad, .bytes) } == .invalidName)
      #expect(code { () throws(StoreError) in _ = try forest.find(bad) } == .invalidName)
      #expect(code { () throws(StoreError) in _ = try forest.drop(bad) } == .invalidName)
    }
    let odd: [[UInt8]] = [[0], [0, 0], [255, 254], [UInt8](repeating: 0, count: 255)]
    for name in odd { _ = try forest.create(name, .bytes) }
    #expect(Set(try forest.names()) == Set(odd))
    #expect(code { () throws(StoreError) in try forest.rename([0], to: []) } == .invalidName)
  }

  @Test func `a number is given once, whatever happens to its tree`() throws {
    let first = try forest.create(name("a"), .bytes)
    #expect(try forest.drop(name("a")))
    let second = try forest.create(name("a"), .integers)
    #expect(second.id == first.id + 1)
    #expect(try forest.find(id: first.id) == nil)
    // Replay brings its own numbers. They may leave a gap, but must not repeat.
    let third = try forest.create(name("c"), .bytes, id: 9)
    #expect(third.id == 9)
    #expect(code { () throws(StoreError) in _ = try forest.create(name("d"), .bytes, id: 9) } == .invalidName)
    #expect(code { () throws(StoreError) in _ = try forest.create(name("d"), .bytes, id: 5) } == .invalidName)
    #expect(try forest.create(name("d"), .bytes).id == 10)
    // The last possible number.
    #expect(try forest.create(name("e"), .bytes, id: .max - 1).id == .max - 1)
    #expect(code { () throws(StoreError) in _ = try forest.create(name("f"), .bytes) } == .invalidName)
    #expect(try forest.find(name("f")) == nil)
  }

  @Test func `a name that is taken, and a missing name, are errors`() throws {
    let kept = try forest.create(name("a"), .bytes)
    try put(kept, 1)
    _ = try forest.create(name("b"), .bytes)
    #expect(code { () throws(StoreError) in _ = try forest.create(name("a"), .integers) } == .alreadyExists)
    #expect(code { () throws(StoreError) in try forest.rename(name("a"), to: name("b")) } == .alreadyExists)
    #expect(code { () throws(StoreError) in try forest.rename(name("x"), to: name("y")) } == .notFound)
    try forest.rename(name("a"), to: name("a"))
    #expect(try forest.drop(name("x")) == false)
    #expect(try forest.find(name("a"))?.trunk.root.count == 1)
  }

  // MARK: Roots

  @Test func `sealing makes the catalog agree with the drafts, and a second seal changes nothing`() throws {
    let table = try forest.create(name("t"), .integers)
    let tree = try forest.create(name("b"), .bytes)
    for key in UInt64(0)..<50 {
      try put(table, key)
      if key < 20 { try put(tree, key, [UInt8](repeating: 2, count: 3000)) }
    }
    #expect(try catalog()["t"]?.root.isEmpty == true)
    let root = try forest.seal()
    #expect(try catalog()["t"]?.root == table.trunk.root)
    #expect(try catalog()["t"]?.root.count == 50)
    #expect(try catalog()["b"]?.root == tree.trunk.root)
    #expect(try catalog()["b"]?.extents == 20)
    #expect(try forest.seal() == root)
    #expect(try reached() == ground.live)
  }

  @Test func `a renamed tree keeps its number and all its entries`() throws {
    let tree = try forest.create(name("old"), .integers)
    try put(tree, 1)
    try forest.rename(name("old"), to: name("new"))
    try put(tree, 2)
    #expect(try forest.find(name("old")) == nil)
    #expect(try forest.find(id: tree.id)?.name == name("new"))
    _ = try forest.seal()
    #expect(try catalog().keys.sorted() == ["new"])
    #expect(try catalog()["new"]?.root.count == 2)
    // The old name is free.
    #expect(try forest.create(name("old"), .bytes).id == tree.id + 1)
  }

  @Test func `dropping a tree frees all of its pages`() throws {
    _ = try forest.create(name("stays"), .bytes)
    let before = ground.live
    for kind in [TreeDescriptor.Kind.bytes, .integers] {
      let tree = try forest.create(name("goes"), kind)
      for key in UInt64(0)..<60 { try put(tree, key, [UInt8](repeating: 3, count: key % 9 == 0 ? 5000 : 30)) }
      #expect(ground.live.count > before.count + 10)
      #expect(try forest.drop(name("goes")))
      #expect(try forest.find(name("goes")) == nil)
      #expect(ground.live.count == before.count)
    }
    _ = try forest.seal()
    #expect(try reached() == ground.live)
  }

  // MARK: Savepoints

  @Test func `a rollback restores names, numbers and roots`() throws {
    let kept = try forest.create(name("kept"), .integers)
    for key in UInt64(0)..<30 { try put(kept, key) }
    let point = try forest.savepoint()
    let before = try catalog()
    let live = ground.live
    try put(kept, 100)
    try put(try forest.create(name("made"), .bytes), 1)
    try forest.rename(name("kept"), to: name("other"))
    _ = try forest.seal()
    #expect(try forest.drop(name("other")))
    forest.rollback(to: point)
    #expect(try catalog() == before)
    #expect(try forest.names() == [name("kept")])
    #expect(try reached() == live)
    #expect(ground.live == live)
    let again = try #require(try forest.find(name("kept")))
    #expect(again.trunk.root.count == 30)
    try put(again, 100)
    #expect(try forest.create(name("made"), .bytes).id == kept.id + 1)
    _ = try forest.seal()
    #expect(try catalog()["kept"]?.root.count == 31)
    #expect(try reached() == ground.live)
  }

  @Test(arguments: UInt64(1)...12) func `random work with savepoints agrees with a plain model`(seed: UInt64) throws {
    typealias Model = [String: (kind: TreeDescriptor.Kind, keys: Set<UInt64>)]
    var generator = SplitMix64(seed: seed)
    var model: Model = [:]
    var points: [(Forest.Savepoint, Model)] = []
    for _ in 0..<250 {
      let text = "tree \(generator.below(5))"
      switch generator.below(12) {
      case 0 where points.count < 3: points.append((try forest.savepoint(), model))
      case 1 where !points.isEmpty:
        let (point, before) = points.removeLast()
        if generator.chance(1, in: 2) {
          forest.rollback(to: point)
          model = before
        } else {
          forest.release(point)
        }
      case 2:
        #expect(try forest.drop(name(text)) == (model.removeValue(forKey: text) != nil))
      case 3:
        let other = "tree \(generator.below(5))"
        guard model[text] != nil, model[other] == nil else { continue }
        try forest.rename(name(text), to: name(other))
        model[other] = model.removeValue(forKey: text)
      case 4: _ = try forest.seal()
      default:
        let found: Forest.Opened
        if let known = try forest.find(name(text)) {
          found = known
        } else {
          let kind = generator.pick([TreeDescriptor.Kind.bytes, .integers])
          found = try forest.create(name(text), kind)
          model[text] = (kind, [])
        }
        for _ in 0..<generator.below(12) {
          let key = UInt64(generator.below(40))
          try put(found, key, [UInt8](repeating: 1, count: generator.pick([1, 50, 2000])))
          model[text]?.keys.insert(key)
        }
      }
    }
    _ = try forest.seal()
    let catalog = try catalog()
    #expect(Set(catalog.keys) == Set(model.keys), "seed \(seed)")
    for (text, truth) in model {
      #expect(catalog[text]?.kind == truth.kind, "seed \(seed), \(text)")
      #expect(catalog[text]?.root.count == UInt64(truth.keys.count), "seed \(seed), \(text)")
    }
    #expect(try reached() == ground.live, "seed \(seed)")
  }
}
