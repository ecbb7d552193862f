import Foundation
import SwiftData
import Testing

private enum Tint: String, Codable { case light, dark }

private struct Measures: Codable, Equatable {
  var width: Int
  var unit: String?
}

/// The models of existing stores.
private enum Old {
  @Model final class Box {
    #Index<Box>([\.number], [\.name, \.number])
    var name: String
    @Attribute(.unique) var number: Int
    var level: Int?
    var note: String?
    @Attribute(.unique) var code: String?
    var shade: Tint
    var mood: Tint?
    var size: Measures
    var loose: Measures?
    var words: [String]
    var tags: [String]?
    var left: Int
    var right: Int
    init(_ number: Int) {
      name = "box \(number)"
      self.number = number
      level = number % 2 == 0 ? nil : number
      note = number % 3 == 0 ? nil : "note \(number)"
      code = number % 2 == 0 ? nil : "code \(number)"
      shade = number % 2 == 0 ? .light : .dark
      mood = number % 2 == 0 ? nil : .dark
      size = Measures(width: number, unit: "cm")
      loose = number % 2 == 0 ? nil : Measures(width: number, unit: "in")
      words = ["w\(number)"]
      tags = number % 2 == 0 ? nil : ["t\(number)"]
      left = number
      right = -number
    }
  }
}

private enum Optional1 {
  @Model final class Box {
    #Index<Box>([\.number], [\.name, \.number])
    var name: String?
    @Attribute(.unique) var number: Int?
    var shade: Tint?
    var size: Measures?
    var words: [String]?
    init() {}
  }
}

private enum Required1 {
  @Model final class Box {
    #Index<Box>([\.level], [\.note, \.level])
    var name: String
    var number: Int
    var level: Int = 90
    var note: String = "none"
    var mood: Tint = Tint.light
    var loose: Measures = Measures(width: 7, unit: "ft")
    var tags: [String] = ["default"]
    init(_ number: Int) {
      name = "new"
      self.number = number
    }
  }
}

private enum Strict {
  enum Level {
    @Model final class Box {
      var level: Int
      init() { level = 0 }
    }
  }
  enum Loose {
    @Model final class Box {
      var loose: Measures
      init() { loose = Measures(width: 0) }
    }
  }
  enum Tags {
    @Model final class Box {
      var tags: [String]
      init() { tags = [] }
    }
  }
  enum UniqueCode {
    @Model final class Box {
      @Attribute(.unique) var code: String = "same"
      init() {}
    }
  }
}

private enum Exchanged {
  @Model final class Box {
    #Index<Box>([\.left])
    var number: Int
    @Attribute(originalName: "right") var left: Int
    @Attribute(originalName: "left") var right: Int
    init() {
      number = 100
      left = 10
      right = 20
    }
  }
}

