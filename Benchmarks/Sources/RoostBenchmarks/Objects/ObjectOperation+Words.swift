extension ObjectOperation {
  /// The name in pictures, and the group in which they show it.
  var words: (brief: String, group: OperationGroup) {
    switch self {
    case .getter: ("read a loaded property", .reading)
    case .held: ("10,000 objects held", .memory)
    case .peak: ("peak of inserting n objects", .memory)
    case .latestToken: ("newest history token", .history)
    case .newestHistory: ("newest 100 transactions", .history)
    case .importSnapshots: ("import snapshots", .importing)
    case .importLines: ("import JSON Lines", .importing)
    case .importTable: ("import CSV", .importing)
    case .importPeak: ("peak of importing JSON Lines", .memory)
    case .saveAlone: ("save 10, not observed", .saving)
    case .saveObserved: ("save 10, observed", .saving)
    }
  }
}
