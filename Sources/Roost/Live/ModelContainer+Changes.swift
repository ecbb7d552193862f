/// Results that follow the commits to the container's stores.
extension ModelContainer {
  /// Returns the saved models of a descriptor as snapshots, and then the changes of each commit:
  ///
  /// ```swift
  /// for try await change in container.changes(of: FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])) {
  ///   print(change.results.count, change.difference.insertions)
  /// }
  /// ```
  /// The first element has all results. Later elements come after commits that change them, from
  /// any context of this program. The change is available before the `save()` that made it returns.
  /// Commits between two elements are one change. Each iteration follows the commits from its
  /// request of the first element.
  ///
  /// Unsaved changes do not count. Without an order, the results have the order of insertion.
  public nonisolated func changes<T>(of descriptor: FetchDescriptor<T>) -> ResultsChanges<ModelSnapshot<T>>
  where T: PersistentModel { changes(descriptor, nil) }

  /// Returns snapshots as ``changes(of:)`` does, divided into sections by a property. The results
  /// are sorted by it first.
  public nonisolated func changes<T>(
    of descriptor: FetchDescriptor<T>, sectionBy keyPath: KeyPath<T, String>
  ) -> ResultsChanges<ModelSnapshot<T>> where T: PersistentModel { changes(descriptor, SectionRule(keyPath)) }

  /// Returns snapshots as ``changes(of:)`` does, divided into sections by an optional property. The
  /// results are sorted by it first. Models without a value are in the section with an empty title.
  public nonisolated func changes<T>(
    of descriptor: FetchDescriptor<T>, sectionBy keyPath: KeyPath<T, String?>
  ) -> ResultsChanges<ModelSnapshot<T>> where T: PersistentModel { changes(descriptor, SectionRule(keyPath)) }

  /// Returns the saved models of a descriptor as structs of `@Snapshots`, and then the changes of
  /// each commit.
  public nonisolated func changes<S>(
    of descriptor: FetchDescriptor<S.SnapshotModel>, as type: S.Type
  ) -> ResultsChanges<S> where S: TypedSnapshot { changes(descriptor, nil) }

  /// Returns the saved models of a descriptor as structs of `@Snapshots`, in sections by a
  /// property. The results are sorted by it first.
  public nonisolated func changes<S>(
    of descriptor: FetchDescriptor<S.SnapshotModel>, as type: S.Type,
    sectionBy keyPath: KeyPath<S.SnapshotModel, String>
  ) -> ResultsChanges<S> where S: TypedSnapshot { changes(descriptor, SectionRule(keyPath)) }

  /// Returns the saved models of a descriptor as structs of `@Snapshots`, in sections by an
  /// optional property. The results are sorted by it first. Models without a value are in the
  /// section with an empty title.
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

  /// Computes a value of saved models with a closure: at first, and again after each commit that
  /// changes it:
  ///
  /// ```swift
  /// for try await seconds in container.changes(in: [Song.self], { try $0.sum(of: \Song.seconds) }) {
  ///   print("\(seconds) s")
  /// }
  /// ```
  /// The closure runs in the iterating task, with a context of its own, after commits that change
  /// one of the models. Name all models whose values it reads, also in predicates. Commits between
  /// two elements are one change.
  public nonisolated func changes<Value>(
    in models: [any PersistentModel.Type], _ compute: @escaping @Sendable (ModelContext) throws -> Value
  ) -> ValueChanges<Value> where Value: Equatable & Sendable {
    ValueChanges { LiveValueReader(self, { try $0.subjects(models) }, isSame: { $0 == $1 }, compute: compute) }
  }

  /// Counts the saved models of a descriptor: at first, and again after each commit that changes
  /// the count.
  public nonisolated func countChanges<T>(of descriptor: FetchDescriptor<T>) -> ValueChanges<Int>
  where T: PersistentModel {
    ValueChanges {
      LiveValueReader(self, { try $0.subjects(descriptor) }, isSame: { $0 == $1 }) { try $0.fetchCount(descriptor) }
    }
  }

  /// Returns a saved model as a snapshot: at first, and again after each commit that changes it.
  /// Nil as long as the model does not exist.
  public nonisolated func changes<T>(
    of persistentModelID: PersistentIdentifier, as type: T.Type
  ) -> ValueChanges<ModelSnapshot<T>?> where T: PersistentModel {
    ValueChanges {
      LiveValueReader(self, { try $0.subjects(persistentModelID) }, isSame: { $0 == $1 }) {
        try $0.snapshot(for: persistentModelID, as: T.self)
      }
    }
  }

  /// Returns a saved model as a struct of `@Snapshots`: at first, and again after each commit that
  /// changes it. Nil as long as the model does not exist.
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