/// Programs that name fewer models and properties.
private enum Less {
  @Model final class Box {
    var number: Int
    var keeper: Keeper?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Keeper {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

private enum Fewer {
  @Model final class Box {
    @Attribute(.unique) var number: Int
    init() { number = 0 }
  }
}

private enum Restored {
  @Model final class Box {
    #Index<Box>([\.level])
    var number: Int
    var level: Int = 5
    @Attribute(.unique) var code: String
    var size: Measures = Measures(width: 3)
    var note: String?
    var keeper: Keeper?
    init(_ number: Int) {
      self.number = number
      level = number
      code = "code \(number)"
      size = Measures(width: number, unit: "cm")
      note = "note \(number)"
    }
  }
  @Model final class Keeper {
    var number: Int
    @Relationship(inverse: \Box.keeper) var boxes: [Box] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Stranger {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

private enum RestoredLoosely {
  @Model final class Box {
    var number: Int
    var level: Int = 8
    var code: String?
    var size: Measures = Measures(width: 3)
    init(_ number: Int) { self.number = number }
  }
}

private enum Twins {
  @Model final class Box {
    var number: Int
    var name: String
    init(_ number: Int, _ name: String) {
      self.number = number
      self.name = name
    }
  }
}

private enum NoTwins {
  @Model final class Box {
    var number: Int
    @Attribute(.unique) var name: String
    init(_ number: Int) {
      self.number = number
      name = ""
    }
  }
}

private enum Below {
  @Model class Shape {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  @Model final class Square: Shape {
    var color: String
    var owner: Holder?
    init(_ number: Int, _ color: String) {
      self.color = color
      super.init(number)
    }
  }
  @Model final class Holder {
    var number: Int
    @Relationship(inverse: \Square.owner) var squares: [Square] = []
    init(_ number: Int) { self.number = number }
  }
}

private enum Above {
  @Model class Shape {
    var number: Int
    var color: String = "none"
    init(_ number: Int) { self.number = number }
  }
  @Model final class Square: Shape {
    var owner: Holder?
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Holder {
    var number: Int
    @Relationship(inverse: \Square.owner) var squares: [Square] = []
    init(_ number: Int) { self.number = number }
  }
}

/// A square without a superclass.
private enum Alone {
  @Model class Square {
    #Index<Square>([\.number, \.color])
    var number: Int
    @Attribute(.unique) var color: String
    var size: Measures
    var owner: Holder?
    var tags: [Holder] = []
    init(_ number: Int, _ color: String) {
      self.number = number
      self.color = color
      size = Measures(width: number)
    }
  }
  @Model final class Holder {
    var number: Int
    @Relationship(inverse: \Square.owner) var squares: [Square] = []
    init(_ number: Int) { self.number = number }
  }
}

/// A square with a superclass that has some of its properties.
private enum Heir {
  @Model class Shape {
    var number: Int
    var sides: Int = 0
    var owner: Holder?
    init(_ number: Int) { self.number = number }
  }
  @Model class Square: Shape {
    #Index<Square>([\.number, \.color])
    @Attribute(.unique) var color: String
    var size: Measures
    var tags: [Holder] = []
    init(_ number: Int, _ color: String) {
      self.color = color
      size = Measures(width: number)
      super.init(number)
    }
  }
  @Model final class Holder {
    var number: Int
    @Relationship(inverse: \Shape.owner) var shapes: [Shape] = []
    init(_ number: Int) { self.number = number }
  }
}

private enum NotUnique {
  @Model final class Box {
    var number: Int
    var code: String?
    init(_ number: Int) { self.number = number }
  }
}

/// Two subclasses with a property of one name.
private enum Siblings {
  @Model class Shape {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  @Model final class Square: Shape {
    @Attribute(.unique) var label: String
    init(_ number: Int, _ label: String) {
      self.label = label
      super.init(number)
    }
  }
  @Model final class Circle: Shape {
    #Index<Circle>([\.label])
    var label: String
    init(_ number: Int, _ label: String) {
      self.label = label
      super.init(number)
    }
  }
}

private enum Joined {
  @Model class Shape {
    #Index<Shape>([\.label])
    var number: Int
    var label: String
    init(_ number: Int) {
      self.number = number
      label = "new"
    }
  }
  @Model final class Square: Shape {
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Circle: Shape {
    override init(_ number: Int) { super.init(number) }
  }
}

private enum AboveStrict {
  @Model class Shape {
    var number: Int
    var color: String
    init(_ number: Int) {
      self.number = number
      color = ""
    }
  }
  @Model final class Square: Shape {
    override init(_ number: Int) { super.init(number) }
  }
}

/// Stores that are opened with other models than those of their first program, and without a plan.
@Suite struct InferenceTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ models: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())]))
  }

  /// Opens the store twice with these models: the second opening must find the same result.
  private func twice(
    _ models: any PersistentModel.Type..., check: (ModelContext) throws -> Void
  ) throws {
    for round in 1...2 {
      let container = try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())])
      do { try check(ModelContext(container)) } catch {
        Issue.record("round \(round): \(error)")
        throw error
      }
      let report = try container.verify()
      #expect(report.isSound, "round \(round): \(report.findings)")
      try container.close()
    }
  }

