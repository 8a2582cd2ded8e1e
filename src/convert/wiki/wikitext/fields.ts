import type { Argument } from './frames.ts';

/** The arguments of a template by name and by number. */
export class Fields {
  /** Arguments without a name, as written; those whose name is a number are included. */
  readonly positional: string[] = [];
  readonly named = new Map<string, string>();

  constructor(given: readonly Argument[]) {
    for (const { name, value } of given) {
      if (name === undefined) this.positional.push(value);
      else if (/^[1-9]\d?$/.test(name)) this.positional[Number(name) - 1] = value;
      else this.named.set(name.toLowerCase(), value);
    }
    for (let i = 0; i < this.positional.length; i++) this.positional[i] ??= '';
  }

  /** The positional argument with a number from 0, trimmed. */
  at(number: number): string {
    return (this.positional[number] ?? '').trim();
  }

  /** The first of some named arguments that is not empty. */
  first(...names: readonly string[]): string {
    for (const name of names) {
      const value = this.named.get(name)?.trim() ?? '';
      if (value !== '') return value;
    }
    return '';
  }

  all(...names: readonly string[]): string[] {
    return names.map((name) => this.first(name)).filter((value) => value !== '');
  }
}
