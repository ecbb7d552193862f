public import Foundation
public import RoostGraph

extension Date: _Storable {
  public static var _$form: _Form { ._date }
  @inlinable public func _$put(into sink: inout _RowSink, at node: Int) {
    sink._store(timeIntervalSinceReferenceDate, at: node)
  }
  @inlinable public static func _$take(from source: inout _RowSource, at node: Int) -> Date? {
    Date(timeIntervalSinceReferenceDate: source._load(node, as: Double.self))
  }
  public func _$append(to bytes: inout _ByteSink) { bytes._append(timeIntervalSinceReferenceDate) }
  public static func _$read(from bytes: inout _ByteSource) -> Date? {
    bytes._take(Double.self).map { Date(timeIntervalSinceReferenceDate: $0) }
  }
  public static var _$any: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: _Storable {
  public static var _$form: _Form { ._uuid }
  @inlinable public func _$put(into sink: inout _RowSink, at node: Int) { sink._store(_Sixteen(uuid), at: node) }
  @inlinable public static func _$take(from source: inout _RowSource, at node: Int) -> UUID? {
    UUID(uuid: source._load(node, as: _Sixteen.self).bytes)
  }
  public func _$append(to bytes: inout _ByteSink) { bytes._append(_Sixteen(uuid)) }
  public static func _$read(from bytes: inout _ByteSource) -> UUID? {
    bytes._take(_Sixteen.self).map { UUID(uuid: $0.bytes) }
  }
  public static var _$any: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

/// The bytes of a UUID in their written order.
public struct _Sixteen: BitwiseCopyable, Sendable {
  public var bytes: uuid_t
  @inlinable public init(_ bytes: uuid_t) { self.bytes = bytes }
}

extension Data: _Storable {
  public static var _$form: _Form { ._data }
  public func _$put(into sink: inout _RowSink, at node: Int) { withUnsafeBytes { sink._store(bytes: $0, at: node) } }
  public static func _$take(from source: inout _RowSource, at node: Int) -> Data? {
    source._withBytes(node) { Data($0) }
  }
  public func _$append(to bytes: inout _ByteSink) { withUnsafeBytes { bytes._append(bytes: $0) } }
  public static func _$read(from bytes: inout _ByteSource) -> Data? { bytes._takeBytes().map { Data($0) } }
  public static var _$any: Data { Data() }
}

extension URL: _Storable {
  public static var _$form: _Form { ._url }
  public func _$put(into sink: inout _RowSink, at node: Int) {
    var text = absoluteString
    text.withUTF8 { sink._store(bytes: UnsafeRawBufferPointer($0), at: node) }
  }
  public static func _$take(from source: inout _RowSource, at node: Int) -> URL? {
    let found = source._withBytes(node) { bytes in
      String(validating: bytes, as: UTF8.self).flatMap { URL(string: $0) ?? ($0.isEmpty ? _$any : nil) }
    }
    if found == nil { source.fail(node, "the text is not a URL") }
    return found
  }
  public func _$append(to bytes: inout _ByteSink) { absoluteString._$append(to: &bytes) }
  public static func _$read(from bytes: inout _ByteSource) -> URL? {
    String._$read(from: &bytes).flatMap { URL(string: $0) ?? ($0.isEmpty ? _$any : nil) }
  }
  /// The value of a URL that was never set.
  public static var _$any: URL { URL(filePath: "/") }
}
