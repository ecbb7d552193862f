import RoostGraph
import RoostRecords
import RoostTransfer

/// A class of a store with its own properties, as its model declares them.
///
/// The rows of a subclass are rows of its topmost class, and a property of the subclass is a field `Dog/tricks`. Here it is called `tricks`.
struct SchemaClass {
  /// The class that it inherits from.
  let above: String?
  /// The entity with the class's name, and the fields that it declares.
  let own: Entity
  /// The entity with all its fields, by the names that they have in their classes.
  let all: Entity
  /// The relationships that the class declares.
  let relationships: [Relationship]
  /// The indexes that the class declares.
  let indexes: [Index]

  /// The properties that are values or references by themselves.
  var fields: [Field] { own.fields.filter { !$0.name.contains(".") } }

  func declares(_ field: FieldID) -> Bool { own.field(field) != nil }

  func reference(_ field: FieldID) -> Relationship? { relationships.first { $0.shape == .one(field) } }

  /// A property's name without that of its class.
  static func property(_ name: String) -> String {
    name.firstIndex(of: "/").map { String(name[name.index(after: $0)...]) } ?? name
  }

  /// The subclass that declares a property; nil if the topmost class does.
  static func owner(_ name: String) -> String? { name.firstIndex(of: "/").map { String(name[..<$0]) } }
}

extension SchemaText {
  /// A class by its name.
  func shape(_ name: String) -> SchemaClass {
    var root = name
    var seen: Set<String> = []
    while let above = superclasses[root], seen.insert(root).inserted { root = above }
    let entity = catalog.entity(root) ?? Entity(EntityID(0), name)
    let above = superclasses[name]
    func declares(_ property: String) -> Bool {
      !property.hasPrefix("@") && SchemaClass.owner(property) == (above == nil ? nil : name)
    }
    var (own, all) = (entity, entity)
    (own.name, all.name) = (name, name)
    all.fields = entity.fields.map { field in
      var field = field
      // Rows of other classes have no value. An empty value is there also without a default.
      if field.isNeeded {
        field.isOptional = false
        if field.initial == field.type.empty { field.initial = nil }
      }
      field.name = SchemaClass.property(field.name)
      return field
    }
    let declared = Set(entity.fields.filter { declares($0.name) }.map(\.id))
    own.fields = all.fields.filter { declared.contains($0.id) }
    let relationships = catalog.relationships(of: entity.id).filter { !$0.isHidden && declares($0.name) }.map { one in
      var one = one
      one.name = SchemaClass.property(one.name)
      return one
    }
    let indexes = catalog.indexes(of: entity.id).filter { index in
      superclasses.isEmpty || StoredModels.owner(of: index, entity, catalog: catalog) == name
    }
    return SchemaClass(above: above, own: own, all: all, relationships: relationships, indexes: indexes)
  }
}
