package import RoostQuery
internal import RoostRecords

/// Finding objects.
extension GraphContext {
  /// The objects of a query's rows, in its order, from the newest snapshot. Changes that were not saved are not looked at.
  package func fetchStored<Model: _ModelObject>(_ query: Query, as type: Model.Type) throws -> [Model] {
    return try fetch(query, map(of: type), as: type)
  }

  private func map(of model: any _ModelObject.Type) throws(GraphFault) -> EntityMap {
    if let map = store.map(of: model) { return map }
    throw GraphFault(
      .unknownModel, "the container was not made for this model: name it where the container is made",
      entity: model._$type.name)
  }
}
