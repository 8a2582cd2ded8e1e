import { child, elements, type XmlElement } from '../xml.ts';

interface Level {
  readonly ordered: boolean;
  readonly start: number;
}

const BULLET: Level = { ordered: false, start: 1 };

/** The lists of `word/numbering.xml`, and the current numbers of their items. */
export class DocxNumbering {
  readonly #levels = new Map<string, Level[]>();
  readonly #counts = new Map<string, number[]>();

  constructor(numbering: XmlElement | undefined) {
    const abstract = new Map(
      elements(numbering, 'w:abstractNum').map((list) => [list.attributes['w:abstractNumId'] ?? '', list]),
    );
    for (const list of elements(numbering, 'w:num')) {
      const levels: Level[] = [];
      const definition = abstract.get(child(list, 'w:abstractNumId')?.attributes['w:val'] ?? '');
      for (const level of elements(definition, 'w:lvl'))
        levels[Number(level.attributes['w:ilvl']) || 0] = levelOf(level);
      for (const override of elements(list, 'w:lvlOverride')) {
        const at = Number(override.attributes['w:ilvl']) || 0;
        const level = child(override, 'w:lvl');
        const start = child(override, 'w:startOverride')?.attributes['w:val'];
        if (level !== undefined) levels[at] = levelOf(level);
        if (start !== undefined) levels[at] = { ...(levels[at] ?? BULLET), start: Number(start) || 0 };
      }
      this.#levels.set(list.attributes['w:numId'] ?? '', levels);
    }
  }

  /** The next item of a list at a level; undefined if its paragraphs have neither a number nor a bullet. */
  next(id: string, level: number): { ordered: boolean; number: number } | undefined {
    if (id === '0') return undefined;
    const { ordered, start } = this.#levels.get(id)?.[level] ?? BULLET;
    const counts = this.#counts.get(id) ?? [];
    const number = (counts[level] ?? start - 1) + 1;
    counts.length = level;
    counts[level] = number;
    this.#counts.set(id, counts);
    return { ordered, number };
  }
}

function levelOf(level: XmlElement): Level {
  const format = child(level, 'w:numFmt')?.attributes['w:val'] ?? 'decimal';
  return {
    ordered: format !== 'bullet' && format !== 'none',
    start: Number(child(level, 'w:start')?.attributes['w:val'] ?? 1) || 0,
  };
}
