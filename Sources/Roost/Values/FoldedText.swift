internal import RoostRecords

extension String {
  /// The text in lower case and without the marks on its letters: "Zoë" and "ZOE" both give "zoe".
  ///
  /// It knows no language, and `localizedStandardContains` compares the same form. A predicate with it is answered by an index:
  ///
  /// ```swift
  /// #Index<Person>([.folded(\.name)])
  /// let wanted = "ZOË".folded
  /// let people = #Predicate<Person> { $0.name.folded == wanted }
  /// ```
  public var folded: String { Folding.text(self) }
}
