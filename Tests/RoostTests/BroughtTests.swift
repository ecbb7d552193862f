import Foundation
import SwiftData
import Testing

@Model final class Journal {
  @Attribute(.unique) var title: String
  @Relationship(deleteRule: .cascade, inverse: \Essay.journal) var essays: [Essay] = []
  init(_ title: String) { self.title = title }
}

@Model final class Essay {
  @Attribute(.unique) var number: Int
  var journal: Journal?
  var reviewer: Reviewer?
  init(_ number: Int, journal: Journal? = nil) {
    self.number = number
    self.journal = journal
  }
}

@Model final class Reviewer {
  var name: String
  var essay: Essay?
  init(_ name: String) { self.name = name }
}

/// Regression: `essay.journal = journal` inserts a new essay if the journal has a context, as in
/// SwiftData. It inserted nothing, and the essay was lost silently at the save.
@Suite struct BroughtTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let journal: Journal

  init() throws {
    container = try ModelContainer(
      for: Journal.self, Reviewer.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    journal = Journal("Nature")
    context.insert(journal)
    try context.save()
  }

  private func stored() throws -> [Int] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Journal>())
    return all.flatMap { $0.essays.map(\.number) }
  }

  @Test func `a new model that is made to reference one of a context is saved`() throws {
    let essay = Essay(1)
    essay.journal = journal
    #expect(essay.modelContext === context && context.hasChanges)
    #expect(journal.essays.map(\.number) == [1])
    try context.save()
    #expect(try stored() == [1])
  }

  @Test func `it inserts the models that it references, and those that reference it come later`() throws {
    let essay = Essay(1)
    let reviewer = Reviewer("Ann")
    essay.reviewer = reviewer
    #expect(essay.modelContext == nil)
    let second = Reviewer("Bo")
    second.essay = essay
    essay.journal = journal
    #expect(reviewer.modelContext === context && second.modelContext == nil)
    second.essay = essay
    #expect(second.modelContext === context)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Reviewer>()) == 2)
  }

  @Test func `a later insert changes nothing, and a rollback undoes it`() throws {
    let essay = Essay(1)
    essay.journal = journal
    context.insert(essay)
    context.rollback()
    #expect(essay.modelContext == nil && !context.hasChanges && journal.essays.isEmpty)
    #expect(essay.journal === journal)
    context.insert(essay)
    try context.save()
    #expect(try stored() == [1])
  }

  @Test func `it can be deleted and restored before the save`() throws {
    let essay = Essay(1)
    essay.journal = journal
    context.delete(essay)
    #expect(journal.essays.isEmpty)
    context.insert(essay)
    #expect(journal.essays.map(\.number) == [1])
    try context.save()
    #expect(try stored() == [1])
  }

  @Test func `an initializer that sets the reference inserts the model too`() throws {
    let essay = Essay(1, journal: journal)
    #expect(essay.modelContext === context && journal.essays.map(\.number) == [1])
    #expect(Essay(2, journal: nil).modelContext == nil)
    try context.save()
    #expect(try stored() == [1])
  }

  @Test(arguments: [false, true])
  func `a new model whose list gets a model of a context is inserted`(appends: Bool) throws {
    let essay = Essay(1)
    context.insert(essay)
    try context.save()
    let other = Journal("Science")
    if appends {
      other.essays.append(Essay(2))
      #expect(other.modelContext == nil)
      other.essays.append(essay)
    } else {
      other.essays = [Essay(2), essay]
    }
    #expect(other.modelContext === context && essay.journal === other)
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Journal>(sortBy: [SortDescriptor(\.title)]))
    #expect(found.map { $0.essays.map(\.number) } == [[], [2, 1]])
  }

  @Test func `a model of another context is refused at the save`() throws {
    let other = ModelContext(container)
    let reviewer = Reviewer("Ann")
    other.insert(reviewer)
    let essay = Essay(1)
    essay.journal = journal
    essay.reviewer = reviewer
    #expect(throws: (any Error).self) { try context.save() }
    #expect(essay.modelContext === context && reviewer.modelContext === other)
  }

  @Test func `a reference to a deleted model or nil inserts nothing`() throws {
    let (one, other) = (Essay(1), Essay(2))
    context.delete(journal)
    one.journal = journal
    other.journal = nil
    #expect(one.modelContext == nil && other.modelContext == nil)
  }

  @Test func `an upsert by a reference gives the stored model`() throws {
    let first = Essay(1)
    first.journal = journal
    try context.save()
    let second = Essay(1)
    second.journal = journal
    try context.save()
    #expect(try stored() == [1])
    #expect(context.lastSave.merges.count == 1)
  }

  @Test(arguments: [false, true]) func `a batch inserts models that reference stored ones`(
    isLazy: Bool
  ) throws {
    func make(_ number: Int) -> Essay {
      let essay = Essay(number)
      essay.journal = journal
      return essay
    }
    if isLazy {
      try context.insert(batch: (1...5).lazy.map(make))
    } else {
      let essays = (1...5).map(make)
      #expect(context.insertedModelsArray.count == 5)
      try context.insert(batch: essays)
    }
    #expect(!context.hasChanges && context.insertedModelsArray.isEmpty)
    #expect(try stored() == [1, 2, 3, 4, 5])
    #expect(journal.essays.count == 5)
  }

  @Test func `a batch of new and unsaved models stores both, and names them in order`()
    throws
  {
    let waiting = (1...3).map { Essay($0, journal: journal) }
    context.insert(Reviewer("Ann"))
    let names = try context.insert(batch: [waiting[1], Essay(7), waiting[0], Essay(8)])
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    #expect(names.map { (other.model(for: $0) as? Essay)?.number } == [2, 7, 1, 8])
    #expect(try stored() == [1, 2, 3])
    // The following save writes all unsaved changes.
    #expect(try other.fetchCount(FetchDescriptor<Reviewer>()) == 1)
  }

  /// Regression: the identifier of an unsaved model that was merged into a stored one at the save
  /// was of no row.
  @Test func `a batch names the stored model into which an unsaved one was merged`() throws {
    try context.insert(batch: [Essay(1)])
    let names = Array(try context.insert(batch: [Essay(2, journal: journal), Essay(1, journal: journal)]))
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Essay>(sortBy: [SortDescriptor(\.number, order: .reverse)]))
    #expect(all.map(\.number) == [2, 1] && names == all.map(\.persistentModelID))
  }

  @Test func `unsaved models stay unsaved if the save after a batch is refused`() throws {
    context.uniquePolicy = .throw
    try context.insert(batch: [Essay(1)])
    let waiting = Essay(1, journal: journal)
    #expect(throws: RoostError.self) { try context.insert(batch: [waiting, Essay(2)]) }
    #expect(context.insertedModelsArray.count == 1 && context.hasChanges)
    waiting.number = 3
    try context.insert(batch: [waiting])
    #expect(!context.hasChanges)
    #expect(try stored() == [3])
  }
}
