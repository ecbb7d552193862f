import SwiftData
import Testing

/// Programs with the same class names and more and more classes.
private enum Early {
  @Model class Shape {
    var name: String
    var size: Int
    #Index<Shape>([\.size])

    init(_ name: String, size: Int) {
      self.name = name
      self.size = size
    }
  }
}

private enum Middle {
  @Model class Shape {
    var name: String
    var size: Int
    #Index<Shape>([\.size])

    init(_ name: String, size: Int) {
      self.name = name
      self.size = size
    }
  }

  @Model final class Square: Shape {
    @Attribute(.unique) var code: Int
    var color: String = "red"

    init(_ name: String, size: Int, code: Int) {
      self.code = code
      super.init(name, size: size)
    }
  }
}

private enum Late {
  @Model class Shape {
    var name: String
    var size: Int
    #Index<Shape>([\.size])

    init(_ name: String, size: Int) {
      self.name = name
      self.size = size
    }
  }

  @Model class Polygon: Shape {
    var corners: Int = 4

    init(_ name: String, size: Int, corners: Int) {
      self.corners = corners
      super.init(name, size: size)
    }
  }

  @Model final class Square: Polygon {
    @Attribute(.unique) var code: Int
    var color: String = "red"
    var wide: Bool = true

    init(_ name: String, size: Int, code: Int) {
      self.code = code
      super.init(name, size: size, corners: 4)
    }
  }

  @Model final class Circle: Shape {
    @Attribute(.unique) var code: String
    #Unique<Circle>([\.name])

    init(_ name: String, size: Int, code: String) {
      self.code = code
      super.init(name, size: size)
    }
  }
}

private enum Alone {
  @Model class Square {
    var name: String

    init(_ name: String) { self.name = name }
  }
}

@Suite struct GrowingFamilyTests {
  private func context(_ folder: Folder, _ models: [any PersistentModel.Type]) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())]))
  }

  @Test func `a store accepts classes that are added later`() throws {
    let folder = try Folder()
    do {
      let context = try context(folder, [Early.Shape.self])
      for number in 0..<20 { context.insert(Early.Shape("s\(number)", size: number)) }
      try context.save()
    }
    do {
      let context = try context(folder, [Middle.Square.self])
      #expect(try context.fetchCount(FetchDescriptor<Middle.Shape>()) == 20)
      #expect(try context.fetchCount(FetchDescriptor<Middle.Square>()) == 0)
      for number in 20..<30 { context.insert(Middle.Square("q\(number)", size: number, code: number)) }
      try context.save()
      let all = try context.fetch(FetchDescriptor<Middle.Shape>(sortBy: [SortDescriptor(\.size)]))
      #expect(all.map(\.size) == Array(0..<30) && all.filter { $0 is Middle.Square }.count == 10)
    }
    do {
      // A class between two others, and a sibling class.
      let context = try context(folder, [Late.Square.self, Late.Circle.self])
      let squares = try context.fetch(FetchDescriptor<Late.Polygon>(sortBy: [SortDescriptor(\.size)]))
      #expect(squares.map(\.size) == Array(20..<30) && squares.allSatisfy { $0 is Late.Square })
      let wanted = FetchDescriptor<Late.Square>(predicate: #Predicate { $0.code == 25 && $0.wide })
      let found = try #require(try context.fetch(wanted).first)
      // A property that is newer than the row has its declared default.
      #expect(found.color == "red" && found.wide)
      found.corners = 5
      for number in 30..<35 { context.insert(Late.Circle("c\(number)", size: number, code: "\(number)")) }
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Late.Shape>()) == 35)
    }
    do {
      // Objects of an unknown class belong to no class.
      let context = try context(folder, [Middle.Square.self])
      #expect(try context.fetchCount(FetchDescriptor<Middle.Shape>()) == 30)
      #expect(try context.fetch(FetchDescriptor<Middle.Shape>(sortBy: [SortDescriptor(\.size)])).count == 30)
      #expect(try context.fetch(FetchDescriptor<Middle.Square>(predicate: #Predicate { $0.code == 25 })).count == 1)
    }
    let last = try context(folder, [Late.Square.self, Late.Circle.self])
    #expect(try last.fetchCount(FetchDescriptor<Late.Circle>()) == 5)
    #expect(
      try last.fetch(FetchDescriptor<Late.Polygon>(predicate: #Predicate { $0.corners == 5 })).map(\.size) == [25])
  }

  @Test func `a subclass's unique rule on an inherited property binds only its own objects`() throws {
    let folder = try Folder()
    let context = try context(folder, [Late.Square.self, Late.Circle.self])
    context.insert(Late.Shape("one", size: 1))
    context.insert(Late.Shape("one", size: 2))
    context.insert(Late.Circle("one", size: 3, code: "a"))
    context.insert(Late.Square("one", size: 4, code: 1))
    context.insert(Late.Circle("two", size: 5, code: "b"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Late.Shape>()) == 5)
  }

  @Test func `a model with its own entity is refused when it inherits`() throws {
    let folder = try Folder()
    do {
      let context = try context(folder, [Alone.Square.self])
      context.insert(Alone.Square("old"))
      try context.save()
    }
    let error = #expect(throws: (any Error).self) { try context(folder, [Middle.Square.self]) }
    #expect("\(error as Any)".contains("migration"))
    let again = try context(folder, [Alone.Square.self])
    #expect(try again.fetch(FetchDescriptor<Alone.Square>()).map(\.name) == ["old"])
  }

  @Test func `a family is stored in one store`() throws {
    let folder = try Folder()
    let places = [
      ModelConfiguration("a", schema: Schema([Early.Shape.self]), url: folder.file("a.roost")),
      ModelConfiguration("b", schema: Schema([Late.Circle.self]), url: folder.file("b.roost")),
    ]
    #expect(throws: SwiftDataError.self) { try ModelContainer(for: Schema([Late.Circle.self]), configurations: places) }
  }
}
