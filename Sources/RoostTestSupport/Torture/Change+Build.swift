internal import RoostFile
internal import RoostKV

/// The change that builds a tree from sorted entries.
extension Change {
  /// The sorted entries. Few values are large; one in a hundred is stored in extents.
  static func entries(_ keys: Range<Int>, _ isTable: Bool, seed: UInt64) -> [(key: [UInt8], value: [UInt8])] {
    keys.map { number in
      let length = number % 100 == 17 ? 6000 : (number &* 7 &+ Int(truncatingIfNeeded: seed % 50)) % 120
      return (key(number, isTable: isTable), Value(length: length, seed: seed &+ UInt64(number)).bytes)
    }.sorted { Model.isBelow($0.key, $1.key) }
  }

  func build(
    _ writer: Writer, _ model: inout Model, place: Place, keys: Range<Int>, seed: UInt64, fails: Bool
  ) throws {
    var entries = Self.entries(keys, place.isTable, seed: seed)
    if fails, let first = entries.first { entries.append(first) }
    let mayNot = (model.trees[place.name]?.count ?? 0) > 0
    do {
      let count =
        place.isTable
        ? try writer.table(place.name).build(from: entries.lazy.map { (Model.number(of: $0.key), $0.value) })
        : try writer.tree(place.name).build(from: entries.lazy.map { ($0.key, $0.value) })
      if mayNot { throw WrongAnswer("\(self) was taken where the tree is not empty") }
      if fails && !entries.isEmpty { throw WrongAnswer("\(self) was taken out of order") }
      try expect(count, entries.count)
    } catch let error as StoreError where error.code == .alreadyExists && mayNot {
    } catch let error as StoreError where error.code == .unsortedKeys && fails && !mayNot {
      entries = []
    }
    if mayNot { return }
    var tree = Model.Tree(isTable: place.isTable)
    for (key, value) in entries { _ = tree.put(key, value) }
    model.trees[place.name] = tree
  }
}
