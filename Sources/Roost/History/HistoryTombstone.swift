package import RoostGraph

/// The values of a model that the history has kept. For a deleted model these are the properties
/// that are marked `.preserveValueOnDeletion`, and unique properties. A value of more than 4,096
/// bytes is not kept.
///
/// Unchecked because each read makes its values from stored bytes, so no two threads share them.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable where Model: PersistentModel {
  private let values: HistoryValues?
  /// The values that a store in one of Roost's packages kept.
  private let image: ValueImage?

  init(_ values: HistoryValues?) { (self.values, image) = (values, nil) }

  package init(image: ValueImage?) { (values, self.image) = (nil, image) }

  private func value(_ keyPath: AnyKeyPath) -> Any? {
    if let image { return Model._$type.number(of: keyPath).flatMap { image.any($0) } }
    return values?.value(keyPath, Model.self)
  }

  /// The value of a property; nil if none was kept, or if it was nil. For a to-one relationship it
  /// is the identifier of the referenced model.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    guard let value = value(keyPath) else { return nil }
    return Self.sent(value)
  }

  /// The value of a property with its own type; nil if none was kept.
  @_disfavoredOverload
  public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value? { value(keyPath) as? Value }

  /// The value of an optional property; nil if none was kept, or if it was nil.
  @_disfavoredOverload
  public subscript<Value>(keyPath: KeyPath<Model, Value?>) -> Value? {
    value(keyPath).flatMap { FlatValue.of($0) } as? Value
  }

  /// The properties with a kept value.
  public var attributes: [any PartialKeyPath<Model> & Sendable] {
    if let image { return Model._$type.historyPaths(image.form.coders.indices.filter(image.isPresent)) }
    return values?.keyPaths() ?? []
  }

  public func makeIterator() -> Iterator { Iterator(values, image) }

  /// Iterates over the kept values, in the order of the properties.
  public struct Iterator: IteratorProtocol {
    private let values: HistoryValues?
    private let image: ValueImage?
    private var properties: ArraySlice<Int>

    init(_ values: HistoryValues?, _ image: ValueImage?) {
      self.values = values
      self.image = image
      properties = (values?.properties ?? image.map { Array($0.form.coders.indices) } ?? [])[...]
    }

    public mutating func next() -> Any? {
      while let property = properties.popFirst() {
        if let value = values?.shown(property) ?? image?.any(property) { return value }
      }
      return nil
    }
  }

  private static func sent(_ value: Any) -> (any Sendable)? {
    guard let value = FlatValue.of(value) else { return nil }
    // Unsafe, because the protocol has no requirements, so both have one memory layout.
    return withUnsafePointer(to: value) { (memory: UnsafePointer<Any>) -> any Sendable in
      memory.withMemoryRebound(to: (any Sendable).self, capacity: 1) { $0.pointee }
    }
  }
}

extension HistoryValues {
  fileprivate func value(_ keyPath: AnyKeyPath, _ model: any PersistentModel.Type) -> Any? {
    model._$type.number(of: keyPath).flatMap { shown($0) }
  }

  /// Converts a value for the program: a row becomes the model's identifier.
  fileprivate func shown(_ property: Int) -> Any? {
    guard let value = value(property) else { return nil }
    guard let reference = value as? Reference else { return value }
    return PersistentIdentifier(store: storeIdentifier, entity: reference.map.type.name, .row(reference.row))
  }

  fileprivate func keyPaths<Model: PersistentModel>() -> [any PartialKeyPath<Model> & Sendable] {
    map.keyPaths(properties)
  }
}
