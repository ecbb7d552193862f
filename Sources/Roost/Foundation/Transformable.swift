internal import Foundation
internal import RoostFile
public import RoostGraph
internal import RoostRecords

// What generated code calls for `@Attribute(.transformable(by:))`.

/// How a property is stored of which a transformer makes data. A name that nobody has registered when the model's first container is
/// made is that of none; then the value is stored as the `Codable` that it must be.
public func _coder<Value>(by name: String, for type: Value.Type) -> _Coder? {
  #if canImport(Darwin)
    return _Coder(any: type) { nil }
  #else
    return _Coder(any: type) {
      ValueTransformer(forName: NSValueTransformerName(name)).map { Transformation.coder($0, name, type: type) }
    }
  #endif
}

/// The same of a class of transformers.
public func _coder<Value>(by transformer: ValueTransformer.Type, for type: Value.Type) -> _Coder? {
  #if !canImport(Darwin)
    transformer.register()
  #endif
  return _coder(by: "\(transformer)", for: type)
}

// The same from a value, where only that tells the type.

public func _coder<Value>(by name: String, like value: Value) -> _Coder? { _coder(by: name, for: Value.self) }
public func _coder<Value>(by transformer: ValueTransformer.Type, like value: Value) -> _Coder? {
  _coder(by: transformer, for: Value.self)
}

extension Schema.Attribute.Option {
  /// The value is stored as the `Data` that a transformer of this class makes of it.
  public static func transformable(by transformerType: ValueTransformer.Type) -> Schema.Attribute.Option {
    #if !canImport(Darwin)
      transformerType.register()
    #endif
    return .transformable(by: "\(transformerType)")
  }
}

#if !canImport(Darwin)
  extension ValueTransformer {
    /// Makes the class known by its name, unless somebody has given that to another one.
    static func register() {
      let name = NSValueTransformerName("\(self)")
      if ValueTransformer(forName: name) == nil { setValueTransformer(Self(), forName: name) }
    }
  }

  private enum Transformation {
    static func coder<Value>(_ transformer: ValueTransformer, _ name: String, type: Value.Type) -> AnyCoder {
      func value(_ bytes: [UInt8]?) -> Value? {
        guard let bytes else { return (Value.self as? any OptionalNothing.Type)?.nothing as? Value }
        return transformer.reverseTransformedValue(Data(bytes)) as? Value
      }
      return TransformedCoder<Value>(name, isOptional: Value.self is any OptionalNothing.Type) { value in
        guard let plain = (value as? any OptionalNothing).map(\.wrappedOrNil) ?? .some(value) else { return nil }
        return switch transformer.transformedValue(plain) {
        case let data as Data: [UInt8](data)
        case let data as NSData: [UInt8](Data(referencing: data))
        default: nil
        }
      } value: {
        value($0)
      }
    }
  }

  private protocol OptionalNothing {
    static var nothing: Any { get }
    var wrappedOrNil: Any? { get }
  }

  extension Optional: OptionalNothing {
    fileprivate static var nothing: Any { Self.none as Any }
    fileprivate var wrappedOrNil: Any? { self.map { $0 } }
  }
#endif
