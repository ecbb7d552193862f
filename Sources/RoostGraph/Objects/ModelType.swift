internal import Synchronization

/// A model class: its properties in order.
///
/// Unchecked, because it does not change after it was made.
public final class _ModelType: @unchecked Sendable {
  /// The entity's name: the name of the class, without the types that contain it.
  package let name: String
  package let model: any _ModelObject.Type
  /// The type of the superclass, if that is a model.
  package let superType: _ModelType?
  /// All properties by number, the inherited ones first.
  package let properties: [Property]
  /// The number of inherited properties.
  package let first: Int
  /// Calls the class's own `validate`; nil if it has none.
  package let judge: ObjectJudge?
  /// The properties that the program computes from their object.
  package let computed: [Int]

  /// How a property is stored.
  package enum Storage {
    case value(_Coder)
    case toOne(Link)
    case toMany(Link)
    /// Not stored: its type is unknown.
    case none(Any.Type)
  }

  /// The target of a relationship.
  package struct Link {
    package var model: any _ModelObject.Type
    package var isOptional: Bool

    package init(_ model: any _ModelObject.Type, isOptional: Bool) {
      self.model = model
      self.isOptional = isOptional
    }
  }

  package struct Property {
    package var name: String
    package var keyPath: AnyKeyPath
    package var storage: Storage
    /// Makes the declared default.
    package var initial: (() -> Any?)?
    /// Whether the user wrote the accessors, so that the value is in the object's box.
    package var isByHand = false
    /// Computes the value of a derived property from its object; nil for others.
    package var compute: ((any _ModelObject) -> Any?)?

    package init(name: String, keyPath: AnyKeyPath, storage: Storage, isByHand: Bool = false) {
      self.name = name
      self.keyPath = keyPath
      self.storage = storage
      self.isByHand = isByHand
    }
  }

  /// - Parameters:
  ///   - model: the class.
  ///   - name: the entity's name.
  ///   - superType: the type of the superclass, if that is a model.
  ///   - own: the properties that the class itself declares.
  ///   - heirPaths: key paths of the inherited properties with this class as root, by number; nil
  ///     if unknown.
  ///   - judge: calls the class's own `validate`.
  package init(
    _ model: any _ModelObject.Type, name: String, superType: _ModelType?, own: [Property],
    heirPaths: [AnyKeyPath?] = [], judge: ObjectJudge? = nil
  ) {
    self.judge = judge
    self.model = model
    self.name = name
    self.superType = superType
    let inherited = superType?.properties ?? []
    first = inherited.count
    properties = inherited + own
    computed = properties.indices.filter { [properties] in properties[$0].compute != nil }
    self.heirPaths = heirPaths.count == inherited.count ? heirPaths : []
    var numbers: [AnyKeyPath: Int] = [:]
    for (number, property) in properties.enumerated().reversed() { numbers[property.keyPath] = number }
    for case (let number, .some(let keyPath)) in self.heirPaths.enumerated() { numbers[keyPath] = number }
    self.numbers = numbers
  }

  private let numbers: [AnyKeyPath: Int]
  /// See ``LinkPlaces``.
  let places = Atomic<UnsafeMutableRawPointer?>(nil)
  /// See ``ImageForm``.
  let imageForms = Atomic<UnsafeMutableRawPointer?>(nil)
  private let heirPaths: [AnyKeyPath?]
  #if DEBUG
    /// Whether an object of the class was read back after it was stored, and compared.
    let isReadBack = Atomic<Bool>(false)
  #endif

  /// The number of properties, to which a subclass adds its own.
  public var _count: Int { properties.count }

  /// The number of a property whose accessors have no constant for it.
  public func _number(of name: String) -> Int { properties.firstIndex { $0.name == name } ?? 0 }

  package func number(of keyPath: AnyKeyPath) -> Int? { numbers[keyPath] }
  /// The key path with the declaring class as root.
  package func keyPath(_ property: Int) -> AnyKeyPath { properties[property].keyPath }
  /// The key path with this class as root, if known: a key path of a superclass is not one of the
  /// subclass.
  package func heirPath(_ property: Int) -> AnyKeyPath {
    heirPaths.indices.contains(property) ? heirPaths[property] ?? keyPath(property) : keyPath(property)
  }
  package func propertyName(_ property: Int) -> String {
    properties.indices.contains(property) ? properties[property].name : "property \(property)"
  }

  /// A fault for a row.
  package func makeFault(row: UInt64, origin: _Origin) -> any _ModelObject {
    model.init(_$state: _ModelState(row: row, origin: origin))
  }
}
