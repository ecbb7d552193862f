/// What floors above this one call their errors. It stands here so that there is one table.
extension ErrorCatalogue {
  static let others: [ErrorEntry] = rows + conditions + objects + door + swiftData + transfer + tool

  private static let rows: [ErrorEntry] = [
    .init(
      .rows, 1, "wrongType", "A value is of another type than the field.",
      "Give a value of the field's type; the error names both."),
    .init(
      .rows, 2, "outOfRange", "A number is too large, or too small, for the field.",
      "Give a number that fits, or make the field's type wider."),
    .init(
      .rows, 3, "missing", "A field that may not be nil has no value.",
      "Give a value, or declare the property as optional."),
    .init(
      .rows, 4, "notUnique", "Another row has these values already, and only one may.",
      "Change one of the two, or choose what becomes of such a row: update, merge, skip."),
    .init(
      .rows, 5, "unknown", "There is no entity, field, index or row of this name.",
      "Look at `roost schema` for the names that there are."),
    .init(
      .rows, 6, "tooLarge", "The row is too large.",
      "Split the value, or keep it outside the row; Docs/LIMITS.md gives the bound."),
    .init(
      .rows, 7, "denied", "Rows that depend on this one forbid its deletion.",
      "Delete those first, let them lead elsewhere, or choose another delete rule."),
    .init(
      .rows, 8, "conflict", "The change of the catalog does not fit what is stored.",
      "The error says what stands in the way; add something new instead of changing what is there."),
    .init(
      .rows, 9, "expired", "The history behind this token is not there any more, or was never kept.",
      "Read what you need from the rows, and go on from the latest token."),
  ]

  private static let conditions: [ErrorEntry] = [
    .init(
      .conditions, 1, "wrongType", "Two parts of the condition do not fit together.",
      "Compare values of one type; the error names the part."),
    .init(
      .conditions, 2, "unknown", "The condition names something that is not there.",
      "Look at `roost schema` for the names that there are."),
    .init(
      .conditions, 3, "tooDeep", "The condition is nested too deeply.",
      "Join its parts by && or || instead of nesting them."),
    .init(
      .conditions, 4, "badPattern", "The regular expression, or pattern, is none.",
      "Correct the pattern; the error says what is wrong with it."),
    .init(
      .conditions, 5, "nilUnwrapped", "A value that is nil was unwrapped for some row.",
      "Test for nil first, or give a value with ??."),
    .init(
      .conditions, 6, "overflow", "A number became too large while the condition was computed for some row.",
      "Compute with Double, or with smaller numbers."),
    .init(.conditions, 7, "dividedByZero", "Something was divided by zero for some row.", "Test for zero first."),
    .init(.conditions, 8, "outOfBounds", "A list has no element of this number for some row.", "Test the count first."),
    .init(
      .conditions, 9, "missingRow", "A reference leads to a row that is not there.",
      "Run `roost verify`: the store says that it must be there."),
  ]

  private static let objects: [ErrorEntry] = [
    .init(
      .objects, 1, "unknownModel", "The type is not among the store's models.", "Name it when the container is made."),
    .init(
      .objects, 2, "foreign", "The object belongs to another context.",
      "Fetch it in this context, by its persistentModelID."),
    .init(
      .objects, 3, "deleted", "The object, or the row it stands for, is deleted.",
      "Forget the object; its last values can still be read."),
    .init(
      .objects, 4, "closed", "The context or its store is closed.", "Make another context, or the container again."),
    .init(.objects, 5, "unreadable", "No value could be read.", "Run `roost verify`, and `rollback()` to go on."),
    .init(
      .objects, 6, "wrongModel", "A relationship does not lead to models of this class.",
      "Give a model of the class that the relationship names."),
    .init(
      .objects, 7, "conflict", "Another context changed the same property.",
      "Choose a merge policy, or roll back and try again."),
    .init(
      .objects, 8, "twoThreads", "Two threads used one context at the same time.",
      "Give each thread or actor a context of its own."),
    .init(
      .objects, 9, "readOneByOne", "A loop read its objects one by one, in a strict context.",
      "Prefetch the relationship that the error names."),
    .init(
      .objects, 10, "notUnique", "Another object has the same values, and only one may.",
      "Change one of the two, or choose a policy for such models."),
    .init(
      .objects, 11, "denied", "A delete rule, or a relationship that must lead somewhere, forbids a deletion.",
      "Delete the objects that the error names too, or take them out first."),
    .init(
      .objects, 12, "badValue", "A value is missing, or cannot be stored.",
      "Give a value that fits; the error names the property."),
    .init(
      .objects, 13, "count", "A relationship leads to fewer objects than it must, or to more than it may.",
      "Add or remove members before the save."),
    .init(
      .objects, 14, "pendingChanges", "Something waits to be saved that stands in the way.",
      "Save, or roll back, first."),
  ]

