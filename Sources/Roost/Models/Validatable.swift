internal import RoostGraph

/// A model with a validation function of its own, for rules that `@Validate` cannot express.
///
/// ```swift
/// extension Voyage: Validatable {
///   func validate(_ validation: Validation) throws {
///     if end < start { validation.refuse("the voyage ends before it starts", at: \Voyage.end) }
///   }
/// }
/// ```
public protocol Validatable: PersistentModel {
  /// Checks the model before a write, and calls ``Validation/refuse(_:at:)`` for each fault.
  ///
  /// It may read all properties and relationships, and should not change models. If it does, a save
  /// calls it for the changed models too, and throws after 100 rounds. A save also throws if
  /// `validate` itself calls `save()`.
  ///
  /// - Throws: any error to refuse the write. It becomes the ``SaveFault/underlyingError`` of the
  ///   fault.
  func validate(_ validation: Validation) throws
}

extension Validatable {
  /// Calls ``validate(_:)`` of an object of this class.
  static var judge: ObjectJudge {
    { object, change in
      guard let model = object as? Self else { return [] }
      let validation = Validation(change, type(of: object)._$type)
      do { try model.validate(validation) } catch { validation.note(thrown: error) }
      return validation.faults
    }
  }
}

/// Describes a class with a validation function. The compiler chooses this overload for such a
/// class.
public func _makeModelType<Model: Validatable>(
  _ model: Model.Type, after superType: _ModelType?, inherited: [AnyKeyPath?] = [], byHand: Set<String> = []
) -> _ModelType {
  modelType(model, after: superType, inherited: inherited, byHand: byHand, judge: Model.judge)
}

/// Describes a generic class with a validation function.
public func _registeredModelType<Model: Validatable>(
  _ model: Model.Type, after superType: @autoclosure () -> _ModelType?,
  inherited: @autoclosure () -> [AnyKeyPath?] = [], byHand: Set<String> = []
) -> _ModelType {
  registered(model) {
    modelType(model, after: superType(), inherited: inherited(), byHand: byHand, judge: Model.judge)
  }
}
