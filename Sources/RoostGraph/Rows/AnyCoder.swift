package import RoostRecords

/// How values of one type are stored, as a row's plan knows it: the type is found at run time. ``Coder`` knows the type.
package class AnyCoder {
  package let form: _Form
  package let valueType: Any.Type
  /// Of a struct that is stored as its parts: fields of their own, where it is a property.
  package let parts: [Part]

  /// Whether it may be another coder than that of the type elsewhere, so that no constant of the type compares with what it stores.
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

  /// The field that holds such a property; nil for a struct that is only its parts. Of an optional struct it says whether
  /// it is there.
  package var field: (type: FieldType, isOptional: Bool)? {
    if let field = form.field { return field }
    return form.isOptional ? (.presence, true) : nil
  }

  /// Whether two values are equal exactly if what is stored of them is. A struct, and an enum with values, may see that its own way.
  package var isComparedAsStored: Bool { false }
  /// Whether what is stored is the raw value, of the value or of what it may be besides nil.
  package var isRaw: Bool { false }
  /// The raw values of all cases, of the value or of its elements, where the type lists them.
  package var cases: [RoostRecords.Value]? { nil }

  /// Whether a field holds its values as one of the types that fields have, and not as bytes that the type makes itself.
  package var isPlain: Bool { false }
  /// Whether a transformer of the program's makes its bytes.
  package var isTransformed: Bool { false }

  /// Writes nil as a part, where that may be nil.
  func putNil(into sink: inout _RowSink, at node: Int) { sink._setNull(at: node) }
  func appendNil(to bytes: inout _ByteSink) { bytes._append(0 as UInt8) }
  /// Reads an element whose type the reader learns from elsewhere.
  func readAny(from bytes: inout _ByteSource) -> Any? { nil }
  /// Reads a property whose type the reader learns from elsewhere.
  func takeAny(from source: inout _RowSource, at node: Int) -> Any? { nil }
  /// Writes any value, where none of the object's own can be had.
  func putAny(into sink: inout _RowSink, at node: Int) {}
  /// Whether a value given as one of `type` can be written as a part.
  func takes(_ type: Any.Type) -> Bool { type == valueType }

  /// Whether rows can hold values that the type does not have: an enum has its cases alone.
  package var isChoosy: Bool { false }
  /// Why the type does not have a value that a row can hold, as a clause; nil where it does. Calls code of users.
  package func refusal(of value: RoostRecords.Value) -> String? { nil }

  /// Any value of the type, if one can be had.
  var madeUp: Any? { nil }

  // MARK: Images

  /// Reads a property from a row and writes it as an element; false where it cannot be read.
  func transfer(from source: inout _RowSource, at node: Int, to bytes: inout _ByteSink) -> Bool { false }
  /// Writes a value of which only the user knows the type; false where it is of another one.
  func append(any value: Any, to bytes: inout _ByteSink) -> Bool { false }
  /// The other way round: reads an element and puts it into a row; false where it cannot be read.
  func transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool { false }
  /// Puts a value of which only the user knows the type; false where it is of another one.
  func put(any value: Any, into sink: inout _RowSink, at node: Int) -> Bool { false }
  /// Gives an element to somebody else's coder, by name.
  package func encode(
    _ bytes: inout _ByteSource, into values: inout KeyedEncodingContainer<ImageKey>, _ key: ImageKey
  ) throws {
    throw ImageKey.unreadable(key)
  }
  /// Takes an element from somebody else's coder.
  package func decode(
    _ values: KeyedDecodingContainer<ImageKey>, _ key: ImageKey, to bytes: inout _ByteSink
  ) throws {
    throw ImageKey.unreadable(key)
  }
}

extension _RowSink {
  /// Makes all parts of a struct nil, zero or empty.
  mutating func clearParts(of node: Int, _ parts: [AnyCoder.Part]) {
    let first = Int(places[node].parts)
    for (number, part) in parts.enumerated() {
      if part.coder.field != nil { builder.setNull(plan.slot(first + number)) }
      if !part.coder.parts.isEmpty { clearParts(of: first + number, part.coder.parts) }
    }
  }
}
