/// Where an object comes from: the rows of one entity in one context. An object that is nobody's has none.
///
/// All of it is called by the object's accessors. Whoever manages objects makes a class of its own of it.
///
/// ## Invariants
/// 1. After ``willRead(_:_:)`` the property's slot holds a value, and a relationship to many its members; or the flags say that it
///    is lent.
/// 2. Between ``willWrite(_:_:)`` and ``didWrite(_:_:)`` the slot alone changes.
public class _Origin {
  package init() {}

  /// A getter found that it may not simply load: the object is a fault, or a relationship to many is not there.
  package func willRead(_ object: any _ModelObject, _ property: Int) { missing() }

  /// Whether a tracking may wait for changes of the property. Asked where the object is marked as observed.
  package func isObserved(_ object: any _ModelObject, _ property: Int) -> Bool { true }

  /// A setter is about to store, and may not do so unseen. Afterwards the object is no fault.
  package func willWrite(_ object: any _ModelObject, _ property: Int) { missing() }

  /// The same where the value is moved out, so that it must be there. Nobody is told of anything before ``didWrite(_:_:)``.
  package func willModify(_ object: any _ModelObject, _ property: Int) {
    willRead(object, property)
    willWrite(object, property)
  }

  /// It has stored.
  package func didWrite(_ object: any _ModelObject, _ property: Int) { missing() }

  /// The object that a reference leads to; the slot must not be touched meanwhile. `row` is ``_ToOne/unknown`` where the
  /// other side has to be asked.
  package func resolve(_ object: any _ModelObject, _ property: Int, row: UInt64) -> (any _ModelObject)? { missing() }

  /// An object for a reference that leads to none although it must.
  package func standIn(_ object: any _ModelObject, _ property: Int) -> (any _ModelObject)? { missing() }

  /// The members of a relationship that are moved out of its slot at the moment, as they were before.
  package func lentMembers(_ object: any _ModelObject, _ property: Int) -> [any _ModelObject] { missing() }

  /// A setter made a property of an object without an origin reference an object of this one.
  package func bring(_ object: any _ModelObject, _ property: Int, to other: any _ModelObject) {}

  /// An object has ended, perhaps on another thread.
  package func objectGoes(row: UInt64, ticket: UInt32) { missing() }

  private func missing() -> Never { preconditionFailure("an origin of objects answers everything it is asked") }
}
