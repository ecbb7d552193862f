import Foundation
import RoostImport
import SwiftData
import Testing

@Model private final class Silo {
  @Attribute(.unique) var mark: String
  var left: Int?
  var right: Int?
  @Validate(.range(...100)) @Derived(\Silo.both) var sum: Int
  var both: Int { (left ?? 0) + (right ?? 0) }

  init(_ mark: String, left: Int? = nil, right: Int? = nil) { (self.mark, self.left, self.right) = (mark, left, right) }
}

extension Silo: Validatable {
  func validate(_ validation: Validation) throws {
    if left == 13, right == 13 { validation.refuse("it is unlucky") }
  }
}

/// A stored object that gets values of two writers has the computed values of neither.
@Suite struct ComputedMergeTests {
  private static func context(_ rule: ModelContext.UniqueRule<Silo>) throws -> ModelContext {
    let container = try ModelContainer(
      for: Silo.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Silo("a", left: 1))
    try context.save()
    try context.setUniquePolicy(rule, for: Silo.self)
    return context
  }

  private static func insert(_ silo: Silo, _ context: ModelContext, isBatch: Bool) throws {
    if isBatch {
      try context.insert(batch: [silo])
    } else {
      context.insert(silo)
      try context.save()
    }
  }

  private static func stored(_ context: ModelContext) throws -> [Int] {
    let all = try ModelContext(context.container).fetch(FetchDescriptor<Silo>())
    #expect(all.allSatisfy { $0.sum == $0.both })
    return all.map(\.sum)
  }

  @Test(arguments: [true, false]) func `merged values are computed again`(isBatch: Bool) throws {
    let notNil = try Self.context(.mergeNonNil)
    try Self.insert(Silo("a", right: 20), notNil, isBatch: isBatch)
    #expect(try Self.stored(notNil) == [21])
    let fields = try Self.context(.fields(\.right))
    try Self.insert(Silo("a", left: 50, right: 30), fields, isBatch: isBatch)
    #expect(try Self.stored(fields) == [31])
    let asked = try Self.context(
      .resolve { inserted, existing in
        (inserted.left, existing.right) = (existing.left, 7)
        return .mergeNonNil
      })
    try Self.insert(Silo("a", left: 40), asked, isBatch: isBatch)
    #expect(try Self.stored(asked) == [8])
    let kept = try Self.context(
      .resolve { _, existing in
        existing.right = 9
        return .keepExisting
      })
    try Self.insert(Silo("a", left: 40), kept, isBatch: isBatch)
    #expect(try Self.stored(kept) == [10])
  }

  @Test(arguments: [true, false]) func `rules see merged values`(isBatch: Bool) throws {
    func refused(_ silo: Silo, _ rule: ModelContext.UniqueRule<Silo>, _ property: String?) throws {
      let context = try Self.context(rule)
      try context.update(model: Silo.self) { $0.left = 13 }
      let error = #expect(throws: RoostError.self) { try Self.insert(silo, context, isBatch: isBatch) }
      #expect(error?.faults.map(\.property) == [property])
      #expect(try Self.stored(context) == [13])
    }
    try refused(Silo("a", right: 90), .mergeNonNil, "sum")
    try refused(Silo("a", right: 13), .mergeNonNil, nil)
    try refused(Silo("a", left: 5, right: 13), .fields(\.right), nil)
    try refused(
      Silo("a"),
      .resolve { inserted, _ in
        (inserted.left, inserted.right) = (13, 13)
        return .upsert
      }, nil)
    try refused(
      Silo("a"),
      .resolve { _, existing in
        existing.right = 13
        return .keepExisting
      }, nil)
  }

  @Test func `an import merges and computes`() throws {
    let context = try Self.context(.upsert)
    var importer = try context.container.importer(for: Silo.self)
    importer.options.conflict = .merge
    try importer.run(models: [Silo("a", right: 20)])
    #expect(try Self.stored(context) == [21])
    importer.options.badRecords = .skip(upTo: 9)
    #expect(try importer.run(models: [Silo("a", right: 100), Silo("b", left: 2)]).progress.bad == 1)
    #expect(try Self.stored(context) == [21, 2])
  }

  @Test(arguments: ModelContext.MergePolicy.allCases) func `a conflict leaves consistent values`(
    policy: ModelContext.MergePolicy
  ) throws {
    let context = try Self.context(.upsert)
    context.mergePolicy = policy
    let silo = try #require(try context.fetch(FetchDescriptor<Silo>()).first)
    // A save that fails leaves a computed value as an unsaved change.
    (silo.left, silo.right) = (101, 5)
    #expect(throws: RoostError.self) { try context.save() }
    silo.left = 40
    let other = ModelContext(context.container)
    try #require(try other.fetch(FetchDescriptor<Silo>()).first).left = 60
    try other.save()
    if policy == .error {
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.faults.map(\.property) == ["left"])
    } else {
      try context.save()
      #expect(silo.sum == silo.both)
    }
    let sums: [ModelContext.MergePolicy: Int] = [.error: 60, .storeWins: 65, .objectWins: 45, .overwrite: 45]
    #expect(try Self.stored(context) == [sums[policy]])
  }

  @Test func `computed values cause no conflict of their own`() throws {
    let context = try Self.context(.upsert)
    context.mergePolicy = .error
    let silo = try #require(try context.fetch(FetchDescriptor<Silo>()).first)
    silo.left = 101
    #expect(throws: RoostError.self) { try context.save() }
    silo.left = 4
    let other = ModelContext(context.container)
    try #require(try other.fetch(FetchDescriptor<Silo>()).first).right = 6
    try other.save()
    try context.save()
    #expect(try Self.stored(context) == [10])
  }
}
