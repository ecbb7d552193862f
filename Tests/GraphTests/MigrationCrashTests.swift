import Roost
import RoostFile
import RoostGraph
import RoostTestSupport
import Testing

private enum V1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Coin.self] }
  @Model final class Coin {
    var value: Int
    init(_ value: Int) { self.value = value }
  }
}

private enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Coin.self] }
  @Model final class Coin {
    var value: Int
    var double: Int = 0
    init(_ value: Int) { self.value = value }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
  static var stages: [MigrationStage] {
    [
      .transform(from: V1.Coin.self, to: V2.Coin.self, batchSize: 7) { old, new in new.double = 2 * old.value },
      .custom(
        fromVersion: V1.self, toVersion: V2.self,
        willMigrate: { context in
          for coin in try context.fetch(FetchDescriptor<V1.Coin>()) where coin.value == 3 { context.delete(coin) }
        }, didMigrate: { context in context.insert(V2.Coin(100)) }),
    ]
  }
  static var keepsBackup: Bool { true }
}

/// A migration on a device that fails or loses power at each writing call.
@Suite struct MigrationCrashTests {
  private static let path = "/store.roost"

  private func container(
    _ version: any VersionedSchema.Type, _ files: SimulatedFileSystem
  ) throws -> ModelContainer {
    try ModelContainer(
      Schema(versionedSchema: version), migrationPlan: version == V2.self ? Plan.self : nil
    ) { plans, opening in
      try GraphStore.open(Self.path, plans, opening: opening, fileSystem: files)
    }
  }

  /// A store of the first version with values from 0 to 19.
  private func first(_ files: SimulatedFileSystem = SimulatedFileSystem()) throws -> SimulatedFileSystem {
    let container = try container(V1.self, files)
    let context = ModelContext(container)
    for value in 0..<20 { context.insert(V1.Coin(value)) }
    try context.save()
    try container.close()
    return files
  }

  private func migrate(_ files: SimulatedFileSystem) throws { try container(V2.self, files).close() }

  /// Checks that the store is completely migrated.
  private func checkNew(_ files: SimulatedFileSystem) throws {
    let container = try container(V2.self, files)
    let coins = try ModelContext(container).fetch(FetchDescriptor<V2.Coin>(sortBy: [SortDescriptor(\.value)]))
    #expect(coins.map(\.value) == (0..<20).filter { $0 != 3 } + [100])
    #expect(coins.dropLast().allSatisfy { $0.double == 2 * $0.value } && coins.last?.double == 0)
    #expect(try container.verify().findings.isEmpty)
    try container.close()
  }

  /// Whether the store has the complete first version; otherwise it must have the complete second
  /// one.
  private func isOld(_ files: SimulatedFileSystem) throws -> Bool {
    do {
      let container = try container(V1.self, files)
      let values = try ModelContext(container).fetch(FetchDescriptor<V1.Coin>(sortBy: [SortDescriptor(\.value)])).map(
        \.value)
      #expect(values == Array(0..<20))
      try container.close()
      return true
    } catch let error as SwiftDataError where error == .backwardMigration {
      return false
    }
  }

  @Test func `a crash at any call leaves the old version or the new one`() throws {
    let files = try first()
    let start = files.step
    var points: [CrashPoint] = []
    files.onStep = { [unowned files] _ in points.append(files.crashPoint()) }
    try migrate(files)
    files.onStep = nil
    try checkNew(files)
    #expect(points.count > 40, "\(start)")
    let policy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 2, randoms: 2, garbage: 1)
    var (old, new) = (0, 0)
    for (number, point) in points.enumerated() where number % 3 == 0 || number > points.count - 30 {
      for image in point.images(policy) {
        // The old program may open a crashed store first.
        if try isOld(image) { old += 1 } else { new += 1 }
        try checkNew(image)
      }
    }
    #expect(old > 100 && new > 3, "\(old) \(new)")
  }

  @Test(arguments: [false, true]) func `a call that fails leaves a store as it was, or migrated`(isFull: Bool) throws {
    let kinds = Set(CallKind.allCases.filter(\.mutates))
    var nth = 0
    var wasReached = true
    while wasReached {
      nth += 2
      let files = try first()
      files.inject(
        FaultRule(kinds, nth: nth, .error(isFull ? ErrorNumber.noSpace : ErrorNumber.io), forever: isFull))
      do {
        try migrate(files)
        wasReached = false
      } catch {}
      files.clearFaults()
      _ = try isOld(files)
      try checkNew(files)
    }
    #expect(nth > 40)
  }
}
