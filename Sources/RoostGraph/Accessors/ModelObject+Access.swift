internal import RoostFile
internal import Observation

/// The slow paths of the accessors.
extension _ModelObject {
  /// Called before a load that needs more than reading the slot. Afterwards the slot holds a value.
  public func _$willRead(_ property: Int) {
    if _$state.flags.contains(.fresh) { settle() }
    let isObserved = _$state.flags.contains(.observed)
    if isObserved { trackIfWanted(property) }
    if _$state.flags.isDisjoint(with: [.fault, .fresh, .invalid, .lent]) {
      if _$state.isLazy(property) {
        if makeValues(_ModelState.bit(property)) { return }
      } else if isObserved, !isList(property) {
        // Observation is the only reason for this call: all slots except those of lists are filled.
        return
      }
    }
    if let origin = _$state.origin { origin.willRead(self, property) }
  }

  private func isList(_ property: Int) -> Bool {
    if case .toMany = Self._$type.properties[property].storage { true } else { false }
  }

  /// Called before a store that needs more than writing the slot; ``_$didWrite(_:)`` follows.
  public func _$willWrite(_ property: Int) {
    if _$state.flags.contains(.fresh) { settle() }
    // An observer may run any code, so it is told before the origin is called. After that only the
    // slot changes.
    if _$state.flags.contains(.tracked) { tell(property, willChange: true) }
    if let origin = _$state.origin { origin.willWrite(self, property) }
    _$state.forgetLazy(_ModelState.bit(property))
  }

  /// Called before a value is moved out of its slot to be changed in place; ``_$didWrite(_:)``
  /// follows.
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

  /// The object that a reference refers to.
  public func _$resolve<Model: _ModelObject>(_ property: Int, row: UInt64, as type: Model.Type) -> Model? {
    guard let found = _$state.origin?.resolve(self, property, row: row) else { return nil }
    // It is nearly always of this exact class; a dynamic cast would take longer than finding the
    // object.
    if ObjectIdentifier(Swift.type(of: found)) == ObjectIdentifier(type) { return unsafeDowncast(found, to: type) }
    return found as? Model
  }

  /// The members of a relationship whose array is moved out at the moment.
  public func _$lentMembers<Model: _ModelObject>(_ property: Int, as type: Model.Type) -> [Model] {
    guard let origin = _$state.origin else { _$stop(property, "is read while it is being changed") }
    return origin.lentMembers(self, property).compactMap { $0 as? Model }
  }

  /// Stops the program, because a getter must return a value and there is none.
  public func _$stop(_ property: Int, _ story: StaticString) -> Never {
    let row = _$state.row == 0 ? "" : " \(_$state.row)"
    let cause = _$state.extras?.failure.map { " (\($0))" } ?? ""
    StandardError.stop("\(Self._$type.name)\(row).\(Self._$type.propertyName(property)) \(story)\(cause)")
  }

  /// Tells the observers of a property that it changed other than by its setter.
  package func _$tellOfChange(_ property: Int) {
    tell(property, willChange: true)
    tell(property, willChange: false)
  }

  private func trackIfWanted(_ property: Int) {
    if let origin = _$state.origin, !origin.isObserved(self, property) { return }
    track(property)
  }

  /// Makes the current observation tracking wait for changes of a property.
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

  /// Passes a property to a visitor by the key path of the class that declares it, which is the one
  /// that observers use.
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

/// A call of the observation registrar for one property.
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
