package import RoostRecords

/// The declarations of a model besides its properties: unique values, indexes and relationships.
package struct ModelPlan: Sendable {
  package var type: _ModelType
  /// Properties, or paths of parts, whose combined values must be unique.
  package var uniques: [[String]]
  package var indexes: [[String]]
  /// Indexes with a condition, with forms of properties or with their own order, including unique
  /// ones.
  package var definitions: [IndexPlan] = []
  package var texts: [TextPlan] = []
  package var derived: [DerivedPlan] = []
  package var relationships: [RelationshipPlan]
  /// Former names of properties, by their present name.
  package var originalNames: [String: String]
  /// The values of new properties in older rows.
  package var initials: [String: Value]
  /// Properties whose values the history keeps of deleted objects.
  package var preserved: Set<String>
  /// By property, a text that distinguishes this version from one with the same types.
  package var salts: [String: String] = [:]
  /// By property, the rules for its values.
  package var rules: [String: [ValueRule]] = [:]
  /// By relationship, the program's message for a wrong number of members.
  package var countMessages: [String: String] = [:]
  /// Whether rows may lack required references, because they are unloaded.
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

  /// The plan for a working set: the backing store ensures uniqueness.
  var ofWorkingSet: ModelPlan {
    var plan = self
    plan.indexes += plan.uniques.filter { !plan.indexes.contains($0) }
    plan.uniques = []
    plan.definitions = []
    // Models are searched in memory.
    plan.texts = []
    // The backing store updates derived values.
    plan.derived = []
    plan.isOfWorkingSet = true
    return plan
  }
}

/// One side of a relationship, as its model describes it. The plan of the other model describes the
/// other side, if any.
package struct RelationshipPlan: Hashable, Sendable {
  package var name: String
  /// The entity's name.
  package var target: String
  package var isToMany: Bool
  /// The property of the target that is the inverse; nil if there is none.
  package var inverse: String?
  package var deleteRule: Relationship.DeleteRule
  package var minimum: Int
  /// 0 for no maximum.
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

  /// Whether it is its own inverse in the model of this name, such as a relationship between
  /// friends.
  package func isOwnInverse(of model: String) -> Bool { target == model && inverse == name }
}
