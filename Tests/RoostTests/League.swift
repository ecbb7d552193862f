import Foundation
import SwiftData

@Model final class Team {
  var size: Int
  var note: String
  var players: [Player] = []

  init(size: Int, note: String = "") {
    self.size = size
    self.note = note
  }
}

@Model final class Player {
  @Attribute(.unique) var name: String?
  var points: Int
  var goals: Int
  @Relationship(inverse: \Team.players) var team: Team?
  @Relationship(inverse: \Badge.owners) var badges: [Badge] = []

  init(_ name: String?, points: Int, goals: Int) {
    self.name = name
    self.points = points
    self.goals = goals
  }
}

@Model final class Badge {
  var title: String
  var owners: [Player] = []

  init(_ title: String) { self.title = title }
}

/// The contents of a league as plain values.
struct LeagueState: Equatable {
  struct PlayerState: Equatable {
    var name: String?
    var points = 0
    var goals = 0
    var team: PersistentIdentifier?
  }

  struct Pair: Hashable {
    var player: PersistentIdentifier
    var badge: PersistentIdentifier
  }

  var teams: [PersistentIdentifier: Int] = [:]
  var players: [PersistentIdentifier: PlayerState] = [:]
  var badges: Set<PersistentIdentifier> = []
  var pairs: Set<Pair> = []

  init() {}

  /// The visible state of a context.
  init(_ context: ModelContext) throws {
    for team in try context.fetch(FetchDescriptor<Team>()) { teams[team.persistentModelID] = team.size }
    for badge in try context.fetch(FetchDescriptor<Badge>()) {
      badges.insert(badge.persistentModelID)
      for owner in badge.owners { pairs.insert(Pair(player: owner.persistentModelID, badge: badge.persistentModelID)) }
    }
    for player in try context.fetch(FetchDescriptor<Player>()) {
      players[player.persistentModelID] = PlayerState(
        name: player.name, points: player.points, goals: player.goals, team: player.team?.persistentModelID)
    }
  }

  /// The differences from another state, as texts.
  func differences(from other: LeagueState) -> [String] {
    var found: [String] = []
    for id in Set(teams.keys).union(other.teams.keys).sorted() where teams[id] != other.teams[id] {
      found.append("\(id.name): \(String(describing: teams[id])), not \(String(describing: other.teams[id]))")
    }
    for id in Set(players.keys).union(other.players.keys).sorted() where players[id] != other.players[id] {
      found.append("\(id.name): \(String(describing: players[id])), not \(String(describing: other.players[id]))")
    }
    for pair in pairs.symmetricDifference(other.pairs) {
      found.append("\(pair.player.name) with \(pair.badge.name): \(pairs.contains(pair))")
    }
    return found
  }

  mutating func removeTeam(_ team: PersistentIdentifier) {
    teams[team] = nil
    for (player, state) in players where state.team == team { players[player]?.team = nil }
  }

  mutating func removePlayer(_ player: PersistentIdentifier) {
    players[player] = nil
    pairs = pairs.filter { $0.player != player }
  }
}

extension PersistentIdentifier {
  fileprivate var name: String { "\(entityName) \(rowText)" }
  private var rowText: String {
    guard let data = try? JSONEncoder().encode(self), let values = try? JSONSerialization.jsonObject(with: data),
      let row = (values as? [String: Any])?["row"]
    else { return "?" }
    return "\(row)"
  }
}
