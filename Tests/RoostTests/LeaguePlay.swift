import SwiftData
import Testing

/// Several contexts that change one league at random, and the expected result by the policy of the
/// saving context.
struct LeaguePlay {
  /// One context, with the state that it has seen and its changes since.
  private final class User {
    let context: ModelContext
    /// The stored state that the context saw last.
    var seen = LeagueState()
    var teams: [PersistentIdentifier: Team] = [:]
    var players: [PersistentIdentifier: Player] = [:]
    var badges: [PersistentIdentifier: Badge] = [:]
    // Unsaved changes. A change records the stored value when it was made.
    var sizes: [PersistentIdentifier: (before: Int, here: Int)] = [:]
    var points: [PersistentIdentifier: (before: Int, here: Int)] = [:]
    var goals: [PersistentIdentifier: (before: Int, here: Int)] = [:]
    var moves: [PersistentIdentifier: (before: PersistentIdentifier?, here: PersistentIdentifier?)] = [:]
    var came: Set<LeagueState.Pair> = []
    var went: Set<LeagueState.Pair> = []
    var inserted: [(id: PersistentIdentifier, state: LeagueState.PlayerState)] = []
    var newTeams: [PersistentIdentifier: Int] = [:]
    var deleted: [PersistentIdentifier] = []
    /// The stored values of models when they were deleted here.
    var sizesThen: [PersistentIdentifier: Int] = [:]
    var statesThen: [PersistentIdentifier: LeagueState.PlayerState] = [:]
    /// Models with a changed relationship.
    var touched: Set<PersistentIdentifier> = []

    /// Whether it merges the commits of others at each call.
    let follows: Bool

    init(_ container: ModelContainer, follows: Bool) {
      context = ModelContext(container)
      context.automaticallyMergesChanges = follows
      self.follows = follows
    }

    func forget() {
      (sizes, points, goals, moves) = ([:], [:], [:], [:])
      (came, went, touched) = ([], [], [])
      (inserted, newTeams, deleted) = ([], [:], [])
      (sizesThen, statesThen) = ([:], [:])
    }
  }

  private var random: Random
  private let story: String
  private let container: ModelContainer
  private let users: [User]
  private var stored = LeagueState()
  /// Set after an error, because further steps would show nothing new.
  private(set) var isOver = false
  private(set) var counts: [String: Int] = [:]

