internal import RoostGraph
internal import RoostRecords

/// What a save does if other contexts or programs have changed the same models.
extension ModelContext {
  /// What a save does if this context and another one changed the same property of a model.
  ///
  /// Changes of different properties of a model are always merged, except under ``overwrite``. The
  /// members of a to-many relationship are merged too: a member that either context added is in it,
  /// and a member that either context removed is not.
  ///
  /// A model that another context deleted stays deleted:
  ///
  /// | Here, after another context deleted it | ``objectWins`` | ``storeWins`` | ``overwrite`` | ``error`` |
  /// |---|---|---|---|---|
  /// | a property of it was changed | dropped | dropped | throws | throws |
  /// | it was deleted too | passes | passes | passes | passes |
  /// | a new model names it, or was appended to its list; its delete rule is `.cascade` | throws | stored without it | throws | throws |
  /// | the same, with another delete rule | stored without it | stored without it | stored without it | throws |
  ///
  /// A dropped change is in ``SaveSummary/dropped`` of ``ModelContext/lastSave``. A reference that may not be nil makes the save
  /// throw under every policy.
  public enum MergePolicy: Sendable, Hashable, CaseIterable {
    /// The save throws, and names both values. Two changes of one property are a conflict even if
    /// both set the same value: of two `count += 1` from the same base the second throws, so that
    /// your program can repeat it with the newest value.
    case error
    /// The stored value wins; the model shows it after the save.
    case storeWins
    /// The value of this context wins.
    case objectWins
    /// The save writes all properties of the model with this context's values. It overwrites
    /// changes of other contexts, even of properties that did not change here.
    case overwrite
  }

  /// What a save does with an inserted model whose unique values belong to a stored model, or to
  /// one inserted earlier.
  public enum UniqueChoice: Sendable, Hashable, CaseIterable {
    /// The stored model takes the values of the inserted one, and keeps its identifier.
    case upsert
    /// The stored model stays as it is.
    case keepExisting
    /// The stored model takes the inserted model's values that are not nil.
    case mergeNonNil
    /// The save throws, and names both models.
    case `throw`
  }

  /// How a save decides what to do with an inserted model whose unique values exist already.
  public enum UniquePolicy {
    /// The stored model takes the inserted one's values: ``UniqueChoice/upsert``.
    case upsert
    /// The stored model stays as it is, and the inserted one's values are dropped.
    case keepExisting
    /// The stored model takes the inserted model's values that are not nil.
    case mergeNonNil
    /// The save throws ``RoostError/Code/notUnique``, names both models, and writes nothing.
    case `throw`
    /// The closure is called for each inserted model, with the model that has its unique values. It
    /// may change the inserted model before it chooses, for example to copy values from the
    /// existing one. It must not save.
    case choose((_ inserted: any PersistentModel, _ existing: any PersistentModel) throws -> UniqueChoice)
  }

  /// Which value wins if another context changed the same property; ``MergePolicy/objectWins`` by
  /// default.
  public var mergePolicy: MergePolicy {
    get { state.mergePolicy }
    set { state.mergePolicy = newValue }
  }

  /// What a save does with inserted models whose unique values exist already;
  /// ``UniquePolicy/upsert`` by default, as in SwiftData. ``setUniquePolicy(_:for:)`` sets it for
  /// one class.
  ///
  /// After the save the inserted model is the stored one: its temporary identifier finds the stored
  /// model too. If this context has an object of the stored model, that object stays, and the
  /// inserted object is deleted. References of the inserted model are copied to the stored one; a
  /// reference that is nil leaves the stored one's as it was.
  public var uniquePolicy: UniquePolicy {
    get { state.uniquePolicy }
    set { state.uniquePolicy = newValue }
  }

  /// The conflicts and merges of the last save or bulk write. Observers of ``didSave`` can read it
  /// too.
  public var lastSave: SaveSummary {
    var summary = SaveSummary()
    for graph in state.open { summary.add(graph.saver.lastSave, graph.store) }
    return summary
  }

  /// Finds the stored model that has the same unique values as a model. Returns nil if there is
  /// none. Call it before a save to learn whether an inserted model would be merged. It does not
  /// look at unsaved models.
  ///
  /// - Throws: ``RoostError`` with the code `unknownModel` if the class is not a model of the
  ///   container, and `store` if the store cannot be read.
  public func existingModel<T>(like model: T) throws -> T? where T: PersistentModel {
    try Doorway.pass { try state.graph(of: model).existing(like: model) as? T }
  }

