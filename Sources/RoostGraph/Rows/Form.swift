package import RoostRecords

/// The form in which values of a type are stored.
public struct _Form: Hashable, Sendable {
  package let element: ElementType

  package init(_ element: ElementType) { self.element = element }
  package init(_ field: FieldType) { element = .plain(field) }

  // For types of Foundation, which only the module `Roost` knows.
  public static var _decimal: _Form { _Form(.decimal) }
  public static var _data: _Form { _Form(.data) }
  public static var _date: _Form { _Form(.date) }
  public static var _uuid: _Form { _Form(.uuid) }
  public static var _url: _Form { _Form(.url) }

  package var isOptional: Bool {
    if case .optional = element { true } else { false }
  }

  /// The field type of such a value; nil if no field can hold it.
  package var field: (type: FieldType, isOptional: Bool)? {
    switch element {
    case .plain(let type): (type, false)
    case .optional(.plain(let type)): (type, true)
    case .optional, .structure: nil
    }
  }
}
