internal import RoostRecords

/// A type whose values the compiler reads from and writes into rows directly.
///
/// Other types use a coder, which is made once for each type. Both store the same bytes.
public protocol _Storable: Codable {
  static var _$form: _Form { get }
  /// Writes a property or a part of one.
  func _$put(into sink: inout _RowSink, at node: Int)
  /// Reads a property or a part of one. If that fails, the source records the error and the result
  /// is meaningless.
  static func _$take(from source: inout _RowSource, at node: Int) -> Self?
  /// Writes an element of a collection.
  func _$append(to bytes: inout _ByteSink)
  static func _$read(from bytes: inout _ByteSource) -> Self?
  /// Copies an element into a row; returns false if it cannot be read. It is a requirement of the
  /// protocol because a conforming type needs no metadata at run time.
  static func _$transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool
  /// Copies a property to an element; returns false if it cannot be read.
  static func _$transfer(from source: inout _RowSource, at node: Int, to bytes: inout _ByteSink) -> Bool
  /// Any value, to find the parts of a struct.
  static var _$any: Self { get }
}

extension _Storable {
  @inlinable
  public static func _$transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool {
    guard let value = _$read(from: &bytes) else { return false }
    value._$put(into: &sink, at: node)
    return true
  }

  @inlinable
  public static func _$transfer(from source: inout _RowSource, at node: Int, to bytes: inout _ByteSink) -> Bool {
    guard let value = _$take(from: &source, at: node) else { return false }
    value._$append(to: &bytes)
    return true
  }
}

/// A type whose bytes in memory are those in the row.
public protocol _StorableBits: _Storable, BitwiseCopyable {}

extension _StorableBits {
  @inlinable @inline(__always)
  public func _$put(into sink: inout _RowSink, at node: Int) { sink._store(self, at: node) }
  @inlinable @inline(__always)
  public static func _$take(from source: inout _RowSource, at node: Int) -> Self? { source._load(node, as: Self.self) }
  public func _$append(to bytes: inout _ByteSink) { bytes._append(self) }
  public static func _$read(from bytes: inout _ByteSource) -> Self? { bytes._take(Self.self) }
}

extension _StorableBits where Self: ExpressibleByIntegerLiteral {
  public static var _$any: Self { 0 }
}

#if _endian(big)
  #error("Rows store numbers with the lowest byte first, and copy them from memory unchanged.")
#endif

extension Int: _StorableBits { public static var _$form: _Form { _Form(.int64) } }
extension Int8: _StorableBits { public static var _$form: _Form { _Form(.int8) } }
extension Int16: _StorableBits { public static var _$form: _Form { _Form(.int16) } }
extension Int32: _StorableBits { public static var _$form: _Form { _Form(.int32) } }
extension Int64: _StorableBits { public static var _$form: _Form { _Form(.int64) } }
extension UInt: _StorableBits { public static var _$form: _Form { _Form(.uint64) } }
extension UInt8: _StorableBits { public static var _$form: _Form { _Form(.uint8) } }
extension UInt16: _StorableBits { public static var _$form: _Form { _Form(.uint16) } }
extension UInt32: _StorableBits { public static var _$form: _Form { _Form(.uint32) } }
extension UInt64: _StorableBits { public static var _$form: _Form { _Form(.uint64) } }
extension Float: _StorableBits { public static var _$form: _Form { _Form(.float) } }
extension Double: _StorableBits { public static var _$form: _Form { _Form(.double) } }

extension Bool: _Storable {
  public static var _$form: _Form { _Form(.bool) }
  @inlinable @inline(__always)
  public func _$put(into sink: inout _RowSink, at node: Int) { sink._store(self ? 1 as UInt8 : 0, at: node) }
  @inlinable @inline(__always)
  public static func _$take(from source: inout _RowSource, at node: Int) -> Bool? {
    source._load(node, as: UInt8.self) != 0
  }
  public func _$append(to bytes: inout _ByteSink) { bytes._append(self ? 1 as UInt8 : 0) }
  public static func _$read(from bytes: inout _ByteSource) -> Bool? { bytes._take(UInt8.self).map { $0 != 0 } }
  public static var _$any: Bool { false }
}

extension String: _Storable {
  public static var _$form: _Form { _Form(.string) }

  public func _$put(into sink: inout _RowSink, at node: Int) {
    var text = self
    text.withUTF8 { sink._store(bytes: UnsafeRawBufferPointer($0), at: node) }
  }

  public static func _$take(from source: inout _RowSource, at node: Int) -> String? {
    let text = source._withBytes(node) { String(exactly: $0) }
    if text == nil { source.fail(node, "the text is not valid UTF-8") }
    return text
  }

  public func _$append(to bytes: inout _ByteSink) { bytes.text(self) }
  public static func _$read(from bytes: inout _ByteSource) -> String? { bytes.text() }

  /// An image contains only valid text.
  public static func _$transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool {
    guard let text = bytes._takeBytes() else { return false }
    sink._store(bytes: text, at: node)
    return true
  }

  public static var _$any: String { "" }
}
