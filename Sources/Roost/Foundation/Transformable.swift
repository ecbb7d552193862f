internal import Foundation
internal import RoostFile
public import RoostGraph
internal import RoostRecords

// Generated code for `@Attribute(.transformable(by:))` calls these functions.

/// Returns the coder of a property that a transformer stores as data. If no transformer has this
/// name when the model's first container is made, the property has no transformer: its value is
/// stored as a `Codable` value, and must be one.
public func _coder<Value>(by name: String, for type: Value.Type) -> _Coder? {
  #if canImport(Darwin)
    return _Coder(any: type) { nil }
  #else
    return _Coder(any: type) {
      ValueTransformer(forName: NSValueTransformerName(name)).map { Transformation.coder($0, name, type: type) }
    }
  #endif
}

/// Returns the coder of a property that a class of transformers stores as data.
public func _coder<Value>(by transformer: ValueTransformer.Type, for type: Value.Type) -> _Coder? {
  #if !canImport(Darwin)
    transformer.register()
  #endif
  return _coder(by: "\(transformer)", for: type)
}

// These overloads get the type from a value.

public func _coder<Value>(by name: String, like value: Value) -> _Coder? { _coder(by: name, for: Value.self) }
public func _coder<Value>(by transformer: ValueTransformer.Type, like value: Value) -> _Coder? {
  _coder(by: transformer, for: Value.self)
}

extension Schema.Attribute.Option {
  /// Stores the value as the `Data` that a transformer of this class makes of it.
  public static func transformable(by transformerType: ValueTransformer.Type) -> Schema.Attribute.Option {
    #if !canImport(Darwin)
      transformerType.register()
    #endif
    return .transformable(by: "\(transformerType)")
  }
}

#if !canImport(Darwin)
  extension ValueTransformer {
    /// Registers the class under its own name, unless that name is taken.
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
