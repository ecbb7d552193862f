internal import RoostFile
internal import RoostGraph

/// A field of a typed snapshot whose type only the compiler knows: a model becomes its identifier,
/// a list of models becomes identifiers, and any other value stays as it is.
///
/// Unchecked because a value is stored only if it has no references, or its type is known to be
/// Sendable. Any other value is made again from its bytes at each read. Neither overloads nor the
/// runtime can test whether a type is Sendable.
@propertyWrapper
public struct _SnapshotField<Value>: @unchecked Sendable {
  private var held: Value?
  private var coded: Coded?

  private struct Coded {
    var coder: AnyCoder
    var bytes: [UInt8]
  }

  // Generated code declares these: the declaration chooses the type, and the value comes later.

  public init<M: PersistentModel>(_ type: M.Type) where Value == PersistentIdentifier {}
  public init<M: PersistentModel>(_ type: M?.Type) where Value == PersistentIdentifier? {}
  public init<M: PersistentModel>(_ type: [M].Type) where Value == [PersistentIdentifier] {}
  public init<M: PersistentModel>(_ type: [M]?.Type) where Value == [PersistentIdentifier] {}
  @_disfavoredOverload public init(_ type: Value.Type) {}

  public init<M: PersistentModel>(like value: @autoclosure () -> M) where Value == PersistentIdentifier {}
  public init<M: PersistentModel>(like value: @autoclosure () -> M?) where Value == PersistentIdentifier? {}
  public init<M: PersistentModel>(like value: @autoclosure () -> [M]) where Value == [PersistentIdentifier] {}
  public init<M: PersistentModel>(like value: @autoclosure () -> [M]?) where Value == [PersistentIdentifier] {}
  @_disfavoredOverload public init(like value: @autoclosure () -> Value) {}

  private static var maybeHeld: Bool {
    _isPOD(Value.self) || Value.self is any _Storable.Type || Value.self == PersistentIdentifier.self
      || Value.self == PersistentIdentifier?.self || Value.self == [PersistentIdentifier].self
  }

  init(_ content: SnapshotContent, _ property: Int) {
    let coder = content.form.coders[property]
    guard !Self.maybeHeld, let coder, let bytes = content.values.raw(property) else {
      self.init(SnapshotReading.value(content, property), coder)
      return
    }
    self.init(Coded(coder: coder, bytes: bytes))
  }

  private init(_ coded: Coded) { self.coded = coded }

  /// Makes a field of a decoded value or of a default.
  private init(_ value: Value, _ coder: AnyCoder?) {
    if Self.maybeHeld {
      held = value
    } else if let coder = coder ?? Self.coder {
      coded = Coded(coder: coder, bytes: Self.bytes(value, coder))
    }
  }

  /// The coder of a type that is known at run time.
  private static var coder: AnyCoder? {
    (Value.self as? any Codable.Type).flatMap { try? CoderShelf.shared.coder(any: $0) }
  }

  private static func bytes(_ value: Value, _ coder: AnyCoder) -> [UInt8] {
    coder.elementBytes(any: value) ?? []
  }

  public var wrappedValue: Value {
    get {
      if let held { return held }
      guard let coded, let value = coded.coder.value(any: coded.bytes) as? Value else {
        StandardError.stop(
          "a snapshot has no \(Value.self) here: it is made of a model, and of values that can be coded")
      }
      return value
    }
    set {
      if let coder = coded?.coder {
        coded = Coded(coder: coder, bytes: Self.bytes(newValue, coder))
      } else {
        self = _SnapshotField(newValue, nil)
      }
    }
  }

  /// The identity for comparisons: the stored form, or the value if it is hashable.
  private var identity: AnyHashable {
    if let coded { return AnyHashable(coded.bytes) }
    if let hashable = held as? any Hashable { return AnyHashable(hashable) }
    guard let held else { return AnyHashable("") }
    return Self.coder?.elementBytes(any: held).map { AnyHashable($0) } ?? AnyHashable("\(held)")
  }
}

extension _SnapshotField: Hashable {
  public static func == (one: _SnapshotField, other: _SnapshotField) -> Bool { one.identity == other.identity }
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension _SnapshotField: Codable {
  public init(from decoder: any Decoder) throws {
    func read<Known: Decodable>(_ type: Known.Type) throws -> Any { try decoder.singleValueContainer().decode(type) }
    if let type = Value.self as? any Decodable.Type, let value = try read(type) as? Value {
      self.init(value, nil)
    } else if let type = Value.self as? any RawRepresentable.Type, let value = try Self.raw(type, decoder) as? Value {
      self.init(value, nil)
    } else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a value of type \(Value.self) cannot be decoded here"))
    }
  }

  private static func raw<Raw: RawRepresentable>(_ type: Raw.Type, _ decoder: any Decoder) throws -> Any? {
    func read<Known: Decodable>(_ type: Known.Type) throws -> Any { try decoder.singleValueContainer().decode(type) }
    guard let known = Raw.RawValue.self as? any Decodable.Type, let raw = try read(known) as? Raw.RawValue else {
      return nil
    }
    return Raw(rawValue: raw)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    func write<Known: Encodable>(_ type: Known.Type, _ value: Any) throws -> Bool {
      guard let value = value as? Known else { return false }
      try container.encode(value)
      return true
    }
    let value = wrappedValue
    if let type = Value.self as? any Encodable.Type, try write(type, value) { return }
    if let raw = (value as? any RawRepresentable)?.rawValue as? any Encodable { return try container.encode(raw) }
    throw EncodingError.invalidValue(
      value,
      .init(codingPath: encoder.codingPath, debugDescription: "a value of type \(Value.self) cannot be encoded here"))
  }
}

extension _SnapshotField where Value: ExpressibleByNilLiteral {
  fileprivate init(absent: Void) { self.init(nil, nil) }
}

extension KeyedDecodingContainer {
  /// An optional field may be missing.
  ///
  /// - Throws: `DecodingError` if the value cannot be decoded.
  public func decode<Value: ExpressibleByNilLiteral>(
    _ type: _SnapshotField<Value>.Type, forKey key: Key
  ) throws -> _SnapshotField<Value> {
    try decodeIfPresent(type, forKey: key) ?? _SnapshotField(absent: ())
  }
}
