internal import Foundation
internal import RoostFile

#if !canImport(Darwin)

  /// The name of a ``ValueTransformer``.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a text, which `@Attribute(.transformable(by:))` takes.
    public let rawValue: String

    /// Makes a name of a text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name of a text, without a label.
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }

  /// Makes other values of values, and back: what Foundation has for Apple's systems. `@Attribute(.transformable(by:))` stores what one
  /// makes of a property.
  ///
  /// Inherit from it, and register an object by a name, or name the class itself.
  open class ValueTransformer {
    /// Makes a transformer. Roost makes one of a class that is named and not registered.
    public required init() {}

    /// The class of what ``transformedValue(_:)`` gives.
    open class func transformedValueClass() -> AnyClass { NSData.self }
    /// Whether ``reverseTransformedValue(_:)`` gives back what was transformed. What is stored needs it.
    open class func allowsReverseTransformation() -> Bool { true }
    /// What becomes of a value: of one that is to be stored a `Data`; nil for none.
    open func transformedValue(_ value: Any?) -> Any? {
      if let stand { return stand.transformedValue(value) }
      return value
    }
    /// The value that was transformed into this one; nil for none. Roost calls it with the stored `Data` when the
    /// property is read.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
      if let stand { return stand.reverseTransformedValue(value) }
      return value
    }

    // MARK: Names

    /// Registers a transformer by a name, in the place of an earlier one; nil removes the name.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      Shelf.shared.set(transformer, name)
    }

    /// The names that transformers are registered by, in no order.
    public class func valueTransformerNames() -> [NSValueTransformerName] { Shelf.shared.names }

    /// Does what the one that was registered by this name does; nil where there is none.
    public convenience init?(forName name: NSValueTransformerName) {
      guard let known = Shelf.shared.find(name) else { return nil }
      self.init()
      stand = known
    }

    /// The one that an object asked for by name stands for.
    fileprivate var stand: ValueTransformer?
  }

  /// Unchecked because of `known`, which is read and written under the lock.
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
