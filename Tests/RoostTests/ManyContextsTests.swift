import SwiftData
import Testing

/// Several contexts of one container: each shows the stored data with its own changes.
@Suite struct ManyContextsTests {
  /// A context with its unsaved changes.
  private final class User {
    let context: ModelContext
    /// The albums that only this user changes.
    var own: [PersistentIdentifier: Album] = [:]
    var changed: [PersistentIdentifier: Int] = [:]
    var deleted: Set<PersistentIdentifier> = []

    init(_ container: ModelContainer) { context = ModelContext(container) }

    func sees(_ stored: [PersistentIdentifier: Int]) -> [PersistentIdentifier: Int] {
      stored.merging(changed) { $1 }.filter { !deleted.contains($0.key) }
    }
  }

  @Test(arguments: 1...10) func `each context shows the commits of others with its own changes`(seed: UInt64) throws {
    var random = Random(seed: seed &+ 5000)
    let container = try makeContainer()
    let users = (0..<3).map { _ in User(container) }
    var stored: [PersistentIdentifier: Int] = [:]
    // Held here so that contexts have old models to refresh.
    var seen: [Album] = []
    for _ in 0..<200 {
      let user = users[random.next(3)]
      switch random.next(8) {
      case 0, 1:
        let album = Album("x", year: random.next(6))
        user.context.insert(album)
        user.own[album.persistentModelID] = album
        user.changed[album.persistentModelID] = album.year
      case 2, 3:
        guard let one = user.own.keys.sorted().randomOne(&random), let album = user.own[one] else { continue }
        album.year = random.next(6)
        user.changed[one] = album.year
      case 4:
        guard let one = user.own.keys.sorted().randomOne(&random) else { continue }
        if let album = user.own.removeValue(forKey: one) { user.context.delete(album) }
        user.deleted.insert(one)
      case 5:
        try user.context.save()
        stored = user.sees(stored)
        user.changed = [:]
        user.deleted = []
      case 6:
        user.context.rollback()
        user.own = user.own.filter { stored[$0.key] != nil }
        for one in user.deleted where stored[one] != nil {
          user.own[one] = try user.context.existingModel(for: one)
        }
        user.changed = [:]
        user.deleted = []
      default: break
      }
      let least = random.next(6)
      let descriptor = FetchDescriptor<Album>(predicate: #Predicate { $0.year >= least })
      let found = try user.context.fetch(descriptor)
      let expected = user.sees(stored).filter { $0.value >= least }
      #expect(Set(found.map(\.persistentModelID)) == Set(expected.keys))
      for album in found { #expect(album.year == expected[album.persistentModelID]) }
      #expect(try user.context.fetchCount(descriptor) == expected.count)
      seen = Array((seen + found).suffix(40))
    }
  }
}

extension Array {
  fileprivate func randomOne(_ random: inout Random) -> Element? { isEmpty ? nil : self[random.next(count)] }
}
