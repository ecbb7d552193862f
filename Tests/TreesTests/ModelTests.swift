import RoostFile
@testable import RoostPages
import RoostTestSupport
@testable import RoostTrees
import Testing

/// One tree of a kind, beside the sorted array of its expected entries.
private struct Model<S: Subject> {
  let ground: Ground
  var subject: S
  var dice: SplitMix64
  var truth: [Entry] = []

  init(fanout: Int, seed: Int) throws {
    ground = try Ground(fanout: fanout)
    subject = S(.empty, extents: 0, in: ground.transaction)
    dice = SplitMix64(seed: UInt64(seed))
  }

  func position(_ key: [UInt8]) -> (index: Int, isFound: Bool) {
    var low = 0
    var high = truth.count
    while low < high {
      let middle = (low + high) / 2
      if truth[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return (low, low < truth.count && truth[low].key == key)
  }

  mutating func value() -> [UInt8] {
    let sizes = [0, 1, 8, 8, 8, 20, 60, 200, 900, 1100, 5000]
    return [UInt8](repeating: UInt8(dice.below(256)), count: sizes[dice.below(sizes.count)])
  }

  /// A key that mostly exists, or mostly does not.
  mutating func key(_ shape: KeyShape, known: Bool) -> [UInt8] {
    known && !truth.isEmpty && dice.below(10) > 0 ? truth[dice.below(truth.count)].key : S.key(shape, &dice)
  }

  mutating func put(_ key: [UInt8]) throws {
    let value = value()
    let (index, isFound) = position(key)
    #expect(try subject.put(key, value) == (isFound ? .replaced : .inserted))
    if isFound { truth[index].value = value } else { truth.insert(Entry(key: key, value: value), at: index) }
  }

  mutating func remove(_ key: [UInt8]) throws {
    let (index, isFound) = position(key)
    #expect(try subject.remove(key) == isFound)
    if isFound { truth.remove(at: index) }
  }

  mutating func removeRange(_ shape: KeyShape) throws {
    let keys = [key(shape, known: true), key(shape, known: false)].sorted { $0.lexicographicallyPrecedes($1) }
    let high = dice.below(5) == 0 ? nil : keys[1]
    // Short ranges are as interesting as long ones.
    var from = position(keys[0]).index
    let to = high.map { position($0).index } ?? truth.count
    if dice.below(2) == 0, to - from > 6 { from = to - dice.below(6) }
    let low = from < truth.count ? truth[from].key : keys[0]
    let expected = max(0, to - position(low).index)
    #expect(try subject.count(from: low, to: high) == UInt64(expected))
    #expect(try subject.removeRange(low, high) == UInt64(expected))
    if expected > 0 { truth.removeSubrange(position(low).index..<to) }
  }

  mutating func step(_ shape: KeyShape, growing: Bool) throws {
    switch dice.below(100) {
    case 0..<(growing ? 75 : 30): try put(key(shape, known: dice.below(4) == 0))
    case 0..<97: try remove(key(shape, known: true))
    default: if dice.below(growing ? 20 : 3) == 0 { try removeRange(shape) }
    }
  }

  func look(_ seen: inout SplitMix64, _ shape: KeyShape) throws {
    for _ in 0..<20 {
      let key = seen.below(2) == 0 && !truth.isEmpty ? truth[seen.below(truth.count)].key : S.key(shape, &seen)
      let (index, isFound) = position(key)
      #expect(try subject.value(of: key) == (isFound ? truth[index].value : nil))
      #expect(try subject.rank(of: key) == UInt64(index))
      for atMost in [false, true] {
        var at = atMost && !isFound ? index - 1 : index
        var expected = [entry(at)]
        for step in 0..<6 {
          at += step < 2 || step == 5 ? -1 : 1
          at = max(-1, min(truth.count, at))
          expected.append(entry(at))
        }
        #expect(try subject.around(key, atMost: atMost, in: subject.root) == expected)
      }
      let number = seen.below(truth.count + 2)
      #expect(try subject.entry(UInt64(number), in: subject.root) == (number < truth.count ? truth[number] : nil))
    }
  }

  private func entry(_ index: Int) -> Entry {
    truth.indices.contains(index) ? truth[index] : Entry(key: [], value: [])
  }

  /// Changes much after a savepoint and rolls back to it.
  mutating func tryAndUndo(_ shape: KeyShape) throws {
    let point = try ground.transaction.savepoint()
    let (root, extents, kept) = (subject.root, subject.extents, truth)
    for _ in 0..<60 { try step(shape, growing: false) }
    // The old pages stay: no page older than the savepoint has changed.
    #expect(try subject.forward(in: root) == kept)
    ground.transaction.rollback(to: point)
    subject = S(root, extents: extents, in: ground.transaction)
    truth = kept
    try check()
  }

  /// The changes since a state of this transaction, whose pages stay.
  func checkDifference(from root: Root, _ before: [Entry]) throws {
    let (was, now) = (byKey(before), byKey(truth))
    let keys = Set(was.keys).union(now.keys).sorted { $0.lexicographicallyPrecedes($1) }
    let expected = keys.filter { was[$0] != now[$0] }.map { FormerEntry(key: $0, value: was[$0]) }
    let found = try subject.difference(from: root)
    // An entry that was written again with the same value may be reported.
    #expect(found.filter { was[$0.key] != now[$0.key] } == expected)
    #expect(found.allSatisfy { was[$0.key] == $0.value })
    #expect(Set(found.map(\.key)).count == found.count)
  }

  private func byKey(_ entries: [Entry]) -> [[UInt8]: [UInt8]] {
    Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
  }

  /// Removes most entries, so that empty leaves appear without a neighbour to be merged with.
  mutating func thinOut() throws {
    for key in truth.map(\.key) where dice.below(20) > 0 { try remove(key) }
  }

  /// The number of leaves without entries.
  func emptyLeaves() throws -> Int {
    var count = 0
    _ = subject.verify { reached in
      guard case .page(let page) = reached else { return }
      ground.transaction.view.slot.enter()
      defer { ground.transaction.view.slot.leave() }
      if let memory = try? ground.transaction.view.frames.page(PageReference(page)), Node.level(memory) == 0,
        Node.count(memory) == 0
      {
        count += 1
      }
    }
    return count
  }

  func check() throws {
    var places = Set<UInt32>()
    let findings = subject.verify { places.formUnion($0.places) }
    #expect(findings.isEmpty)
    #expect(subject.root.count == UInt64(truth.count))
    #expect(try subject.forward(in: subject.root) == truth)
    #expect(try subject.backward(in: subject.root) == truth.reversed())
    #expect(places == ground.live)
    #expect(ground.store.space.checkInvariants().isEmpty)
  }
}

private func play<S: Subject>(_ kind: S.Type, fanout: Int, seed: Int) throws {
  var model = try Model<S>(fanout: fanout, seed: seed)
  let shapes = KeyShape.allCases
  var mark = (root: Root.empty, truth: [Entry]())
  for round in 0..<12 {
    let shape = shapes[(round + seed) % shapes.count]
    let growing = round % 3 != 2
    for _ in 0..<(fanout > 100 ? 400 : 150) { try model.step(shape, growing: growing) }
    try model.check()
    var dice = SplitMix64(seed: UInt64(seed + round))
    try model.look(&dice, shape)
    try model.checkDifference(from: mark.root, mark.truth)
    if round % 2 == 1 {
      try model.ground.advance()
      mark = (model.subject.root, model.truth)
      try model.checkDifference(from: mark.root, mark.truth)
    }
    if round % 4 == 3 { try model.tryAndUndo(shape) }
  }
  try model.subject.removeAll()
  try model.checkDifference(from: mark.root, mark.truth)
  #expect(model.subject.root == .empty)
  #expect(model.ground.live.isEmpty)
}

/// Fills a tree and removes most entries, repeatedly. Returns the number of empty leaves on the
/// way.
private func playEmptyLeaves<S: Subject>(_ kind: S.Type, _ shape: KeyShape, fanout: Int, seed: Int) throws -> Int {
  var model = try Model<S>(fanout: fanout, seed: seed)
  var empty = 0
  for _ in 0..<3 {
    for _ in 0..<120 { try model.put(model.key(shape, known: false)) }
    try model.check()
    try model.thinOut()
    try model.check()
    empty += try model.emptyLeaves()
    for _ in 0..<5 {
      for _ in 0..<16 { try model.put(model.key(shape, known: false)) }
      try model.check()
    }
  }
  return empty
}

@Suite struct ModelTests {
  /// A branch has one child only if nodes are limited to three children. Its leaf then has no
  /// neighbour.
  @Test(arguments: [3, Int.max], KeyShape.allCases)
  func `writes beside empty leaves keep all limits`(fanout: Int, shape: KeyShape) throws {
    let empty = try playEmptyLeaves(ByteSubject.self, shape, fanout: fanout, seed: 0)
    #expect((empty > 0) == (fanout == 3))
  }

  @Test(arguments: [4, 5, 8, Int.max], 0..<8)
  func `a byte tree has the entries of a sorted array`(fanout: Int, seed: Int) throws {
    try play(ByteSubject.self, fanout: fanout, seed: seed)
  }

  @Test(arguments: [4, 5, 8, Int.max], 0..<8)
  func `an integer tree has the entries of a sorted array`(fanout: Int, seed: Int) throws {
    try play(IntegerSubject.self, fanout: fanout, seed: seed)
  }
}
