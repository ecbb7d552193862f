extension Catalog {
  /// Whether rows and links that were written under `former` can be shown with this catalog once
  /// they are restored.
  ///
  /// Fields may have been added and removed, because rows keep the layout with which they were
  /// written. These must be unchanged: the entities and their trees, the links, and the rules for
  /// required and unique values.
  func showsRows(of former: Catalog) -> Bool {
    for entity in former.entities {
      guard let now = self.entity(entity.id) else { return false }
      for field in now.fields {
        let was = entity.fields.first { $0.id == field.id }
        if !field.isOptional, was?.isOptional ?? true, field.initial == nil { return false }
        if field.isNeeded, was?.isNeeded != true { return false }
      }
    }
    for one in former.relationships {
      guard let now = relationship(one.id), now.shape == one.shape, now.inverse == one.inverse else { return false }
      let kept: Relationship.Traits = [.ordered, .single, .repeating]
      if now.traits.intersection(kept) != one.traits.intersection(kept) { return false }
    }
    return indexes.allSatisfy { index in
      !index.isUnique || former.entity(index.entity) == nil || former.indexes.contains { $0.id == index.id }
    }
  }
}
