import Foundation
import Roost
import RoostBytes
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// The models of a shop, and of its next versions.
private enum Shop1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Note.self] }
  @Model final class Item {
    var name: String
    var number: Int
    var label: String?
    var kind: String?
    var size: Double = 1
    var shelf: Shelf?
    init(_ number: Int) {
      (name, self.number) = ("item \(number)", number / 2)
      label = number == 0 ? nil : "label \(number)"
    }
  }
  @Model final class Shelf {
    var place: Int
    init(_ place: Int) { self.place = place }
  }
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

/// Every change in it is inferred.
private enum Shop2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Tag.self] }
  struct Extent: Codable {
    var width: Int
    var depth: Int?
  }
  @Model final class Item {
    #Index<Item>([\.number, \.name])
    @Attribute(.unique) var name: String
    var number: Int?
    var label: String?
    @Attribute(originalName: "kind") var sort: String?
    var stock: Int = 7
    var extent: Extent?
    var shelves: [Shelf] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Shelf {
    var place: Int
    @Relationship(inverse: \Item.shelves) var items: [Item] = []
    init(_ place: Int) { self.place = place }
  }
  @Model final class Tag {
    var word: String
    init(_ word: String) { self.word = word }
  }
}

/// Much of it is refused.
private enum Shop3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Note.self] }
  @Model final class Item {
    var name: String
    @Attribute(.unique) var number: Int
    var label: String
    var kind: String?
    var size: String
    var weight: Int
    var shelf: Shelf
    init(_ shelf: Shelf) { (name, number, label, size, weight, self.shelf) = ("", 0, "", "", 0, shelf) }
  }
  @Model final class Shelf {
    var place: Int
    init(_ place: Int) { self.place = place }
  }
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

private enum Zoo1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Animal.self, Cat.self, Lion.self, Dog.self] }
  @Model class Animal {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model class Cat: Animal {
    var lives: Int? = nil
    override init(_ name: String) { super.init(name) }
  }
  @Model final class Lion: Cat {
    var mane: String = "long"
    override init(_ name: String) { super.init(name) }
  }
  @Model final class Dog: Animal {
    var bark: String? = nil
    override init(_ name: String) { super.init(name) }
  }
}

private enum Zoo2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Animal.self, Cat.self, Lion.self, Dog.self] }
  @Model class Animal {
    var name: String
    var bark: String?
    init(_ name: String) { self.name = name }
  }
  @Model class Cat: Animal {
    var lives: Int
    init(_ name: String, lives: Int) {
      self.lives = lives
      super.init(name)
    }
  }
  @Model final class Lion: Cat {
    var mane: String = "long"
    init(_ name: String) { super.init(name, lives: 1) }
  }
  @Model final class Dog: Animal {
    override init(_ name: String) { super.init(name) }
  }
}

