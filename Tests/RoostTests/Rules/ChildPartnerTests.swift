import Foundation
import SwiftData
import Testing

/// One-to-one partners that a child context takes from models which it never read.
@Suite struct ChildPartnerTests {
  private let container: ModelContainer
  private let parent: ModelContext

  init() throws {
    container = try Stock.container()
    parent = ModelContext(container)
    for number in 1...2 {
      let ware = Ware("w\(number)")
      parent.insert(ware)
      ware.seal = Seal(number)
    }
    try parent.save()
  }

  private func ware(_ code: String, _ context: ModelContext) throws -> Ware {
    try #require(try context.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == code })).first)
  }

  private func seal(_ number: Int, _ context: ModelContext) throws -> Seal {
    try #require(try context.fetch(FetchDescriptor<Seal>(predicate: #Predicate { $0.number == number })).first)
  }

  @Test(arguments: [false, true]) func `the former partner need not be read`(fromSeal: Bool) throws {
    let child = try ModelContext(parent: parent)
    if fromSeal {
      try seal(1, child).ware = ware("w2", child)
    } else {
      try ware("w2", child).seal = seal(1, child)
    }
    try child.save()
    try parent.save()
    let stored = try Stock.wares(container)
    #expect(stored["w1"]?.seal == nil && stored["w2"]?.seal?.number == 1)
    #expect(try seal(2, ModelContext(container)).ware == nil)
  }

  @Test func `a new model takes a partner from one that was not read`() throws {
    let child = try ModelContext(parent: parent)
    let new = Ware("w3")
    child.insert(new)
    new.seal = try seal(1, child)
    try child.save()
    try parent.save()
    let stored = try Stock.wares(container)
    #expect(stored["w1"]?.seal == nil && stored["w3"]?.seal?.number == 1)
  }
}
