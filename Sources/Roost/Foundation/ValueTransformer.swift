internal import Foundation
internal import RoostFile

#if !canImport(Darwin)

  /// The name of a ``ValueTransformer``.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a text, for `@Attribute(.transformable(by:))`.
    public let rawValue: String

    /// Makes a name from a text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name from a text, without a label.
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }

  /// Converts values into other values, and back. Foundation has this class on Apple's systems.
  /// `@Attribute(.transformable(by:))` stores a property as the result of a transformer.
  ///
  /// Inherit from it, and register an object by a name, or name the class itself.
  open class ValueTransformer {
    /// Makes a transformer. Roost calls it for a class that is named and has no registered object.
    public required init() {}

    /// The class of the values that ``transformedValue(_:)`` returns.
    open class func transformedValueClass() -> AnyClass { NSData.self }
    /// Whether ``reverseTransformedValue(_:)`` returns the original value. Stored properties need
    /// that.
    open class func allowsReverseTransformation() -> Bool { true }
    /// Converts a value. For a stored property the result must be a `Data`; nil stores no value.
    open func transformedValue(_ value: Any?) -> Any? {
      if let stand { return stand.transformedValue(value) }
      return value
    }
    /// Converts a transformed value back; nil if there is none. Roost calls it with the stored
    /// `Data` when the property is read.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
      if let stand { return stand.reverseTransformedValue(value) }
      return value
    }

    // MARK: Names

    /// Registers a transformer by a name, and replaces an earlier one. Nil removes the name.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      Shelf.shared.set(transformer, name)
    }

    /// The names of all registered transformers, in no order.
    public class func valueTransformerNames() -> [NSValueTransformerName] { Shelf.shared.names }

    /// Makes a transformer that forwards to the one that is registered by this name; nil if there
    /// is none.
    public convenience init?(forName name: NSValueTransformerName) {
      guard let known = Shelf.shared.find(name) else { return nil }
      self.init()
      stand = known
    }

    /// The registered transformer that this object forwards to.
    fileprivate var stand: ValueTransformer?
  }

  /// Unchecked because the lock guards `known`.
  private final class Shelf: @unchecked Sendable {
    static let shared = Shelf()
    private let lock = Lock()
    private var known: [NSValueTransformerName: ValueTransformer] = [:]

    func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
      lock.withLock { known[name] = transformer }
    }
    func find(_ name: NSValueTransformerName) -> ValueTransformer? { lock.withLock { known[name] } }
    var names: [NSValueTransformerName] { lock.withLock { known.keys.sorted { $0.rawValue < $1.rawValue } } }
  }

#endif
