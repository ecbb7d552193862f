/// The versions of a program's models, and the steps of a migration from each version to the next.
///
/// ```swift
/// enum LibraryPlan: SchemaMigrationPlan {
///   static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
///   static var stages: [MigrationStage] {
///     [
///       .custom(fromVersion: LibraryV1.self, toVersion: LibraryV2.self, willMigrate: nil) { context in
///         for book in try context.fetch(FetchDescriptor<LibraryV2.Book>()) { book.title = book.title.capitalized }
///       }
///     ]
///   }
/// }
/// ```
///
/// A container with a plan finds the version of its store, and runs the stages from there to the
/// newest version. The store changes as a whole when the last stage is done: if a stage throws, or
/// the program is killed, the store is unchanged, and the next opening begins again. So the code of
/// a stage may run more than once.
///
/// Stores in PostgreSQL run the same plans, in one transaction of the server.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages between the versions. A step that no stage names is lightweight.
  static var stages: [MigrationStage] { get }
  /// Whether a migration that runs code keeps a copy of the old store in a file next to it; false
  /// by default. ``ModelContainer/discardMigrationBackups()`` removes the copy. A store on a server
  /// keeps none: back it up with the server's own tools.
  static var keepsBackup: Bool { get }
  /// Called during a migration that runs code, on the thread that makes the container. It must not
  /// wait for a thread that opens the same store.
  static func report(_ progress: MigrationProgress)
}

extension SchemaMigrationPlan {
  /// Keeps no copy of the old store.
  public static var keepsBackup: Bool { false }
  /// Ignores the progress.
  public static func report(_ progress: MigrationProgress) {}
}

/// The progress of a migration.
public struct MigrationProgress: Hashable, Sendable {
  /// The version that the present step begins with.
  public var from: Schema.Version
  /// The version that the step ends with.
  public var to: Schema.Version
  /// The number of the step between two versions, from 1.
  public var step: Int
  /// How many steps this store needs.
  public var steps: Int
  /// While a transform runs, the number of models that are done.
  public var models = 0
  /// While a transform runs, the number of models of its class.
  public var total = 0
}

/// One step from a version to the next.
///
/// Unchecked, because plans keep stages in static constants, and their closures run only while a
/// container is made.
public enum MigrationStage: @unchecked Sendable {
  /// A step without code. Added, renamed and removed properties are found by comparing the
  /// versions.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A step with code: `willMigrate` gets the models of the old version, `didMigrate` those of the
  /// new one. Changes that a closure does not save are saved after it returns. Unique rules of the
  /// new version apply after `didMigrate`. Each store of a container migrates separately, and the
  /// closures see the models of that store.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((_ context: ModelContext) throws -> Void)?,
    didMigrate: ((_ context: ModelContext) throws -> Void)?)

  /// A step that sees both versions of each model: see ``transform(from:to:batchSize:_:)``.
  case objects(ModelTransform)

  /// A step that removes duplicates: see ``removeDuplicates(of:by:policy:)``.
  case duplicates(DuplicateRemoval)

  /// Whether the stage runs on a copy of the file.
  var hasCode: Bool {
    switch self {
    case .lightweight: false
    case .custom(_, _, let will, let did): will != nil || did != nil
    case .objects, .duplicates: true
    }
  }

  /// Whether it names the version that it ends with.
  var namesEnd: Bool { if case .duplicates = self { false } else { true } }
}
