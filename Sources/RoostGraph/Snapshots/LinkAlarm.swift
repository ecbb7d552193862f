/// Records whether the relationships of an object are read that has only values and no row.
package final class LinkAlarm: _Origin {
  private let links: [Int]
  /// The relationship that was read first.
  package private(set) var asked: Int?

  /// The object must have no context.
  package init(_ object: some _ModelObject) {
    let form = ImageForm.of(type(of: object)._$type)
    links = form.links
    super.init()
    for property in links where !form.isList(property) { object.one(property).lead(to: RowNumber.nothing) }
    object._$state.origin = self
    object._$state.flags = .managed
  }

  // The compiler would generate an initializer that calls itself.
  override init() { preconditionFailure("it is made for an object") }

  private func note(_ property: Int) { if asked == nil, links.contains(property) { asked = property } }

  override package func willRead(_ object: any _ModelObject, _ property: Int) { note(property) }
  override package func willWrite(_ object: any _ModelObject, _ property: Int) { note(property) }
  override package func didWrite(_ object: any _ModelObject, _ property: Int) {}
  override package func resolve(_ object: any _ModelObject, _ property: Int, row: UInt64) -> (any _ModelObject)? {
    note(property)
    return nil
  }
  override package func standIn(_ object: any _ModelObject, _ property: Int) -> (any _ModelObject)? {
    note(property)
    return nil
  }
  override package func lentMembers(_ object: any _ModelObject, _ property: Int) -> [any _ModelObject] { [] }
  override package func objectGoes(row: UInt64, ticket: UInt32) {}
}
