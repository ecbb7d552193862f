package import RoostGraph

/// All saved models of a container's files. They are read from one snapshot, in pages, and written
/// with given row numbers.
package final class StoreRows {
  private let container: ModelContainer
  private var snapshot: ModelContext

  /// Takes the snapshot. Throws for stores of a program's own.
  package init(_ container: ModelContainer) throws {
    self.container = container
    snapshot = try container.snapshot()
  }

  /// Moves to the newest state.
  package func renew() throws { snapshot = try container.snapshot() }

  /// The identifiers of the stores.
  package var identifiers: [String] { container.stores.stores.map(\.identifier) }

  private func place(_ type: _ModelType) throws -> StoreSet.Place { try container.stores.known(type.model) }

  /// Returns the store of a class.
  package func store(of type: _ModelType) throws -> String {
    container.stores.stores[try place(type).store].identifier
  }

  // MARK: Reading

  /// Returns the models of a class and its subclasses after a row number, in the order of the
  /// numbers.
  package func page(of type: _ModelType, after row: UInt64, count: Int) throws -> [SnapshotContent] {
    try contents(type) { try $0.images(of: $1, after: row, count: count) }
  }

  /// Returns the models of a class and its subclasses in some rows.
  package func load(_ type: _ModelType, rows: [UInt64]) throws -> [SnapshotContent] {
    try contents(type) { try $0.images(of: $1, rows: rows) }
  }

  private func contents(
    _ type: _ModelType, _ read: (GraphContext, EntityMap) throws -> [ObjectImage]
  ) throws -> [SnapshotContent] {
    let place = try place(type)
    let graph = snapshot.state.graph(place.store)
    return try Doorway.pass {
      try read(graph, place.map).map { image in
        let identifier = graph.store.identifier(image.values.form.type.name, image.row)
        let content = SnapshotContent(image, identifier, in: graph.store)
        try content.checkRefused()
        return content
      }
    }
  }

  // MARK: Writing

  /// A model to write.
  package struct NewRow {
    package var content: SnapshotContent
    package var row: UInt64
    /// For each property, the row that it references; nil for none.
    package var references: [(property: Int, row: UInt64?)] = []
    /// For each property, the rows of its list.
    package var lists: [(property: Int, rows: [UInt64])] = []

    package init(_ content: SnapshotContent, row: UInt64) { (self.content, self.row) = (content, row) }
  }

  /// Reserves row numbers for new models of a class. Returns the first one.
  package func reserve(_ count: Int, of type: _ModelType) throws -> UInt64 {
    let place = try place(type)
    return try Doorway.pass { try container.stores.stores[place.store].reserve(count, of: place.map) }
  }

  /// Inserts models in one transaction for each file.
  package func insert(_ rows: [NewRow], author: String) throws {
    try write(rows) { try $0.insert($1, author: author) }
  }

  /// Sets the references and lists of existing models.
  package func connect(_ rows: [NewRow], author: String) throws {
    try write(rows) { try $0.connect($1, author: author) }
  }

  private func write(_ rows: [NewRow], _ body: (GraphStore, [GivenRow]) throws -> Void) throws {
    var given: [Int: [GivenRow]] = [:]
    for one in rows {
      let place = try place(one.content.type)
      var links = ImageLinks()
      (links.references, links.lists) = (one.references, one.lists)
      given[place.store, default: []].append(GivenRow(place.map, one.row, values: one.content.values, links: links))
    }
    for (number, rows) in given { try Doorway.pass { try body(container.stores.stores[number], rows) } }
  }
}
