internal import Synchronization

/// A model's class: its properties in order, found out once.
///
/// Unchecked, because it is written once, before anybody sees it.
public final class _ModelType: @unchecked Sendable {
  /// The entity's name: that of the class, without what it is nested in.
  package let name: String
  package let model: any _ModelObject.Type
  /// That of the class it inherits from, if that is a model.
  package let superType: _ModelType?
  /// All properties by number, the inherited ones first.
  package let properties: [Property]
  /// How many of them are inherited.
  package let first: Int
  /// Calls the class's own `validate`; nil where it has none.
  package let judge: ObjectJudge?
  /// The properties that the program computes from their object.
  package let computed: [Int]

  /// How a property is stored.
  package enum Storage {
    case value(_Coder)
    case toOne(Link)
    case toMany(Link)
    /// Not at all: nothing is known of its type.
    case none(Any.Type)
  }

  /// Where a relationship leads.
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
    /// Whether the user wrote the accessors, so that the value stands in the object's box.
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
  ///   - own: the properties that the class itself declares.
  ///   - heirPaths: key paths of the inherited properties as this class has them, by number; nil where unknown.
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
    /// Whether an object of the class gave back what was stored of it.
    let isReadBack = Atomic<Bool>(false)
  #endif

  /// How many properties the class has, for the numbers of those of its subclasses.
  public var _count: Int { properties.count }

  /// The number of a property whose accessors were not told.
  public func _number(of name: String) -> Int { properties.firstIndex { $0.name == name } ?? 0 }

  package func number(of keyPath: AnyKeyPath) -> Int? { numbers[keyPath] }
  /// As the class that declares the property has it.
  package func keyPath(_ property: Int) -> AnyKeyPath { properties[property].keyPath }
  /// As this class has it, if that is known: a key path of a class is none of its subclasses'.
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
