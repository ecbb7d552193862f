public import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Where models are kept, and how.
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
  /// The models that the store keeps; nil for those that no other configuration of the container names.
  public var schema: Schema?
  /// Whether the store may be written. False opens the file for reading alone, also beside a process that writes it.
  public let allowsSave: Bool
  /// Whether the store is in memory, and gone with its last container.
  public let isStoredInMemoryOnly: Bool
  /// What the store keeps of its commits; nil for what it kept before, which is their changes if nobody said anything.
  public var history: History?
  /// For how long it is kept, but for what a consumer has not read; nil for ever. What is older is removed when the store is opened, and
  /// from time to time after commits.
  public var historyRetention: HistoryRetention?
  /// How much memory the store keeps pages in; nil for an eighth of what the process may use, 16 MiB at the least and 1 GiB at the most.
  /// Pages that were changed and not written yet take up to twice as much beside it, 8 MiB at the least and 128 MiB at the most. Where the
  /// program has the store open already, what was said then counts. A store in memory has no such bound.
  public var cacheBytes: Int?
  /// How much memory the groups, joined rows, distinct values and selected values of one call may take; nil for a quarter of what the
  /// process may use, 64 MiB at the least. A call that needs more throws `tooLarge`. The rows of a fetch are not counted.
  public var queryBytes: Int?
  /// What a container does where the store's file was removed and its log stayed.
  public var missingStore = MissingStore.begin
  /// How long the container waits for another process that has the store open for writing, before it throws `locked`; nil for five
  /// seconds, and on the main thread for no time. A container that only reads does not wait.
  ///
  /// It tries again after pauses that grow to twenty milliseconds, so who comes first need not get the store first.
  public var lockTimeout: Duration?
  /// How long `write` waits while one other `write` is running. Five minutes where it is nil. Time spent queueing after several short
  /// writes does not count. After it the call throws `timedOut`.
  public var writeTimeout: Duration?
  /// What is told to ``trace`` takes so long at least; failures are told in any case.
  public var traceThreshold = Duration.zero
  var traceHandler: TraceHandler?
  var storeFaults: StoreFaults?
  /// The store of the program's own that this one is the working set of.
  var backing: BackingPlace?
  /// Whether the program said where the file is.
  let hasOwnPlace: Bool

  /// The file. Two stores in memory have the same one.
  public var id: URL { url }

  /// A store in the file `default.roost` in the user's data folder, or a store in memory.
  ///
  /// ```swift
  /// let container = try ModelContainer(
  ///   for: Playlist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  /// ```
  ///
  /// - Parameter isStoredInMemoryOnly: true for a store in memory, as tests use it.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store for some classes of models, and those that their relationships reference.
  ///
  /// - Parameters:
  ///   - forTypes: the classes that this store keeps.
  ///   - isStoredInMemoryOnly: true for a store in memory.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store whose file is named, in the user's data folder: on Linux `$XDG_DATA_HOME/PROGRAM/NAME.roost`, or
  /// `~/.local/share/PROGRAM/NAME.roost`.
  ///
  /// - Parameters:
  ///   - name: the name of the file, without its ending; nil for `default`.
  ///   - schema: the models of this store; nil for those that no other configuration names.
  ///   - isStoredInMemoryOnly: true for a store in memory.
  ///   - allowsSave: false to open the store for reading alone.
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

  /// A store in a given file. Its folder is made if it does not exist.
  ///
  /// ```swift
  /// let configuration = ModelConfiguration(url: URL(filePath: "/var/lib/music/music.roost"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: for errors and traces; nil for the name of the file.
  ///   - schema: the models of this store; nil for those that no other configuration names.
  ///   - url: the file, such as `URL(filePath: "/var/lib/shop/shop.roost")`.
  ///   - allowsSave: false to open the store for reading alone.
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
  /// A quarter of what the process may use.
  static let usualQueryBytes = max(sureQueryBytes, Int(clamping: (MemoryBound.now() ?? 1 << 30) / 4))
  /// Each call may take so much, unless `queryBytes` says less.
  static var sureQueryBytes: Int { 64 << 20 }

  var lockTimeoutNanoseconds: UInt64 {
    lockTimeout.map(Self.nanoseconds) ?? (Foundation.Thread.isMainThread ? 0 : 5_000_000_000)
  }

  /// How the store is opened.
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
    // A wait of a century means no limit.
    return UInt64(min(seconds, 100 * 365 * 86_400)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  public var debugDescription: String {
    "ModelConfiguration - name: \(name), url: \(isStoredInMemoryOnly ? "in memory" : url.path()), allowsSave: \(allowsSave)"
  }

  /// Says once what is accepted and does nothing.
  private func warn() {
    if cloudKitDatabase.name != nil {
      Warning.cloud.say("Roost has no CloudKit: cloudKitDatabase has no effect")
    }
    if groupContainer.identifier != nil {
      Warning.group.say("Roost has no app groups: groupContainer has no effect")
    }
  }

  /// Whether a file can have such a name.
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
    // Beside the file stands its log, whose name is longer.
    if file.utf8.count > 240 {
      throw SwiftDataError.configurationFileNameTooLong.about(
        "\"\(file)\" has \(file.utf8.count) bytes, 240 at the most")
    }
    guard url.isFileURL else {
      throw SwiftDataError.loadIssueModelContainer.about("\(url) is no file")
    }
  }
}

extension ModelConfiguration {
  /// What a container does where the store's file was removed and its log stayed. The log may hold saves that the file
  /// did not have yet.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration(url: file)
  /// configuration.missingStore = .refuse
  /// ```
  public enum MissingStore: Hashable, Sendable {
    /// The log is renamed to `NAME-log.lost-ID`, standard error says so, and a new store begins.
    case begin
    /// ``ModelContainer`` throws: `storeError` is `storeMissing`.
    case refuse
  }

  /// Which database of CloudKit models would be kept in.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String?

    /// The database of the program's entitlements, in SwiftData. Without effect here.
    public static var automatic: CloudKitDatabase { CloudKitDatabase(name: nil) }
    /// No database.
    public static var none: CloudKitDatabase { CloudKitDatabase(name: nil) }
    /// A private database by its name, in SwiftData. Without effect here, and a warning says so.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase(name: privateDBName) }
  }

  /// Which group of apps would share the models.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?

    /// The group of the program's entitlements, in SwiftData. Without effect here.
    public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
    /// No group.
    public static var none: GroupContainer { GroupContainer(identifier: nil) }
    /// A group by its name, in SwiftData. Without effect here, and a warning says so.
    public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }
  }
}

/// The store behind a working set, as a part of its configuration.
struct BackingPlace: Hashable, Sendable {
  let store: any BackingStore

  init(_ store: any BackingStore) { self.store = store }

  static func == (one: BackingPlace, other: BackingPlace) -> Bool { one.store === other.store }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(store)) }
}

extension ModelConfiguration {
  /// What lets the device under this store fail on demand, for tests; nil for none. A store in memory has no device, so it is refused there.
  public var faults: StoreFaults? {
    get { storeFaults }
    set { storeFaults = newValue }
  }
}
