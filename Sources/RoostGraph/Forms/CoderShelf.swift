internal import RoostFile
package import RoostRecords

/// A cache of coders by type.
///
/// Unchecked because of `known`, which is read and written under the lock.
package final class CoderShelf: @unchecked Sendable {
  package static let shared = CoderShelf()

  private let lock = Lock()
  private var known: [ObjectIdentifier: AnyCoder] = [:]

  /// The coder of a plain type that is not optional. The compiler knows that it is `_Storable`, so
  /// no conformance is looked up.
  package func coder<Value: _Storable>(plain type: Value.Type) -> Coder<Value> {
    keep(type) { StorableCoder<Value>() }
  }

  /// The coder of an optional type, without a search.
  package func coder<Wrapped: _Storable>(plain type: Wrapped?.Type) -> Coder<Wrapped?> {
    let wrapped = coder(plain: Wrapped.self)
    return keep(type) { OptionalCoder(wrapped) }
  }

  /// The closure runs under the lock and must not call the shelf.
  private func keep<Value>(_ type: Value.Type, _ make: () -> Coder<Value>) -> Coder<Value> {
    lock.withLock {
      if let known = known[ObjectIdentifier(type)] { return unsafeDowncast(known, to: Coder<Value>.self) }
      let made = make()
      known[ObjectIdentifier(type)] = made
      return made
    }
  }

  /// The coder of a type that is known only at run time.
  package func coder(any type: any Codable.Type) throws(RecordFault) -> AnyCoder {
    func open<Value: Codable>(_ type: Value.Type) throws(RecordFault) -> AnyCoder { try coder(of: type) }
    return try open(type)
  }

  /// The coder of a type. It throws if the type's conformance belongs to another actor.
  package func coder<Value: Codable>(of type: Value.Type) throws(RecordFault) -> Coder<Value> {
    if let found = lock.withLock({ known[ObjectIdentifier(type)] }) {
      return unsafeDowncast(found, to: Coder<Value>.self)
    }
    if let optional = type as? any OptionalType.Type, optional.isTwice {
      throw RecordFault(
        .wrongType, "\(type) can be nil in two ways, and a store keeps one: declare it with one question mark")
    }
    let search = CoderSearch()
    let found = search.top(of: type)
    if let isolated = search.isolated {
      throw RecordFault(
        .wrongType,
        "how \(isolated) is encoded belongs to an actor: make the container on that actor, or write 'nonisolated' before \(isolated)"
      )
    }
    // The first coder that was stored is used by all, so that each type has one coder.
    return lock.withLock {
      for (type, coder) in search.found where known[type] == nil { known[type] = coder }
      if let first = known[ObjectIdentifier(type)] { return unsafeDowncast(first, to: Coder<Value>.self) }
      known[ObjectIdentifier(type)] = found
      return found
    }
  }
}

/// Finds the coder of a type and of the types that it contains.
final class CoderSearch {
  private(set) var found: [ObjectIdentifier: AnyCoder] = [:]
  /// The structs whose parts are being searched, from outer to inner.
  private var path: [ObjectIdentifier] = []
  /// A type that is not Codable on this actor, although a Codable type contains it.
  private(set) var isolated: String?
  /// Structs that contain themselves, directly or indirectly.
  private var loops: Set<ObjectIdentifier> = []

  /// The coder of the requested type, which the compiler knows to be Codable.
  func top<Value: Codable>(of type: Value.Type) -> Coder<Value> {
    let coder = make(type) ?? structure(type)
    return coder as? Coder<Value> ?? BlobCoder<Value>()
  }

  /// Nil if the type contains a type whose parts are being searched.
  func coder<Value>(of type: Value.Type) -> Coder<Value>? {
    let key = ObjectIdentifier(type)
    if let known = found[key] { return unsafeDowncast(known, to: Coder<Value>.self) }
    if let at = path.firstIndex(of: key) {
      loops.formUnion(path[at...])
      return nil
    }
    guard let made = make(type) ?? codable(type), let coder = made as? Coder<Value> else { return nil }
    found[key] = coder
    return coder
  }

  private func make<Value>(_ type: Value.Type) -> AnyCoder? {
    if let optional = type as? any OptionalType.Type { return optional.makeCoder(self) }
    if let storable = type as? any _Storable.Type { return Self.storable(storable) }
    if let list = type as? any ListType.Type { return list.makeCoder(self) }
    if let raw = type as? any RawRepresentable.Type, let coder = Self.raw(raw) { return coder }
    return nil
  }

  private func codable<Value>(_ type: Value.Type) -> AnyCoder? {
    if type is any OptionalType.Type || type is any ListType.Type { return nil }
    guard let codable = type as? any Codable.Type else {
      isolated = "\(type)"
      return nil
    }
    return structure(codable)
  }

  private static func storable<Value: _Storable>(_ type: Value.Type) -> AnyCoder { StorableCoder<Value>() }

  private static func raw<Value: RawRepresentable>(_ type: Value.Type) -> AnyCoder? {
    guard let raw = Value.RawValue.self as? any _Storable.Type else { return nil }
    func make<Raw: _Storable>(_ raw: Raw.Type) -> AnyCoder? { RawCoderMaker<Value, Raw>.self.make() }
    return make(raw)
  }

  private func structure<Value: Codable>(_ type: Value.Type) -> AnyCoder {
    let key = ObjectIdentifier(type)
    path.append(key)
    let parts = Recorder.parts(of: type, self)
    path.removeLast()
    if loops.contains(key) { return BlobCoder<Value>() }
    return parts.flatMap { PartsCoder<Value>(checking: $0) } ?? BlobCoder<Value>()
  }
}

/// Makes a coder if the compiler does not know that the raw value is `_Storable`.
private enum RawCoderMaker<Value: RawRepresentable, Raw: _Storable> {
  static func make() -> AnyCoder? { (Self.self as? any Maker.Type)?.coder }
}

private protocol Maker {
  static var coder: AnyCoder { get }
}

extension RawCoderMaker: Maker where Value.RawValue == Raw {
  static var coder: AnyCoder { RawCoder<Value>() }
}

/// Types whose coder is made from the coders of their generic arguments.
private protocol OptionalType {
  /// Whether it wraps another optional.
  static var isTwice: Bool { get }
  static func makeCoder(_ search: CoderSearch) -> AnyCoder?
}

extension Optional: OptionalType {
  fileprivate static var isTwice: Bool { Wrapped.self is any OptionalType.Type }
  fileprivate static func makeCoder(_ search: CoderSearch) -> AnyCoder? {
    // The store does not distinguish two levels of nil, so there is no coder.
    if isTwice { return nil }
    return search.coder(of: Wrapped.self).map { OptionalCoder($0) }
  }
}

private protocol ListType {
  static func makeCoder(_ search: CoderSearch) -> AnyCoder?
}

extension Array: ListType {
  fileprivate static func makeCoder(_ search: CoderSearch) -> AnyCoder? {
    search.coder(of: Element.self).map { ArrayCoder($0) }
  }
}

extension Set: ListType {
  fileprivate static func makeCoder(_ search: CoderSearch) -> AnyCoder? {
    search.coder(of: Element.self).map { SetCoder($0) }
  }
}

extension Dictionary: ListType {
  fileprivate static func makeCoder(_ search: CoderSearch) -> AnyCoder? {
    guard let key = search.coder(of: Key.self), let value = search.coder(of: Value.self) else { return nil }
    return DictionaryCoder(key, value)
  }
}