  /// Inserts a model as ``insert(_:)`` does, but only if no stored or unsaved model has its unique
  /// values.
  ///
  /// - Throws: ``RoostError`` with the code `notUnique` if a model has them. Then nothing is
  ///   changed.
  public func insertUnique<T>(_ model: T) throws where T: PersistentModel {
    try Doorway.pass {
      let graph = try state.graph(of: model)
      try graph.checkUnique(model)
      try graph.insert(model)
    }
  }

  /// Whether ``insert(_:)`` checks the unique values of the model and of the models that it
  /// references, as ``insertUnique(_:)`` does. A model whose values exist already is then not
  /// inserted, and the next save throws.
  public var checksUniqueAtInsert: Bool {
    get { state.checksUnique }
    set { state.checksUnique = newValue }
  }
}

/// The conflicts and merges of one save.
public struct SaveSummary: Sendable {
  /// A property that was changed in this context and in another one.
  public struct Conflict: Sendable {
    /// The model that two contexts changed.
    public let model: PersistentIdentifier
    /// The property of the model, by its name.
    public let property: String
    /// The value before both changes, as text.
    public let before: String
    /// The value that this context set, as text.
    public let here: String
    /// The value that another context had stored, as text.
    public let stored: String
    /// Whether the stored value won.
    public let keepsStored: Bool
  }

  /// An inserted model that was merged into a stored one.
  public struct Merge: Sendable {
    /// The identifier that it had before the save; it now finds the stored model. In a bulk write
    /// it is the identifier of the stored model.
    public let inserted: PersistentIdentifier
    /// The stored model. It keeps its identifier.
    public let existing: PersistentIdentifier
    /// The decision of the unique policy for the pair.
    public let choice: ModelContext.UniqueChoice
    /// The policy that decided, as text, such as `newest(by: updatedAt)`.
    public let policy: String
    /// The properties of the stored model whose values changed.
    public let fields: [String]
    /// Whether the same save inserted the other model too.
    let isAmongNew: Bool
  }

  /// The properties that another context changed too. The merge policy decided each conflict.
  public internal(set) var conflicts: [Conflict] = []
  /// The inserted models that were merged into stored ones because of unique values.
  public internal(set) var merges: [Merge] = []
  /// The number of merged models. A bulk write lists only the first ten thousand in ``merges``.
  public internal(set) var mergeCount = 0
  /// The models whose changes were dropped because another context had deleted them.
  public internal(set) var dropped: [PersistentIdentifier] = []

  mutating func add(_ one: RoostGraph.SaveOutcome, _ store: GraphStore) {
    func identifier(_ name: ObjectName) -> PersistentIdentifier { store.identifier(name) }
    conflicts += one.conflicts.map {
      Conflict(
        model: identifier($0.object), property: $0.property, before: $0.before, here: $0.here, stored: $0.stored,
        keepsStored: $0.keepsStored)
    }
    merges += one.merges.map {
      Merge(
        inserted: identifier($0.inserted), existing: identifier($0.existing), choice: $0.choice.shown,
        policy: $0.policy, fields: $0.fields, isAmongNew: $0.isAmongNew)
    }
    mergeCount += one.mergeCount
    dropped += one.dropped.map(identifier)
  }
}

extension RoostGraph.UniqueChoice {
  fileprivate var shown: ModelContext.UniqueChoice {
    switch self {
    case .upsert: .upsert
    case .keepExisting: .keepExisting
    case .mergeNonNil: .mergeNonNil
    case .refuse: .throw
    }
  }
}

extension GraphContext {
  /// Sets the policies that the program chose.
  func set(_ merge: ModelContext.MergePolicy, _ unique: ModelContext.UniquePolicy) {
    saver.mergePolicy =
      switch merge {
      case .error: .error
      case .storeWins: .storeWins
      case .objectWins: .objectWins
      case .overwrite: .overwrite
      }
    saver.uniquePolicy =
      switch unique {
      case .upsert: .always(.upsert)
      case .keepExisting: .always(.keepExisting)
      case .mergeNonNil: .always(.mergeNonNil)
      case .throw: .always(.refuse)
      case .choose(let choose):
        .asks { inserted, existing in
          guard let inserted = inserted as? any PersistentModel, let existing = existing as? any PersistentModel else {
            return .upsert
          }
          return try choose(inserted, existing).known
        }
      }
  }
}