/// `migrate --dry-run`.
@Suite struct MigrateCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A closed store of a version.
  private func make(
    _ version: any VersionedSchema.Type, _ name: String, _ fill: (ModelContext) throws -> Void = { _ in }
  ) throws -> String {
    let path = folder.file(name)
    try open(version, path, fill)
    return path
  }

  private func open(
    _ version: any VersionedSchema.Type, _ path: String, _ fill: (ModelContext) throws -> Void = { _ in }
  ) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: version),
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path), isHistoryEnabled: false))
    let context = ModelContext(container)
    try fill(context)
    try context.save()
    try container.close()
  }

  private func shop() throws -> String {
    try make(Shop1.self, "shop.roost") { context in
      for number in 0..<5 { context.insert(Shop1.Item(number)) }
      for text in ["a", "b"] { context.insert(Shop1.Note(text)) }
    }
  }

  private func dry(_ path: String, _ other: String, _ more: String...) -> Transcript {
    Transcript.run(["migrate", path, "--to", other, "--dry-run"] + more)
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  private func json(_ found: Transcript) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any], "\(found)")
  }

  @Test func `the changes of an opening are printed, and nothing is written`() throws {
    let (path, next) = (try shop(), try make(Shop2.self, "next.roost"))
    let before = (try bytes(path), try bytes(next))
    let found = dry(path, next)
    #expect(
      found.output == """
        version 1.0.0 → 2.0.0
        Item: 5 rows
          + extent: struct?
          + extent.depth: int64?
          + extent.width: int64
          ~ number: int64 → int64?
          - shelf: Shelf?; parked, its values stay in the file
          + shelves: [Shelf], inverse items
          - size: double; parked, its values stay in the file
          ~ kind → sort
          + stock: int64
          + unique name
          + index number, name
        Note: parked; its 2 rows stay in the file
        Shelf: 0 rows
          + items: [Item], inverse shelves
        Tag: new
        possible  no row is written

        """, "\(found)")
    #expect(found.ending == .good && found.errors == "")
    #expect(try (bytes(path), bytes(next)) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("")).sorted() == ["next.roost", "shop.roost"])
    // The opening makes the same changes.
    #expect(Transcript.of("info", path).output.contains("\n  models: version 1.0.0\n"))
    try open(Shop2.self, path)
    #expect(Transcript.of("info", path).output.contains("\n  models: version 2.0.0\n"))
    #expect(dry(path, next).output == "version 2.0.0\npossible  no change of the models\n")
    let back = dry(path, try make(Shop1.self, "older.roost"))
    #expect(
      back.ending == .failed && back.output.contains("refused  ") && back.output.contains("newer program"), "\(back)")
  }

  @Test func `each refusal is printed with its reason`() throws {
    let (path, next) = (try shop(), try make(Shop3.self, "next.roost"))
    let before = try bytes(path)
    let found = dry(path, next)
    #expect(found.ending == .failed && !found.output.contains("possible"))
    for text in [
      "refused  Item.label: the model requires a value, and 1 object has none in the store",
      "refused  Item.size: the store has double for it, the model has string",
      "refused  Item.weight: the property is new, and the store has objects without a value for it",
      "refused  Item.shelf: the model requires a value, and 5 objects have none in the store",
      "refused  Item.number: the model wants it unique, and 2 groups of objects have the same value",
    ] {
      #expect(found.output.contains(text), "\(text)\n\(found)")
    }
    #expect(found.output.components(separatedBy: "refused  ").count == 6, "\(found)")
    let fewer = dry(path, next, "--default", "Item.weight", "--default", "Item.label")
    #expect(fewer.output.components(separatedBy: "refused  ").count == 4, "\(fewer)")
    // The opening refuses it too, for one of these reasons.
    #expect(throws: SwiftDataError.self) { try open(Shop3.self, path) }
    #expect(try bytes(path) == before)
  }

  @Test func `the answer as JSON`() throws {
    let path = try shop()
    let found = dry(path, try make(Shop3.self, "next.roost"), "--json")
    #expect(found.ending == .failed)
    let report = try json(found)
    #expect(report["isPossible"] as? Bool == false && report["toVersion"] as? String == "3.0.0")
    let refusals = try #require(report["refusals"] as? [[String: Any]])
    #expect(Set(refusals.map { $0["property"] as? String }) == ["label", "size", "weight", "shelf", "number"])
    let good = try json(dry(path, try make(Shop2.self, "other.roost"), "--json"))
    #expect(good["isPossible"] as? Bool == true && good["writesRows"] as? Bool == false)
    let entities = try #require(good["entities"] as? [[String: Any]])
    #expect(entities.map { $0["fate"] as? String } == ["kept", "parked", "kept", "added"])
    let changes = try #require(entities[0]["changes"] as? [[String: Any]])
    let kinds = changes.map { "\($0["kind"] ?? "") \($0["property"] ?? "")" }
    for kind in ["optional number", "parked size", "unique name", "index number, name", "added stock", "renamed sort"] {
      #expect(kinds.contains(kind), "\(kind): \(kinds)")
    }
    let failure = Transcript.of("migrate", "--json", "--dry-run", "--to", path, folder.file("absent"))
    #expect(failure.errors.contains("\"exitCode\":1") && failure.output == "", "\(failure)")
  }

  @Test func `classes of a family are distinguished`() throws {
    let path = try make(Zoo1.self, "zoo.roost") { context in
      context.insert(Zoo1.Dog("Rex"))
      context.insert(Zoo1.Lion("Leo"))
    }
    let found = dry(path, try make(Zoo2.self, "next.roost"))
    #expect(found.ending == .failed && !found.output.contains("superclasses"), "\(found)")
    // A lion is a cat without a number of lives, and the property of dogs moved up.
    #expect(found.output.contains("refused  Cat.lives: the model requires a value, and 1 object has none"), "\(found)")
    #expect(found.output.contains("~ Dog/bark → bark") && !found.output.contains("Animal.bark"), "\(found)")
    #expect(found.output.contains("note  a store does not keep a default of a subclass"), "\(found)")
    let told = dry(path, folder.file("next.roost"), "--default", "Cat.lives")
    #expect(told.ending == .good && told.output.contains("the opening writes rows too"), "\(told)")
  }

  @Test func `parked data comes back`() throws {
    let path = try shop()
    try open(Shop2.self, path)
    let found = dry(path, try make(Shop3.self, "next.roost"), "--default", "Item.weight")
    #expect(
      found.output.contains("+ size: string") && found.output.contains("Note: was parked; its 2 rows come back"),
      "\(found)")
  }

  @Test func `the command works while another process has the store open`() throws {
    let path = try shop()
    let next = try make(Shop2.self, "next.roost")
    let container = try ModelContainer(
      for: Schema(versionedSchema: Shop1.self), configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    let context = ModelContext(container)
    context.insert(Shop1.Note("c"))
    try context.save()
    let run = try RowsFixture.run(["migrate", path, "--to", next, "--dry-run"])
    #expect(run.status == 0 && run.output.contains("Note: parked; its 3 rows stay in the file"), "\(run)")
    try container.close()
  }

  @Test func `stores that cannot be compared are refused`() throws {
    let path = try shop()
    let text = folder.file("schema.json")
    try Schema(versionedSchema: Shop2.self).save(to: URL(fileURLWithPath: text))
    let noStore = dry(path, text)
    #expect(noStore.ending == .failed && noStore.errors.hasPrefix("Error: "), "\(noStore)")
    #expect(dry(text, path).ending == .failed && dry(path, folder.file("absent")).errors.contains("notFound"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("absent")))
    let empty = folder.file("empty.roost")
    try RecordStore(empty).close()
    let nothing = dry(path, empty)
    #expect(nothing.ending == .failed && nothing.errors.contains("has no models"), "\(nothing)")
    // A file in the format of a newer Roost.
    let future = folder.file("future.roost")
    try makeNewer(future, from: path)
    for found in [dry(future, path), dry(path, future)] {
      #expect(found.ending == .failed && found.errors.contains("futureVersion"), "\(found)")
    }
  }

  /// Copies a store, and raises the number of the format in both superblocks.
  private func makeNewer(_ path: String, from source: String) throws {
    var bytes = [UInt8](try bytes(source))
    let checkOffset = 4088
    for start in [0, 4096] where bytes[start..<start + 8].contains(where: { $0 != 0 }) {
      bytes[start + 8] += 1
      let check = bytes[start..<start + checkOffset].withUnsafeBytes { Checksum.of($0) }
      for index in 0..<8 { bytes[start + checkOffset + index] = UInt8(truncatingIfNeeded: check >> UInt64(8 * index)) }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test func `wrong arguments are refused`() throws {
    let path = try shop()
    for words in [
      [path], [path, "--dry-run"], [path, "--to", path],
      [path, "--dry-run", "--to", path, "--default", "stock"],
      [path, "--dry-run", "--to", path, "--default", "Item.a=b"],
    ] {
      #expect(Transcript.run(["migrate"] + words).ending == .usage, "\(words)")
    }
    #expect(Transcript.of("migrate", path, "--to", path).errors.contains("program migrates its store"))
    let unknown = dry(path, path, "--default", "Item.stok")
    #expect(unknown.ending == .failed && unknown.errors.contains("has no property 'Item.stok'"), "\(unknown)")
    #expect(dry(path, path, "--default", "Itm.a").errors.contains("Did you mean 'Item'"))
  }

  @Test func `names cannot disturb a terminal`() throws {
    let (path, next) = (folder.file("a.roost"), folder.file("b.roost"))
    for (file, name) in [(path, "plain"), (next, "a\u{1B}[31mb")] {
      let store = try RecordStore(file)
      try store.write { writer in
        try writer.change { catalog in
          try catalog.add(entity: "E\u{1B}[2J") { (entity) throws(RecordFault) in
            try entity.add(name, .int64, isOptional: true)
          }
        }
      }
      try store.close()
    }
    let found = dry(path, next)
    #expect(found.ending == .good && found.output.contains("+ a\\u{1b}[31mb: int64?"), "\(found)")
    #expect(!found.output.contains("\u{1B}"))
  }
}
