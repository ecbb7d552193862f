internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class.
///
/// A property `slot` has a stored member `_slot`, which hides a function `_slot` of the library. So
/// all names of the library are written with the module's name, `Roost::_slot`, which no name in a
/// program can hide.
struct MemberWriter {
  let model: ModelSource
  private let access: String
  /// The access of members that subclasses override, also in other modules.
  private let open: String
  /// The modifiers of members that subclasses override, and of members of the class.
  private let override: String
  private let type: String
  /// The modifier that keeps members out of the class's virtual table.
  private let final: String

  init(_ model: ModelSource) {
    self.model = model
    access = model.access
    open = model.isOpen ? "open " : model.access
    override = model.superclass == nil ? "" : "override "
    final = model.isFinal ? "" : "final "
    type = model.isFinal ? "static" : "class"
  }

  var members: [DeclSyntax] {
    let head = model.superclass == nil ? root : subclass
    return [.text(([head, schema, number, heirPaths, modelType, encode, decode, visit]).joined(separator: "\n"))]
  }

  // MARK: State and initializers

  private var root: String {
    """
    @exclusivity(unchecked) nonisolated(unsafe) \(final)\(access)var _$state = Roost::_ModelState()
    nonisolated \(final)\(access)var _$place: _StatePlace { Roost::_ModelState._place(of: &_$state) }
    @exclusivity(unchecked) nonisolated(unsafe) \(final)private var _$backingData = Roost::_HeldValues<\(model.name)>()
    nonisolated \(final)\(access)var persistentBackingData: any BackingData<\(model.name)> {
    get { Roost::_ObjectBacking(self) }
    set { Roost::_adopt(newValue, self) }
    }
    nonisolated \(open)var _$box: _Box? {
    get { _$backingData._box }
    set { _$backingData._box = newValue }
    }
    nonisolated \(access)required convenience init(backingData: any BackingData<\(model.name)>) {
    self.init(_$state: Roost::_ModelState())
    Roost::_adopt(backingData, self)
    }
    nonisolated \(access)required init(_$state state: consuming _ModelState) {
    \(emptySlots)_$state = state
    }
    """
  }

  private var subclass: String {
    """
    @exclusivity(unchecked) nonisolated(unsafe) \(final)private var _$backingData = Roost::_HeldValues<\(model.name)>()
    nonisolated \(open)override var _$box: _Box? {
    get { _$backingData._box ?? super._$box }
    set {
    _$backingData._box = newValue
    super._$box = newValue
    }
    }
    nonisolated \(access)required convenience init(backingData: any BackingData<\(model.superclass ?? "").Root>) {
    self.init(_$state: Roost::_ModelState())
    Roost::_adopt(backingData, self)
    }
    nonisolated \(access)required init(_$state state: consuming _ModelState) {
    \(emptySlots)super.init(_$state: state)
    }
    """
  }

  /// Empties slots that would begin with a default value, or have no initial value.
  private var emptySlots: String {
    model.properties.filter { !$0.isByHand && (!$0.slot.hasBeginning || $0.initial != nil || $0.derived != nil) }
      .map { "_\($0.bareName) = .init()\n" }.joined()
  }

  // MARK: The description of the class

  private var schema: String {
    var lines: [String] = []
    for property in model.properties {
      lines.append(
        "Roost::_PropertyMetadata(\"\(property.bareName)\", \\\(model.name).\(property.name), "
          + "\(property.initialOfType), \(metadata(property))\(rules(property)), \(property.coder))")
    }
    for property in model.properties {
      guard let derived = property.derived else { continue }
      lines.append(
        "Roost::_PropertyMetadata(\"SwiftData.Schema.Derived\", \\Roost::_Schema.encodingVersion, nil, "
          + "Roost::_derived(\\\(model.name).\(property.name), \"\(property.bareName)\", "
          + "\(Self.arguments(derived))\(Self.spelling(derived))), nil)")
    }
    for property in model.ephemerals {
      lines.append(
        "Roost::_PropertyMetadata(\"\(property.bareName)\", \\\(model.name).\(property.name), "
          + "\(property.initialOfType), \(metadata(property))\(rules(property)), nil)")
    }
    for constraint in model.constraints {
      let kind = constraint.macroName.text
      let arguments = constraint.argumentsWithPredicate(model.name)
      lines.append(
        "Roost::_PropertyMetadata(\"SwiftData.Schema.\(kind)\", \\Roost::_Schema.encodingVersion, nil, "
          + "Roost::_Schema.\(kind)<\(model.name)>(\(arguments)), nil)")
    }
    // A function of a generic class cannot be passed on, because it would need the generic types.
    let call = model.isGeneric ? "_$metadata()" : "Roost::_anywhere(\(model.name)._$metadata)"
    return """
      \(model.isGeneric ? "nonisolated " : "")private static func _$metadata() -> [_PropertyMetadata] {
      [
      \(lines.map { $0 + ",\n" }.joined())]
      }
      nonisolated \(open)\(override)\(type) var schemaMetadata: [_PropertyMetadata] {
      \(call)
      }
      """
  }

