package import RoostRecords

/// Stores values of a type that is known at run time. ``Coder`` knows the type at compile time.
package class AnyCoder {
  package let form: _Form
  package let valueType: Any.Type
  /// The parts of a struct that is stored as its parts. Each is a field of its own if the struct is
  /// a property.
  package let parts: [Part]

  /// Whether other properties of the type may use another coder. Then stored values cannot be
  /// compared with constants of the type.
  package var isOfOneProperty: Bool { false }

  package struct Part {
    package var name: String
    package var coder: AnyCoder
  }

  init(_ form: _Form, _ valueType: Any.Type, parts: [Part] = []) {
    self.form = form
    self.valueType = valueType
    self.parts = parts
  }

  /// The field of such a property; nil for a struct that has only parts. For an optional struct the
  /// field tells whether it is present.
  package var field: (type: FieldType, isOptional: Bool)? {
    if let field = form.field { return field }
    return form.isOptional ? (.presence, true) : nil
  }

  /// Whether two values are equal exactly if their stored bytes are. Structs, and enums with
  /// associated values, may define equality otherwise.
  package var isComparedAsStored: Bool { false }
  /// Whether the raw value is stored, of the value or of an optional's wrapped value.
  package var isRaw: Bool { false }
  /// The raw values of all cases, of the value or of its elements, if the type lists them.
  package var cases: [RoostRecords.Value]? { nil }

  /// Whether the field has one of the plain field types, and not bytes that the type makes itself.
  package var isPlain: Bool { false }
  /// Whether a transformer of the program makes its bytes.
  package var isTransformed: Bool { false }

  /// Writes nil as a part, if the part may be nil.
  func putNil(into sink: inout _RowSink, at node: Int) { sink._setNull(at: node) }
  func appendNil(to bytes: inout _ByteSink) { bytes._append(0 as UInt8) }
  /// Reads an element whose type the reader knows otherwise.
  func readAny(from bytes: inout _ByteSource) -> Any? { nil }
  /// Reads a property whose type the reader knows otherwise.
  func takeAny(from source: inout _RowSource, at node: Int) -> Any? { nil }
  /// Writes any value, if the object has none.
  func putAny(into sink: inout _RowSink, at node: Int) {}
  /// Whether a value of type `type` can be written as a part.
  func takes(_ type: Any.Type) -> Bool { type == valueType }

  /// Whether rows can store values that the type rejects: an enum accepts only its cases.
  package var isChoosy: Bool { false }
  /// Why the type rejects a value that a row can store, as a clause; nil if it accepts it. Calls
  /// code of users.
  package func refusal(of value: RoostRecords.Value) -> String? { nil }

  /// Any value of the type, if the coder can make one.
  var madeUp: Any? { nil }

  // MARK: Images

  /// Reads a property from a row and writes it as an element; returns false if it cannot be read.
  func transfer(from source: inout _RowSource, at node: Int, to bytes: inout _ByteSink) -> Bool { false }
  /// Writes a value as an element; returns false if it is of another type.
  func append(any value: Any, to bytes: inout _ByteSink) -> Bool { false }
  /// Reads an element and puts it into a row; returns false if it cannot be read.
  func transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool { false }
  /// Puts a value into a row; returns false if it is of another type.
  func put(any value: Any, into sink: inout _RowSink, at node: Int) -> Bool { false }
  /// Passes an element to another encoder, by name.
  package func encode(
    _ bytes: inout _ByteSource, into values: inout KeyedEncodingContainer<ImageKey>, _ key: ImageKey
  ) throws {
    throw ImageKey.unreadable(key)
  }
  /// Reads an element from another decoder.
  package func decode(
    _ values: KeyedDecodingContainer<ImageKey>, _ key: ImageKey, to bytes: inout _ByteSink
  ) throws {
    throw ImageKey.unreadable(key)
  }
}

extension _RowSink {
  /// Sets all parts of a struct to nil, zero or empty.
  mutating func clearParts(of node: Int, _ parts: [AnyCoder.Part]) {
    let first = Int(places[node].parts)
    for (number, part) in parts.enumerated() {
      if part.coder.field != nil { builder.setNull(plan.slot(first + number)) }
      if !part.coder.parts.isEmpty { clearParts(of: first + number, part.coder.parts) }
    }
  }
}
