#if canImport(Roost)
  import Foundation
  import SwiftData
  import Testing

  @Model final class Bookcase {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Volume {
    var title: String
    var pages: Int?
    var tags: [String] = []
    var shelf: Bookcase?
    var readers: [Borrower] = []

    init(_ title: String, pages: Int?) {
      self.title = title
      self.pages = pages
    }
  }

  @Model final class Borrower {
    var name: String
    @Relationship(inverse: \Volume.readers) var volumes: [Volume] = []
    /// A required reference.
    var home: Bookcase

    init(_ name: String, home: Bookcase) {
      self.name = name
      self.home = home
    }
  }

  /// Random work of several contexts over a store behind a network, with another client of the same
  /// server.
  ///
  /// The server is the oracle: after a save and after fetches of all models, a context shows the
  /// server's models, in the order of its lists.
  @Suite struct StorePlayTests {
    private final class Play {
      let server: Server
      let container: ModelContainer
      var contexts: [ModelContext] = []
      var random: RandomSource
      var log: [String] = []
      var compared = 0

      init(seed: UInt64) throws {
        server = Server(seed: seed)
        random = RandomSource(seed)
        let schema = Schema([Bookcase.self, Volume.self, Borrower.self])
        container = try ModelContainer(
          for: schema, configurations: [RemoteStore.Configuration(schema: schema, server: server)])
        contexts = (0..<3).map { _ in ModelContext(container) }
      }

      func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[random.next(below: list.count)] }

      func some<T: PersistentModel>(_ type: T.Type, _ context: ModelContext) throws -> T? {
        pick(try patiently { try context.fetch(FetchDescriptor<T>()) })
      }

      /// Tries again while the server is not available.
      func patiently<Result>(_ body: () throws -> Result) throws -> Result {
        while true { do { return try body() } catch ServerError.unavailable {} }
      }

      func step() throws {
        let number = random.next(below: contexts.count)
        let context = contexts[number]
        let choice = random.next(below: 100)
        log.append("\(number): \(choice)")
        switch choice {
        case ..<10: context.insert(Bookcase("shelf \(random.next(below: 50))"))
        case ..<28:
          let volume = Volume(
            "title \(random.next(below: 50))", pages: random.next(below: 4) == 0 ? nil : random.next(below: 9))
          context.insert(volume)
          if random.next(below: 3) > 0 { volume.shelf = try some(Bookcase.self, context) }
        case ..<36:
          if let shelf = try some(Bookcase.self, context) { context.insert(Borrower("b \(choice)", home: shelf)) }
        case ..<46:
          guard let volume = try some(Volume.self, context) else { return }
          volume.title = "title \(random.next(below: 50))"
          volume.tags.append("t")
        case ..<54:
          try some(Volume.self, context)?.shelf = random.next(below: 3) == 0 ? nil : some(Bookcase.self, context)
        case ..<62:
          guard let borrower = try some(Borrower.self, context), let volume = try some(Volume.self, context) else {
            return
          }
          if let at = borrower.volumes.firstIndex(of: volume) {
            borrower.volumes.remove(at: at)
          } else {
            borrower.volumes.append(volume)
          }
        case ..<68:
          if let shelf = try some(Bookcase.self, context), shelf.volumes.count > 1 {
            shelf.volumes.move(fromOffsets: [0], toOffset: shelf.volumes.count)
          }
        case ..<72: if let volume = try some(Volume.self, context) { context.delete(volume) }
        case ..<74: if let borrower = try some(Borrower.self, context) { context.delete(borrower) }
        case ..<76:
          // A bookcase that is a required home cannot be deleted.
          guard let shelf = try some(Bookcase.self, context) else { return }
          if try patiently({ try context.fetch(FetchDescriptor<Borrower>()) }).allSatisfy({ $0.home !== shelf }) {
            context.delete(shelf)
          }
        case ..<80: context.rollback()
        case ..<84: try meddle()
        case ..<86: contexts[number] = ModelContext(container)
        default: try save(context)
        }
      }

      func save(_ context: ModelContext) throws {
        do {
          try patiently { try context.save() }
        } catch ServerError.conflict {
          log.append("conflict")
          return context.rollback()
        } catch let error as RoostError where error.code == .denied || error.code == .deleted || error.code == .badValue
        {
          // Another context deleted a model that this one references.
          log.append("refused: \(error)")
          return context.rollback()
        }
        if !context.hasChanges { try compare(context) }
      }

      /// Another client changes the server.
      func meddle() throws {
        let (one, two) = (random.next(), random.next(below: 3))
        server.set()
        try server.call("meddle") { documents in
          let volumes = documents.snapshots.values.filter { $0.persistentIdentifier.entityName == "Volume" }
            .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
          guard !volumes.isEmpty else { return }
          let volume = volumes[Int(one % UInt64(volumes.count))]
          let identifier = volume.persistentIdentifier
          if two > 0 {
            return documents.snapshots[identifier] = try changed(volume, ["pages": 1000 + Int(one % 100)])
          }
          documents.snapshots[identifier] = nil
          for (other, snapshot) in documents.snapshots {
            guard let list = snapshot["volumes"] as? [PersistentIdentifier], list.contains(identifier) else { continue }
            documents.snapshots[other] = try changed(snapshot, ["volumes": list.filter { $0 != identifier }])
          }
        }
        server.set(failures: 10)
      }

      private func changed(_ snapshot: DefaultSnapshot, _ values: [String: Any]) throws -> DefaultSnapshot {
        let names = [
          "Volume": ["title", "pages", "tags", "shelf", "readers"], "Bookcase": ["name", "volumes"],
          "Borrower": ["name", "volumes", "home"],
        ][snapshot.persistentIdentifier.entityName, default: []]
        var all: [String: Any] = [:]
        for name in names {
          all[name] = snapshot[name] ?? (name == "shelf" ? PersistentIdentifier?.none as Any : Int?.none as Any)
        }
        return try DefaultSnapshot(snapshot.persistentIdentifier, values: all.merging(values) { $1 })
      }

      /// Compares everything that a context shows with the server.
      func compare(_ context: ModelContext) throws {
        try patiently { _ = try context.fetch(FetchDescriptor<Bookcase>()) }
        let volumes = try patiently { try context.fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.title)])) }
        let borrowers = try patiently { try context.fetch(FetchDescriptor<Borrower>()) }
        let shelves = try patiently { try context.fetch(FetchDescriptor<Bookcase>()) }
        if context.hasChanges { return }
        let shown: [DefaultSnapshot] =
          shelves.map { DefaultSnapshot($0) } + volumes.map { DefaultSnapshot($0) }
          + borrowers.map { DefaultSnapshot($0) }
        server.set()
        let stored = try server.call("compare") { $0.snapshots }
        server.set(failures: 10)
        #expect(Set(shown.map(\.persistentIdentifier)) == Set(stored.keys))
        for one in shown {
          if one != stored[one.persistentIdentifier] {
            Issue.record("\(one) is \(stored[one.persistentIdentifier]?.description ?? "nil")")
          }
        }
        #expect(volumes.map(\.title) == volumes.map(\.title).sorted())
        let many = try patiently {
          try context.fetch(
            FetchDescriptor<Volume>(predicate: #Predicate { $0.shelf?.name ?? "" > "shelf 2" && ($0.pages ?? 0) > 2 }))
        }
        let same = volumes.filter { ($0.shelf?.name ?? "") > "shelf 2" && ($0.pages ?? 0) > 2 }
        #expect(Set(many) == Set(same))
        compared += 1
      }
    }

    @Test(arguments: 1...20) func `contexts show the server's models`(seed: UInt64) throws {
      let play = try Play(seed: seed)
      play.server.set(failures: 10)
      for _ in 0..<400 { try play.step() }
      for context in play.contexts { try play.save(context) }
      #expect(play.compared > 10, "seed \(seed)")
    }
  }

  extension Array {
    fileprivate mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
      let moved = source.map { self[$0] }
      for at in source.reversed() { remove(at: at) }
      insert(contentsOf: moved, at: destination - source.count)
    }
  }
#endif
