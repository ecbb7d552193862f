import Foundation
import Roost
import Testing

private enum Old: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Coin.self] }

  @Model final class Coin {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum New: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Coin.self] }

  @Model final class Coin {
    var name: String
    var length: Int = 0
    init(_ name: String) { self.name = name }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
  static var stages: [MigrationStage] {
    [.transform(from: Old.Coin.self, to: New.Coin.self, batchSize: 50) { old, new in new.length = old.name.count }]
  }
}

/// Several processes begin one migration at the same moment.
@Suite(.timeLimit(.minutes(30))) struct MigrationProcessTests {
  /// Opens a store with the new version as soon as no other process has it, and adds a coin.
  private static func add(_ name: String, to path: String) throws {
    while true {
      do {
        let context = ModelContext(
          try ModelContainer(
            for: Schema(versionedSchema: New.self), migrationPlan: Plan.self,
            configurations: ModelConfiguration(url: URL(filePath: path))))
        let coin = New.Coin(name)
        coin.length = name.count
        context.insert(coin)
        try context.save()
        return try context.container.close()
      } catch let error as RoostError where error.storeError?.code == .locked {
        usleep(1000)
      }
    }
  }

  @Test func `one process migrates, and no coin of another one is lost`() async throws {
    let folder = try Folder()
    let path = folder.file().path
    let old = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Old.self), configurations: ModelConfiguration(url: folder.file())))
    for number in 0..<200 { old.insert(Old.Coin("coin \(number)")) }
    try old.save()
    try old.container.close()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          await #expect(processExitsWith: .success) { [number = number as Int, path = path as String] in
            try MigrationProcessTests.add("process \(number)", to: path)
          }
        }
      }
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: New.self), migrationPlan: Plan.self,
      configurations: ModelConfiguration(url: folder.file()))
    let coins = try ModelContext(container).fetch(FetchDescriptor<New.Coin>())
    #expect(coins.count == 203 && coins.allSatisfy { $0.length == $0.name.count })
    #expect(Set(coins.suffix(3).map(\.name)) == ["process 0", "process 1", "process 2"])
    let report = try await container.verify()
    #expect(report.isSound)
    try container.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store.roost"])
  }
}
