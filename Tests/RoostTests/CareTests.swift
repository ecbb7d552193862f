import Foundation
import SwiftData
import Testing

/// Backups, verification, compaction and salvage. Once only the tool had them: a program could not
/// copy its own open store.
@Suite struct CareTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func make(_ name: String = "store.roost") throws -> ModelContainer {
    try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file(name)))
  }

  /// A container with this many artists with one album each, and the context that saved them.
  private func fill(_ count: Int) throws -> (container: ModelContainer, context: ModelContext) {
    let container = try make()
    let context = ModelContext(container)
    for number in 0..<count {
      let artist = Artist("artist \(number)", street: "street \(number)")
      artist.albums = [Album("album \(number)")]
      context.insert(artist)
    }
    try context.save()
    return (container, context)
  }

  /// The artists of a store with the titles of their albums, in order.
  private func content(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    return try context.fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])).map { artist in
      "\(artist.name), \(artist.address.street): \(artist.albums.map(\.title))"
    }
  }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path))
  }

  // MARK: Backup

  @Test func `a backup of an open container has all saved data, and the container stays usable`() throws {
    let (container, context) = try fill(300)
    context.insert(Artist("unsaved", street: "nowhere"))
    var told: [BackupProgress] = []
    try container.backup(to: folder.file("copy.roost")) { told.append($0) }
    let last = try #require(told.last)
    #expect(last.entries == last.total && last.total > 600)
    let copy = try make("copy.roost")
    let saved = try content(copy)
    #expect(saved.count == 300)
    // Models have the same identifiers in the copy, and its history continues.
    let artist = try #require(
      try ModelContext(copy).fetch(FetchDescriptor<Artist>(sortBy: [SortDescriptor(\.name)])).first)
    #expect(artist.name == "artist 0")
    #expect(try ModelContext(copy).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    try context.save()
    #expect(try content(container).count == 301)
    #expect(try content(copy) == saved)
    #expect(try copy.verify().isSound)
  }

  @Test func `a backup replaces a file only if requested`() throws {
    let (container, _) = try fill(3)
    let target = folder.file("copy.roost")
    try Data("mine".utf8).write(to: target)
    let error = #expect(throws: RoostError.self) { try container.backup(to: target) }
    #expect(error?.storeError?.code == .alreadyExists)
    #expect(try Data(contentsOf: target) == Data("mine".utf8))
    try container.backup(to: target, replacing: true)
    #expect(try content(make("copy.roost")).count == 3)
    // It is never written to the store's own file.
    let own = #expect(throws: RoostError.self) { try container.backup(to: folder.file("store.roost"), replacing: true) }
    #expect(own?.storeError?.code == .locked || own?.storeError?.code == .alreadyExists)
    #expect(try content(container).count == 3)
  }

  @Test func `a backup that is stopped leaves nothing`() throws {
    struct Stop: Error {}
    let (container, _) = try fill(3)
    #expect(throws: Stop.self) { try container.backup(to: folder.file("copy.roost")) { _ in throw Stop() } }
    #expect(try names() == ["store.roost", "store.roost-log"])
  }

  @Test func `a backup in a task is complete, or leaves nothing if the task is cancelled`() async throws {
    let (container, _) = try fill(50)
    try await container.backup(to: folder.file("copy.roost"))
    #expect(try content(make("copy.roost")).count == 50)
    let other = folder.file("other.roost")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await container.backup(to: other)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!FileManager.default.fileExists(atPath: other.path))
    #expect(try !names().contains { $0.hasSuffix("-making") })
  }

  @Test func `backups during writes each show one commit`() throws {
    let (container, context) = try fill(1)
    let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    var number = 0
    for round in 0..<6 {
      try container.backup(to: folder.file("copy \(round).roost")) { _ in
        // Each commit changes two rows.
        number += 1
        (artist.name, artist.albums[0].title) = ("\(number)", "\(number)")
        try context.save()
      }
      let copy = try make("copy \(round).roost")
      let found = try #require(try ModelContext(copy).fetch(FetchDescriptor<Artist>()).first)
      #expect(round == 0 || found.name == found.albums[0].title)
      #expect(try copy.verify().isSound)
    }
  }

  @Test func `a container in memory is backed up into a file`() throws {
    let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Artist("Ella", street: "Elm"))
    try context.save()
    try container.backup(to: folder.file("copy.roost"))
    #expect(try content(make("copy.roost")) == ["Ella, Elm: []"])
  }

  @Test func `with several stores, one must be named`() throws {
    let artists = ModelConfiguration("artists", schema: Schema([Artist.self]), url: folder.file("a.roost"))
    let ships = ModelConfiguration("ships", schema: Schema([Ship.self]), url: folder.file("s.roost"))
    let container = try ModelContainer(for: Schema([Artist.self, Ship.self]), configurations: [artists, ships])
    let error = #expect(throws: RoostError.self) { try container.backup(to: folder.file("copy.roost")) }
    #expect(error?.detail.contains("artists, ships") == true)
    let context = ModelContext(container)
    context.insert(Artist("Ella", street: "Elm"))
    try context.save()
    try container.backup(to: folder.file("copy.roost"), of: artists)
    #expect(try content(make("copy.roost")).count == 1)
    #expect(try container.verify(ships).isSound)
    let foreign = ModelConfiguration("other", url: folder.file("o.roost"))
    #expect(throws: RoostError.self) { try container.verify(foreign) }
  }

  // MARK: Verification

  @Test func `a verification reports its progress, and ends with the caller's error or with its task`() async throws {
    struct Stop: Error {}
    let (container, _) = try fill(200)
    var told: [VerificationProgress] = []
    let found = try verify(container) { told.append($0) }
    #expect(found.isSound)
    let last = try #require(told.last)
    #expect(told.first?.pages == 0 && last.pages == last.total && last.total > 4)
    #expect(throws: Stop.self) { try verify(container) { _ in throw Stop() } }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await container.verify()
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try verify(container) { _ in }.isSound)
  }

  /// The form that is not `async`.
  private func verify(
    _ container: ModelContainer, _ progress: @escaping (VerificationProgress) throws -> Void
  ) throws -> Verification { try container.verify(progress: progress) }

  @Test func `a sound store is verified, compacted and salvaged in a task`() async throws {
    let (container, _) = try fill(400)
    let whole = try content(container)
    #expect(try await container.verify().isSound)
    #expect(try await container.compact().isDone)
    let copy = folder.file("copy.roost")
    try await container.backup(to: copy)
    let rescued = folder.file("rescued.roost")
    #expect(try await ModelContainer.salvage(copy, to: rescued).isComplete)
    #expect(try content(make("rescued.roost")) == whole)
  }

  @Test func `verification finds damage, and a closed container refuses all operations`() throws {
    let (container, _) = try fill(400)
    #expect(try container.verify().isSound)
    // Two bits, because one is repaired: in each page after the superblocks and the pages that an
    // opening reads.
    let file = try FileHandle(forUpdating: folder.file("store.roost"))
    let pages = try Int(file.seekToEnd()) / 4096
    for page in stride(from: pages / 2, to: pages, by: 3) {
      try file.seek(toOffset: UInt64(page * 4096 + 2000))
      try file.write(contentsOf: [0xA5, 0x5A, 0x77])
    }
    try file.close()
    let found = try container.verify()
    #expect(!found.isSound && found.findings.contains { $0.page != nil })
    try? container.close()
    for call in 0..<3 {
      let error = #expect(throws: RoostError.self) {
        switch call {
        case 0: try container.backup(to: folder.file("copy.roost"))
        case 1: _ = try container.verify()
        default: try container.compact()
        }
      }
      #expect(error?.code == .closed)
    }
  }

  // MARK: Compaction

  @Test func `compaction frees the space of deletions, except pages that a context has read`() throws {
    // Closed once, so that all models are in the file and not in the log.
    try fill(2_000).container.close()
    let container = try make()
    let context = ModelContext(container)
    for artist in try context.fetch(FetchDescriptor<Artist>()) where artist.name != "artist 7" {
      context.delete(artist)
    }
    try context.save()
    var steps = 0
    let held = try container.compact { _ in
      steps += 1
      let count = try content(container).count
      #expect(count == 1)
    }
    #expect(held.isDone && held.movedPages > 0 && steps > 0)
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 1)
    let result = try container.compact()
    #expect(result.pages < held.pagesBefore / 2)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("store.roost").path)
    #expect(attributes[.size] as? Int == result.pages * 4096)
    #expect(try container.verify().isSound)
    #expect(try content(container) == ["artist 7, street 7: [\"album 7\"]"])
  }

  // MARK: Salvage

  @Test func `a salvage saves all sound data and reports the losses`() throws {
    let (container, _) = try fill(2_000)
    let whole = try content(container)
    try container.close()
    let store = folder.file("store.roost")
    let healthy = try ModelContainer.salvage(store, to: folder.file("healthy.roost"))
    #expect(healthy.isComplete)
    #expect(Set(healthy.entities.map { "\($0.name) \($0.rows)" }).isSuperset(of: ["Artist 2000", "Album 2000"]))
    #expect(try content(make("healthy.roost")) == whole)
    // A page in the middle is lost.
    let file = try FileHandle(forUpdating: store)
    let pages = try Int(file.seekToEnd()) / 4096
    try file.seek(toOffset: UInt64(pages / 2 * 4096))
    try file.write(contentsOf: Data(repeating: 0, count: 4096))
    try file.close()
    let damaged = try Data(contentsOf: store)
    let found = try ModelContainer.salvage(store, to: folder.file("rescued.roost"))
    #expect(try Data(contentsOf: store) == damaged)
    let rescued = try make("rescued.roost")
    #expect(try rescued.verify().isSound)
    let saved = try content(rescued)
    #expect(!found.losses.isEmpty || saved == whole)
    #expect(saved.count > 1_500)
    #expect(throws: RoostError.self) { try ModelContainer.salvage(store, to: folder.file("rescued.roost")) }
  }

  @Test func `a salvage of an open store is refused, and one that is stopped leaves nothing`() throws {
    struct Stop: Error {}
    let (container, _) = try fill(60)
    let error = #expect(throws: RoostError.self) {
      try ModelContainer.salvage(folder.file("store.roost"), to: folder.file("rescued.roost"))
    }
    #expect(error?.storeError?.code == .locked)
    try container.close()
    #expect(throws: Stop.self) {
      try ModelContainer.salvage(folder.file("store.roost"), to: folder.file("rescued.roost")) { _ in throw Stop() }
    }
    #expect(try names() == ["store.roost"])
  }
}
