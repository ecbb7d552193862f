/// The description of an object for printing. It loads nothing and registers no observer.
package struct Portrait {
  /// A property's value as far as the object holds it.
  package enum Part {
    case value(Any)
    /// The text of the referenced object; nil if there is none.
    case one(String?)
    /// The texts of the first members of a list, and the number of members.
    case many([String], count: Int)
    /// The property is not loaded.
    case fault
    /// The property was never set.
    case unset
  }

  /// The class's name, and the number of the row.
  package let name: String
  package let parts: [(property: String, part: Part)]

  package init(_ object: some _ModelObject) {
    let type = Swift.type(of: object)._$type
    name = Self.name(object)
    // While a value is changed in place, its slot belongs to the code that changes it.
    guard object._$state.flags.isDisjoint(with: .lent) else {
      parts = type.properties.map { ($0.name, .fault) }
      return
    }
    object.settle()
    object.makeValues()
    let (isNew, isFault) = (object._$state.origin == nil, object._$state.flags.contains(.fault))
    var sitting = Sitting(isNew: isNew, isFault: isFault)
    object._$visit(&sitting)
    parts = type.properties.enumerated().map { number, property in
      if let part = sitting.parts[number] { return (property.name, part) }
      // Its accessors were written by hand.
      return (property.name, object._$box?.value(property.keyPath).map { Part.value($0) } ?? .fault)
    }
  }

  fileprivate static func name(_ object: some _ModelObject) -> String {
    let row = object._$state.row
    return type(of: object)._$type.name + (row == 0 ? "" : " #\(row)")
  }

  /// `Person #7(name: "Ann", home: Place #2, pets: <fault>)`
  package var description: String {
    let isFault = parts.allSatisfy { if case .fault = $0.part { true } else { false } }
    if isFault, !parts.isEmpty { return name + "(<fault>)" }
    return name + "(" + parts.map { "\($0.property): \(Self.text($0.part))" }.joined(separator: ", ") + ")"
  }

  package static func text(_ part: Part) -> String {
    switch part {
    case .value(let value): text(value)
    case .one(let name): name ?? "nil"
    case .many(let names, let count):
      "[" + names.joined(separator: ", ") + (count > names.count ? ", and \(count - names.count) more]" : "]")
    case .fault: "<fault>"
    case .unset: "<not set>"
    }
  }

  fileprivate static func list(_ members: [some _ModelObject]) -> Part {
    .many(members.prefix(most).map { name($0) }, count: members.count)
  }

  /// At most this many objects of a relationship are named.
  fileprivate static let most = 8
  /// At most this many characters of a value are shown.
  private static let longest = 200

  private static func text(_ value: Any) -> String {
    if let optional = value as? any Wrapping { return optional.wrapped.map { text($0) } ?? "nil" }
    let isText = value is String
    let whole = value as? String ?? String(describing: value)
    let start = whole.prefix(longest)
    let shown = start.endIndex == whole.endIndex ? whole : String(start) + "…"
    return isText ? shown.debugDescription : shown
  }
}

private protocol Wrapping {
  var wrapped: Any? { get }
}

extension Optional: Wrapping {
  fileprivate var wrapped: Any? { map { $0 } }
}

/// Reads the values of the slots.
private struct Sitting: _SlotVisitor {
  /// Whether the object belongs to no context, so that no value can be unloaded.
  let isNew: Bool
  /// Whether the object is not loaded, so that an empty slot means nothing.
  let isFault: Bool
  var parts: [Int: Portrait.Part] = [:]

  init(isNew: Bool, isFault: Bool) {
    self.isNew = isNew
    self.isFault = isFault
  }

  mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {
    parts[property] = slot.value.map { Portrait.Part.value($0) } ?? (isNew ? .unset : .fault)
  }

  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {
    switch slot.row {
    case 0 where isFault && slot.object == nil: parts[property] = .fault
    case 0: parts[property] = .one(slot.object.map { Portrait.name($0) })
    case _ToOne<Model>.unknown: parts[property] = .fault
    case _ToOne<Model>.nothing: parts[property] = .one(nil)
    case let row: parts[property] = .one("\(Model._$type.name) #\(row)")
    }
  }

  mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {
    if slot.members == nil, !isNew { return parts[property] = .fault }
    parts[property] = slot.isNil ? .one(nil) : Portrait.list(slot.members ?? [])
  }
}
