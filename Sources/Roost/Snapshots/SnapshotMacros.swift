/// A conformance that `@Snapshots` adds to a model's struct, besides `Sendable` and `Hashable`.
public struct SnapshotConformance: Sendable {
  /// Codes the struct by the names of the properties. Every field's type must be `Codable`.
  public static let codable = SnapshotConformance()
}

/// Gives a model a struct `Snapshot` with a field for each property. The struct is `Sendable` and
/// `Hashable`, and belongs to no context. Its relationships are identifiers. Write it before or
/// after `@Model`.
@attached(member, conformances: PersistentModel, names: named(Snapshot), named(typedSnapshot))
public macro Snapshots(_ conformances: SnapshotConformance...) =
  #externalMacro(module: "RoostMacros", type: "SnapshotsMacro")
