public import Foundation

// What Foundation has for Apple's systems alone.
#if !canImport(Darwin)

  /// Remembers how to take changes back, in groups. Like the contexts that it serves it belongs to one thread, or actor, at a time.
  ///
  /// Changes belong to the group that is open. Where none is, one is opened for them, and closed at the end of the event: when the main
  /// thread comes back to its queue, when a context is saved, or when somebody takes changes back. ``groupsByEvent`` says so.
  open class UndoManager {
    private var open: [UndoGroup] = []
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var disabled = 0
    private var isEventGroup = false
    private var isEventScheduled = false
    /// Told before anything opens, closes or is looked at: contexts note their changes then.
    private var recorders: [Weak] = []

    /// Makes a manager that remembers all groups, and opens and closes them by itself.
    public init() {}

    private struct Weak { weak var recorder: (any UndoRecording)? }

    func add(_ recorder: any UndoRecording) {
      recorders.removeAll { $0.recorder == nil || $0.recorder === recorder }
      recorders.append(Weak(recorder: recorder))
    }

    func remove(_ recorder: any UndoRecording) {
      recorders.removeAll { $0.recorder == nil || $0.recorder === recorder }
    }

    private func checkpoint() {
      for one in recorders { one.recorder?.noteChanges() }
      post(.NSUndoManagerCheckpoint)
    }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }

    // MARK: Groups

    /// How many groups are open.
    open var groupingLevel: Int { open.count }
    /// Whether groups are opened and closed by themselves. Otherwise what is registered outside of a group is one of its own.
    open var groupsByEvent = true
    /// How many groups are remembered; 0 for all.
    open var levelsOfUndo = 0 { didSet { trim() } }

    /// Opens a group, within the one that is open.
    open func beginUndoGrouping() {
      checkpoint()
      // What waited belongs to the event before.
      if isEventGroup, open.count == 1, !isUndoing, !isRedoing { close() }
      begin()
    }

    private func begin() {
      open.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the group that was opened last. Without one nothing happens.
    open func endUndoGrouping() {
      checkpoint()
      close()
    }

    private func close() {
      guard !open.isEmpty else { return }
      post(.NSUndoManagerWillCloseUndoGroup)
      let group = open.removeLast()
      if open.isEmpty { isEventGroup = false }
      if !group.isEmpty {
        if let outer = open.last {
          outer.actions.append(.group(group))
          if outer.name.isEmpty { outer.name = group.name }
        } else if isUndoing {
          redoStack.append(group)
        } else {
          undoStack.append(group)
          trim()
        }
      }
      post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func trim() {
      if levelsOfUndo <= 0 { return }
      // What goes ends after the stacks have changed: a user's `deinit` may ask for them.
      let former = (undoStack, redoStack)
      (undoStack, redoStack) = (Array(former.0.suffix(levelsOfUndo)), Array(former.1.suffix(levelsOfUndo)))
      withExtendedLifetime(former) {}
    }

    /// Closes the group that was opened by itself, if there is one.
    func endEvent() { if isEventGroup, open.count == 1, !isUndoing, !isRedoing { close() } }

    /// Something changed that will be registered when the event ends.
    func beginEvent(isMain: Bool = Thread.isMainThread) {
      guard groupsByEvent, !isEventScheduled, isMain || Thread.isMainThread else { return }
      isEventScheduled = true
      // Unsafe, because it is used on the main thread alone, where this was called.
      nonisolated(unsafe) weak let manager = self
      DispatchQueue.main.async {
        manager?.isEventScheduled = false
        manager?.checkpoint()
        manager?.endEvent()
      }
    }

    // MARK: Registering

    /// Whether changes are registered. False between ``disableUndoRegistration()`` and ``enableUndoRegistration()``.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }
    /// Registers no changes from now on. Earlier changes are registered first. Calls nest.
    open func disableUndoRegistration() {
      checkpoint()
      disabled += 1
    }
    /// Registers changes again, after as many calls as ``disableUndoRegistration()`` had.
    open func enableUndoRegistration() {
      checkpoint()
      disabled = max(0, disabled - 1)
    }

    /// Remembers what takes something back. The target is not kept; when it is gone nothing happens.
    open func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
      if disabled > 0 { return }
      let isAlone = open.isEmpty
      if isAlone {
        begin()
        isEventGroup = true
        if groupsByEvent { beginEvent() }
      }
      if !isUndoing && !isRedoing { _ = exchange(&redoStack, with: []) }
      open[open.count - 1].actions.append(
        .action(WeakTarget(target), { [weak target] in if let target { handler(target) } }))
      if isAlone && !groupsByEvent { close() }
    }

    // MARK: Taking back

    /// Whether ``undo()`` is at work.
    open private(set) var isUndoing = false
    /// Whether ``redo()`` is at work.
    open private(set) var isRedoing = false

    /// Whether ``undo()`` has a group to take back. Changes of the current event count.
    open var canUndo: Bool {
      if !isUndoing, !isRedoing { checkpoint() }
      return !undoStack.isEmpty || open.contains { !$0.isEmpty }
    }

    /// Whether ``redo()`` has a group to make again.
    open var canRedo: Bool {
      if !isUndoing, !isRedoing { checkpoint() }
      return !redoStack.isEmpty
    }

    /// Takes the last group back. A group that is open by itself is closed first; while one is open that a program has opened nothing
    /// happens.
    open func undo() {
      if isUndoing || isRedoing { return }
      checkpoint()
      if groupingLevel == 1 { close() }
      undoNestedGroup()
    }

    /// Takes the last group back. Nothing happens while a group is open.
    open func undoNestedGroup() {
      if isUndoing || isRedoing || !open.isEmpty { return }
      guard let group = undoStack.popLast() else { return }
      isUndoing = true
      run(group, .NSUndoManagerWillUndoChange)
      isUndoing = false
      post(.NSUndoManagerDidUndoChange)
    }

    /// Does again what was taken back last.
    open func redo() {
      if isUndoing || isRedoing { return }
      checkpoint()
      if groupingLevel == 1 { close() }
      guard open.isEmpty, let group = redoStack.popLast() else { return }
      isRedoing = true
      run(group, .NSUndoManagerWillRedoChange)
      isRedoing = false
      post(.NSUndoManagerDidRedoChange)
    }

    private func run(_ group: UndoGroup, _ name: Notification.Name) {
      post(name)
      begin()
      group.run()
      checkpoint()
      if let new = open.last, new.name.isEmpty { new.name = group.name }
      while !open.isEmpty { close() }
    }

    /// Forgets all groups, those for undoing and those for redoing.
    open func removeAllActions() {
      for one in recorders { one.recorder?.noteChanges() }
      let former = (exchange(&undoStack, with: []), exchange(&redoStack, with: []))
      for group in open { _ = exchange(&group.actions, with: []) }
      withExtendedLifetime(former) {}
    }

    /// Forgets what was registered for one target. Groups without other actions are forgotten too.
    open func removeAllActions(withTarget target: Any) {
      let target = target as AnyObject
      for group in undoStack + redoStack + open { group.remove(target) }
      let former = (undoStack, redoStack)
      (undoStack, redoStack) = (former.0.filter { !$0.isEmpty }, former.1.filter { !$0.isEmpty })
      withExtendedLifetime(former) {}
    }

    // MARK: Names

    /// Names the group that is open, or the last one.
    open func setActionName(_ actionName: String) { (open.last ?? undoStack.last)?.name = actionName }
    /// The name of the group that ``undo()`` would take back; empty if it has none.
    open var undoActionName: String { canUndo ? open.first?.name ?? undoStack.last?.name ?? "" : "" }
    /// The name of the group that ``redo()`` would make again; empty if it has none.
    open var redoActionName: String { canRedo ? redoStack.last?.name ?? "" : "" }
    /// The words for a menu, such as `Undo Rename`.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// The words for a menu, such as `Redo Rename`.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
    /// The words for a menu with the name of an action: `Undo`, and the name if it is not empty. Override it for
    /// another language.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }
    /// The words for a menu with the name of an action: `Redo`, and the name if it is not empty. Override it for
    /// another language.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
  }

  /// Whoever registers what it finds out when it is asked.
  protocol UndoRecording: AnyObject {
    func noteChanges()
  }

  private final class UndoGroup {
    enum Entry {
      case action(WeakTarget, () -> Void)
      case group(UndoGroup)
    }

    var actions: [Entry] = []
    var name = ""

    var isEmpty: Bool { actions.isEmpty }

    func run() {
      for action in actions.reversed() {
        switch action {
        case .action(_, let body): body()
        case .group(let group): group.run()
        }
      }
    }

    func remove(_ target: AnyObject) {
      let former = actions
      actions = former.filter { action in
        switch action {
        case .action(let known, _): return known.object !== target && known.object != nil
        case .group(let group):
          group.remove(target)
          return !group.isEmpty
        }
      }
      withExtendedLifetime(former) {}
    }
  }

  private struct WeakTarget {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
  }

  extension Notification.Name {
    /// Posted before a manager opens, closes or looks at groups, with the manager as its object.
    public static let NSUndoManagerCheckpoint = Notification.Name("NSUndoManagerCheckpointNotification")
    /// Posted after a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group is closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// Posted before ``UndoManager/undo()`` takes a group back.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted after ``UndoManager/undo()`` took a group back.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted before ``UndoManager/redo()`` makes a group again.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after ``UndoManager/redo()`` made a group again.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
  }

#endif