  private func metadata(_ property: Property) -> String {
    if let relationship = property.relationship {
      return "Roost::_Schema.Relationship(\(Self.arguments(relationship)))"
    }
    if let attribute = property.attribute { return "Roost::_Schema.Attribute(\(Self.arguments(attribute)))" }
    return property.validations.isEmpty ? "nil" : "Roost::_Schema.Attribute()"
  }

  /// Writes the rules of `@Validate`, one call for each.
  private func rules(_ property: Property) -> String {
    property.validations.map { "._validated(\(Self.arguments($0)))" }.joined()
  }

  /// The source of a computed property's definition. It is the same in each run of the program.
  private static func spelling(_ derived: AttributeSyntax) -> String {
    guard case .argumentList(let list)? = derived.arguments,
      let path = list.first?.expression.as(KeyPathExprSyntax.self)
    else { return "" }
    return ", spelled: \"\(path.components.trimmedDescription.trimmingPrefix("."))\""
  }

  private static func arguments(_ attribute: AttributeSyntax) -> String {
    attribute.arguments?.trimmedDescription ?? ""
  }

  private var number: String {
    let count = model.properties.count
    guard let superclass = model.superclass else {
      let none = model.mayInherit ? "nonisolated private static var _$first: Int { 0 }\n" : ""
      return "\(none)nonisolated \(open)\(type) var _$count: Int { \(count) }"
    }
    return """
      nonisolated private static var _$first: Int { \(superclass)._$count }
      nonisolated \(open)override \(type) var _$count: Int { \(superclass)._$count._$plus(\(count)) }
      """
  }

  /// Writes key paths of the properties as a subclass has them. Only the compiler can make them,
  /// and only here are their names known.
  ///
  /// A local function makes them. In a closure of the main actor the compiler may insert a check
  /// that ends the program on any other thread. It does so if SwiftData is imported through a
  /// module in Swift 5 mode.
  private var heirPaths: String {
    if model.isFinal { return "" }
    let above = model.superclass.map { "\($0)._$heirPaths(heir) + " } ?? ""
    let paths = model.properties.map { model.isOfKnownActor ? "\\Heir.\($0.name)" : "nil" }.joined(separator: ", ")
    return """
      nonisolated \(access)static func _$heirPaths<Heir: \(model.name)>(_ heir: Heir.Type) -> [AnyKeyPath?] {
      @MainActor func own() -> [AnyKeyPath?] { [\(paths)] }
      return \(above)Roost::_paths(own)
      }
      """
  }

  private var modelType: String {
    let names = model.properties.filter(\.isByHand).map { "\"\($0.bareName)\"" }
    let byHand = names.isEmpty ? "" : ", byHand: [\(names.joined(separator: ", "))]"
    let superType =
      model.superclass.map { "\($0)._$type, inherited: \($0)._$heirPaths(\(model.name).self)" } ?? "nil"
    if model.isGeneric {
      return """
        nonisolated \(open)\(override)\(type) var _$type: _ModelType {
        Roost::_registeredModelType(\(model.name).self, after: \(superType)\(byHand))
        }
        """
    }
    return """
      nonisolated private static let _$ownType = Roost::_makeModelType(\(model.name).self, after: \(superType)\(byHand))
      nonisolated \(open)\(override)\(type) var _$type: _ModelType { \(model.name)._$ownType }
      """
  }

  // MARK: Writing and reading rows

  /// The number of a property, after those of the superclass.
  private func index(_ number: Int) -> String {
    model.superclass == nil ? "\(number)" : "\(model.name)._$first._$plus(\(number))"
  }

  private var encode: String {
    var lines = model.superclass == nil ? [] : ["super._$encode(only: wanted, into: &sink)"]
    for (number, property) in model.properties.enumerated() {
      let call =
        property.isByHand
        ? "_put(_$box, (\(property.type?.description ?? "Never")).self" : "\(property.slot.put)(_\(property.bareName)"
      lines.append("sink.\(call), \(index(number)), wanted)")
    }
    return """
      nonisolated \(open)\(override)func _$encode(only wanted: UInt64, into sink: inout _RowSink) {
      \(lines.joined(separator: "\n"))
      }
      """
  }

  private var decode: String {
    var lines = model.superclass == nil ? [] : ["super._$decode(only: wanted, from: &source)"]
    for (number, property) in model.properties.enumerated() {
      let call =
        property.isByHand
        ? "_take(&_$box, (\(property.type?.description ?? "Never")).self"
        : "\(property.slot.take)(&_\(property.bareName)"
      lines.append("source.\(call), \(index(number)), wanted)")
    }
    return """
      nonisolated \(open)\(override)func _$decode(only wanted: UInt64, from source: inout _RowSource) {
      \(lines.joined(separator: "\n"))
      }
      """
  }

  private var visit: String {
    var lines = model.superclass == nil ? [] : ["super._$visit(&visitor)"]
    for (number, property) in model.properties.enumerated() where !property.isByHand {
      lines.append("visitor.\(property.slot.visit)(\(index(number)), &_\(property.bareName))")
    }
    return """
      nonisolated \(open)\(override)func _$visit(_ visitor: inout some _SlotVisitor) {
      \(lines.joined(separator: "\n"))
      }
      """
  }
}
