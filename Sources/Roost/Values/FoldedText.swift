internal import RoostRecords

extension String {
  /// The text in lower case and without the marks on its letters: "Zoë" and "ZOE" both give "zoe".
  ///
  /// It does not depend on a language. `localizedStandardContains` compares texts in this form. An index such as
  /// `#Index<Postcard>([.folded(\.sender)])` answers a predicate with it:
  ///
  /// ```swift
  /// let name = "ZOË".folded
  /// let cards = #Predicate<Postcard> { $0.sender.folded == name }
  /// ```
  public var folded: String { Folding.text(self) }
}
