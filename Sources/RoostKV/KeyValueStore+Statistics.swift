public import RoostFile
import RoostPages
import RoostTrees

/// Numbers about a store.
extension KeyValueStore {
  /// Returns the sizes and the use of the store. Waits for a running writer.
  ///
  /// - Parameter samples: the number of leaves of each tree that are read to estimate its leaves
  ///   and their fill; 0 reads none.
  /// - Throws: `StoreError` with the code `nestedWrite` if this thread has a write transaction
  ///   open, `closed` if the store is closed, `busy` if too many transactions are open, and
  ///   `damaged`, `truncated` or `ioError` if a page cannot be read.
  public func statistics(samples: Int = 64) throws(StoreError) -> StoreFigures {
    var figures = StoreFigures(try store.statistics())
    let reader = try Reader(store)
    defer { reader.end() }
    for (name, descriptor) in try reader.catalog.all() {
      let shape =
        switch descriptor.kind {
        case .bytes:
          try ByteTree(descriptor.root, id: descriptor.id, view: reader.view).shape(samples: samples)
        case .integers:
          try IntegerTree(descriptor.root, id: descriptor.id, view: reader.view).shape(samples: samples)
        }
      figures.trees.append(
        StoreFigures.TreeFigures(
          name: String(decoding: name, as: UTF8.self), isTable: descriptor.kind == .integers,
          entries: Int(clamping: descriptor.root.count), largeValues: Int(clamping: descriptor.extents),
          depth: shape.depth, leaves: samples > 0 ? shape.leaves : 0, fill: shape.fill))
    }
    return figures
  }
}

extension Reader {
  /// The numbers of the trees in their pages, by the trees' names.
  package func treeNumbers() throws -> [String: UInt32] {
    Dictionary(
      try catalog.all().map { (String(decoding: $0.name, as: UTF8.self), $0.descriptor.id) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension StoreFigures {
  fileprivate init(_ found: StoreStatistics) {
    commit = found.transaction
    pageBytes = Page.size
    pages = found.pageCount
    freePages = found.freePages
    waitingPages = found.waitingPages
    draftPages = found.draftPages
    cachedPages = found.residentPages
    cachePages = found.cachePages
    pagesRead = found.pagesRead
    repairedPages = found.repairedPages
    readers = found.readers
    oldestSnapshotAge = found.commitsBehind
    logBytes = found.logBytes
    logSegments = found.logSegments
    commits = found.commits
    checkpoints = found.checkpoints
  }
}
