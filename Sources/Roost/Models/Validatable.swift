internal import RoostGraph

/// A model with rules of its own, for what `@Validate` cannot say.
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
  /// It may read all properties and relationships. An error that it throws refuses the write too, and becomes the cause of the fault. Let it
  /// only look: a save throws if the calls insert, change or delete further models in each of 100 rounds, or if they save.
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

/// Describes a class that has rules of its own. The compiler chooses this function for such a class.
public func _makeModelType<Model: Validatable>(
  _ model: Model.Type, after superType: _ModelType?, inherited: [AnyKeyPath?] = [], byHand: Set<String> = []
) -> _ModelType {
  modelType(model, after: superType, inherited: inherited, byHand: byHand, judge: Model.judge)
}

/// Describes a generic class that has rules of its own.
public func _registeredModelType<Model: Validatable>(
  _ model: Model.Type, after superType: @autoclosure () -> _ModelType?,
  inherited: @autoclosure () -> [AnyKeyPath?] = [], byHand: Set<String> = []
) -> _ModelType {
  registered(model) {
    modelType(model, after: superType(), inherited: inherited(), byHand: byHand, judge: Model.judge)
  }
}
