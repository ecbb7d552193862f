/// What `@Snapshots` makes of a model's struct, beside `Sendable` and `Hashable`.
public struct SnapshotConformance: Sendable {
  /// Coded by the names of the properties. Every field's type must be `Codable`.
  public static let codable = SnapshotConformance()
}

/// Gives a model a struct `Snapshot` with a field for each property, which is `Sendable` and `Hashable`, and belongs to no context.
/// Relationships are identifiers in it. It stands before `@Model`, or behind it.
@attached(member, conformances: PersistentModel, names: named(Snapshot), named(typedSnapshot))
public macro Snapshots(_ conformances: SnapshotConformance...) =
  #externalMacro(module: "RoostMacros", type: "SnapshotsMacro")
