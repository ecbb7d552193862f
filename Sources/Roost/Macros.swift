@_exported public import Foundation
@_exported public import Observation
@_exported public import RoostGraph

/// Makes a class a model: its properties are stored.
@attached(
  member, conformances: PersistentModel, _ModelObject, Sendable,
  names: named(init), named(_$state), named(_$place), named(_$backingData), named(persistentBackingData), named(_$box),
  named(schemaMetadata), named(_$metadata), named(_$first), named(_$count), named(_$heirPaths), named(_$type),
  named(_$ownType), named(_$encode), named(_$decode), named(_$visit))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, _ModelObject, Sendable)
public macro Model() = #externalMacro(module: "RoostMacros", type: "ModelMacro")

/// Says how a property is stored.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "RoostMacros", type: "AttributeMacro")

/// Says how a property references other models.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "RoostMacros", type: "RelationshipMacro")

/// Says how a property references other models, and how many: `minimum` and `maximum` are short for
/// the longer names.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify, minimum: Int,
  maximum: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "RoostMacros", type: "RelationshipMacro")

/// Says how a property references other models, and the largest number of them.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify, maximum: Int,
  originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "RoostMacros", type: "RelationshipMacro")

/// Says what the values of a property must be. Each write checks it: see ``Validatable`` for rules over several properties.
///
/// ```swift
/// @Validate(.notEmpty, .length(...80), message: "Enter a name of at most 80 characters") var name: String
/// ```
/// - Parameters:
///   - rules: the rules, which must all hold. A property may have several `@Validate`, each with its
///     own message.
///   - message: the sentence that an error shows instead of its own.
@attached(peer)
public macro Validate(_ rules: ValidationRule..., message: String? = nil) =
  #externalMacro(module: "RoostMacros", type: "ValidateMacro")

/// Makes a property the count, the sum, the least or the greatest value of one of its model's
/// lists. Each change of the list updates the stored value.
///
/// ```swift
/// @Derived(.count(\Invoice.lines)) var lineCount: Int
/// @Derived(.sum(\Invoice.lines, \.price)) var total: Decimal
/// ```
///
/// Code cannot set the property. Predicates, sort orders and `#Index` use it like any other
/// property. A new object has the value after its save.
@attached(peer)
public macro Derived<Model: PersistentModel, Value>(_ value: DerivedValue<Model, Value>) =
  #externalMacro(module: "RoostMacros", type: "DerivedMacro")

/// Stores the value of a computed property of the object, so that predicates, sort orders and
/// `#Index` can use it.
///
/// ```swift
/// var folded: String { title.lowercased() }
/// @Derived(\Note.folded) var key: String
/// ```
///
/// The program computes the value when it saves new and changed objects, in bulk updates and in
/// imports.
///
/// - Parameters:
///   - computed: a property that is computed from the values of the same object.
///   - version: the version of the computation. Change the number after you change the computation:
///     all stored objects are computed again.
@attached(peer)
public macro Derived<Model: PersistentModel, Value>(_ computed: KeyPath<Model, Value>, version: Int = 1) =
  #externalMacro(module: "RoostMacros", type: "DerivedMacro")

/// Keeps a property out of the store.
@attached(peer)
public macro Transient() = #externalMacro(module: "RoostMacros", type: "TransientMacro")

/// Says which properties must be unique: no two models may have the same values of them.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares indexes of properties that predicates search and fetches sort by.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares indexes of properties, and the kind of each index.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares indexes of the models that fulfil a condition.
///
/// ```swift
/// #Index<Chore>([\.due], where: { !$0.isDone })
/// ```
/// A fetch uses such an index if its predicate implies the condition. The condition compares stored
/// properties with constants. It joins comparisons by `&&`, `||` and `!`. A model may have several
/// `#Index` with a condition.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]..., where condition: (T) -> Bool) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares indexes of computed forms of properties, or with a sort order for each property.
///
/// ```swift
/// #Index<Chore>([.lowercased(\.title)], [.elements(\.tags)], [.ascending(\.points), .descending(\.due)])
/// ```
@freestanding(declaration)
public macro Index<T>(_ indices: [Schema.IndexPart<T>]...) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares indexes of computed forms of properties, for the models that fulfil a condition.
@freestanding(declaration)
public macro Index<T>(_ indices: [Schema.IndexPart<T>]..., where condition: (T) -> Bool) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// Says which properties must be unique among the models that fulfil a condition.
///
/// ```swift
/// #Unique<Chore>([\.list, \.title], where: { !$0.isDone })
/// ```
/// A model that does not fulfil the condition is never a conflict. A model may have several
/// `#Unique` with a condition.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]..., where condition: (T) -> Bool) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// Declares a full text index: the texts in which ``PersistentModel/matches(_:)`` finds words.
///
/// ```swift
/// @Model final class Note {
///   #FullText<Note>([\.title, \.body], .stemming(.english))
///   var title: String
///   var body: String
///
///   init(title: String, body: String) {
///     self.title = title
///     self.body = body
///   }
/// }
/// ```
///
/// - Parameters:
///   - properties: properties of the types `String` and `String?`.
///   - options: how texts become words. Without options, case and diacritics make no difference.
@freestanding(declaration)
public macro FullText<T>(_ properties: [PartialKeyPath<T>], _ options: Schema.FullTextOption...) =
  #externalMacro(module: "RoostMacros", type: "ConstraintMacro") where T: PersistentModel

/// The macro that SwiftData puts before a property with a transformer.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro _TransformablePersistedProperty() = #externalMacro(module: "RoostMacros", type: "PersistedPropertyMacro")

/// The macro that `@Model` puts before each property that is `.ephemeral`.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _EphemeralProperty() = #externalMacro(module: "RoostMacros", type: "EphemeralPropertyMacro")

/// The macro that `@Model` puts before each property that is marked ``Derived(_:)``.
@attached(accessor, names: named(init), named(get))
@attached(peer, names: prefixed(_))
public macro _DerivedProperty(_ number: Int = 0, in model: String = "", hasOwnType: Bool = false) =
  #externalMacro(module: "RoostMacros", type: "PersistedPropertyMacro")

/// The macro that `@Model` puts before each property.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(_ number: Int = 0, in model: String = "", hasOwnType: Bool = false) =
  #externalMacro(module: "RoostMacros", type: "PersistedPropertyMacro")
