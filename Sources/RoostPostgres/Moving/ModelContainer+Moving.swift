#if Postgres
  public import Foundation
  public import Roost
  internal import RoostGraph

  extension ModelContainer {
    /// Copies all models of this container's file into the tables of a database, and compares both sides at the end.
    ///
    /// ```swift
    /// let file = try ModelContainer(for: Customer.self, Order.self, configurations: ModelConfiguration(url: url))
    /// print(try file.push(to: PostgresConfiguration("postgresql:///shop")))
    /// ```
    /// Changes that are saved in the file after the call began are not copied. The tables must be
    /// empty. To continue an interrupted push, call it again with the same file: it skips the rows
    /// that are written. After a push that succeeded, a second one only compares.
    ///
    /// - Parameters:
    ///   - chunk: the number of objects in one transaction. Objects that they must reference are
    ///     added.
    ///   - progress: called after each chunk. If it throws, the push ends with that error.
    /// - Throws: ``MoveError`` with the code `wrongStore` if a store of this container is not a file,
    ///   `notEmpty` if the tables have other rows, and `differs` if the sides differ at the end.
    ///   `RoostError` with the code `badValue` if PostgreSQL cannot store the models or a value, and
    ///   `store` if the file cannot be read. ``PostgresError`` if the server cannot be reached or
    ///   refuses. The error of `progress`.
    @discardableResult
    public func push(
      to configuration: PostgresConfiguration, chunk: Int = 2000,
      progress: @escaping (MoveProgress) throws -> Void = { _ in }
    ) throws -> MoveReport {
      let rows: StoreRows
      do { rows = try StoreRows(self) } catch DataStoreError.unsupportedFeature {
        throw MoveError(
          .wrongStore, "push copies a file into a database: call it on a container whose stores are all files")
      }
      var configuration = configuration
      if configuration.schema == nil { configuration.schema = schema }
      try configuration.validate()
      let store = try PostgresStore(configuration, migrationPlan: nil)
      let keys = try store.tables.tables.map { MoveKeys(store: try rows.store(of: $0.root), model: $0.root.name) }
      let numbers = MoveNumbers(store.tables, keys: keys)
      let file = FileSide(rows, store.tables, numbers: numbers)
      let server = ServerSide(store, numbers)
      server.source = file
      let mark = MoveMark(store, sources: Set(try store.tables.tables.map { try rows.store(of: $0.root) }))
      let mover = Mover(store.tables, numbers, from: file, to: server, chunk: chunk, progress: progress)
      if let time = try mark.time(keys) {
        return try mover.compare(
          or: "The push ended on \(time). One of the two was changed since then: to push again, empty the tables first")
      }
      try mover.moveObjects()
      try mover.connect()
      let report = try mover.compare(
        or:
          "If the file or the tables were changed during the push, empty the tables, and push again while no program writes"
      )
      try mark.set()
      return report
    }

    /// Copies all models of this container's database into a new file, and compares both sides at the end.
    ///
    /// ```swift
    /// let configuration = PostgresConfiguration("postgresql:///shop")
    /// let server = try ModelContainer(for: Customer.self, Order.self, configurations: configuration)
    /// print(try server.pull(into: url))
    /// ```
    /// The whole pull reads one snapshot of the database. It writes the file under another name and
    /// renames it when it is complete. So an interrupted pull leaves no file at `url`, and the next
    /// one starts over. It needs about fifty bytes of memory for each model.
    ///
    /// - Parameters:
    ///   - url: the place of the new file. There must be no file yet.
    ///   - zone: the zone to copy; nil for all of them.
    ///   - chunk: the number of objects in one transaction. Objects that they must reference are
    ///     added.
    ///   - progress: called after each chunk. If it throws, the pull ends with that error.
    /// - Throws: ``MoveError`` with the code `wrongStore` if this container does not have exactly
    ///   one PostgreSQL store, `noZones` if there is a `zone` and the configuration has no rule of
    ///   zones, `fileExists` if there is a file at the place, and `differs` if the sides differ at
    ///   the end. ``PostgresError`` if the server cannot be reached or refuses. `RoostError` with
    ///   the code `unreadable` if a property's type does not accept a value of the database. The
    ///   error of the file system or store if the file cannot be written. The error of `progress`.
    @discardableResult
    public func pull(
      into url: URL, zone: String? = nil, chunk: Int = 2000,
      progress: @escaping (MoveProgress) throws -> Void = { _ in }
    ) throws -> MoveReport {
      let stores = dataStores.compactMap { $0 as? PostgresStore }
      guard let known = stores.first, stores.count == 1 else {
        throw MoveError(
          .wrongStore, "pull copies a database into a file: call it on a container with one PostgresConfiguration")
      }
      if zone != nil, known.configuration.zone == .single {
        throw MoveError(
          .noZones, "the configuration has no rule for zones, so there is no zone to pull: leave out the zone")
      }
      let path = url.path(percentEncoded: false)
      for one in [path, path + "-log"] where FileManager.default.fileExists(atPath: one) {
        throw MoveError(.fileExists, "there is a file at \(one) already: pull into another place, or remove it first")
      }
      let made = URL(filePath: path + ".pull")
      func clear() {
        for end in ["", "-log"] { try? FileManager.default.removeItem(atPath: made.path(percentEncoded: false) + end) }
      }
      clear()
      defer { clear() }
      let store = try PostgresStore(known.configuration, migrationPlan: nil)
      let container = try ModelContainer(
        for: store.schema, configurations: [ModelConfiguration(schema: store.schema, url: made)])
      let numbers = MoveNumbers(store.tables)
      let report = try {
        let mover = Mover(
          store.tables, numbers, from: ServerSide(store, numbers, zone: zone),
          to: FileSide(try StoreRows(container), store.tables, numbers: numbers), chunk: chunk, progress: progress)
        try mover.moveObjects()
        try mover.connect()
        return try mover.compare(or: "The file was removed. Verify the device, and pull again")
      }()
      try container.close()
      try FileManager.default.moveItem(at: made, to: url)
      return report
    }
  }
#endif
