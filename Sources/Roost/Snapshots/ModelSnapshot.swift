internal import RoostGraph

/// The values of a model at one moment, independent of its context. It never changes by itself,
/// belongs to no thread, and stays readable after the container is closed.
///
/// Every model has snapshots. Read values by key path, `snapshot[\.title]` or `snapshot.title`.
/// Relationships are identifiers: one, or an array. Two snapshots are equal if they are of the same
/// model and their stored forms are equal, byte by byte.
@dynamicMemberLookup
public struct ModelSnapshot<Model: PersistentModel>: Hashable, Sendable {
  var content: SnapshotContent

  init(_ content: SnapshotContent) { self.content = content }

  /// Makes a snapshot of a model with its unsaved changes. The model need not belong to a context.
  public nonisolated init(_ model: Model) { content = SnapshotContent(model) }

  /// The identifier of the model. A model without a context has a temporary identifier that is
  /// valid in this process only.
  public var persistentModelID: PersistentIdentifier { content.identifier }

  /// The name of the model's class, which may be a subclass of `Model`.
  public var entityName: String { content.type.name }

  /// This snapshot as one of a subclass; nil if the model is of another class.
  public func `as`<Other: PersistentModel>(_ type: Other.Type) -> ModelSnapshot<Other>? {
    content.type.isKind(of: Other._$type) ? ModelSnapshot<Other>(content) : nil
  }
}

extension PersistentModel {
  /// A snapshot of the model with its unsaved changes, for other actors, for later, or for
  /// comparing.
  public nonisolated var snapshot: ModelSnapshot<Self> { ModelSnapshot(self) }
}

extension ModelSnapshot: CustomStringConvertible {
  public var description: String { content.description }
}

extension SnapshotContent: CustomStringConvertible {
  package var description: String {
    let values = type.properties.indices.map { "\(type.propertyName($0)): \(text($0))" }
    return "\(type.name)(\(values.joined(separator: ", ")))"
  }
}
