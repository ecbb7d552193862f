import Foundation
public import SwiftData
import Testing

/// Neither Hashable nor Sendable, as types of programs often are.
public final class Ink: Codable {
  public var name: String
  public init(_ name: String) { self.name = name }
}

public struct Size: Codable {
  public var width: Int
}

@Snapshots(.codable) @Model public final class Sheet {
  public var title: String
  public var size: Size
  var tags: [String] = []
  private var secret = 7
  public var ink: Ink
  var kind = Genre.jazz
  var grade: Grade?
  @Relationship(inverse: \Folio.sheets) public var folio: Folio?
  @Relationship var notes: [SheetNote] = []
  @Transient var shown = false
  var twice: Int { secret * 2 }

  init(_ title: String, _ width: Int) {
    self.title = title
    size = Size(width: width)
    ink = Ink("blue")
  }
}

@Model @Snapshots public final class Folio {
  @Attribute(.unique) public var id: Int
  public var sheets: [Sheet] = []

  init(_ id: Int) { self.id = id }
}

extension Folio {
  @Model @Snapshots final class Inner {
    var name = "inner"
    init() {}
  }
}

@Model final class SheetNote {
  var text: String
  init(_ text: String) { self.text = text }
}

@Model @Snapshots class Shape {
  var name: String
  var owner: Folio?

  init(_ name: String) { self.name = name }
}

@Model @Snapshots class Circle: Shape {
  var radius: Double
  var inner: Shape?

  init(_ name: String, _ radius: Double) {
    self.radius = radius
    super.init(name)
  }
}

@MainActor @Model @Snapshots final class Pinned {
  var name: String
  var folio: Folio?

  init(_ name: String) { self.name = name }
}

@Suite struct TypedSnapshotTests {
  private func makeContext() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Sheet.self, Circle.self, Folio.Inner.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func `a struct has the fields, and identifiers for relationships`() throws {
    let context = try makeContext()
    let (sheet, folio) = (Sheet("a", 3), Folio(1))
    sheet.folio = folio
    sheet.notes = [SheetNote("x"), SheetNote("y")]
    sheet.grade = .best
    context.insert(sheet)
    try context.save()
    let snapshot = sheet.typedSnapshot
    let (title, size): (String, Size) = (snapshot.title, snapshot.size)
    let (owner, notes): (PersistentIdentifier?, [PersistentIdentifier]) = (snapshot.folio, snapshot.notes)
    #expect(title == "a" && size.width == 3 && snapshot.kind == .jazz && snapshot.grade == .best)
    #expect(owner == folio.persistentModelID && notes == sheet.notes.map(\.persistentModelID))
    #expect(snapshot.ink.name == "blue" && snapshot.ink !== sheet.ink && snapshot.id == sheet.persistentModelID)
    #expect(snapshot.persistentModelID == sheet.persistentModelID && snapshot.modelSnapshot == sheet.snapshot)
    let all = try context.fetchSnapshots(FetchDescriptor<Sheet>(), as: Sheet.Snapshot.self)
    #expect(all == [snapshot] && Set(all) == [Sheet.Snapshot(sheet)])
    #expect(try context.container.fetchSnapshots(FetchDescriptor<Folio>(), as: Folio.Snapshot.self)[0].id == 1)
    #expect(Folio.Inner().typedSnapshot.name == "inner")
    sheet.size.width = 4
    #expect(sheet.typedSnapshot != snapshot)
  }

  @Test func `a struct is encoded with the names of its fields`() throws {
    let context = try makeContext()
    let sheet = Sheet("a", 3)
    context.insert(sheet)
    sheet.folio = Folio(4)
    let coded = try JSONEncoder().encode(sheet.typedSnapshot)
    let object = try #require(try JSONSerialization.jsonObject(with: coded) as? [String: Any])
    #expect(object["title"] as? String == "a" && object["kind"] as? String == "jazz")
    #expect((object["size"] as? [String: Int]) == ["width": 3] && object["secret"] as? Int == 7)
    let back = try JSONDecoder().decode(Sheet.Snapshot.self, from: coded)
    #expect(back == sheet.typedSnapshot && back.ink.name == "blue" && back.folio == sheet.folio?.persistentModelID)
    let without = String(decoding: coded, as: UTF8.self).replacing(/"grade":null,?/, with: "")
    #expect(try JSONDecoder().decode(Sheet.Snapshot.self, from: Data(without.utf8)).grade == nil)
  }

  @Test func `a changed struct is applied`() throws {
    let context = try makeContext()
    let (sheet, folio) = (Sheet("a", 3), Folio(1))
    context.insert(sheet)
    context.insert(folio)
    try context.save()
    var snapshot = sheet.typedSnapshot
    snapshot.title = "b"
    snapshot.size.width = 9
    snapshot.ink = Ink("red")
    snapshot.folio = folio.persistentModelID
    #expect(snapshot.ink.name == "red" && sheet.ink.name == "blue")
    #expect(try context.apply(snapshot) === sheet)
    #expect(sheet.title == "b" && sheet.size.width == 9 && sheet.ink.name == "red" && sheet.folio === folio)
    #expect(sheet.twice == 14 && folio.sheets == [sheet])
    try context.save()
    snapshot.folio = nil
    try context.apply(contentsOf: [snapshot])
    #expect(folio.sheets.isEmpty)
  }

  @Test func `inherited properties are in the struct too`() throws {
    let context = try makeContext()
    let (circle, folio) = (Circle("c", 2), Folio(1))
    circle.owner = folio
    circle.inner = Circle("i", 1)
    context.insert(circle)
    try context.save()
    var snapshot = Circle.Snapshot(circle)
    #expect(snapshot.radius == 2 && snapshot.name == "c" && snapshot.owner == folio.persistentModelID)
    #expect(snapshot.inner == circle.inner?.persistentModelID && snapshot.modelSnapshot == circle.snapshot)
    snapshot.radius = 5
    try snapshot.inherited.set(\.name, to: "d")
    try context.apply(snapshot)
    #expect(circle.radius == 5 && circle.name == "d" && circle.owner === folio)
    // As a shape it has no radius, which therefore stays.
    var shape = circle.typedSnapshot
    let kind: Shape.Snapshot.Type = type(of: shape)
    #expect(kind == Shape.Snapshot.self)
    shape.name = "e"
    #expect(try context.apply(shape) === circle && circle.name == "e" && circle.radius == 5)
    context.delete(circle)
    try context.save()
    #expect(throws: RoostError.self) { try context.apply(shape) }
    #expect(try context.apply(snapshot).radius == 5)
  }

  @Test func `snapshots of models of the main actor are read anywhere`() async {
    let snapshot = await MainActor.run { Pinned("p").typedSnapshot }
    #expect(snapshot.name == "p" && snapshot.folio == nil)
  }
}
