import RoostBytes
import RoostFile
import RoostPages

/// The content of a store of ``WordFloor``, as plain values: the model.
struct WordState: Equatable {
  var words = [UInt64](repeating: 0, count: WordFloor.words)
  var values: [Int: [UInt8]] = [:]
}

/// Reads the words of one snapshot.
struct WordReader {
  let view: PageView
  let root: Root

  private func child(_ index: Int) throws(StoreError) -> PageReference {
    if root.isEmpty { return .none }
    view.slot.enter()
    defer { view.slot.leave() }
    return WordFloor.child(try view.frames.page(root.reference), index)
  }

  func word(_ index: Int) throws(StoreError) -> UInt64 {
    let child = try child(index / WordFloor.wordsPerLeaf)
    if child == .none { return 0 }
    view.slot.enter()
    defer { view.slot.leave() }
    return try view.frames.page(child).u64(WordFloor.start + index % WordFloor.wordsPerLeaf * 8)
  }

  func list(_ cell: Int) throws(StoreError) -> ExtentList? {
    let child = try child(WordFloor.leaves)
    if child == .none { return nil }
    view.slot.enter()
    defer { view.slot.leave() }
    return WordFloor.list(try view.frames.page(child), cell)
  }

  func value(_ cell: Int) throws(StoreError) -> [UInt8]? {
    guard let list = try list(cell) else { return nil }
    return try view.readExtents(list)
  }

  func state() throws(StoreError) -> WordState {
    var state = WordState()
    for leaf in 0..<WordFloor.leaves {
      let child = try child(leaf)
      if child == .none { continue }
      view.slot.enter()
      defer { view.slot.leave() }
      let memory = try view.frames.page(child)
      for index in 0..<WordFloor.wordsPerLeaf {
        state.words[leaf * WordFloor.wordsPerLeaf + index] = memory.u64(WordFloor.start + index * 8)
      }
    }
    for cell in 0..<WordFloor.cells { state.values[cell] = try value(cell) }
    return state
  }

  /// Every page and extent of the snapshot.
  func places() throws(StoreError) -> [UInt32] {
    if root.isEmpty { return [] }
    var places = [root.reference.page.place]
    for index in 0...WordFloor.leaves {
      let child = try child(index)
      if child != .none { places.append(child.page.place) }
    }
    for cell in 0..<WordFloor.cells {
      guard let list = try list(cell) else { continue }
      var extents = try view.extents(of: list)
      if list.isIndirect { extents += list.extents }
      for extent in extents { places += extent.place..<extent.place + extent.pages }
    }
    return places
  }
}
