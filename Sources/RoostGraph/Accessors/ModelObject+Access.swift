internal import RoostFile
internal import Observation

/// The slow ways of the accessors.
extension _ModelObject {
  /// Comes before a load that may not simply be done. Afterwards the slot holds a value.
  public func _$willRead(_ property: Int) {
    if _$state.flags.contains(.fresh) { settle() }
    let isObserved = _$state.flags.contains(.observed)
    if isObserved { trackIfWanted(property) }
    if _$state.flags.isDisjoint(with: [.fault, .fresh, .invalid, .lent]) {
      if _$state.isLazy(property) {
        if makeValues(_ModelState.bit(property)) { return }
      } else if isObserved, !isList(property) {
        // Nothing else is the matter: the slot is filled, unless it is that of a list.
        return
      }
    }
    if let origin = _$state.origin { origin.willRead(self, property) }
  }

  private func isList(_ property: Int) -> Bool {
    if case .toMany = Self._$type.properties[property].storage { true } else { false }
  }

  /// Comes before a store that may not simply be done; ``_$didWrite(_:)`` follows.
  public func _$willWrite(_ property: Int) {
    if _$state.flags.contains(.fresh) { settle() }
    // Whoever waits may do anything, so it comes before the origin looks: from there on the slot alone changes.
    if _$state.flags.contains(.tracked) { tell(property, willChange: true) }
    if let origin = _$state.origin { origin.willWrite(self, property) }
    _$state.forgetLazy(_ModelState.bit(property))
  }

  /// Comes before a value is moved out of its slot, to be changed in place. ``_$didWrite(_:)`` follows.
  public func _$willModify(_ property: Int) {
    if _$state.flags.contains(.fresh) { settle() }
    if _$state.flags.contains(.observed) { trackIfWanted(property) }
    if _$state.flags.contains(.tracked) { tell(property, willChange: true) }
    if let origin = _$state.origin { origin.willModify(self, property) }
  }

  public func _$didWrite(_ property: Int) {
    if let origin = _$state.origin { origin.didWrite(self, property) }
    if _$state.flags.contains(.tracked) { tell(property, willChange: false) }
  }

  /// The object that a reference leads to.
  public func _$resolve<Model: _ModelObject>(_ property: Int, row: UInt64, as type: Model.Type) -> Model? {
    guard let found = _$state.origin?.resolve(self, property, row: row) else { return nil }
    // Nearly always it is of the very class; asking for a conversion takes longer than finding the object.
    if ObjectIdentifier(Swift.type(of: found)) == ObjectIdentifier(type) { return unsafeDowncast(found, to: type) }
    return found as? Model
  }

  /// The members of a relationship whose array is moved out at the moment.
  public func _$lentMembers<Model: _ModelObject>(_ property: Int, as type: Model.Type) -> [Model] {
    guard let origin = _$state.origin else { _$stop(property, "is read while it is being changed") }
    return origin.lentMembers(self, property).compactMap { $0 as? Model }
  }

  /// Ends the program, because a getter must return a value and there is none.
  public func _$stop(_ property: Int, _ story: StaticString) -> Never {
    let row = _$state.row == 0 ? "" : " \(_$state.row)"
    let cause = _$state.extras?.failure.map { " (\($0))" } ?? ""
    StandardError.stop("\(Self._$type.name)\(row).\(Self._$type.propertyName(property)) \(story)\(cause)")
  }

  /// Tells whoever waits for a property's changes that somebody else has changed it.
  package func _$tellOfChange(_ property: Int) {
    tell(property, willChange: true)
    tell(property, willChange: false)
  }

  private func trackIfWanted(_ property: Int) {
    if let origin = _$state.origin, !origin.isObserved(self, property) { return }
    track(property)
  }

  /// Lets the tracking that is under way wait for changes of a property.
  func track(_ property: Int) {
    let registrar = _$state.takeRegistrar()
    visit(property, Access(registrar: registrar))
  }

  private func tell(_ property: Int, willChange: Bool) {
    let registrar = _$state.takeRegistrar()
    if willChange {
      visit(property, Announcement(registrar: registrar))
    } else {
      visit(property, Report(registrar: registrar))
    }
  }

  /// Shows a property to a visitor by the key path of the class that declares it: observers know it by no other.
  private func visit(_ property: Int, _ visitor: some PathVisitor) {
    var type = Self._$type
    while property < type.first, let above = type.superType { type = above }
    let keyPath = type.keyPath(property)
    func open<Root: _ModelObject>(_ root: Root.Type) {
      let object = unsafeDowncast(self, to: Root.self)
      func show<Member>(_ member: Member.Type) {
        visitor.visit(object, unsafeDowncast(keyPath, to: KeyPath<Root, Member>.self))
      }
      _openExistential(Swift.type(of: keyPath).valueType, do: show)
    }
    open(type.model)
  }
}

/// What an observer is told of a property.
private protocol PathVisitor {
  func visit<Root: _ModelObject, Member>(_ object: Root, _ keyPath: KeyPath<Root, Member>)
}

private struct Access: PathVisitor {
  let registrar: ObservationRegistrar
  func visit<Root: _ModelObject, Member>(_ object: Root, _ keyPath: KeyPath<Root, Member>) {
    registrar.access(object, keyPath: keyPath)
  }
}

private struct Announcement: PathVisitor {
  let registrar: ObservationRegistrar
  func visit<Root: _ModelObject, Member>(_ object: Root, _ keyPath: KeyPath<Root, Member>) {
    registrar.willSet(object, keyPath: keyPath)
  }
}

private struct Report: PathVisitor {
  let registrar: ObservationRegistrar
  func visit<Root: _ModelObject, Member>(_ object: Root, _ keyPath: KeyPath<Root, Member>) {
    registrar.didSet(object, keyPath: keyPath)
  }
}
