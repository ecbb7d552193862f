import SwiftData
import Testing

/// Delete rules of one-way lists and of lists of links follow the changes of the same save.
@Suite struct PendingRuleTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Kitchen.container()
    context = ModelContext(container)
  }

  private func filled() throws -> Recipe {
    let recipe = Recipe("soup", steps: ["cut", "boil", "serve"])
    context.insert(recipe)
    try context.save()
    return recipe
  }

  @Test(arguments: [false, true]) func `a removed member stays, and an added one is deleted`(reads: Bool) throws {
    do { _ = try filled() }
    context.reset()
    let recipe = try #require(try context.fetch(FetchDescriptor<Recipe>()).first)
    if reads { #expect(recipe.steps.count == 3) }
    let taken = recipe.steps.remove(at: 1)
    recipe.steps.append(Step("taste"))
    context.delete(recipe)
    try context.save()
    #expect(!taken.isDeleted && taken.text == "boil")
    let stored = try Kitchen.stored(container)
    #expect(stored.recipes.isEmpty && stored.steps == ["boil"])
  }

  enum Detached: CaseIterable { case alone, replaced, byNew, byAnother, andSavedBefore }

  @Test(arguments: Detached.allCases) func `the former target of a reference stays`(_ how: Detached) throws {
    let (recipe, other, photo, second) = (Recipe("soup"), Recipe("stew"), Step("photo"), Step("second"))
    recipe.photo = photo
    for model in [recipe, other] { context.insert(model) }
    context.insert(second)
    try context.save()
    switch how {
    case .alone: recipe.photo = nil
    case .replaced: recipe.photo = second
    case .byNew: recipe.photo = Step("new")
    case .byAnother: (other.photo, recipe.photo) = (photo, nil)
    case .andSavedBefore:
      recipe.photo = nil
      try context.save()
    }
    context.delete(recipe)
    try context.save()
    #expect(!photo.isDeleted && photo.text == "photo" && second.isDeleted == (how == .replaced))
    let stored = try Kitchen.stored(container)
    #expect(stored.steps == (how == .replaced ? ["photo"] : ["photo", "second"]))
    #expect((other.photo === photo) == (how == .byAnother))
    let again = try ModelContext(container).fetch(FetchDescriptor<Recipe>())
    #expect(again.map { $0.photo?.text } == [how == .byAnother ? "photo" : nil])
  }

  @Test func `a deny rule checks the present target of a reference`() throws {
    let (recipe, guest) = (Recipe("soup"), Guest("Ann"))
    recipe.owner = guest
    context.insert(recipe)
    try context.save()
    recipe.owner = nil
    context.delete(recipe)
    try context.save()
    #expect(!guest.isDeleted && recipe.isDeleted)
    #expect(try Kitchen.stored(container).recipes.isEmpty)
  }

  @Test func `an added stored model is deleted too`() throws {
    let recipe = try filled()
    let step = Step("stir")
    context.insert(step)
    try context.save()
    recipe.steps.append(step)
    context.delete(recipe)
    try context.save()
    #expect(step.isDeleted)
    #expect(try Kitchen.stored(container).steps.isEmpty)
  }

  @Test func `a deny rule checks the present members`() throws {
    let recipe = try filled()
    let (guest, cook) = (Guest("Ann"), Cook("Bob"))
    recipe.guests = [guest]
    recipe.cooks = [cook]
    try context.save()
    context.delete(recipe)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .denied && Set(error?.faults.map(\.property) ?? []) == ["guests", "cooks"])
    context.rollback()
    recipe.guests = []
    cook.recipes = []
    context.delete(recipe)
    try context.save()
    #expect(try Kitchen.stored(container).recipes.isEmpty)
    #expect(!guest.isDeleted && !cook.isDeleted)
  }

  @Test(arguments: [false, true]) func `an added member prevents the deletion too`(isNew: Bool) throws {
    let recipe = try filled()
    let guest = Guest("Ann")
    if !isNew {
      context.insert(guest)
      try context.save()
    }
    recipe.guests.append(guest)
    context.delete(recipe)
    let error = #expect(throws: RoostError.self) { try context.save() }
    let fault = try #require(error?.faults.first)
    #expect(error?.code == .denied && fault.model == recipe.persistentModelID && fault.property == "guests")
    #expect(fault.others == [guest.persistentModelID])
    #expect(try Kitchen.stored(container).recipes.count == 1)
    // If both are deleted, nothing prevents it.
    context.delete(guest)
    try context.save()
    #expect(try Kitchen.stored(container).recipes.isEmpty)
  }

  @Test func `members that others added are checked too`() throws {
    let recipe = try filled()
    let other = ModelContext(container)
    other.automaticallyMergesChanges = false
    let same = try #require(try other.fetch(FetchDescriptor<Recipe>()).first)
    #expect(same.steps.count == 3)
    let taken = same.steps.removeFirst()
    other.delete(same)
    recipe.steps.append(Step("by others"))
    try context.save()
    try other.save()
    #expect(!taken.isDeleted)
    #expect(try Kitchen.stored(container).steps == ["cut"])
  }

  // MARK: One-way lists

  @Test func `a deleted member is not shown, whichever context deleted it`() throws {
    let recipe = try filled()
    let step = recipe.steps[0]
    context.delete(step)
    #expect(recipe.steps.map(\.text) == ["boil", "serve"])
    try context.save()
    #expect(recipe.steps.map(\.text) == ["boil", "serve"])
    let other = ModelContext(container)
    let theirs = try #require(try other.fetch(FetchDescriptor<Step>(predicate: #Predicate { $0.text == "boil" })).first)
    other.delete(theirs)
    try other.save()
    context.processPendingChanges()
    #expect(recipe.steps.map(\.text) == ["serve"])
    #expect(try Kitchen.stored(container).recipes["soup"] == ["serve"])
  }

  @Test func `a new member and a member of a changed list are not shown either`() throws {
    let recipe = try filled()
    let new = Step("taste")
    recipe.steps.append(new)
    recipe.steps.swapAt(0, 1)
    context.delete(new)
    #expect(recipe.steps.map(\.text) == ["boil", "cut", "serve"])
    context.delete(recipe.steps[2])
    #expect(recipe.steps.map(\.text) == ["boil", "cut"])
    try context.save()
    #expect(try Kitchen.stored(container).recipes["soup"] == ["boil", "cut"])
    #expect(try Kitchen.stored(container).steps == ["boil", "cut"])
  }

  // MARK: Undone

  @Test(arguments: [false, true]) func `members that a rule deleted are restored with their owner`(reads: Bool) throws {
    do { _ = try filled() }
    context.reset()
    let recipe = try #require(try context.fetch(FetchDescriptor<Recipe>()).first)
    if reads { #expect(recipe.steps.count == 3) }
    context.delete(recipe)
    context.insert(recipe)
    #expect(recipe.steps.map(\.text) == ["cut", "boil", "serve"])
    try context.save()
    #expect(try Kitchen.stored(container).recipes == ["soup": ["cut", "boil", "serve"]])
    #expect(try Kitchen.stored(container).steps.count == 3)
  }

  @Test func `deleted new models are restored too`() throws {
    let recipe = Recipe("soup", steps: ["cut", "boil"])
    context.insert(recipe)
    let steps = recipe.steps
    context.delete(recipe)
    #expect(steps.map(\.isDeleted) == [true, true])
    context.insert(recipe)
    #expect(!recipe.isDeleted && recipe.steps == steps)
    #expect(steps.map(\.isDeleted) == [false, false])
    context.delete(steps[0])
    #expect(recipe.steps.map(\.text) == ["boil"])
    context.insert(steps[0])
    #expect(recipe.steps.map(\.text) == ["boil", "cut"])
    try context.save()
    #expect(try Kitchen.stored(container).recipes == ["soup": ["boil", "cut"]])
    // A save makes it final.
    let late = Step("late")
    context.insert(late)
    context.delete(late)
    recipe.name = "broth"
    try context.save()
    context.insert(late)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .deleted)
  }

  @Test func `a model that the program deleted itself stays deleted`() throws {
    let recipe = try filled()
    context.delete(recipe.steps[1])
    context.delete(recipe)
    context.insert(recipe)
    #expect(recipe.steps.map(\.text) == ["cut", "serve"])
    try context.save()
    #expect(try Kitchen.stored(container).recipes == ["soup": ["cut", "serve"]])
  }

  @Test func `a restored member has its former place`() throws {
    let recipe = try filled()
    let step = recipe.steps[1]
    context.delete(step)
    context.insert(step)
    #expect(recipe.steps.map(\.text) == ["cut", "boil", "serve"])
    try context.save()
    #expect(try Kitchen.stored(container).recipes == ["soup": ["cut", "boil", "serve"]])
  }
}
