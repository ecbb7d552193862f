internal import RoostRecords

/// Stores collections whose elements need a coder.
class ListCoder<List>: Coder<List> {
  func write(_ list: List, to bytes: inout _ByteSink) { preconditionFailure("a list is written") }
  func list(from bytes: inout _ByteSource) -> List? { preconditionFailure("a list is read") }
  var empty: List { preconditionFailure("a list may be empty") }

  final override func put(_ value: List, into sink: inout _RowSink, at node: Int) {
    sink.store(at: node) { write(value, to: &$0) }
  }

  final override func take(from source: inout _RowSource, at node: Int) -> List? {
    let list = source._withBytes(node) { memory -> List? in
      if memory.isEmpty { return empty }
      var bytes = _ByteSource(memory)
      guard let list = self.list(from: &bytes), bytes.isAtEnd else { return nil }
      return list
    }
    if list == nil { source.fail(node, "the bytes are not a valid \(List.self)") }
    return list
  }

  final override func append(_ value: List, to bytes: inout _ByteSink) { bytes.measured { write(value, to: &$0) } }
  final override func read(from bytes: inout _ByteSource) -> List? { bytes.measured { list(from: &$0) } }
  final override var any: List? { empty }
}

final class ArrayCoder<Element>: ListCoder<[Element]> {
  let element: Coder<Element>

  init(_ element: Coder<Element>) {
    self.element = element
    super.init(_Form(.array(element.form.element)))
  }

  override var isComparedAsStored: Bool { element.isComparedAsStored }
  override var isChoosy: Bool { element.isChoosy }
  override func refusal(of value: RoostRecords.Value) -> String? {
    guard case .array(let elements) = value else { return nil }
    return elements.lazy.compactMap { self.element.refusal(of: $0) }.first
  }
  override var cases: [RoostRecords.Value]? { element.isRaw ? element.cases : nil }

  override var empty: [Element] { [] }

  override func write(_ list: [Element], to bytes: inout _ByteSink) {
    bytes.number(UInt64(list.count))
    for value in list { element.append(value, to: &bytes) }
  }

  override func list(from bytes: inout _ByteSource) -> [Element]? {
    guard let count = bytes.count() else { return nil }
    var list: [Element] = []
    for _ in 0..<count {
      guard let value = bytes.nested({ element.read(from: &$0) }) else { return nil }
      list.append(value)
    }
    return list
  }
}

final class SetCoder<Element: Hashable>: ListCoder<Set<Element>> {
  let element: Coder<Element>

  init(_ element: Coder<Element>) {
    self.element = element
    super.init(_Form(.set(element.form.element)))
  }

  override var isComparedAsStored: Bool { element.isComparedAsStored }
  override var isChoosy: Bool { element.isChoosy }
  override func refusal(of value: RoostRecords.Value) -> String? {
    guard case .set(let elements) = value else { return nil }
    return elements.lazy.compactMap { self.element.refusal(of: $0) }.first
  }
  override var cases: [RoostRecords.Value]? { element.isRaw ? element.cases : nil }

  override var empty: Set<Element> { [] }

  override func write(_ list: Set<Element>, to bytes: inout _ByteSink) {
    bytes.number(UInt64(list.count))
    bytes.sorted(list) { value, bytes in element.append(value, to: &bytes) }
  }

  override func list(from bytes: inout _ByteSource) -> Set<Element>? {
    guard let count = bytes.count() else { return nil }
    var list: Set<Element> = []
    for _ in 0..<count {
      guard let value = bytes.nested({ element.read(from: &$0) }) else { return nil }
      list.insert(value)
    }
    return list
  }
}

final class DictionaryCoder<Key: Hashable, Value>: ListCoder<[Key: Value]> {
  let key: Coder<Key>
  let value: Coder<Value>

  init(_ key: Coder<Key>, _ value: Coder<Value>) {
    self.key = key
    self.value = value
    super.init(_Form(.dictionary(key.form.element, value.form.element)))
  }

  override var isComparedAsStored: Bool { key.isComparedAsStored && value.isComparedAsStored }
  override var isChoosy: Bool { key.isChoosy || value.isChoosy }
  override func refusal(of value: RoostRecords.Value) -> String? {
    guard case .dictionary(let entries) = value else { return nil }
    return entries.lazy.compactMap { self.key.refusal(of: $0.key) ?? self.value.refusal(of: $0.value) }.first
  }

  override var empty: [Key: Value] { [:] }

  override func write(_ list: [Key: Value], to bytes: inout _ByteSink) {
    bytes.number(UInt64(list.count))
    bytes.sorted(list) { entry, bytes in
      key.append(entry.key, to: &bytes)
      value.append(entry.value, to: &bytes)
    }
  }

  override func list(from bytes: inout _ByteSource) -> [Key: Value]? {
    guard let count = bytes.count() else { return nil }
    var list: [Key: Value] = [:]
    for _ in 0..<count {
      guard let name = bytes.nested({ key.read(from: &$0) }), let one = bytes.nested({ value.read(from: &$0) }) else {
        return nil
      }
      list[name] = one
    }
    return list
  }
}
