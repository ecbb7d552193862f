#if Postgres
  public import Foundation
  public import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// A place in the history of a database. It is `Codable`, so a program can store it anywhere.
  public struct PostgresHistoryToken: HistoryToken {
    let store: String
    let place: ChangePlace

    init(_ store: String, _ place: ChangePlace) { (self.store, self.place) = (store, place) }

    /// The number of the newest transaction before this place, by the store's identifier.
    public var tokenValue: [String: Int64]? { [store: Int64(clamping: place.transaction)] }
    /// The number of the newest transaction before this place.
    public var id: Int64 { Int64(clamping: place.transaction) }

    public static func < (one: PostgresHistoryToken, other: PostgresHistoryToken) -> Bool {
      one.place < other.place
    }

    private enum CodingKeys: String, CodingKey { case store, transaction, number }

    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      store = try values.decode(String.self, forKey: .store)
      place = ChangePlace(
        transaction: try values.decode(UInt64.self, forKey: .transaction),
        number: try values.decode(Int.self, forKey: .number))
    }

    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(store, forKey: .store)
      try values.encode(place.transaction, forKey: .transaction)
      try values.encode(place.number, forKey: .number)
    }
  }

  /// The changes of one save, of this program or another one.
  ///
  /// ```swift
  /// let all = try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
  /// ```
  public struct PostgresHistoryTransaction: HistoryTransaction {
    /// When the server committed the save, by its clock.
    public let timestamp: Date
    /// The ``ModelContext/author`` of the context that saved; nil for none.
    public let author: String?
    /// The store, which is the database and the namespace.
    public let storeIdentifier: String
    /// The place right after this transaction. Store it to continue from here.
    public let token: PostgresHistoryToken
    let identity: UUIDNumber
    fileprivate let notes: [ChangeNote]
    fileprivate let classes: [String: _ModelType]

    init(_ notes: [StoredNote], store: String, classes: [String: _ModelType]) {
      let last = notes[notes.count - 1]
      timestamp = last.time
      author = last.author
      storeIdentifier = store
      token = PostgresHistoryToken(store, last.place)
      identity = last.id
      self.notes = notes.map(\.note)
      self.classes = classes
    }

    /// The server's number of the transaction. It ascends in the order in which transactions began.
    public var transactionIdentifier: Int64 { Int64(clamping: token.place.transaction) }
    /// The number of the transaction: ``transactionIdentifier``.
    public var id: Int64 { transactionIdentifier }
    /// How many models the save inserted, changed and deleted. Models of other programs' classes count too.
    public var changeCount: Int { notes.reduce(0) { $0 + $1.keys.count } }

    /// All changes of models whose classes this program has.
    public var changes: [HistoryChange] {
      var number: Int64 = 0
      return notes.flatMap { note -> [HistoryChange] in
        let first = number + 1
        number += Int64(note.keys.count)
        guard let model = classes[note.className]?.model as? any PersistentModel.Type else { return [] }
        return changes(note, model, from: first)
      }
    }

    private func changes<Model: PersistentModel>(
      _ note: ChangeNote, _ model: Model.Type, from first: Int64
    ) -> [HistoryChange] {
      let type = Model._$type
      let images = KeptValues.read(note.kept, ImageForm.of(type))
      let paths = note.properties.compactMap { name in type.number(ofPath: name) }
      return note.keys.enumerated().map { at, key in
        let subject = ChangeSubject(
          changeIdentifier: first + Int64(at), transactionIdentifier: transactionIdentifier,
          changedPersistentIdentifier: PersistentIdentifier(
            store: storeIdentifier, entity: type.name, RowKey(note.zone, key).name))
        switch note.kind {
        case .insert: return .insert(PostgresHistoryInsert<Model>(subject: subject))
        case .update: return .update(PostgresHistoryUpdate<Model>(subject: subject, properties: paths))
        case .delete:
          let image = images.indices.contains(at) ? images[at] : nil
          return .delete(PostgresHistoryDelete<Model>(subject: subject, tombstone: HistoryTombstone(image: image)))
        }
      }
    }

    public static func == (one: Self, other: Self) -> Bool {
      one.identity == other.identity && one.token == other.token
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
  }

  /// The identifiers of a change.
  struct ChangeSubject: Sendable {
    let changeIdentifier: Int64
    let transactionIdentifier: Int64
    let changedPersistentIdentifier: PersistentIdentifier
  }

  struct PostgresHistoryInsert<Model: PersistentModel>: HistoryInsert {
    let subject: ChangeSubject
    var changeIdentifier: Int64 { subject.changeIdentifier }
    var transactionIdentifier: Int64 { subject.transactionIdentifier }
    var changedPersistentIdentifier: PersistentIdentifier { subject.changedPersistentIdentifier }
  }

  struct PostgresHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
    let subject: ChangeSubject
    let properties: [Int]
    var changeIdentifier: Int64 { subject.changeIdentifier }
    var transactionIdentifier: Int64 { subject.transactionIdentifier }
    var changedPersistentIdentifier: PersistentIdentifier { subject.changedPersistentIdentifier }
    var updatedAttributes: [any PropertyUpdate] { Model._$type.historyPaths(properties) }
  }

  struct PostgresHistoryDelete<Model: PersistentModel>: HistoryDelete {
    let subject: ChangeSubject
    let tombstone: HistoryTombstone<Model>
    var changeIdentifier: Int64 { subject.changeIdentifier }
    var transactionIdentifier: Int64 { subject.transactionIdentifier }
    var changedPersistentIdentifier: PersistentIdentifier { subject.changedPersistentIdentifier }
  }
#endif