  init(_ seed: UInt64) throws {
    random = Random(seed: seed &* 1_000_003)
    story = "seed \(seed)"
    container = try ModelContainer(
      for: Team.self, Player.self, Badge.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    users = (0..<4).map { [container] in User(container, follows: $0 & 1 == 0) }
    let context = ModelContext(container)
    for number in 0..<3 {
      context.insert(Team(size: number))
      context.insert(Badge("b\(number)"))
    }
    for number in 0..<5 { context.insert(Player("n\(number)", points: number, goals: 0)) }
    try context.save()
    stored = try LeagueState(context)
    for user in users { try look(user, isNew: true) }
  }

  /// Reads everything; unsaved changes stay. A merging context moves to the newest snapshot.
  private func look(_ user: User, isNew: Bool = false) throws {
    for one in try user.context.fetch(FetchDescriptor<Team>()) { user.teams[one.persistentModelID] = one }
    for one in try user.context.fetch(FetchDescriptor<Player>()) { user.players[one.persistentModelID] = one }
    for one in try user.context.fetch(FetchDescriptor<Badge>()) { user.badges[one.persistentModelID] = one }
    if !user.follows, !isNew { return }
    user.seen = stored
    // Changes that others made too are no longer pending.
    user.came.subtract(stored.pairs)
    user.went.formIntersection(stored.pairs)
  }

  private mutating func any<Key: Comparable>(_ keys: some Sequence<Key>) -> Key? {
    let all = keys.sorted()
    return all.isEmpty ? nil : all[random.next(all.count)]
  }

  mutating func step() throws {
    let user = users[random.next(users.count)]
    try look(user)
    for _ in 0...random.next(3) { change(user) }
    switch random.next(8) {
    case 0, 1: try look(user)
    case 2, 3, 4: try save(user)
    case 5 where random.next(3) == 0:
      user.context.rollback()
      user.forget()
      try look(user, isNew: true)
    default: break
    }
  }

  // MARK: Changing

  private mutating func change(_ user: User) {
    let alive = user.seen.players.keys.filter { !user.deleted.contains($0) && user.players[$0] != nil }
    let teams = Array(user.seen.teams.keys).filter { !user.deleted.contains($0) && user.teams[$0] != nil }
    switch random.next(12) {
    case 0, 1:
      guard let team = any(teams), let before = user.seen.teams[team] else { return }
      let now = random.next(100)
      user.teams[team]?.size = now
      user.sizes[team] = (user.sizes[team]?.before ?? before, now)
    case 2, 3:
      guard let player = any(alive), let before = user.seen.players[player]?.points else { return }
      let now = random.next(100)
      user.players[player]?.points = now
      user.points[player] = (user.points[player]?.before ?? before, now)
    case 4:
      guard let player = any(alive), let before = user.seen.players[player]?.goals else { return }
      let now = random.next(100)
      user.players[player]?.goals = now
      user.goals[player] = (user.goals[player]?.before ?? before, now)
    case 5, 6: move(user, alive, teams)
    case 7, 8: decorate(user, alive)
    case 9:
      let (points, goals) = (random.next(100), random.next(100))
      let name = random.next(4) == 0 ? nil : "n\(random.next(9))"
      let player = Player(name, points: points, goals: goals)
      let team = random.next(2) == 0 ? any(teams) : nil
      player.team = team.flatMap { user.teams[$0] }
      user.context.insert(player)
      if let team { user.touched.insert(team) }
      user.inserted.append(
        (player.persistentModelID, LeagueState.PlayerState(name: name, points: points, goals: goals, team: team)))
      counts["inserted", default: 0] += 1
    case 10 where random.next(2) == 0:
      guard let player = any(alive), let model = user.players[player] else { return }
      user.context.delete(model)
      user.deleted.append(player)
      user.statesThen[player] = user.seen.players[player]
    case 11 where random.next(3) == 0:
      if user.seen.teams.count < 3 {
        let team = Team(size: 1)
        user.context.insert(team)
        user.newTeams[team.persistentModelID] = 1
        return
      }
      guard let team = any(teams), let model = user.teams[team] else { return }
      user.context.delete(model)
      user.deleted.append(team)
      user.sizesThen[team] = user.seen.teams[team]
    default: break
    }
  }

  /// From either side.
  private mutating func move(_ user: User, _ alive: [PersistentIdentifier], _ teams: [PersistentIdentifier]) {
    guard let player = any(alive), let state = user.seen.players[player], let model = user.players[player] else {
      return
    }
    var now = user.moves[player].map(\.here) ?? state.team
    // A team that no longer exists counts as none.
    if let team = now, !teams.contains(team) { now = nil }
    let next = random.next(4) == 0 ? nil : any(teams)
    if next == now { return }
    if let next, random.next(2) == 0 {
      user.teams[next]?.players.append(model)
    } else if let now, next == nil, random.next(2) == 0 {
      user.teams[now]?.players.removeAll { $0 === model }
    } else {
      model.team = next.flatMap { user.teams[$0] }
    }
    user.moves[player] = (user.moves[player].map(\.before) ?? state.team, next)
    for one in [player, now, next] { if let one { user.touched.insert(one) } }
  }

  private mutating func decorate(_ user: User, _ alive: [PersistentIdentifier]) {
    guard let player = any(alive), let badge = any(user.badges.keys), let model = user.players[player],
      let medal = user.badges[badge]
    else { return }
    let pair = LeagueState.Pair(player: player, badge: badge)
    let isThere = user.came.contains(pair) || (user.seen.pairs.contains(pair) && !user.went.contains(pair))
    let byPlayer = random.next(2) == 0
    if isThere {
      if byPlayer { model.badges.removeAll { $0 === medal } } else { medal.owners.removeAll { $0 === model } }
      if user.came.remove(pair) == nil { user.went.insert(pair) }
    } else {
      if byPlayer { model.badges.append(medal) } else { medal.owners.append(model) }
      if user.went.remove(pair) == nil { user.came.insert(pair) }
    }
    user.touched.formUnion([player, badge])
  }

  // MARK: Saving

  private enum Outcome {
    case done(LeagueState)
    case refused(RoostError.Code)
  }

  private mutating func save(_ user: User) throws {
    let policy = ModelContext.MergePolicy.allCases[random.next(4)]
    user.context.mergePolicy = policy
    counts["saves", default: 0] += 1
    let text = "\(story), save \(counts["saves"] ?? 0), \(policy)"
    try look(user)
    let isNew = user.follows || user.context.hasChanges
    switch outcome(user, policy) {
    case .done(let next):
      #expect(throws: Never.self, "\(text)") { try user.context.save() }
      stored = next
    case .refused(let code):
      counts["refused", default: 0] += 1
      let error = #expect(throws: RoostError.self, "\(text)") { try user.context.save() }
      #expect(error?.faults.contains { $0.code == code } == true, "\(text), \(error?.description ?? "")")
      #expect(user.context.hasChanges)
      try compare(ModelContext(container), text)
      if random.next(2) == 0 {
        user.context.rollback()
      } else {
        // A refused save can be repeated with another policy, as if nothing had been tried.
        user.context.mergePolicy = .storeWins
        guard case .done(let next) = outcome(user, .storeWins) else { return }
        #expect(throws: Never.self, "\(text), again") { try user.context.save() }
        stored = next
      }
    }
    user.forget()
    #expect(!user.context.hasChanges)
    try look(user, isNew: isNew)
    try compare(ModelContext(container), text)
    // A context without changes that does not merge keeps its snapshot.
    if isNew { try compare(user.context, text + ", the own context") }
  }

  private mutating func compare(_ context: ModelContext, _ text: String) throws {
    let differences = try LeagueState(context).differences(from: stored)
    #expect(differences == [], "\(text)")
    if !differences.isEmpty { isOver = true }
  }

  /// The expected league after a save.
  private mutating func outcome(_ user: User, _ policy: ModelContext.MergePolicy) -> Outcome {
    var next = stored
    var code: RoostError.Code?
    let isDeleted = Set(user.deleted)

    func isThere(_ one: PersistentIdentifier) -> Bool {
      stored.teams[one] != nil || stored.players[one] != nil || stored.badges.contains(one)
    }
    /// The value that is written for a property.
    func merged<Value: Equatable>(_ change: (before: Value, here: Value), _ now: Value) -> Value {
      if change.before == now { return change.here }
      // Two changes to the same value are a conflict only with the error policy.
      if change.here == now, policy != .error { return change.here }
      counts["conflicts", default: 0] += 1
      if policy == .error { code = .conflict }
      return policy == .storeWins ? now : change.here
    }

    let valued = Set(user.sizes.keys).union(user.points.keys).union(user.goals.keys).union(user.moves.keys)
    let changed = valued.union(user.touched).filter { !isDeleted.contains($0) && user.newTeams[$0] == nil }
    for one in changed where !isThere(one) {
      counts["vanished", default: 0] += 1
      if policy == .error { code = .conflict }
      if valued.contains(one), policy == .overwrite { code = code ?? .deleted }
    }
    if policy == .error {
      for one in isDeleted {
        if let before = user.sizesThen[one], let now = stored.teams[one], before != now { code = .conflict }
        if let before = user.statesThen[one], let now = stored.players[one], before != now { code = .conflict }
      }
    }
    let isNewer = policy == .overwrite
    for one in changed {
      if let now = stored.teams[one] {
        if let change = user.sizes[one] {
          next.teams[one] = merged(change, now)
        } else if isNewer, let seen = user.seen.teams[one] {
          next.teams[one] = seen
        }
      }
      guard let now = stored.players[one], let seen = user.seen.players[one] else { continue }
      var state = now
      if isNewer, stored.players[one] != seen { state = seen }
      if let change = user.points[one] { state.points = merged(change, now.points) }
      if let change = user.goals[one] { state.goals = merged(change, now.goals) }
      if let change = user.moves[one] { state.team = merged(change, now.team) }
      next.players[one] = state
    }
    for one in user.deleted {
      next.removeTeam(one)
      next.removePlayer(one)
    }
    for (team, size) in user.newTeams { next.teams[team] = size }
    for (id, state) in user.inserted {
      var state = state
      if let team = state.team, next.teams[team] == nil {
        state.team = nil
        // If it was deleted here already, the reference becomes nil; otherwise it is a conflict.
        if policy == .error, !isDeleted.contains(team) { code = .conflict }
      }
      let same = state.name.flatMap { name in next.players.first { $0.value.name == name }?.key }
      if let same {
        counts["merged", default: 0] += 1
        state.team = state.team ?? next.players[same]?.team
      }
      next.players[same ?? id] = state
    }
    for (player, state) in next.players {
      if let team = state.team, next.teams[team] == nil { next.players[player]?.team = nil }
    }
    next.pairs.formUnion(user.came)
    next.pairs.subtract(user.went)
    next.pairs = next.pairs.filter { next.players[$0.player] != nil && next.badges.contains($0.badge) }
    if let code { return .refused(code) }
    return .done(next)
  }
}

@Suite struct LeagueTests {
  @Test(arguments: 1...40) func `contexts that change the same league agree with a model`(seed: UInt64) throws {
    var play = try LeaguePlay(seed)
    for _ in 0..<150 where !play.isOver { try play.step() }
    #expect(play.isOver || play.counts["saves", default: 0] > 10)
  }
}
