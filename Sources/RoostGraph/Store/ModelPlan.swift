package import RoostRecords

/// What a model asks of its store, beside its properties: unique values, indexes and relationships.
package struct ModelPlan: Sendable {
  package var type: _ModelType
  /// Properties, or parts of them behind a point, whose values together no two objects may have.
  package var uniques: [[String]]
  package var indexes: [[String]]
  /// Indexes with a condition, with forms of properties or with an order of their own; unique ones too.
  package var definitions: [IndexPlan] = []
  package var texts: [TextPlan] = []
  package var derived: [DerivedPlan] = []
  package var relationships: [RelationshipPlan]
  /// What a property was called before, by its name now.
  package var originalNames: [String: String]
  /// What rows hold that are older than a property.
  package var initials: [String: Value]
  /// Properties whose values the history keeps of deleted objects.
  package var preserved: Set<String>
  /// By property, a text that makes this version another one than one with the same types.
  package var salts: [String: String] = [:]
  /// By property, the rules for its values.
  package var rules: [String: [ValueRule]] = [:]
  /// By relationship, what an error says of a wrong number of members, if the program has a sentence for it.
  package var countMessages: [String: String] = [:]
  /// Whether rows may lack references that their class requires, because they are unloaded.
  private(set) var isOfWorkingSet = false

  package init(
    _ type: _ModelType, uniques: [[String]] = [], indexes: [[String]] = [], relationships: [RelationshipPlan] = [],
    originalNames: [String: String] = [:], initials: [String: Value] = [:], preserved: Set<String> = []
  ) {
    self.type = type
    self.uniques = uniques
    self.indexes = indexes
    self.relationships = relationships
    self.originalNames = originalNames
    self.initials = initials
    self.preserved = preserved
  }

  /// The plan for a working set: uniqueness is the backing store's affair.
  var ofWorkingSet: ModelPlan {
    var plan = self
    plan.indexes += plan.uniques.filter { !plan.indexes.contains($0) }
    plan.uniques = []
    plan.definitions = []
    // Models are searched in memory.
    plan.texts = []
    // The store that the models belong to keeps derived values right.
    plan.derived = []
    plan.isOfWorkingSet = true
    return plan
  }
}

/// One side of a relationship, as its model describes it. The other side is in the plan of the other model, if it has one.
package struct RelationshipPlan: Hashable, Sendable {
  package var name: String
  /// The entity's name.
  package var target: String
  package var isToMany: Bool
  /// The property of the target that is the other side; nil where there is none.
  package var inverse: String?
  package var deleteRule: Relationship.DeleteRule
  package var minimum: Int
  /// 0 for any number.
  package var maximum: Int

  package init(
    _ name: String, to target: String, isToMany: Bool = false, inverse: String? = nil,
    deleteRule: Relationship.DeleteRule = .nullify, minimum: Int = 0, maximum: Int = 0
  ) {
    self.name = name
    self.target = target
    self.isToMany = isToMany
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Whether it is the other side of itself, as that between friends, in the model of this name.
  package func isOwnInverse(of model: String) -> Bool { target == model && inverse == name }
}
