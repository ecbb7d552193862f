import Foundation
import SwiftData
import Testing

/// Two models that reference each other once.
private enum Couple {
  @Model final class Pot {
    var number: Int
    @Relationship(inverse: \Cover.pot) var cover: Cover?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Cover {
    var number: Int
    var pot: Pot?
    init(_ number: Int) { self.number = number }
  }
}

/// One of them has lost its side, and then the other side becomes a list.
private enum LeftPot {
  enum One {
    @Model final class Pot {
      var number: Int
      var cover: Cover?
      init(_ number: Int) { self.number = number }
    }
    @Model final class Cover {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }
  enum Many {
    @Model final class Pot {
      var number: Int
      var cover: [Cover] = []
      init(_ number: Int) { self.number = number }
    }
    @Model final class Cover {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }
}

private enum LeftCover {
  enum One {
    @Model final class Pot {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
    @Model final class Cover {
      var number: Int
      var pot: Pot?
      init(_ number: Int) { self.number = number }
    }
  }
  enum Many {
    @Model final class Pot {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
    @Model final class Cover {
      var number: Int
      var pot: [Pot] = []
      init(_ number: Int) { self.number = number }
    }
  }
}

/// A relationship with only one named side, for both positions of that side in the file.
@Suite struct LeftInverseTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ models: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())]))
  }

  /// Makes two pots with covers, and one of each without.
  private func make() throws {
    let context = try open(Couple.Pot.self, Couple.Cover.self)
    for number in 1...3 {
      let (pot, cover) = (Couple.Pot(number), Couple.Cover(number + 10))
      context.insert(pot)
      context.insert(cover)
      if number < 3 { pot.cover = cover }
    }
    try context.save()
    try context.container.close()
  }

  @Test func `the side of the first model becomes a list`() throws {
    try make()
    try open(LeftPot.One.Pot.self, LeftPot.One.Cover.self).container.close()
    for round in 0..<2 {
      let context = try open(LeftPot.Many.Pot.self, LeftPot.Many.Cover.self)
      let pots = try context.fetch(FetchDescriptor<LeftPot.Many.Pot>(sortBy: [SortDescriptor(\.number)]))
      #expect(pots.map { $0.cover.map(\.number) } == (round == 0 ? [[11], [12], []] : [[11], [12, 13], []]))
      let last = try context.fetch(FetchDescriptor<LeftPot.Many.Cover>(sortBy: [SortDescriptor(\.number)]))[2]
      if round == 0 { pots[1].cover.append(last) }
      try context.save()
      #expect(try context.container.verify().isSound)
      try context.container.close()
    }
  }

  @Test func `the side of the second model becomes a list`() throws {
    try make()
    try open(LeftCover.One.Pot.self, LeftCover.One.Cover.self).container.close()
    for round in 0..<2 {
      let context = try open(LeftCover.Many.Pot.self, LeftCover.Many.Cover.self)
      let covers = try context.fetch(FetchDescriptor<LeftCover.Many.Cover>(sortBy: [SortDescriptor(\.number)]))
      #expect(covers.map { $0.pot.map(\.number) } == (round == 0 ? [[1], [2], []] : [[1], [2, 3], []]))
      let last = try context.fetch(FetchDescriptor<LeftCover.Many.Pot>(sortBy: [SortDescriptor(\.number)]))[2]
      if round == 0 { covers[1].pot.append(last) }
      try context.save()
      #expect(try context.container.verify().isSound)
      try context.container.close()
    }
  }

  @Test func `a side becomes a list when the other one is removed`() throws {
    try make()
    let context = try open(LeftPot.Many.Pot.self, LeftPot.Many.Cover.self)
    let pots = try context.fetch(FetchDescriptor<LeftPot.Many.Pot>(sortBy: [SortDescriptor(\.number)]))
    #expect(pots.map { $0.cover.map(\.number) } == [[11], [12], []])
    #expect(try context.container.verify().isSound)
  }

  @Test func `the other side becomes a list when the first one is removed`() throws {
    try make()
    let context = try open(LeftCover.Many.Pot.self, LeftCover.Many.Cover.self)
    let covers = try context.fetch(FetchDescriptor<LeftCover.Many.Cover>(sortBy: [SortDescriptor(\.number)]))
    #expect(covers.map { $0.pot.map(\.number) } == [[1], [2], []])
    #expect(try context.container.verify().isSound)
  }
}
