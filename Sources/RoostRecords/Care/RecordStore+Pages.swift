package import RoostFile
package import RoostPages
internal import RoostTrees

/// Finds pages in the file, for tests that damage them on purpose.
extension RecordStore {
  /// The pages in use of the store at `path` at its last checkpoint: those of all trees with the
  /// catalog's, and those with rows of `entity`.
  package static func pages(
    of path: String, rowsOf entity: EntityID, fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws(StoreError) -> (all: [PageID], rows: [PageID]) {
    let examination = try Store.examine(path, fileSystem: fileSystem, floor: Tables.floor)
    let view = examination.view
    var (all, rows): ([PageID], [PageID]) = ([], [])
    func collect(_ visit: ((Reached) -> Void) -> Void) -> [PageID] {
      var pages: [PageID] = []
      visit { if case .page(let page) = $0 { pages.append(page) } }
      return pages
    }
    all += collect { _ = ByteTree(examination.snapshot.catalog, id: Page.catalogTree, view: view).verify($0) }
    for (name, tree) in try RoostTrees.TreeCatalog(examination.snapshot, view: view).all() {
      let pages = collect { reach in
        switch tree.kind {
        case .bytes: _ = ByteTree(tree.root, id: tree.id, view: view).verify(reach)
        case .integers: _ = IntegerTree(tree.root, id: tree.id, view: view).verify(reach)
        }
      }
      all += pages
      if name == Tables.rows(entity) { rows = pages }
    }
    return (all, rows)
  }
}
