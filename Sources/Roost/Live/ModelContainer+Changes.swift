/// Results that follow the commits to the container's stores.
extension ModelContainer {
  /// The saved models of a descriptor, as snapshots, and what each commit changes of them:
  ///
  /// ```swift
  /// for try await change in container.changes(of: FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])) {
  ///   print(change.results.count, change.difference.insertions)
  /// }
  /// ```
  /// The first element has all results, and later ones come after commits that change them, by whichever context of this program. The change is
  /// there before the `save()` returns that made it. Commits that follow each other before the next element is asked for are one change. Each
  /// iteration follows the commits from the moment at which it asks for its first element.
  ///
  /// Changes that are not saved do not count. Without an order the results come as their rows were inserted.
  public nonisolated func changes<T>(of descriptor: FetchDescriptor<T>) -> ResultsChanges<ModelSnapshot<T>>
  where T: PersistentModel { changes(descriptor, nil) }

  /// Snapshots as from ``changes(of:)``, divided into sections by a property, by which they are sorted first.
  public nonisolated func changes<T>(
    of descriptor: FetchDescriptor<T>, sectionBy keyPath: KeyPath<T, String>
  ) -> ResultsChanges<ModelSnapshot<T>> where T: PersistentModel { changes(descriptor, SectionRule(keyPath)) }

  /// Snapshots as from ``changes(of:)``, divided into sections by an optional property, by which they are sorted first. Models without a value
  /// are in the section with an empty title.
  public nonisolated func changes<T>(
    of descriptor: FetchDescriptor<T>, sectionBy keyPath: KeyPath<T, String?>
  ) -> ResultsChanges<ModelSnapshot<T>> where T: PersistentModel { changes(descriptor, SectionRule(keyPath)) }

  /// The saved models of a descriptor, as the struct that `@Snapshots` made, and what each commit changes of them.
  public nonisolated func changes<S>(
    of descriptor: FetchDescriptor<S.SnapshotModel>, as type: S.Type
  ) -> ResultsChanges<S> where S: TypedSnapshot { changes(descriptor, nil) }

  /// The saved models of a descriptor, as the struct that `@Snapshots` made, in sections by a property, by which they are sorted first.
  public nonisolated func changes<S>(
    of descriptor: FetchDescriptor<S.SnapshotModel>, as type: S.Type,
    sectionBy keyPath: KeyPath<S.SnapshotModel, String>
  ) -> ResultsChanges<S> where S: TypedSnapshot { changes(descriptor, SectionRule(keyPath)) }

  /// The saved models of a descriptor, as the struct that `@Snapshots` made, in sections by an optional property, by which they are sorted first.
  /// Models without a value are in the section with an empty title.
  public nonisolated func changes<S>(
    of descriptor: FetchDescriptor<S.SnapshotModel>, as type: S.Type,
    sectionBy keyPath: KeyPath<S.SnapshotModel, String?>
  ) -> ResultsChanges<S> where S: TypedSnapshot { changes(descriptor, SectionRule(keyPath)) }

  private nonisolated func changes<T>(
    _ descriptor: FetchDescriptor<T>, _ section: SectionRule<T>?
  ) -> ResultsChanges<ModelSnapshot<T>> {
    ResultsChanges {
      LiveResultsReader(self, descriptor, section: section) { ModelSnapshot<T>($0) }
    }
  }

  private nonisolated func changes<S: TypedSnapshot>(
    _ descriptor: FetchDescriptor<S.SnapshotModel>, _ section: SectionRule<S.SnapshotModel>?
  ) -> ResultsChanges<S> {
    ResultsChanges {
      LiveResultsReader(self, descriptor, section: section) { try S(checking: ModelSnapshot<S.SnapshotModel>($0)) }
    }
  }

  // MARK: Values

  /// What a closure computes of saved models, at first and after each commit that makes it another value:
  ///
  /// ```swift
  /// for try await seconds in container.changes(in: [Song.self], { try $0.sum(of: \Song.seconds) }) {
  ///   print("\(seconds) s")
  /// }
  /// ```
  /// The closure runs in the task that iterates, with a context of its own, after commits that touch one of the models. Name all models whose
  /// values it reads, also those that predicates look at. Commits that follow each other before the next element is asked for are one.
  public nonisolated func changes<Value>(
    in models: [any PersistentModel.Type], _ compute: @escaping @Sendable (ModelContext) throws -> Value
  ) -> ValueChanges<Value> where Value: Equatable & Sendable {
    ValueChanges { LiveValueReader(self, { try $0.subjects(models) }, isSame: { $0 == $1 }, compute: compute) }
  }

  /// How many saved models a descriptor finds, at first and after each commit that makes it another number.
  public nonisolated func countChanges<T>(of descriptor: FetchDescriptor<T>) -> ValueChanges<Int>
  where T: PersistentModel {
    ValueChanges {
      LiveValueReader(self, { try $0.subjects(descriptor) }, isSame: { $0 == $1 }) { try $0.fetchCount(descriptor) }
    }
  }

  /// A saved model as a snapshot, at first and after each commit that changes it; nil as long as there is none.
  public nonisolated func changes<T>(
    of persistentModelID: PersistentIdentifier, as type: T.Type
  ) -> ValueChanges<ModelSnapshot<T>?> where T: PersistentModel {
    ValueChanges {
      LiveValueReader(self, { try $0.subjects(persistentModelID) }, isSame: { $0 == $1 }) {
        try $0.snapshot(for: persistentModelID, as: T.self)
      }
    }
  }

  /// A saved model as the struct that `@Snapshots` made, at first and after each commit that changes it; nil as long as there is none.
  public nonisolated func changes<S>(
    of persistentModelID: PersistentIdentifier, as type: S.Type
  ) -> ValueChanges<S?> where S: TypedSnapshot {
    ValueChanges {
      LiveValueReader(self, { try $0.subjects(persistentModelID) }, isSame: { $0?.modelSnapshot == $1?.modelSnapshot })
      {
        try $0.snapshot(for: persistentModelID, as: S.SnapshotModel.self).map { try S(checking: $0) }
      }
    }
  }
}
