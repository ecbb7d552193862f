internal import RoostGraph

/// Validation without a save, for forms.
extension ModelContext {
  /// Checks all unsaved models against rules, counts of relationships and ``Validatable``, and
  /// writes nothing.
  ///
  /// Only a save checks unique values and delete rules.
  ///
  /// - Throws: the ``RoostError`` that ``save()`` would throw, with all ``RoostError/faults``.
  public func validate() throws {
    let faults = try state.call(.reading) { try state.open.flatMap { try $0.pendingFaults() } }
    if !faults.isEmpty {
      throw state.stores.error(SaveRefusal(faults: Array(faults.prefix(1000)), count: faults.count))
    }
  }

  /// Returns the faults for which a save would refuse one model. The model may be changed, new, or
  /// not inserted yet.
  ///
  /// ```swift
  /// let draft = Review(stars: 6, title: "Good")
  /// for fault in try context.faults(of: draft) { print(fault.property ?? "", fault.detail) }
  /// ```
  ///
  /// - Throws: ``RoostError`` with the code `unknownModel` if the class is not a model of the
  ///   container, and `foreign` if the model belongs to another context.
  public func faults<T: PersistentModel>(of model: T) throws -> [SaveFault] {
    try state.call(.reading) { state.stores.faults(try state.graph(of: model).faults(of: model)) }
  }
}
