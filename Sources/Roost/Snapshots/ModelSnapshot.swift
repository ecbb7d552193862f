internal import RoostGraph

/// A model as it was at one moment, apart from its context: it never changes by itself, belongs to no thread, and stays readable when
/// the container is closed.
///
/// There is one for every model. Values are read by key path, `snapshot[\.title]` or `snapshot.title`. Relationships are identifiers:
/// that of one model, or a list. Two snapshots are equal if they are of the same model and the same would be stored of both, to the byte.
@dynamicMemberLookup
public struct ModelSnapshot<Model: PersistentModel>: Hashable, Sendable {
  var content: SnapshotContent

  init(_ content: SnapshotContent) { self.content = content }

  /// As the model is now, with changes that wait to be saved. It need be in no context.
  public nonisolated init(_ model: Model) { content = SnapshotContent(model) }

  /// Which model it is of. One that is in no context has an identifier of this process.
  public var persistentModelID: PersistentIdentifier { content.identifier }

  /// The name of the model's class, which may be a subclass of `Model`.
  public var entityName: String { content.type.name }

  /// This snapshot as one of a subclass; nil if the model is of another class.
  public func `as`<Other: PersistentModel>(_ type: Other.Type) -> ModelSnapshot<Other>? {
    content.type.isKind(of: Other._$type) ? ModelSnapshot<Other>(content) : nil
  }
}

extension PersistentModel {
  /// As the model is now, with changes that wait to be saved, for other actors, for later, or for comparing.
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
