internal import RoostGraph

/// Validation without a save, as forms need it.
extension ModelContext {
  /// Throws the error that ``save()`` would throw for rules, counts of relationships and ``Validatable``, and writes nothing.
  ///
  /// It checks all models that wait to be saved. Unique values and delete rules are checked by the save alone.
  public func validate() throws {
    let faults = try state.call(.reading) { try state.open.flatMap { try $0.pendingFaults() } }
    if !faults.isEmpty {
      throw state.stores.error(SaveRefusal(faults: Array(faults.prefix(1000)), count: faults.count))
    }
  }

  /// What a save would refuse of one model, whether it is changed, new, or not inserted yet.
  ///
  /// ```swift
  /// let draft = Review(stars: 6, title: "Good")
  /// for fault in try context.faults(of: draft) { print(fault.property ?? "", fault.detail) }
  /// ```
  public func faults<T: PersistentModel>(of model: T) throws -> [SaveFault] {
    try state.call(.reading) { state.stores.faults(try state.graph(of: model).faults(of: model)) }
  }
}
