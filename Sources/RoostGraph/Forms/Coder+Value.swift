package import RoostRecords

/// Converts values outside rows: constants of conditions, and values of older rows.
extension Coder {
  /// A value as rows, keys and conditions represent it.
  package func value(_ value: Value) -> RoostRecords.Value? {
    var bytes = _ByteSink()
    append(value, to: &bytes)
    return bytes.fault == nil ? RoostRecords.Value(element: bytes.bytes, as: form.element) : nil
  }

  /// A value of the type; nil if the type rejects it.
  package func value(from value: RoostRecords.Value) -> Value? {
    guard let bytes = try? value.elementBytes(as: form.element) else { return nil }
    return bytes.withUnsafeBytes { memory in
      var source = _ByteSource(memory)
      return read(from: &source)
    }
  }
}

extension CoderShelf {
  /// Converts a value whose type is known only at run time.
  package func value(any value: any Codable) -> RoostRecords.Value? {
    func open<Known: Codable>(_ value: Known) -> RoostRecords.Value? {
      (try? coder(of: Known.self))?.value(value)
    }
    return open(value)
  }
}
