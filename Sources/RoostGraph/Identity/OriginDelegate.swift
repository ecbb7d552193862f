/// Serves the accessors of managed objects: loads faults and lists, follows references, and records
/// changes.
///
/// `LinkGraph` implements it. ``RowOrigin`` calls it with the context's lock taken.
package class OriginDelegate {
  /// Whether no list change still has to update its inverse. Then a reference's slot contains the
  /// row that it references.
  @exclusivity(unchecked) final var isSettled = true

  /// Whether there are no unsaved changes. Then the slots of both sides of a one-to-one
  /// relationship agree.
  var isUnchanged: Bool { missing() }

  /// A getter cannot load: the object is a fault, or a list is not loaded.
  func willRead(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) { missing() }
  /// A setter is about to store.
  func willWrite(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) { missing() }
  /// A setter has stored.
  func didWrite(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) { missing() }
  /// The object that a reference names by its row.
  func resolve(
    _ object: any _ModelObject, _ property: Int, row: UInt64, origin: RowOrigin
  ) -> (any _ModelObject)? { missing() }
  /// An object for a required reference that has none.
  func standIn(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) -> (any _ModelObject)? { missing() }
  /// The members of a list that is moved out of its slot, as they were before the move.
  func lentMembers(_ object: any _ModelObject, _ property: Int, origin: RowOrigin) -> [any _ModelObject] { missing() }
  /// A setter made an object without a context reference one of this context.
  func bring(_ object: any _ModelObject, to other: any _ModelObject) { missing() }

  private func missing() -> Never { preconditionFailure("a delegate of origins answers everything it is asked") }
}
