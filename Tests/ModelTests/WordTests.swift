import SwiftData
import Testing

/// Regression test: properties called `slot`, `related`, `stored`, `coder` and `makeModelType` kept
/// their models from compiling.
@Suite struct WordTests {
  @Test func `a property may have any name`() throws {
    let container = try ModelContainer(
      for: Keywords.self, Words.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (keywords, words) = (Keywords(), Words())
    let names = fill(keywords) + fill(words)
    #expect(names.count > 200 && names.contains("slot") && names.contains("init"))
    keywords.wordKind = .long
    words.use = WordUse(page: 7)
    words.sentence = keywords
    context.insert(words)
    try context.save()

    let reader = ModelContext(container)
    let found = try #require(
      try reader.fetch(FetchDescriptor<Keywords>(predicate: #Predicate { $0.`init` == "init" })).first)
    #expect(found !== keywords && found.wordKind == .long && found.sentences.count == 1)
    let other = try #require(
      try reader.fetch(FetchDescriptor<Words>(predicate: #Predicate { $0.slot == "slot" })).first)
    #expect(other.use == WordUse(page: 7) && other.sentence === found)
    #expect(read(found) + read(other) == names)
  }

  /// Gives each text its own name.
  private func fill<Model: PersistentModel>(_ model: Model) -> [String] {
    texts(Model.self).map { name, keyPath in
      model[keyPath: keyPath] = name
      return name
    }
  }

  private func read<Model: PersistentModel>(_ model: Model) -> [String] {
    texts(Model.self).map { model[keyPath: $0.keyPath] }
  }

  private func texts<Model: PersistentModel>(
    _ type: Model.Type
  ) -> [(name: String, keyPath: ReferenceWritableKeyPath<Model, String>)] {
    Model.schemaMetadata.compactMap { property in
      let parts = Dictionary(
        Mirror(reflecting: property).children.map { ($0.label ?? "", $0.value) },
        uniquingKeysWith: { first, _ in first })
      guard let name = parts["name"] as? String,
        let keyPath = parts["keypath"] as? ReferenceWritableKeyPath<Model, String>
      else { return nil }
      return (name, keyPath)
    }
  }
}