  private func refusal(_ models: any PersistentModel.Type...) -> String {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())])
    }
    #expect(error == .loadIssueModelContainer)
    return error?.description ?? ""
  }

  private func makeOld(_ count: Int = 6) throws {
    let context = try open(Old.Box.self)
    for number in 1...count { context.insert(Old.Box(number)) }
    try context.save()
    try context.container.close()
  }

  private func all<T: PersistentModel>(_ context: ModelContext, _ sort: any KeyPath<T, Int> & Sendable) throws -> [T] {
    try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(sort)]))
  }

  // MARK: Optional and required

  @Test func `required properties become optional`() throws {
    try makeOld()
    var count = 6
    try twice(Optional1.Box.self) { context throws in
      let boxes = try context.fetch(FetchDescriptor<Optional1.Box>(sortBy: [SortDescriptor(\.number)]))
        .filter { $0.number != nil }
      #expect(boxes.map(\.number) == [1, 2, 3, 4, 5, 6] && boxes.map(\.name) == (1...6).map { "box \($0)" })
      #expect(boxes.map(\.shade) == [.dark, .light, .dark, .light, .dark, .light])
      #expect(boxes.map(\.size) == (1...6).map { Measures(width: $0, unit: "cm") })
      #expect(boxes.map(\.words) == (1...6).map { ["w\($0)"] })
      #expect(try context.fetchCount(FetchDescriptor<Optional1.Box>(predicate: #Predicate { $0.number == 3 })) == 1)
      #expect(
        try context.fetchCount(
          FetchDescriptor<Optional1.Box>(predicate: #Predicate { $0.name == "box 4" && $0.number == 4 })) == 1)
      context.insert(Optional1.Box())
      context.insert(Optional1.Box())
      try context.save()
      count += 2
      #expect(
        try context.fetchCount(FetchDescriptor<Optional1.Box>(predicate: #Predicate { $0.number == nil })) == count - 6)
      let empty = FetchDescriptor<Optional1.Box>(predicate: #Predicate { $0.size == nil && $0.words == nil })
      #expect(try context.fetchCount(empty) == count - 6)
    }
  }

  @Test func `optional properties with a default become required`() throws {
    try makeOld()
    var count = 6
    try twice(Required1.Box.self) { context throws in
      let boxes = try Array(all(context, \Required1.Box.number).prefix(6))
      #expect(boxes.map(\.level) == [1, 90, 3, 90, 5, 90])
      #expect(boxes.map(\.note) == ["note 1", "note 2", "none", "note 4", "note 5", "none"])
      #expect(boxes.map(\.mood) == [.dark, .light, .dark, .light, .dark, .light])
      #expect(
        boxes.map(\.loose.width) == [1, 7, 3, 7, 5, 7]
          && boxes.map(\.loose.unit) == ["in", "ft", "in", "ft", "in", "ft"])
      #expect(boxes.map(\.tags) == [["t1"], ["default"], ["t3"], ["default"], ["t5"], ["default"]])
      func found(_ predicate: Predicate<Required1.Box>) throws -> Int {
        try context.fetchCount(FetchDescriptor(predicate: predicate))
      }
      let number = count
      #expect(try found(#Predicate { $0.level == 90 }) == number - 3)
      #expect(try found(#Predicate { $0.level > 4 && $0.level < 91 }) == number - 2)
      #expect(try found(#Predicate { $0.note == "none" }) == number - 4)
      #expect(try found(#Predicate { $0.note == "none" && $0.level == 90 }) == number - 5)
      #expect(try found(#Predicate { $0.loose.width == 7 }) == number - 3)
      #expect(try found(#Predicate { $0.tags.contains("default") }) == number - 3)
      let sorted = try context.fetch(
        FetchDescriptor<Required1.Box>(sortBy: [SortDescriptor(\.level), SortDescriptor(\.number)]))
      #expect(sorted.prefix(6).map(\.number) == [1, 3, 5, 2, 4, 6])
      #expect(try context.sum(of: \Required1.Box.level) == 9 + 90 * (number - 3))
      boxes[1].name = "changed"
      context.insert(Required1.Box(number + 100))
      try context.save()
      count += 1
    }
  }

  /// A program of the old models changed the rows meanwhile. No value that was read as the default
  /// becomes nil again.
  @Test func `a value that was read as a default stays when the property becomes optional again`() throws {
    try makeOld()
    try twice(Required1.Box.self) { context throws in
      #expect(try all(context, \Required1.Box.number).map(\.level) == [1, 90, 3, 90, 5, 90])
    }
    try twice(Old.Box.self) { context throws in
      let boxes = try all(context, \Old.Box.number)
      #expect(boxes.map(\.level) == [1, 90, 3, 90, 5, 90])
      #expect(boxes.map(\.note) == ["note 1", "note 2", "none", "note 4", "note 5", "none"])
      #expect(boxes.map(\.loose?.width) == [1, 7, 3, 7, 5, 7])
      #expect(try context.fetchCount(FetchDescriptor<Old.Box>(predicate: #Predicate { $0.level == nil })) == 0)
    }
  }

  @Test func `an optional property without a default is refused while objects have nil, and named`() throws {
    try makeOld()
    for (text, property) in [
      (refusal(Strict.Level.Box.self), "Box.level"), (refusal(Strict.Loose.Box.self), "Box.loose"),
      (refusal(Strict.Tags.Box.self), "Box.tags"),
    ] {
      #expect(
        text.contains(property) && text.contains("3 objects have none") && text.contains("default value"), "\(text)")
    }
    let context = try open(Old.Box.self)
    for box in try context.fetch(FetchDescriptor<Old.Box>()) {
      box.level = box.number
      box.loose = Measures(width: box.number)
    }
    try context.save()
    try context.container.close()
    try twice(Strict.Level.Box.self) { context throws in
      #expect(try all(context, \Strict.Level.Box.level).map(\.level) == [1, 2, 3, 4, 5, 6])
    }
    try twice(Strict.Loose.Box.self) { context throws in
      #expect(Set(try context.fetch(FetchDescriptor<Strict.Loose.Box>()).map(\.loose.width)) == Set(1...6))
    }
  }

  @Test func `a unique property whose default would belong to several objects is refused`() throws {
    try makeOld()
    let text = refusal(Strict.UniqueCode.Box.self)
    #expect(
      text.contains("Box.code") && text.contains("a group of objects has the same value: row 2 has \"same\""), "\(text)"
    )
    try twice(Old.Box.self) { context throws in
      #expect(try all(context, \Old.Box.number).map(\.code) == ["code 1", nil, "code 3", nil, "code 5", nil])
    }
  }

  // MARK: Names

  @Test func `properties exchange names, once`() throws {
    try makeOld()
    try twice(Exchanged.Box.self) { context throws in
      let boxes = try all(context, \Exchanged.Box.number)
      #expect(boxes.map(\.left) == [-1, -2, -3, -4, -5, -6] && boxes.map(\.right) == [1, 2, 3, 4, 5, 6])
      #expect(try context.fetchCount(FetchDescriptor<Exchanged.Box>(predicate: #Predicate { $0.left == -3 })) == 1)
    }
  }

  // MARK: Parking

  @Test func `unnamed properties come back, and new rows have no invented values of them`() throws {
    do {
      let context = try open(Restored.Box.self, Restored.Keeper.self, Restored.Stranger.self)
      let keeper = Restored.Keeper(1)
      context.insert(Restored.Stranger(9))
      for number in 1...3 {
        let box = Restored.Box(number)
        context.insert(box)
        box.keeper = keeper
      }
      try context.save()
      try context.container.close()
    }
    var next = 4
    try twice(Less.Box.self) { context throws in
      let boxes = try all(context, \Less.Box.number)
      boxes[0].keeper = boxes[0].keeper
      context.insert(Less.Box(next))
      context.insert(Less.Box(next + 1))
      try context.save()
      next += 2
    }
    let text = refusal(Restored.Box.self, Restored.Keeper.self, Restored.Stranger.self)
    #expect(text.contains("Box.code") && text.contains("4 objects have none"), "\(text)")
    try twice(RestoredLoosely.Box.self) { context throws in
      let boxes = try all(context, \RestoredLoosely.Box.number)
      #expect(boxes.map(\.level) == [1, 2, 3, 8, 8, 8, 8])
      #expect(boxes.map(\.code) == ["code 1", "code 2", "code 3", nil, nil, nil, nil])
      #expect(boxes.map(\.size.width) == [1, 2, 3, 3, 3, 3, 3])
      #expect(
        try context.fetchCount(FetchDescriptor<RestoredLoosely.Box>(predicate: #Predicate { $0.level == 8 })) == 4)
    }
    do {
      let context = try open(RestoredLoosely.Box.self)
      for box in try all(context, \RestoredLoosely.Box.number) where box.code == nil { box.code = "late \(box.number)" }
      try context.save()
      try context.container.close()
    }
    try twice(Restored.Box.self, Restored.Keeper.self, Restored.Stranger.self) { context throws in
      let boxes = try all(context, \Restored.Box.number)
      #expect(boxes.map(\.level) == [1, 2, 3, 8, 8, 8, 8])
      #expect(boxes.map(\.code).suffix(2) == ["late 6", "late 7"])
      #expect(boxes.map(\.note) == ["note 1", "note 2", "note 3", nil, nil, nil, nil])
      #expect(try all(context, \Restored.Keeper.number).first?.boxes.count == 3)
      #expect(try context.fetchCount(FetchDescriptor<Restored.Stranger>()) == 1)
    }
  }

  @Test func `a read-only program that names less changes nothing`() throws {
    try makeOld()
    let before = try Data(contentsOf: folder.file())
    let container = try ModelContainer(
      for: Fewer.Box.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Fewer.Box>()) == 6)
    #expect(try Data(contentsOf: folder.file()) == before)
  }

  // MARK: Unique

  @Test func `a unique property with duplicates is refused, and the error names the duplicates`() throws {
    do {
      let context = try open(Twins.Box.self)
      for (number, name) in ["a", "b", "a", "c", "b", "d"].enumerated() { context.insert(Twins.Box(number, name)) }
      try context.save()
      try context.container.close()
    }
    let text = refusal(NoTwins.Box.self)
    for part in ["Box.name", "2 groups", "row 1 has \"a\"", "row 3 has \"a\"", "row 5 has \"b\"", "custom stage"] {
      #expect(text.contains(part), "\(part): \(text)")
    }
    try twice(Twins.Box.self) { context throws in
      #expect(try all(context, \Twins.Box.number).map(\.name) == ["a", "b", "a", "c", "b", "d"])
    }
  }

  // MARK: Classes

  @Test func `a property moves to the superclass, and back`() throws {
    do {
      let context = try open(Below.Shape.self, Below.Square.self, Below.Holder.self)
      context.insert(Below.Shape(1))
      let square = Below.Square(2, "red")
      context.insert(square)
      square.owner = Below.Holder(1)
      try context.save()
      try context.container.close()
    }
    let text = refusal(AboveStrict.Shape.self, AboveStrict.Square.self)
    #expect(text.contains("Shape.color") && text.contains("1 object has none"), "\(text)")
    try twice(Above.Shape.self, Above.Square.self, Above.Holder.self) { context throws in
      #expect(try all(context, \Above.Shape.number).map(\.color) == ["none", "red"])
      #expect(try all(context, \Above.Holder.number).first?.squares.count == 1)
      #expect(try context.fetchCount(FetchDescriptor<Above.Shape>(predicate: #Predicate { $0.color == "none" })) == 1)
    }
    try twice(Below.Shape.self, Below.Square.self, Below.Holder.self) { context throws in
      #expect(try context.fetch(FetchDescriptor<Below.Square>()).map(\.color) == ["red"])
    }
  }

  @Test func `a property of two subclasses moves to the superclass`() throws {
    do {
      let context = try open(Siblings.Shape.self, Siblings.Square.self, Siblings.Circle.self)
      for number in 1...3 {
        context.insert(Siblings.Square(number, "square \(number)"))
        context.insert(Siblings.Circle(number + 10, "circle \(number)"))
      }
      try context.save()
      try context.container.close()
    }
    try twice(Joined.Shape.self, Joined.Square.self, Joined.Circle.self) { context throws in
      let labels = try all(context, \Joined.Shape.number).map(\.label)
      #expect(labels == (1...3).map { "square \($0)" } + (1...3).map { "circle \($0)" })
      let found = FetchDescriptor<Joined.Shape>(predicate: #Predicate { $0.label == "circle 2" })
      #expect(try context.fetchCount(found) == 1)
    }
  }

  @Test func `a class that gets a new superclass keeps its objects`() throws {
    var coded = Data()
    do {
      let context = try open(Alone.Square.self, Alone.Holder.self)
      let holder = Alone.Holder(7)
      for number in 1...3 {
        let square = Alone.Square(number, "color \(number)")
        context.insert(square)
        square.owner = holder
        square.tags = [holder]
      }
      try context.save()
      coded = try JSONEncoder().encode(try all(context, \Alone.Square.number)[1].persistentModelID)
      try context.container.close()
    }
    var count = 0
    try twice(Heir.Shape.self, Heir.Square.self, Heir.Holder.self) { context throws in
      let squares = try context.fetch(FetchDescriptor<Heir.Square>(sortBy: [SortDescriptor(\.number)]))
      #expect(squares.map(\.number) == Array(1...3 + count) && squares.allSatisfy { $0.sides == 0 })
      #expect(squares.map(\.color) == (1...3 + count).map { "color \($0)" })
      #expect(squares.prefix(3).map(\.size.width) == [1, 2, 3])
      let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: coded)
      let known: Heir.Square? = try context.existingModel(for: identifier)
      #expect(known === squares[1])
      #expect(squares.prefix(3).allSatisfy { $0.owner?.number == 7 && $0.tags.map(\.number) == [7] })
      #expect(try context.fetchCount(FetchDescriptor<Heir.Shape>()) == 3 + 2 * count)
      #expect(try all(context, \Heir.Holder.number).first?.shapes.count == 3)
      let found = FetchDescriptor<Heir.Square>(predicate: #Predicate { $0.color == "color 2" && $0.number == 2 })
      #expect(try context.fetchCount(found) == 1)
      count += 1
      context.insert(Heir.Shape(100 + count))
      context.insert(Heir.Square(3 + count, "color \(3 + count)"))
      try context.save()
    }
  }

  // MARK: Unique no longer

  @Test func `a property that is no longer unique accepts equal values`() throws {
    try makeOld()
    try twice(NotUnique.Box.self) { context throws in
      let boxes = try all(context, \NotUnique.Box.number)
      context.insert(NotUnique.Box(boxes.count + 100))
      boxes[0].code = "code 3"
      let more = NotUnique.Box(1)
      more.code = "code 3"
      context.insert(more)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<NotUnique.Box>()) == boxes.count + 2)
    }
    let text = refusal(Old.Box.self)
    #expect(text.contains("Box.number") || text.contains("Box.code") || text.contains("Box."), "\(text)")
  }

  // MARK: Crashes

  @Test func `a change that is only in the log is replayed`() throws {
    try makeOld()
    let container = try ModelContainer(for: Required1.Box.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    try all(context, \Required1.Box.number)[1].name = "after"
    try context.save()
    // The files as a crash would leave them.
    let copy = folder.file("copy.roost")
    try FileManager.default.copyItem(at: folder.file(), to: copy)
    let log = URL(fileURLWithPath: folder.file().path + "-log")
    try FileManager.default.copyItem(at: log, to: URL(fileURLWithPath: copy.path + "-log"))
    let again = try ModelContainer(for: Required1.Box.self, configurations: ModelConfiguration(url: copy))
    let boxes = try all(ModelContext(again), \Required1.Box.number)
    #expect(boxes.map(\.level) == [1, 90, 3, 90, 5, 90] && boxes[1].name == "after")
    let report = try again.verify()
    #expect(report.isSound, "\(report.findings)")
  }
}
