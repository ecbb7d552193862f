internal import RoostRecords

extension Optional: _Storable where Wrapped: _Storable {
  public static var _$form: _Form { _Form(.optional(Wrapped._$form.element)) }

  @inlinable @inline(__always)
  public func _$put(into sink: inout _RowSink, at node: Int) {
    guard let value = self else { return sink._setNull(at: node) }
    value._$put(into: &sink, at: node)
  }

  @inlinable @inline(__always)
  public static func _$take(from source: inout _RowSource, at node: Int) -> Wrapped?? {
    if source._isNull(node) { return .some(nil) }
    guard let value = Wrapped._$take(from: &source, at: node) else { return nil }
    return .some(value)
  }

  public func _$append(to bytes: inout _ByteSink) {
    guard let value = self else { return bytes._append(0 as UInt8) }
    bytes._append(1 as UInt8)
    value._$append(to: &bytes)
  }

  public static func _$read(from bytes: inout _ByteSource) -> Wrapped?? {
    switch bytes._take(UInt8.self) {
    case 0: return .some(nil)
    case 1: return bytes.nested { bytes in Wrapped._$read(from: &bytes) }.map { .some($0) }
    default: return nil
    }
  }

  public static var _$any: Wrapped? { nil }
}

/// A collection that is stored as its count and its elements.
public protocol _StorableList: _Storable {
  func _$write(to bytes: inout _ByteSink)
  static func _$list(from bytes: inout _ByteSource) -> Self?
  static var _$empty: Self { get }
}

extension _StorableList {
  public func _$put(into sink: inout _RowSink, at node: Int) { sink.store(at: node) { _$write(to: &$0) } }

  public static func _$take(from source: inout _RowSource, at node: Int) -> Self? {
    let list = source._withBytes(node) { memory -> Self? in
      if memory.isEmpty { return _$empty }
      var bytes = _ByteSource(memory)
      guard let list = _$list(from: &bytes), bytes.isAtEnd else { return nil }
      return list
    }
    if list == nil { source.fail(node, "the bytes are not a valid \(Self.self)") }
    return list
  }

  public func _$append(to bytes: inout _ByteSink) { bytes.measured { _$write(to: &$0) } }
  public static func _$read(from bytes: inout _ByteSource) -> Self? { bytes.measured { _$list(from: &$0) } }
  public static var _$any: Self { _$empty }
}

extension Array: _Storable, _StorableList where Element: _Storable {
  public static var _$form: _Form { _Form(.array(Element._$form.element)) }
  public static var _$empty: [Element] { [] }

  public func _$write(to bytes: inout _ByteSink) {
    bytes.number(UInt64(count))
    for element in self { element._$append(to: &bytes) }
  }

  public static func _$list(from bytes: inout _ByteSource) -> [Element]? {
    guard let count = bytes.count() else { return nil }
    var list: [Element] = []
    list.reserveCapacity(Swift.min(count, 1024))
    for _ in 0..<count {
      guard let element = Element._$read(from: &bytes) else { return nil }
      list.append(element)
    }
    return list
  }
}

extension Set: _Storable, _StorableList where Element: _Storable {
  public static var _$form: _Form { _Form(.set(Element._$form.element)) }
  public static var _$empty: Set<Element> { [] }

  public func _$write(to bytes: inout _ByteSink) {
    bytes.number(UInt64(count))
    bytes.sorted(self) { element, bytes in element._$append(to: &bytes) }
  }

  public static func _$list(from bytes: inout _ByteSource) -> Set<Element>? {
    guard let count = bytes.count() else { return nil }
    var list: Set<Element> = []
    for _ in 0..<count {
      guard let element = Element._$read(from: &bytes) else { return nil }
      list.insert(element)
    }
    return list
  }
}

extension Dictionary: _Storable, _StorableList where Key: _Storable, Value: _Storable {
  public static var _$form: _Form { _Form(.dictionary(Key._$form.element, Value._$form.element)) }
  public static var _$empty: [Key: Value] { [:] }

  public func _$write(to bytes: inout _ByteSink) {
    bytes.number(UInt64(count))
    bytes.sorted(self) { entry, bytes in
      entry.key._$append(to: &bytes)
      entry.value._$append(to: &bytes)
    }
  }

  public static func _$list(from bytes: inout _ByteSource) -> [Key: Value]? {
    guard let count = bytes.count() else { return nil }
    var list: [Key: Value] = [:]
    for _ in 0..<count {
      guard let key = Key._$read(from: &bytes), let value = Value._$read(from: &bytes) else { return nil }
      list[key] = value
    }
    return list
  }
}
