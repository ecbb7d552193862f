/// The origin of an object: the rows of one entity in one context. An object without a context has
/// none.
///
/// The object's accessors call it. Each owner of objects has its own subclass.
///
/// ## Invariants
/// 1. After ``willRead(_:_:)`` the property's slot holds a value, or the members of a to-many
///    relationship; or the flags say that it is lent.
/// 2. Between ``willWrite(_:_:)`` and ``didWrite(_:_:)`` only the slot changes.
public class _Origin {
  package init() {}

  /// A getter cannot simply load: the object is a fault, or a to-many relationship is not loaded.
  package func willRead(_ object: any _ModelObject, _ property: Int) { missing() }

  /// Whether a tracking may wait for changes of the property. Called if the object is marked as
  /// observed.
  package func isObserved(_ object: any _ModelObject, _ property: Int) -> Bool { true }

  /// A setter is about to store, and the origin must know. Afterwards the object is no fault.
  package func willWrite(_ object: any _ModelObject, _ property: Int) { missing() }

  /// The value is about to be moved out and must be loaded. No observer is told before
  /// ``didWrite(_:_:)``.
  package func willModify(_ object: any _ModelObject, _ property: Int) {
    willRead(object, property)
    willWrite(object, property)
  }

  /// A setter has stored.
  package func didWrite(_ object: any _ModelObject, _ property: Int) { missing() }

  /// The object that a reference refers to; the slot must not be touched meanwhile. `row` is
  /// ``_ToOne/unknown`` if only the inverse knows it.
  package func resolve(_ object: any _ModelObject, _ property: Int, row: UInt64) -> (any _ModelObject)? { missing() }

  /// An object for a required reference that has none.
  package func standIn(_ object: any _ModelObject, _ property: Int) -> (any _ModelObject)? { missing() }

  /// The members of a relationship that are moved out of its slot at the moment, as they were
  /// before.
  package func lentMembers(_ object: any _ModelObject, _ property: Int) -> [any _ModelObject] { missing() }

  /// A setter made an object without an origin reference an object of this origin.
  package func bring(_ object: any _ModelObject, _ property: Int, to other: any _ModelObject) {}

  /// Whether its objects show rows for the length of one call, and are in no identity map.
  package var isScratch: Bool { false }

  /// Reads all values of an object, and returns the objects that these relationships show; nil if the
  /// slots have everything.
  package func readAll(_ object: any _ModelObject, links: [Int]) -> [[any _ModelObject]]? { nil }

  /// An object was released, perhaps on another thread.
  package func objectGoes(row: UInt64, ticket: UInt32) { missing() }

  private func missing() -> Never { preconditionFailure("an origin of objects answers everything it is asked") }
}
