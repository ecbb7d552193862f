import SwiftData

/// One-way lists, with each of the delete rules.
@Model final class Recipe {
  var name: String
  @Relationship(deleteRule: .cascade) var steps: [Step] = []
  @Relationship(deleteRule: .deny) var guests: [Guest] = []
  @Relationship(deleteRule: .deny, inverse: \Cook.recipes) var cooks: [Cook] = []
  var cover: Step?
  @Relationship(deleteRule: .cascade) var photo: Step?
  @Relationship(deleteRule: .deny) var owner: Guest?

  init(_ name: String, steps: [String] = []) {
    self.name = name
    self.steps = steps.map { Step($0) }
  }
}

@Model final class Step {
  var text: String

  init(_ text: String) { self.text = text }
}

@Model final class Guest {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model final class Cook {
  var name: String
  var recipes: [Recipe] = []

  init(_ name: String) { self.name = name }
}

enum Kitchen {
  static func container() throws -> ModelContainer {
    try ModelContainer(for: Recipe.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// The state in a new context.
  static func stored(_ container: ModelContainer) throws -> (recipes: [String: [String]], steps: [String]) {
    let context = ModelContext(container)
    let recipes = try context.fetch(FetchDescriptor<Recipe>())
    let steps = try context.fetch(FetchDescriptor<Step>())
    return (
      Dictionary(uniqueKeysWithValues: recipes.map { ($0.name, $0.steps.map(\.text)) }), steps.map(\.text).sorted()
    )
  }
}
