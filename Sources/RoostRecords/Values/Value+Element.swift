extension Value {
  /// Decodes a value from its bytes as an element of a collection; nil if they are not valid for
  /// the type.
  package init?(element bytes: UnsafeRawBufferPointer, as type: ElementType) {
    // A list of this one element.
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
