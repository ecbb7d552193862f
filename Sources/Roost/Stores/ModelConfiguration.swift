public import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// The settings of a store: its file, its models, and how it works.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
  /// The file of the store; `/dev/null` for a store in memory. Its log is beside it, with `-log` after the name.
  public let url: URL
  /// The name in errors and traces. Without a URL it also names the file.
  public let name: String
  /// The name of a group of apps, as it was given. It has no effect here.
  public let groupAppContainerIdentifier: String?
  /// The name of a CloudKit database, as it was given. It has no effect here.
  public let cloudKitContainerIdentifier: String?
  /// The group of apps that was given. It has no effect here.
  public let groupContainer: GroupContainer
  /// The CloudKit database that was given. It has no effect here.
  public let cloudKitDatabase: CloudKitDatabase
  /// The models that the store keeps; nil for those that no other configuration of the container
  /// names.
  public var schema: Schema?
  /// Whether the store may be written. False opens the file read-only, also while another process
  /// writes it.
  public let allowsSave: Bool
  /// Whether the store is in memory. It is lost with its last container.
  public let isStoredInMemoryOnly: Bool
  /// What the store records of its commits. Nil keeps the store's setting; a new store records
  /// changes.
  public var history: History?
  /// How long the history is kept, except what a consumer has not read; nil for ever. Older history
  /// is removed when the store is opened, and from time to time after commits.
  public var historyRetention: HistoryRetention?
  /// The memory for cached pages. Nil means an eighth of the memory that the process may use, at
  /// least 16 MiB and at most 1 GiB. Pages that were changed and not yet written use up to twice as
  /// much in addition, at least 8 MiB and at most 128 MiB. If the program has the store open
  /// already, the earlier setting counts. A store in memory has no such limit.
  public var cacheBytes: Int?
  /// The memory that the groups, joined rows, distinct values and selected values of one call may
  /// use. Nil means a quarter of the memory that the process may use, at least 64 MiB. A call that
  /// needs more throws `tooLarge`. The rows of a fetch are not counted.
  public var queryBytes: Int?
  /// What a container does if the store's file was removed and its log remained.
  public var missingStore = MissingStore.begin
  /// How long the container waits if another process has the store open for writing, before it
  /// throws `locked`. Nil means five seconds, and no wait on the main thread. A read-only container
  /// does not wait.
  ///
  /// It tries again after pauses of up to twenty milliseconds, so the first process to wait need
  /// not get the store first.
  public var lockTimeout: Duration?
  /// How long `write` waits while one other `write` is running. Nil means five minutes. The time in
  /// the queue behind several short writes does not count. Then the call throws `timedOut`.
  public var writeTimeout: Duration?
  /// The shortest duration that is reported to ``trace``. Failures are always reported.
  public var traceThreshold = Duration.zero
  var traceHandler: TraceHandler?
  var storeFaults: StoreFaults?
  /// The store of the program's own that this working set belongs to.
  var backing: BackingPlace?
  /// Whether the program gave the path of the file.
  let hasOwnPlace: Bool

  /// The file. All stores in memory have the same one.
  public var id: URL { url }

  /// Makes a configuration of a store in the file `default.roost` in the user's data folder, or of
  /// a store in memory.
  ///
  /// ```swift
  /// let container = try ModelContainer(
  ///   for: Playlist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  /// ```
  ///
  /// - Parameter isStoredInMemoryOnly: true for a store in memory, for example in tests.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration of a store for some classes, and for the models that their relationships
  /// reference.
  ///
  /// - Parameters:
  ///   - forTypes: the classes that this store keeps.
  ///   - isStoredInMemoryOnly: true for a store in memory.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration of a store with a file name, in the user's data folder: on Linux
  /// `$XDG_DATA_HOME/PROGRAM/NAME.roost`, or `~/.local/share/PROGRAM/NAME.roost`.
  ///
  /// - Parameters:
  ///   - name: the name of the file, without its extension; nil for `default`.
  ///   - schema: the models of this store; nil for those that no other configuration names.
  ///   - isStoredInMemoryOnly: true for a store in memory.
  ///   - allowsSave: false to open the store read-only.
  ///   - groupContainer: accepted without effect; a warning on standard error says so.
  ///   - cloudKitDatabase: accepted without effect; a warning on standard error says so.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? "default"
    self.schema = schema
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    groupAppContainerIdentifier = groupContainer.identifier
    cloudKitContainerIdentifier = cloudKitDatabase.name
    hasOwnPlace = false
    url = isStoredInMemoryOnly ? URL(filePath: "/dev/null") : StorePlace.file(named: self.name)
    warn()
  }

  /// Makes a configuration of a store in a given file. Its folder is made if it does not exist.
  ///
  /// ```swift
  /// let configuration = ModelConfiguration(url: URL(filePath: "/var/lib/music/music.roost"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: for errors and traces; nil for the name of the file.
  ///   - schema: the models of this store; nil for those that no other configuration names.
  ///   - url: the file, such as `URL(filePath: "/var/lib/shop/shop.roost")`.
  ///   - allowsSave: false to open the store read-only.
  ///   - cloudKitDatabase: accepted without effect; a warning on standard error says so.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.cloudKitDatabase = cloudKitDatabase
    isStoredInMemoryOnly = url.path() == "/dev/null"
    groupContainer = .automatic
    groupAppContainerIdentifier = nil
    cloudKitContainerIdentifier = cloudKitDatabase.name
    hasOwnPlace = true
    warn()
  }

  private static let leastCacheBytes = 1 << 20
  private static let leastQueryBytes = 1 << 16
  /// A quarter of the memory that the process may use.
  static let usualQueryBytes = max(sureQueryBytes, Int(clamping: (MemoryBound.now() ?? 1 << 30) / 4))
  /// The memory of each call, unless `queryBytes` is less.
  static var sureQueryBytes: Int { 64 << 20 }

  var lockTimeoutNanoseconds: UInt64 {
    lockTimeout.map(Self.nanoseconds) ?? (Foundation.Thread.isMainThread ? 0 : 5_000_000_000)
  }

  /// The settings for opening the store.
  var opening: GraphStore.Opening {
    var opening = GraphStore.Opening(
      isReadOnly: !allowsSave, cacheBytes: cacheBytes, lockTimeoutNanoseconds: lockTimeoutNanoseconds)
    opening.beginsIfMissing = missingStore == .begin
    opening.writer = HistoryWriter.ofThisProgram
    return opening
  }

  var writeTimeoutNanoseconds: UInt64 { writeTimeout.map(Self.nanoseconds) ?? 300_000_000_000 }

  private static func nanoseconds(_ span: Duration) -> UInt64 {
    let (seconds, attoseconds) = span.components
    if seconds < 0 || attoseconds < 0 { return 0 }
    // A wait of a century is no limit.
    return UInt64(min(seconds, 100 * 365 * 86_400)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  public var debugDescription: String {
    "ModelConfiguration - name: \(name), url: \(isStoredInMemoryOnly ? "in memory" : url.path()), allowsSave: \(allowsSave)"
  }

  /// Warns once about settings that are accepted without effect.
  private func warn() {
    if cloudKitDatabase.name != nil {
      Warning.cloud.say("Roost has no CloudKit: cloudKitDatabase has no effect")
    }
    if groupContainer.identifier != nil {
      Warning.group.say("Roost has no app groups: groupContainer has no effect")
    }
  }

  /// Checks the settings. A container calls it.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameContainsInvalidCharacters`` or
  ///   ``SwiftDataError/configurationFileNameTooLong`` if the file name is not possible, and
  ///   ``SwiftDataError/loadIssueModelContainer`` if another setting is not. ``RoostError`` with
  ///   the code `badValue` if ``historyRetention`` is negative.
  public func validate() throws {
    try checkHistory()
    if let cacheBytes, cacheBytes < Self.leastCacheBytes {
      throw SwiftDataError.loadIssueModelContainer.about(
        "a cache of \(cacheBytes) bytes is too small: set cacheBytes to \(Self.leastCacheBytes) at least, or to nil")
    }
    if let queryBytes, queryBytes < Self.leastQueryBytes {
      throw SwiftDataError.loadIssueModelContainer.about(
        "queryBytes of \(queryBytes) is too small: set it to \(Self.leastQueryBytes) at least, or to nil")
    }
    if isStoredInMemoryOnly {
      if storeFaults == nil { return }
      throw SwiftDataError.loadIssueModelContainer.about(
        "a store in memory has no device that can fail: give the configuration with faults a url")
    }
    let file = hasOwnPlace ? url.lastPathComponent : name
    if file.isEmpty || file == "." || file == ".." || file.contains("\0") || (!hasOwnPlace && file.contains("/")) {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.about("\"\(file)\" cannot name a file")
    }
    // The log's name is longer than the file's.
    if file.utf8.count > 240 {
      throw SwiftDataError.configurationFileNameTooLong.about(
        "\"\(file)\" has \(file.utf8.count) bytes, 240 at the most")
    }
    guard url.isFileURL else {
      throw SwiftDataError.loadIssueModelContainer.about("\(url) is not a file")
    }
  }
}

extension ModelConfiguration {
  /// What a container does if the store's file was removed and its log remained. The log may
  /// contain saves that the file did not have yet.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration(url: file)
  /// configuration.missingStore = .refuse
  /// ```
  public enum MissingStore: Hashable, Sendable {
    /// Renames the log to `NAME-log.lost-ID`, prints a warning on standard error, and makes a new
    /// store.
    case begin
    /// ``ModelContainer`` throws: `storeError` is `storeMissing`.
    case refuse
  }

  /// A database of CloudKit, for compatibility with SwiftData.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String?

    /// In SwiftData, the database of the program's entitlements. Without effect here.
    public static var automatic: CloudKitDatabase { CloudKitDatabase(name: nil) }
    /// No database.
    public static var none: CloudKitDatabase { CloudKitDatabase(name: nil) }
    /// In SwiftData, a private database by its name. Without effect here; a warning says so.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase(name: privateDBName) }
  }

  /// A group of apps, for compatibility with SwiftData.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?

    /// In SwiftData, the group of the program's entitlements. Without effect here.
    public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
    /// No group.
    public static var none: GroupContainer { GroupContainer(identifier: nil) }
    /// In SwiftData, a group by its name. Without effect here; a warning says so.
    public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }
  }
}

/// The store of a working set, as a part of its configuration.
struct BackingPlace: Hashable, Sendable {
  let store: any BackingStore

  init(_ store: any BackingStore) { self.store = store }

  static func == (one: BackingPlace, other: BackingPlace) -> Bool { one.store === other.store }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(store)) }
}

extension ModelConfiguration {
  /// The faults that make the device of this store fail in tests; nil for none. A store in memory
  /// has no device, so they are refused there.
  public var faults: StoreFaults? {
    get { storeFaults }
    set { storeFaults = newValue }
  }
}