  private static let door: [ErrorEntry] = [
    .init(
      .door, 1, "unknownModel", "The type is not among the container's models.", "Name it when the container is made."),
    .init(
      .door, 2, "foreign", "The object, or the identifier, belongs to another context or container.",
      "Fetch it where you want to use it."),
    .init(
      .door, 3, "deleted", "The object, or its row, is deleted.",
      "Forget the object; its last values can still be read."),
    .init(
      .door, 4, "closed", "The context or its container is closed.", "Make another context, or the container again."),
    .init(.door, 5, "unreadable", "A value could not be read.", "Run `roost verify`, and `rollback()` to go on."),
    .init(
      .door, 6, "conflict", "Somebody else changed the same.", "Choose a merge policy, or roll back and try again."),
    .init(
      .door, 7, "notUnique", "Another model has this value already.",
      "Change one of the two, or choose a policy for such models."),
    .init(
      .door, 8, "denied", "A delete rule forbids it.",
      "Delete the models that the error names too, or take them out first."),
    .init(
      .door, 9, "twoThreads", "Two threads used one context at the same time.",
      "Give each thread or actor a context of its own."),
    .init(
      .door, 10, "readOneByOne", "A loop read its models one by one, in a strict context.",
      "Prefetch the relationship that the error names."),
    .init(
      .door, 11, "badValue", "A value is missing, of another type, or too large.",
      "Give a value that fits; the error names the property."),
    .init(
      .door, 12, "count", "A relationship leads to fewer models than it must, or to more than it may.",
      "Add or remove members before the save."),
    .init(
      .door, 13, "pendingChanges", "What waits to be saved stands in the way of a bulk write.",
      "Save, or roll back, first."),
    .init(
      .door, 14, "badCondition", "A condition comes to a row for which it has no answer.",
      "Test for nil, zero or the count first; the error names the part."),
    .init(.door, 15, "historyOff", "The history is asked for, and is off.", "Switch it on in the configuration."),
    .init(
      .door, 16, "store", "The store's file, or the device, refused.",
      "What was thrown further down says more: look at `underlyingError`."),
    .init(
      .door, 17, "badInput", "What is imported is wrong as it stands.",
      "`importFault` names the record, the field and what is wrong: mend it, or leave bad records out with `.skip(upTo:)`."
    ),
  ]

  private static let swiftData: [ErrorEntry] = [
    .init(
      .swiftData, 1, "includePendingChangesWithBatchSize",
      "In SwiftData, batches and changes that wait to be saved cannot be fetched together.",
      "It is never thrown here: both go together."),
    .init(
      .swiftData, 2, "unsupportedPredicate", "The predicate says something that nobody can answer.",
      "Write the part that the error names in another way."),
    .init(
      .swiftData, 3, "unsupportedKeyPath", "The key path leads to nothing that is stored.",
      "Use stored properties and their parts."),
    .init(
      .swiftData, 4, "sortingPendingChangesWithIdentifiers",
      "In SwiftData, identifiers cannot be sorted with changes that wait to be saved.",
      "It is never thrown here: both go together."),
    .init(
      .swiftData, 5, "unsupportedSortDescriptor", "Nothing can be sorted by this.",
      "Sort by a stored property that has an order."),
    .init(
      .swiftData, 6, "duplicateConfiguration", "Two configurations are the same.",
      "Give each its own file, or leave one out."),
    .init(
      .swiftData, 7, "configurationFileNameTooLong", "The configuration's name is too long for a file's.",
      "Choose a shorter one."),
    .init(
      .swiftData, 8, "configurationFileNameContainsInvalidCharacters", "The configuration's name cannot be a file's.",
      "Choose one without / and control characters."),
    .init(
      .swiftData, 9, "configurationSchemaNotFoundInContainerSchema",
      "A configuration has a model that the container's schema lacks.", "Name the model in the container's schema too."),
    .init(
      .swiftData, 10, "loadIssueModelContainer", "The container cannot be made.",
      "The error's sentence says why, and what to do."),
    .init(
      .swiftData, 11, "modelValidationFailure", "A save was refused because of what models hold.",
      "RoostError.faults tells each fault."),
    .init(
      .swiftData, 12, "missingModelContext", "In SwiftData, a model belongs to no context where it must have one.",
      "It is never thrown here."),
    .init(
      .swiftData, 13, "backwardMigration", "In SwiftData, a store is newer than its models.", "It is never thrown here."
    ),
    .init(.swiftData, 14, "unknownSchema", "The schema has no classes.", "Make it of the models."),
    .init(
      .swiftData, 15, "historyTokenExpired", "The history behind this token is not there any more, or was never kept.",
      "Read from the models what you need of them, and go on from the latest token."),
    .init(
      .swiftData, 16, "invalidTransactionFetchRequest", "The history was asked for in a way that means nothing.",
      "Correct the descriptor; the error names the part."),
  ]

  private static let transfer: [ErrorEntry] = [
    .init(
      .transfer, 1, "encoding", "The bytes are no text in UTF-8, or not the compressed file they seem to be.",
      "Convert the file to UTF-8, or unpack it first."),
    .init(
      .transfer, 2, "syntax", "The text is not what the format demands.",
      "Correct the line that is named, or name the right format."),
    .init(
      .transfer, 3, "columns", "A record has another number of columns than the first line.",
      "Correct the line; a text with a delimiter in it needs quotes."),
    .init(
      .transfer, 4, "duplicate", "A name, or a unique value, stands twice where it may stand once.",
      "Remove one of them, or choose what becomes of such records: skip, update, merge."),
    .init(
      .transfer, 5, "unknown", "A name that nothing is known of.",
      "Look at `roost schema` for the names that there are; columns can be renamed or ignored."),
    .init(
      .transfer, 6, "missing", "There is no value where one must stand.", "Give a value, or a default in the model."),
    .init(
      .transfer, 7, "wrongType", "The value is of another type than the field.",
      "Correct the value; the error names line and field."),
    .init(
      .transfer, 8, "outOfRange", "The number is too large for the field.",
      "Correct the value; the error names line and field."),
    .init(
      .transfer, 9, "tooLarge",
      "A record, a field, the number of columns, the depth, or the number of bad records passes a bound.",
      "Raise the bound, or split the input."),
    .init(.transfer, 10, "truncated", "The input ends in the middle of something.", "Get the whole file again."),
  ]

  private static let tool: [ErrorEntry] = [
    .init(
      .tool, 1, "question", "A condition or an order that was typed means nothing.",
      "The mark below it shows where; `roost schema` tells the names.")
  ]
}
