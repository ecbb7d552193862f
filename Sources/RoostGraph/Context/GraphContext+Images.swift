internal import RoostFile
internal import RoostRecords

/// Reads objects without changing them.
extension GraphContext {
  /// The image of an object of this context, also after the context was closed. A fault is filled
  /// first. Values that cannot be read are absent, and the next save throws the error.
  package func image(of object: any _ModelObject) -> ObjectImage {
    func withoutLinks() -> ObjectImage {
      let values = ValueImage(object)
      return ObjectImage(row: object._$state.row, values: values, links: values.form.links.map { _ in .absent })
    }
    return quietly(.reading, otherwise: withoutLinks()) {
      defer { if session.isClosed { session.dropSnapshot() } }
      links.settle()
      if let origin = object._$state.origin as? RowOrigin { links.fetchLists(of: object, origin) }
      return objects.need(object) { try links.imageNow(object, lists: true) } ?? withoutLinks()
    }
  }

  /// Whether objects of a model must differ in some values.
  package func hasUniques(_ object: any _ModelObject) -> Bool {
    guard let map = store.map(of: type(of: object)) else { return false }
    return !store.uniques(of: map).isEmpty
  }

  /// Shows the newest snapshot, as a fetch does.
  package func catchUp() throws { try follower.catchUp() }
}
