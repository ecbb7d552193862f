internal import RoostRecords

/// The values of one object without the object, each stored like an element of a collection.
///
/// Two images of one class are equal if they would be stored as the same bytes, whether they come
/// from a row of any layout, an object, or another decoder.
///
/// ## Layout
/// ```
/// u32 for each property   where its bytes end; the highest bit means that the value is absent
/// the bytes of all properties, one after the other
/// ```
package struct ValueImage: Sendable, Hashable {
  package let form: ImageForm
  private let bytes: [UInt8]

  fileprivate init(_ form: ImageForm, _ bytes: [UInt8]) {
    self.form = form
    self.bytes = bytes
  }

  package static func == (one: ValueImage, other: ValueImage) -> Bool {
    one.form === other.form && one.bytes == other.bytes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// Calls a closure with the bytes of a property; returns nil without a call if the value is
  /// absent.
  @inline(__always)
  package func read<Result>(_ property: Int, _ body: (inout _ByteSource) throws -> Result) rethrows -> Result? {
    try bytes.withUnsafeBytes { memory in
      let count = form.coders.count
      guard property < count else { return nil }
      let word = memory.loadUnaligned(fromByteOffset: 4 &* property, as: UInt32.self)
      if word & Self.absent != 0 { return nil }
      let start = property == 0 ? 0 : Self.end(memory, property &- 1)
      let end = Int(word)
      var source = _ByteSource(UnsafeRawBufferPointer(rebasing: memory[(4 &* count &+ start)..<(4 &* count &+ end)]))
      return try body(&source)
    }
  }

  fileprivate static var absent: UInt32 { 1 << 31 }

  private static func end(_ memory: UnsafeRawBufferPointer, _ property: Int) -> Int {
    Int(memory.loadUnaligned(fromByteOffset: 4 &* property, as: UInt32.self) & ~absent)
  }

  package func isPresent(_ property: Int) -> Bool { read(property) { _ in true } ?? false }

  /// The value of a property; nil if it is absent or of another type.
  @inline(__always)
  package func value<Value>(_ property: Int, as type: Value.Type) -> Value? {
    guard let coder = form.coders[property] else { return nil }
    if coder.valueType != Value.self { return any(property) as? Value }
    return read(property) { unsafeDowncast(coder, to: Coder<Value>.self).read(from: &$0) } ?? nil
  }

  package func any(_ property: Int) -> Any? {
    guard let coder = form.coders[property] else { return nil }
    return read(property) { coder.readAny(from: &$0) } ?? nil
  }

  /// Whether another image of the class has the same value of a property.
  package func isSame(_ property: Int, as other: ValueImage) -> Bool {
    let (one, two) = (raw(property), other.raw(property))
    return one == two
  }

  /// The bytes of a property; nil if it is absent.
  package func raw(_ property: Int) -> [UInt8]? { read(property) { $0.allBytes } }

  /// A copy of the image with another value; nil if the value is of another type.
  package func setting(_ property: Int, to value: Any) -> ValueImage? {
    var writer = ImageWriter(form)
    for number in form.coders.indices {
      if number != property {
        writer.copy(raw(number))
      } else if !writer.append(value) {
        return nil
      }
    }
    return writer.finish()
  }

  /// A copy of the image with a value of another image of the class.
  package func taking(_ property: Int, of other: ValueImage) -> ValueImage {
    var writer = ImageWriter(form)
    for number in form.coders.indices { writer.copy(number == property ? other.raw(number) : raw(number)) }
    return writer.finish()
  }

  // MARK: Coding

  package func encode(into values: inout KeyedEncodingContainer<ImageKey>) throws {
    for (number, property) in form.type.properties.enumerated() {
      guard let coder = form.coders[number] else { continue }
      _ = try read(number) { try coder.encode(&$0, into: &values, ImageKey(property.name)) }
    }
  }

  /// - Parameters:
  ///   - form: the form of the class.
  ///   - values: contains the values.
  ///   - name: the key of a property; nil if it is absent.
  package init(
    _ form: ImageForm, from values: KeyedDecodingContainer<ImageKey>, name: (Int) -> ImageKey?
  ) throws {
    var writer = ImageWriter(form)
    for (number, coder) in form.coders.enumerated() {
      guard let coder, let key = name(number) else {
        writer.skip()
        continue
      }
      try writer.write { try coder.decode(values, key, to: &$0) }
    }
    self = writer.finish()
  }
}

/// Builds an image, property by property.
package struct ImageWriter: ~Copyable {
  let form: ImageForm
  /// The image so far: the ends of all values, then the values, one after the other.
  package var sink = _ByteSink()
  private let header: Int
  /// The property that comes next.
  private var number = 0

  package init(_ form: ImageForm) {
    self.form = form
    header = 4 * form.coders.count
    sink.appendZeros(header)
  }

  /// Writes the value of the next property.
  package mutating func write(_ body: (inout _ByteSink) throws -> Void) rethrows {
    try body(&sink)
    endValue()
  }

  /// Ends the value of the next property, which was written into the sink.
  package mutating func endValue() { end(0) }

  /// Removes the bytes after a place, and marks the next property as absent.
  private mutating func skip(from start: Int) {
    sink.cut(to: start)
    skip()
  }

  package mutating func skip() { end(ValueImage.absent) }

  private mutating func end(_ flag: UInt32) {
    sink.put(UInt32(clamping: sink.count - header) | flag, at: 4 * number)
    number += 1
  }

  mutating func copy(_ bytes: [UInt8]?) {
    guard let bytes else { return skip() }
    write { sink in bytes.withUnsafeBytes { sink._append(plain: $0) } }
  }

  mutating func append(_ value: Any) -> Bool {
    guard let coder = form.coders[number] else { return false }
    var isWritten = false
    write { isWritten = coder.append(any: value, to: &$0) }
    return isWritten
  }

  mutating func take(any value: Any) {
    let start = sink.count
    guard let coder = form.coders[number], coder.append(any: value, to: &sink) else { return skip(from: start) }
    endValue()
  }

  package mutating func finish() -> ValueImage {
    let image = ValueImage(form, [UInt8](sink.bytes))
    sink.cut(to: header)
    number = 0
    return image
  }

  // MARK: Sources of values

  /// Takes the values of a row. A value that its type rejects is absent, and `refused` gets the
  /// error, by property. Throws if the row itself cannot be read.
  mutating func take(_ source: inout _RowSource, refused: inout [Int: any Error]) throws -> ValueImage {
    for (number, coder) in form.coders.enumerated() {
      guard let coder else {
        skip()
        continue
      }
      let start = sink.count
      let isRead = coder.transfer(from: &source, at: number, to: &sink)
      if let failure = source.failure ?? sink.fault {
        if !(failure is RecordFault) { throw failure }
        source.failure = nil
        refused[number] = failure
      } else if !isRead {
        refused[number] = RecordFault(.wrongType, "it could not be read", field: form.type.propertyName(number))
      }
      if refused[number] == nil { endValue() } else { skip(from: start) }
    }
    return finish()
  }

  /// Takes the values in an object's slots. The object must not be a fault.
  mutating func take(_ object: some _ModelObject) -> ValueImage {
    object.settle()
    object.makeValues()
    var collector = ValueCollector(form)
    object._$visit(&collector)
    let refused = object.refused
    for (number, property) in form.type.properties.enumerated() {
      if refused[number] != nil {
        // The slot may contain a default, which is not the object's value.
        skip()
      } else if property.isByHand {
        if let value = object._$box?.value(property.keyPath) { take(any: value) } else { skip() }
      } else {
        copy(collector.values[number])
      }
    }
    return finish()
  }
}

/// Collects the bytes of an object's values.
private struct ValueCollector: _SlotVisitor {
  let form: ImageForm
  /// The property to collect; nil for all.
  let wanted: Int?
  var values: [[UInt8]?]

  init(_ form: ImageForm, only wanted: Int? = nil) {
    (self.form, self.wanted) = (form, wanted)
    values = Array(repeating: nil, count: form.coders.count)
  }

  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {
    if let wanted, wanted != property { return }
    guard slot._isFilled, let coder = form.coders[property], coder.valueType == Value.self else { return }
    var sink = _ByteSink()
    unsafeDowncast(coder, to: Coder<Value>.self).append(slot._value, to: &sink)
    if sink.fault == nil { values[property] = [UInt8](sink.bytes) }
  }
  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {}
  mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {}
}

extension _ModelObject {
  /// The bytes of one value of an object that is not a fault, as an image has them; nil if the value is
  /// absent.
  func valueBytes(_ property: Int) -> [UInt8]? {
    makeValues(_ModelState.bit(property))
    let form = ImageForm.of(Self._$type)
    if Self._$type.properties[property].isByHand {
      guard let value = _$box?.value(Self._$type.properties[property].keyPath), let coder = form.coders[property] else {
        return nil
      }
      var sink = _ByteSink()
      return coder.append(any: value, to: &sink) && sink.fault == nil ? [UInt8](sink.bytes) : nil
    }
    var collector = ValueCollector(form, only: property)
    _$visit(&collector)
    return collector.values[property]
  }
}

extension ValueImage {
  /// The image of an object that is not a fault.
  package init(_ object: some _ModelObject) {
    var writer = ImageWriter(ImageForm.of(type(of: object)._$type))
    self = writer.take(object)
  }

  /// An image of values by property; nil and values of another type are absent.
  package init(_ form: ImageForm, values: [Any?]) {
    var writer = ImageWriter(form)
    for value in values {
      guard let value else {
        writer.skip()
        continue
      }
      writer.take(any: value)
    }
    self = writer.finish()
  }

  /// An image without values.
  package init(empty form: ImageForm) {
    var writer = ImageWriter(form)
    for _ in form.coders { writer.skip() }
    self = writer.finish()
  }
}
