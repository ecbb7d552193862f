package import RoostKV

/// One change of a store, as a value that can be printed and repeated.
///
/// Trees have numbers: their name is the letter of their kind and the number. Keys are drawn from a
/// small set, so that changes affect the same keys.
package indirect enum Change: Sendable {
  case put(Place, key: Int, Value)
  case remove(Place, key: Int)
  /// From `low` up to, but without, `high`; nil means the end.
  case removeRange(Place, low: Int, high: Int?)
  case make(Place)
  /// Compares value, rank and count.
  case look(Place, key: Int)
  case drop(Place)
  /// To the name of the tree of the same kind with another number.
  case rename(Place, Int)
  /// Changes that are rolled back if `fails` is set.
  case savepoint([Change], fails: Bool)
  /// Fills a tree from sorted entries, which is refused if the tree is not empty. If `fails` is
  /// set, the last entry is out of order, so the tree stays empty.
  case build(Place, Range<Int>, seed: UInt64, fails: Bool = false)

  package struct Place: Sendable, Hashable {
    package var isTable: Bool
    package var number: Int
    package init(isTable: Bool, number: Int) {
      self.isTable = isTable
      self.number = number
    }
    package var name: String { (isTable ? "n" : "b") + String(number) }
  }

  package struct Value: Sendable, Hashable {
    package var length: Int
    package var seed: UInt64
    /// Whether LZ4 can compress it.
    package var repeats: Bool
    package init(length: Int, seed: UInt64, repeats: Bool = false) {
      self.length = length
      self.seed = seed
      self.repeats = repeats
    }

    package var bytes: [UInt8] {
      var generator = SplitMix64(seed: seed)
      if !repeats { return generator.bytes(length) }
      let part = generator.bytes(61)
      return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        for index in 0..<length { buffer[index] = part[index % 61] }
        count = length
      }
    }
  }

  /// Keys of many kinds: numbers with gaps; short, long and nearly equal ones; sometimes one of the
  /// largest size.
  package static func key(_ number: Int, isTable: Bool) -> [UInt8] {
    if isTable { return Model.bytes(of: UInt64(number) &* 3 &+ (number % 7 == 0 ? 1 << 40 : 0)) }
    switch number % 5 {
    case 0: return Array("k\(number)".utf8)
    case 1: return Array("a rather long beginning that many keys share \(number)".utf8)
    case 2: return [UInt8(truncatingIfNeeded: number), 0, UInt8(truncatingIfNeeded: number >> 8)]
    case 3: return Array("k\(number / 2)/\(number)".utf8)
    default:
      let length = number % 45 == 4 ? 1024 : 20 + number % 90
      return Array("z\(number)".utf8) + [UInt8](repeating: 0x7A, count: length - "z\(number)".utf8.count)
    }
  }
}

/// The store and the model gave different answers.
package struct WrongAnswer: Error, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}

/// The error that ends a savepoint with `fails`.
package struct Undone: Error {
  package init() {}
}

extension Change {
  /// Makes the change in a store and in its model, and compares the answers.
  package func carryOut(_ writer: Writer, _ model: inout Model) throws {
    switch self {
    case .put(let place, let key, let value):
      let key = Self.key(key, isTable: place.isTable)
      let bytes = value.bytes
      let isNew =
        place.isTable
        ? try writer.table(place.name).put(Model.number(of: key), bytes)
        : try writer.tree(place.name).put(key, bytes)
      try expect(isNew, model.trees[place.name, default: Model.Tree(isTable: place.isTable)].put(key, bytes))
    case .remove(let place, let key):
      let key = Self.key(key, isTable: place.isTable)
      let was =
        place.isTable
        ? try writer.table(place.name).remove(Model.number(of: key)) : try writer.tree(place.name).remove(key)
      try expect(was, model.trees[place.name, default: Model.Tree(isTable: place.isTable)].remove(key))
    case .removeRange(let place, let low, let high):
      let low = Self.key(low, isTable: place.isTable)
      let high = high.map { Self.key($0, isTable: place.isTable) }
      let count =
        place.isTable
        ? try writer.table(place.name).removeAll(from: Model.number(of: low), to: high.map { Model.number(of: $0) })
        : try writer.tree(place.name).removeAll(from: low, to: high)
      try expect(
        count, model.trees[place.name, default: Model.Tree(isTable: place.isTable)].removeAll(from: low, to: high))
    case .make(let place):
      if place.isTable { _ = try writer.table(place.name) } else { _ = try writer.tree(place.name) }
      if model.trees[place.name] == nil { model.trees[place.name] = Model.Tree(isTable: place.isTable) }
    case .look(let place, let key): try look(writer, model, place: place, key: Self.key(key, isTable: place.isTable))
    case .drop(let place):
      try expect(try writer.drop(place.name), model.trees.removeValue(forKey: place.name) != nil)
    case .rename(let place, let number):
      let other = Place(isTable: place.isTable, number: number)
      guard let tree = model.trees[place.name], model.trees[other.name] == nil else { return }
      try writer.rename(place.name, to: other.name)
      model.trees[place.name] = nil
      model.trees[other.name] = tree
    case .savepoint(let changes, let fails):
      let before = model
      do {
        try writer.savepoint {
          for change in changes { try change.carryOut(writer, &model) }
          if fails { throw Undone() }
        }
      } catch let error as Undone {
        _ = error
        model = before
      }
    case .build(let place, let keys, let seed, let fails):
      try build(writer, &model, place: place, keys: keys, seed: seed, fails: fails)
    }
  }

  private func look(_ writer: Writer, _ model: Model, place: Place, key: [UInt8]) throws {
    guard let tree = model.trees[place.name] else { return }
    if place.isTable {
      let table = try writer.table(place.name)
      try expect(try table.value(Model.number(of: key)), tree.value(key))
      try expect(try table.reading.rank(of: Model.number(of: key)), tree.index(of: key))
      try expect(table.count, tree.count)
    } else {
      let bytes = try writer.tree(place.name)
      try expect(try bytes.value(key), tree.value(key))
      try expect(try bytes.reading.rank(of: key), tree.index(of: key))
      try expect(bytes.count, tree.count)
    }
  }

  func expect<Answer: Equatable>(_ answer: Answer, _ expected: Answer) throws {
    if answer != expected { throw WrongAnswer("\(self) answered \(answer) where \(expected) is right") }
  }
}
