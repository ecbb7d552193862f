#pragma once

// Takes a reference to an object that may be ending on another thread; null if it is. The Swift runtime has this for the
// weak references of other languages, and Swift has no name for it.
void *_Nullable swift_tryRetain(void *_Nonnull object);
