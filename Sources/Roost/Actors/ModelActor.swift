internal import RoostFile

/// Runs jobs one after the other, with a context that belongs to them.
public protocol ModelExecutor: Executor {
  /// The context that all jobs of the executor use.
  var modelContext: ModelContext { get }
}

/// A model executor for an actor.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// An actor with a context of its own. `@ModelActor` makes one.
public protocol ModelActor: Actor {
  /// The container whose models the actor works with. Any thread may read the property.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that runs the actor's functions. It has the actor's context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor that the Swift runtime asks for: ``ModelActor/modelExecutor``, which must be a
  /// ``SerialModelExecutor``. Any other executor ends the program.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      StandardError.stop("\(type(of: modelExecutor)) runs no actor: make it a SerialModelExecutor")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The actor's own context. Use it, and its models, in the actor's functions only; other tasks get a
  /// ``PersistentIdentifier`` or a snapshot.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// Finds the model of an identifier. Returns nil if there is none of that type.
  public subscript<T>(id: PersistentIdentifier, as as: T.Type) -> T? where T: PersistentModel {
    modelContext.existing(id) as? T
  }
}

/// Gives an actor a context and an executor of its own.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "RoostMacros", type: "ModelActorMacro")
