/** Learns of the forms of an index, with their texts. A watcher must not throw, and must not call the index. */
export interface FormWatcher {
  joined(form: number, text: string): void;
  /** The number may be given to another form afterwards. */
  left(form: number, text: string): void;
}

/** The watchers of an index. They are held weakly: those that nobody else uses are forgotten. */
export class FormWatchers {
  #watchers: readonly WeakRef<FormWatcher>[] = [];

  add(watcher: FormWatcher): void {
    this.#watchers = [...this.#watchers.filter((each) => each.deref() !== undefined), new WeakRef(watcher)];
  }

  joined(form: number, text: string): void {
    for (const watcher of this.#watchers) watcher.deref()?.joined(form, text);
  }

  left(form: number, text: string): void {
    for (const watcher of this.#watchers) watcher.deref()?.left(form, text);
  }
}
