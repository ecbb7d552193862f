internal import RoostGraph

extension ModelContext {
  /// What a save does with inserted models of one class whose unique values exist already: see
  /// ``setUniquePolicy(_:for:)``.
  public struct UniqueRule<Model: PersistentModel> {
    fileprivate enum Kind {
      case always(UniqueChoice)
      case newest(AnyKeyPath, (Model, Model) -> Bool)
      case fields([PartialKeyPath<Model>])
      case resolve((Model, Model) throws -> UniqueChoice)
    }

    fileprivate let kind: Kind

    /// The stored model takes the values of the inserted one, and keeps its identifier.
    public static var upsert: UniqueRule { UniqueRule(kind: .always(.upsert)) }
    /// The stored model stays as it is.
    public static var keepExisting: UniqueRule { UniqueRule(kind: .always(.keepExisting)) }
    /// The stored model takes the inserted model's values that are not nil.
    public static var mergeNonNil: UniqueRule { UniqueRule(kind: .always(.mergeNonNil)) }
    /// The save throws, and names both models.
    public static var `throw`: UniqueRule { UniqueRule(kind: .always(.throw)) }

    /// The model with the greater value wins, as with ``upsert``. The later one wins if both are
    /// equal.
    public static func newest<Value: Comparable>(by keyPath: KeyPath<Model, Value>) -> UniqueRule {
      UniqueRule(kind: .newest(keyPath) { !($0[keyPath: keyPath] < $1[keyPath: keyPath]) })
    }

    /// The model with the greater value wins; nil is less than all values. The later one wins if both are equal.
    public static func newest<Value: Comparable>(by keyPath: KeyPath<Model, Value?>) -> UniqueRule {
      UniqueRule(
        kind: .newest(keyPath) { inserted, existing in
          guard let there = existing[keyPath: keyPath] else { return true }
          guard let here = inserted[keyPath: keyPath] else { return false }
          return !(here < there)
        })
    }

    /// The stored model takes the values of these properties, and keeps all others.
    public static func fields(_ keyPaths: PartialKeyPath<Model>...) -> UniqueRule {
      UniqueRule(kind: .fields(keyPaths))
    }

    /// The closure is called for each inserted model, with the model that has its unique values. It
    /// may change the inserted model before it chooses, for example to copy values from the
    /// existing one. It must not save.
    public static func resolve(
      _ body: @escaping (_ inserted: Model, _ existing: Model) throws -> UniqueChoice
    ) -> UniqueRule { UniqueRule(kind: .resolve(body)) }
  }

  /// Sets the policy of a class and its subclasses for inserted models whose unique values exist
  /// already. ``uniquePolicy`` decides for all other classes. Nil removes the policy of the class.
  ///
  /// - Throws: ``RoostError`` with the code `unknownModel` if the container does not know the
  ///   class, and `badValue` if a named property is not stored.
  public func setUniquePolicy<T>(_ rule: UniqueRule<T>?, for model: T.Type) throws where T: PersistentModel {
    let place = try state.stores.known(model)
    let policy = try rule.map { try $0.policy(place.map) }
    state.setUniquePolicy(policy, place)
  }
}

extension ModelContext.UniqueRule {
  func policy(_ map: EntityMap) throws -> RoostGraph.UniquePolicy {
    switch kind {
    case .always(let choice): return .always(choice.known)
    case .newest(let keyPath, let isNewer):
      let name = map.type.number(of: keyPath).map(map.type.propertyName) ?? "\(keyPath)"
      return .newest(name) { isNewer(unsafeDowncast($0, to: Model.self), unsafeDowncast($1, to: Model.self)) }
    case .fields(let keyPaths):
      if keyPaths.isEmpty {
        throw RoostError(.badValue, "no property is named: name the properties to take over, or write .keepExisting")
      }
      return .fields(try keyPaths.map { try property($0, map.type) })
    case .resolve(let body):
      return .asks { try body(unsafeDowncast($0, to: Model.self), unsafeDowncast($1, to: Model.self)).known }
    }
  }

  private func property(_ keyPath: PartialKeyPath<Model>, _ type: _ModelType) throws -> Int {
    guard let number = type.number(of: keyPath) else {
      throw RoostError(
        .badValue, "\(keyPath) is not a stored property of \(type.name): name a whole property, as in \\.title")
    }
    if case .toMany = type.properties[number].storage {
      throw RoostError(
        .badValue,
        "\(type.name).\(type.propertyName(number)) is a to-many relationship, which is always taken over: leave it out")
    }
    return number
  }
}

extension ModelContext.UniqueChoice {
  var known: RoostGraph.UniqueChoice {
    switch self {
    case .upsert: .upsert
    case .keepExisting: .keepExisting
    case .mergeNonNil: .mergeNonNil
    case .throw: .refuse
    }
  }
}
