internal import RoostGraph
internal import RoostRecords

/// What a save does where this context does not agree with what is stored by now.
extension ModelContext {
  /// What a save does where this context and another one changed the same property of a model.
  ///
  /// Different properties of a model are always merged, except under ``overwrite``. So are the members of a relationship to many:
  /// a member that either context added is in it, and a member that either context took out is not.
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
    /// The save throws, and names both values. Two changes of one property are a conflict even where both came to the same
    /// value: of two `count += 1` from one base the second throws, so that it can be made again from the newest value.
    case error
    /// What is stored already; the model shows it after the save.
    case storeWins
    /// What was changed here.
    case objectWins
    /// The save writes all properties of the model, as this context shows them. It overwrites what other contexts changed meanwhile, even in
    /// properties that did not change here.
    case overwrite
  }

  /// What becomes of an inserted model whose unique values a stored one has already, or one that was inserted before.
  public enum UniqueChoice: Sendable, Hashable, CaseIterable {
    /// The stored model takes the values of the inserted one, and keeps its identifier.
    case upsert
    /// The stored model stays as it is.
    case keepExisting
    /// The stored model takes those values that are not nil.
    case mergeNonNil
    /// The save throws, and names both.
    case `throw`
  }

  /// How that is decided.
  public enum UniquePolicy {
    /// The stored model takes the inserted one's values: ``UniqueChoice/upsert``.
    case upsert
    /// The stored model stays as it is, and the inserted one's values are dropped.
    case keepExisting
    /// The stored model takes those values of the inserted one that are not nil.
    case mergeNonNil
    /// The save throws ``RoostError/Code/notUnique``, names both models, and writes nothing.
    case `throw`
    /// Asked for each inserted model, with the one that has its values already. It may change the inserted one before it
    /// chooses, so as to take over what it wants; it must not save.
    case choose((_ inserted: any PersistentModel, _ existing: any PersistentModel) throws -> UniqueChoice)
  }

  /// What wins where another context changed the same; ``MergePolicy/objectWins`` at first.
  public var mergePolicy: MergePolicy {
    get { state.mergePolicy }
    set { state.mergePolicy = newValue }
  }

  /// What becomes of inserted models whose unique values are there already; ``UniquePolicy/upsert`` at first, as in SwiftData.
  /// ``setUniquePolicy(_:for:)`` decides for one class.
  ///
  /// The inserted model is then the stored one: its old identifier leads there too. Where this context has an object of the
  /// stored model, that one stays, and the inserted one is deleted. What the inserted model leads to goes over; where it
  /// leads nowhere the stored model keeps what it has.
  public var uniquePolicy: UniquePolicy {
    get { state.uniquePolicy }
    set { state.uniquePolicy = newValue }
  }

  /// What the last save, or bulk write, did that nobody asked for word by word. It is there for whoever hears of ``didSave`` too.
  public var lastSave: SaveSummary {
    var summary = SaveSummary()
    for graph in state.open { summary.add(graph.saver.lastSave, graph.store) }
    return summary
  }

  /// A model that has the same unique values as this one; nil if there is none. It tells before a save what would become of an
  /// inserted model, and looks at what is stored, not at what waits.
  public func existingModel<T>(like model: T) throws -> T? where T: PersistentModel {
    try Doorway.pass { try state.graph(of: model).existing(like: model) as? T }
  }

  /// Takes a model into the context as ``insert(_:)`` does, but throws where its unique values are there already, stored or
  /// waiting, and then changes nothing.
  public func insertUnique<T>(_ model: T) throws where T: PersistentModel {
    try Doorway.pass {
      let graph = try state.graph(of: model)
      try graph.checkUnique(model)
      try graph.insert(model)
    }
  }

  /// Whether ``insert(_:)`` looks for the model's unique values, and for those of what comes along with it, as ``insertUnique(_:)`` does. A model whose values
  /// are there already is then not inserted, and the next save says so.
  public var checksUniqueAtInsert: Bool {
    get { state.checksUnique }
    set { state.checksUnique = newValue }
  }
}

/// What a save did to make a context agree with what others stored.
public struct SaveSummary: Sendable {
  /// A property that was changed here and elsewhere.
  public struct Conflict: Sendable {
    /// The model that two contexts changed.
    public let model: PersistentIdentifier
    /// The property of the model, by its name.
    public let property: String
    /// In words: what it was, what it became here, and what another context stored.
    public let before: String
    /// The value that this context gave the property, in words.
    public let here: String
    /// The value that another context had stored, in words.
    public let stored: String
    /// Whether what was stored stayed.
    public let keepsStored: Bool
  }

  /// An inserted model that became a stored one.
  public struct Merge: Sendable {
    /// The identifier that it had before; it leads to the other one now. A model of a bulk write had none, so it is the other one's.
    public let inserted: PersistentIdentifier
    /// The stored model, which the inserted one became. It keeps its identifier.
    public let existing: PersistentIdentifier
    /// The decision of the unique policy for the pair.
    public let choice: ModelContext.UniqueChoice
    /// What decided, in words, as `newest(by: updatedAt)`.
    public let policy: String
    /// The properties of the stored model that have another value now.
    public let fields: [String]
    /// Whether the other one was inserted by the same save.
    let isAmongNew: Bool
  }

  /// The properties that another context changed too. The merge policy decided each.
  public internal(set) var conflicts: [Conflict] = []
  /// The inserted models that became stored ones because of unique values.
  public internal(set) var merges: [Merge] = []
  /// How many there were. Of a bulk write ``merges`` tells the first ten thousand.
  public internal(set) var mergeCount = 0
  /// Models whose changes were given up, because they had been deleted elsewhere.
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
  /// Takes over what a user chose.
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
