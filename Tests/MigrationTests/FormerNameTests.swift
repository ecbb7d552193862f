import Foundation
import SwiftData
import Testing

private enum Former1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }
  @Model final class Item {
    var a: String
    init(_ a: String) { self.a = a }
  }
}
private enum Former2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }
  @Model final class Item {
    @Attribute(originalName: "a") var x: String
    init(_ a: String) { self.x = a }
  }
}
private enum Former3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }
  @Model final class Item {
    @Attribute(originalName: "a") var x: String
    var a: String = "new a"
    init(_ a: String) { self.x = a }
  }
}
private enum Former4: VersionedSchema {
  static let versionIdentifier = Schema.Version(4, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }
  @Model final class Item {
    @Attribute(originalName: "a") var x: String
    init(_ a: String) { self.x = a }
  }
}

/// A program keeps declaring an original name after the rename, and later uses the former name for
/// another property.
@Suite struct FormerNameTests {
  @Test func `a renamed property keeps its values when another property had its former name`() throws {
    let folder = try Folder()
    func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
      try ModelContainer(
        for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: folder.file()))
    }
    let first = try open(Former1.self)
    let context = ModelContext(first)
    context.insert(Former1.Item("old"))
    try context.save()
    try first.close()
    for version in [Former2.self, Former3.self] as [any VersionedSchema.Type] { try open(version).close() }
    let last = try open(Former4.self)
    let found = try ModelContext(last).fetch(FetchDescriptor<Former4.Item>()).map(\.x)
    #expect(found == ["old"])
    try last.close()
  }
}
