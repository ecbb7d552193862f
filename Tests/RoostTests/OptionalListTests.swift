import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

@Model final class Pantry {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Jar.pantry) var jars: [Jar]?
  @Relationship(inverse: \PantryMark.pantries) var marks: [PantryMark]?
  /// One-way: its members do not reference the pantry.
  @Relationship(deleteRule: .cascade) var lids: [Lid]?

  init(_ name: String, jars: [Jar]? = nil) {
    self.name = name
    self.jars = jars
  }
}

@Model final class Jar {
  var name: String
  var pantry: Pantry?

  init(_ name: String, _ pantry: Pantry? = nil) {
    self.name = name
    self.pantry = pantry
  }
}

@Model final class PantryMark {
  var word: String
  var pantries: [Pantry]?

  init(_ word: String) { self.word = word }
}

@Model final class Lid {
  var size: Int

  init(_ size: Int) { self.size = size }
}

/// Regression: CloudKit's rules make people write `var items: [Item]?`, and SwiftData never shows
/// such a list as nil in a context. Here a list that began as nil stayed nil: the inverse never
/// filled it, `items?.append(x)` lost `x`, and an import of correct Swift code lost children
/// without an error.
@Suite struct OptionalListTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Pantry.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func stored<Model: PersistentModel>(_ type: Model.Type) throws -> Model {
    try #require(try ModelContext(container).fetch(FetchDescriptor<Model>()).first)
  }

  @Test func `a list may be nil before its model is inserted, and is empty afterwards`() throws {
    let pantry = Pantry("a")
    #expect(pantry.jars == nil && pantry.marks == nil && pantry.lids == nil)
    pantry.jars = [Jar("x")]
    pantry.jars = nil
    #expect(pantry.jars == nil)
    context.insert(pantry)
    #expect(pantry.jars == [] && pantry.marks == [] && pantry.lids == [])
    try context.save()
    #expect(pantry.jars == [] && pantry.marks == [] && pantry.lids == [])
    #expect(try stored(Pantry.self).jars == [])
  }

  @Test func `the other side fills a list that began as nil`() throws {
    let (pantry, jar, mark) = (Pantry("a"), Jar("x"), PantryMark("w"))
    context.insert(pantry)
    context.insert(jar)
    context.insert(mark)
    jar.pantry = pantry
    pantry.marks = [mark]
    #expect(pantry.jars?.map(\.name) == ["x"])
    #expect(mark.pantries?.map(\.name) == ["a"])
    try context.save()
    #expect(pantry.jars?.map(\.name) == ["x"] && mark.pantries?.map(\.name) == ["a"])
    #expect(try stored(Pantry.self).jars?.map(\.name) == ["x"])
    #expect(try stored(PantryMark.self).pantries?.map(\.name) == ["a"])
  }

  @Test func `a nil list is filled too if another model inserted its owner`() throws {
    let (pantry, mark) = (Pantry("a"), PantryMark("w"))
    mark.pantries = nil
    context.insert(pantry)
    pantry.marks = [mark]
    #expect(mark.pantries?.map(\.name) == ["a"])
    let jar = Jar("x", Pantry("b"))
    context.insert(jar)
    #expect(jar.pantry?.jars == [jar])
    try context.save()
    #expect(try stored(PantryMark.self).pantries?.map(\.name) == ["a"])
  }

  @Test func `append with optional chaining adds the member`() throws {
    let pantry = Pantry("a")
    context.insert(pantry)
    pantry.jars?.append(Jar("x"))
    pantry.marks?.append(PantryMark("w"))
    pantry.lids?.append(Lid(1))
    try context.save()
    pantry.jars?.append(Jar("y"))
    try context.save()
    let other = try stored(Pantry.self)
    #expect(other.jars?.map(\.name) == ["x", "y"] && other.marks?.map(\.word) == ["w"])
    #expect(other.lids?.map(\.size) == [1])
  }

  @Test(arguments: [false, true]) func `nil empties a list`(isSaved: Bool) throws {
    let pantry = Pantry("a", jars: [Jar("x"), Jar("y")])
    let mark = PantryMark("w")
    context.insert(pantry)
    pantry.marks = [mark]
    let jars = try #require(pantry.jars)
    if isSaved { try context.save() }
    pantry.jars = nil
    pantry.marks = nil
    #expect(pantry.jars == [] && pantry.marks == [])
    #expect(jars.allSatisfy { $0.pantry == nil } && mark.pantries == [])
    pantry.jars?.append(jars[1])
    #expect(pantry.jars == [jars[1]] && jars[1].pantry === pantry)
    try context.save()
    #expect(try stored(Pantry.self).jars?.map(\.name) == ["y"])
    #expect(try stored(PantryMark.self).pantries == [])
  }

  @Test func `a rollback restores the members that nil removed`() throws {
    let pantry = Pantry("a", jars: [Jar("x")])
    context.insert(pantry)
    try context.save()
    pantry.jars = nil
    context.rollback()
    #expect(pantry.jars?.map(\.name) == ["x"])
  }

  @Test(arguments: [false, true]) func `no predicate finds a nil list`(isSaved: Bool) throws {
    context.insert(Pantry("a"))
    context.insert(Pantry("b", jars: [Jar("x")]))
    if isSaved { try context.save() }
    func count(_ predicate: Predicate<Pantry>) throws -> Int {
      let found = try context.fetch(FetchDescriptor(predicate: predicate)).count
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found)
      return found
    }
    #expect(try count(#Predicate { $0.jars == nil }) == 0)
    #expect(try count(#Predicate { $0.jars != nil }) == 2)
    #expect(try count(#Predicate { nil == $0.marks }) == 0)
    // The store computes it.
    let fresh = ModelContext(container)
    #expect(
      try fresh.fetchCount(FetchDescriptor<Pantry>(predicate: #Predicate { $0.jars != nil })) == (isSaved ? 2 : 0))
    #expect(fresh.statistics.modelsFetched == 0)
    #expect(try count(#Predicate { $0.jars?.isEmpty == true }) == 1)
    #expect(try count(#Predicate { $0.jars?.contains { $0.name == "x" } ?? true }) == 1)
  }

  /// Regression: a list that is never nil was assumed to exist even if the reference before it is
  /// nil.
  @Test(arguments: [false, true]) func `a list reached through a nil reference is nil`(isSaved: Bool) throws {
    context.insert(Jar("alone"))
    context.insert(Jar("kept", Pantry("a")))
    if isSaved { try context.save() }
    func names(_ predicate: Predicate<Jar>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }
    #expect(try names(#Predicate { $0.pantry?.jars == nil }) == ["alone"])
    #expect(try names(#Predicate { $0.pantry?.jars != nil }) == ["kept"])
    #expect(try names(#Predicate { nil == $0.pantry?.marks }) == ["alone"])
  }

  @Test(arguments: [false, true]) func `a cascade deletes the stored members, whatever its owner shows`(
    isRead: Bool
  ) throws {
    let pantry = Pantry("a")
    context.insert(pantry)
    context.insert(Jar("x", pantry))
    pantry.lids = [Lid(1)]
    try context.save()
    if isRead { #expect(pantry.jars?.count == 1) }
    let other = ModelContext(container)
    for found in try other.fetch(FetchDescriptor<Pantry>()) { other.insert(Jar("y", found)) }
    try other.save()
    // An unsaved one is deleted too.
    context.insert(Jar("z", pantry))
    context.delete(pantry)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Jar>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Lid>()) == 0)
  }

  @Test func `a batch stores nil lists as empty`() throws {
    try context.insert(batch: [Pantry("a"), Pantry("b", jars: [Jar("x")])])
    let all = try context.fetch(FetchDescriptor<Pantry>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map { $0.jars?.count } == [0, 1] && all.map { $0.marks?.count } == [0, 0])
  }

  @Test func `an export writes an empty list, and an import of null makes one`() throws {
    context.insert(PantryMark("w"))
    context.insert(Pantry("a"))
    try context.save()
    let scratch = try ScratchFolder()
    var text = ""
    for one in ["marks", "pantries"] {
      let file = URL(filePath: scratch.file(one + ".jsonl"))
      if one == "marks" {
        _ = try container.export(FetchDescriptor<PantryMark>(), to: .file(file))
      } else {
        _ = try container.export(FetchDescriptor<Pantry>(), to: .file(file))
      }
      text += try String(contentsOf: file, encoding: .utf8)
    }
    #expect(text.contains("[]") && !text.contains("null"), "\(text)")
    _ = try container.importer(for: PantryMark.self).run(.text("{\"word\": \"n\", \"pantries\": null}\n", .jsonLines))
    let all = try ModelContext(container).fetch(FetchDescriptor<PantryMark>())
    #expect(all.count == 2 && all.allSatisfy { $0.pantries == [] })
  }
}
