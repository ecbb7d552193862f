extension Value {
  /// Reads a value from the bytes that it has as an element of a collection; nil where they are none of that type.
  package init?(element bytes: UnsafeRawBufferPointer, as type: ElementType) {
    // The list of this one element.
    var list: [UInt8] = [1]
    list += bytes
    let found = list.withUnsafeBytes { ElementCoding.decode($0, as: .array(type)) }
    guard case .array(let values)? = found, values.count == 1 else { return nil }
    self = values[0]
  }

  /// The bytes of a value as an element of a collection.
  package func elementBytes(as type: ElementType) throws(RecordFault) -> [UInt8] {
    var list: [UInt8] = []
    try ElementCoding.encode(.array([self]), as: .array(type), into: &list)
    return Array(list.dropFirst())
  }
}
