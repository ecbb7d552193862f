public import Foundation

// Foundation has this on Apple's systems only.
#if !canImport(Darwin)

  /// Records changes in groups, and undoes them. Like its contexts, it belongs to one thread, or
  /// actor, at a time.
  ///
  /// Changes belong to the open group. If no group is open, one is opened for them. It is closed at
  /// the end of the event: when the main thread returns to its queue, when a context is saved, or
  /// before an undo. ``groupsByEvent`` controls that.
  open class UndoManager {
    private var open: [UndoGroup] = []
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var disabled = 0
    private var isEventGroup = false
    private var isEventScheduled = false
    /// Called before a group is opened, closed or read: contexts record their changes then.
    private var recorders: [Weak] = []

    /// Makes a manager that keeps all groups, and opens and closes them automatically.
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
    /// Whether groups are opened and closed automatically. Otherwise each action outside of a group
    /// is a group of its own.
    open var groupsByEvent = true
    /// How many groups are kept; 0 for all.
    open var levelsOfUndo = 0 { didSet { trim() } }

    /// Opens a group, nested in the open one.
    open func beginUndoGrouping() {
      checkpoint()
      // Pending changes belong to the previous event.
      if isEventGroup, open.count == 1, !isUndoing, !isRedoing { close() }
      begin()
    }

    private func begin() {
      open.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the group that was opened last. Without an open group it has no effect.
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
      // The old stacks are released after the change, because a `deinit` of the program may read
      // them.
      let former = (undoStack, redoStack)
      (undoStack, redoStack) = (Array(former.0.suffix(levelsOfUndo)), Array(former.1.suffix(levelsOfUndo)))
      withExtendedLifetime(former) {}
    }

    /// Closes the group that was opened automatically, if there is one.
    func endEvent() { if isEventGroup, open.count == 1, !isUndoing, !isRedoing { close() } }

    /// Notes a change that will be registered when the event ends.
    func beginEvent(isMain: Bool = Thread.isMainThread) {
      guard groupsByEvent, !isEventScheduled, isMain || Thread.isMainThread else { return }
      isEventScheduled = true
      // Unsafe, because only the main thread uses it, and this was called there.
      nonisolated(unsafe) weak let manager = self
      DispatchQueue.main.async {
        manager?.isEventScheduled = false
        manager?.checkpoint()
        manager?.endEvent()
      }
    }

    // MARK: Registering

    /// Whether changes are recorded. False between ``disableUndoRegistration()`` and
    /// ``enableUndoRegistration()``.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }
    /// Stops recording changes. Earlier changes are recorded first. Calls nest.
    open func disableUndoRegistration() {
      checkpoint()
      disabled += 1
    }
    /// Records changes again, after as many calls as of ``disableUndoRegistration()``.
    open func enableUndoRegistration() {
      checkpoint()
      disabled = max(0, disabled - 1)
    }

    /// Records an action that undoes a change. The target is not kept alive; after its end the
    /// action has no effect.
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

    // MARK: Undo and redo

    /// Whether ``undo()`` is running.
    open private(set) var isUndoing = false
    /// Whether ``redo()`` is running.
    open private(set) var isRedoing = false

    /// Whether ``undo()`` has a group to undo. Changes of the current event count.
    open var canUndo: Bool {
      if !isUndoing, !isRedoing { checkpoint() }
      return !undoStack.isEmpty || open.contains { !$0.isEmpty }
    }

    /// Whether ``redo()`` has a group to redo.
    open var canRedo: Bool {
      if !isUndoing, !isRedoing { checkpoint() }
      return !redoStack.isEmpty
    }

    /// Undoes the last group. A group that was opened automatically is closed first. If your
    /// program has opened a group, the call has no effect.
    open func undo() {
      if isUndoing || isRedoing { return }
      checkpoint()
      if groupingLevel == 1 { close() }
      undoNestedGroup()
    }

    /// Undoes the last group. While a group is open, the call has no effect.
    open func undoNestedGroup() {
      if isUndoing || isRedoing || !open.isEmpty { return }
      guard let group = undoStack.popLast() else { return }
      isUndoing = true
      run(group, .NSUndoManagerWillUndoChange)
      isUndoing = false
      post(.NSUndoManagerDidUndoChange)
    }

    /// Redoes the group that was undone last.
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

    /// Removes all groups, for undo and for redo.
    open func removeAllActions() {
      for one in recorders { one.recorder?.noteChanges() }
      let former = (exchange(&undoStack, with: []), exchange(&redoStack, with: []))
      for group in open { _ = exchange(&group.actions, with: []) }
      withExtendedLifetime(former) {}
    }

    /// Removes the actions of one target, and groups without other actions.
    open func removeAllActions(withTarget target: Any) {
      let target = target as AnyObject
      for group in undoStack + redoStack + open { group.remove(target) }
      let former = (undoStack, redoStack)
      (undoStack, redoStack) = (former.0.filter { !$0.isEmpty }, former.1.filter { !$0.isEmpty })
      withExtendedLifetime(former) {}
    }

    // MARK: Names

    /// Names the open group, or the last one.
    open func setActionName(_ actionName: String) { (open.last ?? undoStack.last)?.name = actionName }
    /// The name of the group that ``undo()`` would undo; empty if it has none.
    open var undoActionName: String { canUndo ? open.first?.name ?? undoStack.last?.name ?? "" : "" }
    /// The name of the group that ``redo()`` would redo; empty if it has none.
    open var redoActionName: String { canRedo ? redoStack.last?.name ?? "" : "" }
    /// The title of a menu item, such as `Undo Rename`.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// The title of a menu item, such as `Redo Rename`.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
    /// Returns the title of a menu item with the name of an action: `Undo`, and the name if it is
    /// not empty. Override it for another language.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }
    /// Returns the title of a menu item with the name of an action: `Redo`, and the name if it is
    /// not empty. Override it for another language.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
  }

  /// An object that records its changes when it is asked.
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
    /// Posted before a manager opens, closes or reads groups, with the manager as its object.
    public static let NSUndoManagerCheckpoint = Notification.Name("NSUndoManagerCheckpointNotification")
    /// Posted after a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group is closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// Posted before ``UndoManager/undo()`` undoes a group.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted after ``UndoManager/undo()`` has undone a group.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted before ``UndoManager/redo()`` redoes a group.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after ``UndoManager/redo()`` has redone a group.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
  }

#endif
