/// The kind of a type, read from the first words of its metadata. Their layout is part of Swift's binary interface.
enum MetadataKind {
  private static let structKind = 0x200
  private static let optionalKind = 0x202

  static func isOptional(_ type: Any.Type) -> Bool { word(type) == optionalKind }

  /// The name of a struct, without what it is made of.
  static func structName(_ type: Any.Type) -> String? {
    descriptor(unsafeBitCast(type, to: UnsafeRawPointer.self)).map(name)
  }

  private static func word(_ type: Any.Type) -> Int { unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee }

  /// What all types have in common that one generic struct makes: the second word of each says where it stands.
  static func descriptor(_ type: UnsafeRawPointer) -> UnsafeRawPointer? {
    guard type.load(as: Int.self) == structKind else { return nil }
    return type.load(fromByteOffset: MemoryLayout<Int>.size, as: UnsafeRawPointer.self)
  }

  /// The name in a type's descriptor. Its offset follows the flags and the parent's offset.
  static func name(_ descriptor: UnsafeRawPointer) -> String {
    let place = descriptor + 8
    let distance = Int(place.loadUnaligned(as: Int32.self))
    return String(cString: (place + distance).assumingMemoryBound(to: CChar.self))
  }

  /// The value in an optional, however often it is wrapped; nil where there is none.
  static func flattened(_ value: Any) -> Any? {
    // What is no optional is not asked for a conformance, which takes long where there is none.
    guard isOptional(type(of: value)) else { return value }
    // One optional becomes another without such a question too.
    guard case Optional<Any>.some(let content) = value else { return nil }
    return flattened(content)
  }
}
