extension EngineOperation {
  /// The name in pictures, and the group in which they show it.
  var words: (brief: String, group: OperationGroup) {
    switch self {
    case .ascending: ("in order, synced", .importing)
    case .ascendingRelaxed: ("in order, relaxed", .importing)
    case .random: ("at random, synced", .importing)
    case .randomRelaxed: ("at random, relaxed", .importing)
    case .build: ("build from sorted rows", .importing)
    case .single: ("single synced puts", .saving)
    case .single8: ("8 threads, single puts", .saving)
    case .getInt: ("get by integer", .reading)
    case .getString: ("get by string", .reading)
    case .scan: ("scan by cursor", .reading)
    case .readers1: ("1 reader", .reading)
    case .readers2: ("2 readers", .reading)
    }
  }
}
