import type { PassedOver } from '../files.ts';

/** Most names in a line. */
const SHOWN = 5;

/** One and several of a kind, and what becomes of them. */
const KINDS: Readonly<Record<PassedOver, readonly [one: string, several: string, what: string]>> = {
  'link': ['link', 'links', 'not kept as artefacts'],
  'no file': ['pipe, socket or device', 'pipes, sockets or devices', 'not kept as artefacts'],
  'empty folder': ['empty folder', 'empty folders', 'not kept as artefacts'],
  'not UTF-8': ['name that is not UTF-8', 'names that are not UTF-8', 'not kept as artefacts'],
  'odd name': ['name with a backslash or a control character', 'names with backslashes or control characters',
    'not kept as artefacts'],
};

/** What artefacts do not keep, for the log. */
export class PassedFiles {
  readonly #found = new Map<keyof typeof KINDS, Set<string>>();

  readonly add = (path: string, kind: keyof typeof KINDS): void => {
    const paths = this.#found.get(kind) ?? new Set();
    this.#found.set(kind, paths.add(path));
  };

  /** One line for each kind, with some of the names. */
  lines(): string[] {
    return [...this.#found].map(([kind, paths]) => {
      const [one, several, what] = KINDS[kind];
      const names = [...paths].slice(0, SHOWN).map((path) => path.replace(/[\u0000-\u001f\u007f]/g, '?'));
      const more = paths.size > SHOWN ? ` and ${paths.size - SHOWN} more` : '';
      return `${what}: ${paths.size} ${paths.size === 1 ? one : several} (${names.join(', ')}${more})`;
    });
  }
}
