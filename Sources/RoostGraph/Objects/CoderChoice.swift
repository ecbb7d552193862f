internal import RoostFile
package import RoostRecords

/// How a property is stored. A value's coder is made when it is first needed. A relationship has no
/// coder, but a target.
///
/// Unchecked because of `found`, which is accessed under the lock, and of `make` and
/// `relationship`, which contain only types.
public final class _Coder: @unchecked Sendable {
  private let lock = Lock()
  private var found: AnyCoder?
  private let make: () throws(RecordFault) -> AnyCoder
  private let relationship: _ModelType.Storage?

  package init(_ make: @escaping () throws(RecordFault) -> AnyCoder) {
    self.make = make
    relationship = nil
  }

  /// For a relationship. It has no coder: ``coder()`` throws.
  init(relationship: _ModelType.Storage) {
    self.relationship = relationship
    make = { () throws(RecordFault) in throw RecordFault(.wrongType, "a relationship has no coder") }
  }

  package var storage: _ModelType.Storage { relationship ?? .value(self) }

  package func coder() throws(RecordFault) -> AnyCoder {
    if let found = lock.withLock({ found }) { return found }
    let made = try make()
    return lock.withLock {
      if let found { return found }
      found = made
      return made
    }
  }

  /// For a type that another coder may know. If there is none, the type must be Codable.
  package convenience init<Value>(any type: Value.Type, _ other: @escaping () -> AnyCoder?) {
    self.init { () throws(RecordFault) in
      if let other = other() { return other }
      guard let codable = type as? any Codable.Type else {
        throw RecordFault(
          .wrongType,
          "\(type) is not Codable, and no transformer is registered for it: register one before the container is made")
      }
      return try _Coder(any: codable).coder()
    }
  }

  /// For a type that is known only at run time.
  package convenience init(any type: any Codable.Type) {
    func of<Value: Codable>(_ type: Value.Type) -> () throws(RecordFault) -> AnyCoder {
      { () throws(RecordFault) in try CoderShelf.shared.coder(of: Value.self) }
    }
    self.init(of(type))
  }
}

// The functions that generated code calls, by types of properties that the macro does not know by
// name. They are called on the class's own actor, so that types of that actor can be used.
// `Choice.swift` has the overloads for relationships.

public func _coder<Value: _Storable>(for type: Value.Type) -> _Coder? {
  _Coder { () throws(RecordFault) in try CoderShelf.shared.coder(of: Value.self) }
}

public func _coder<Value: RawRepresentable>(for type: Value.Type) -> _Coder? where Value.RawValue: _Storable {
  _Coder { () throws(RecordFault) in RawCoder<Value>() }
}

public func _coder<Value: RawRepresentable>(for type: Value?.Type) -> _Coder? where Value.RawValue: _Storable {
  _Coder { () throws(RecordFault) in OptionalCoder(RawCoder<Value>()) }
}

@_disfavoredOverload
public func _coder<Value: Codable>(for type: Value.Type) -> _Coder? {
  _Coder { () throws(RecordFault) in try CoderShelf.shared.coder(of: Value.self) }
}

/// For a type that cannot be stored; the property's accessor reports the error.
@_disfavoredOverload
public func _coder<Value>(for type: Value.Type) -> _Coder? { nil }

/// For a property that is `.codable`.
public func _coder<Value: Codable>(codable: Void, for type: Value.Type) -> _Coder? {
  _Coder { () throws(RecordFault) in
    (Value.self as? any CodableOptional.Type)?.coder ?? BlobCoder<Value>(isChosen: true)
  }
}

private protocol CodableOptional {
  static var coder: AnyCoder { get }
}

extension Optional: CodableOptional where Wrapped: Codable {
  fileprivate static var coder: AnyCoder { OptionalCoder(BlobCoder<Wrapped>(isChosen: true)) }
}

// Coders for a value, if only the value tells the type.

public func _coder<Value: Codable>(codable: Void, like value: Value) -> _Coder? { _coder(codable: (), for: Value.self) }
public func _coder<Value: _Storable>(like value: Value) -> _Coder? { _coder(for: Value.self) }
public func _coder<Value: RawRepresentable>(like value: Value) -> _Coder? where Value.RawValue: _Storable {
  _coder(for: Value.self)
}
public func _coder<Value: RawRepresentable>(like value: Value?) -> _Coder? where Value.RawValue: _Storable {
  _coder(for: Value?.self)
}
@_disfavoredOverload
public func _coder<Value: Codable>(like value: Value) -> _Coder? { _coder(for: Value.self) }
@_disfavoredOverload
public func _coder<Value>(like value: Value) -> _Coder? { nil }
