import { CommandError } from '../shared/command-error.ts';

/** Some pages of a dump, as a dump of its own. */
export interface DumpPart {
  readonly xml: Buffer;
  readonly pages: number;
  /** Number of pages of the dump up to the end of this part. */
  readonly reached: number;
  /** Id of the last page. */
  readonly lastId: string;
}

interface SplitOptions {
  /** Most pages of a part, and the bytes of XML after which it ends. */
  readonly maxPages: number;
  readonly maxBytes: number;
  /** Number of pages at the beginning that are skipped. */
  readonly skip: number;
  /** Called with the last skipped page, so that the caller can check that it is the expected one. */
  readonly onSkipped?: (lastId: string) => void;
}

const [PAGE, PAGE_END, END] = [Buffer.from('<page>'), Buffer.from('</page>'), Buffer.from('</mediawiki>')];

/** Most bytes before the first page, and of a page. */
const MAX_PIECE = 64 * 1024 * 1024;

/**
 * Splits a dump into parts, each with the head of the whole. Pages are found by their tags, which cannot occur within a
 * text.
 * @throws {CommandError} if it is not a dump, or is cut off; the parts before are still returned.
 */
export async function* splitDump(xml: AsyncIterable<Uint8Array>, options: SplitOptions): AsyncGenerator<DumpPart> {
  const parts = new Parts(options);
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of xml) {
    rest = Buffer.concat([rest, bytes]);
    const { used, ready } = parts.read(rest);
    yield* ready;
    rest = rest.subarray(used);
    if (rest.length > MAX_PIECE)
      throw new CommandError(
        `more than ${MAX_PIECE / 1024 / 1024} MiB come without the end of a page: is this a dump of a MediaWiki?`,
      );
  }
  const last = parts.take();
  if (last !== undefined) yield last;
  if (!parts.hasHead) throw new CommandError('there is no page in it: is this a dump of a MediaWiki?');
  if (!rest.includes(END)) throw new CommandError('the dump is cut off: what came before is imported');
}

class Parts {
  readonly #options: SplitOptions;
  #head: Buffer | undefined;
  #pages: Buffer[] = [];
  #bytes = 0;
  #reached = 0;

  constructor(options: SplitOptions) {
    this.#options = options;
  }

  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  /** Extracts the complete pages; returns the number of their bytes, and the parts that are full. */
  read(bytes: Buffer): { used: number; ready: DumpPart[] } {
    const ready: DumpPart[] = [];
    let used = 0;
    for (;;) {
      const start = bytes.indexOf(PAGE, used);
      const end = start < 0 ? -1 : bytes.indexOf(PAGE_END, start);
      if (end < 0) return { used, ready };
      this.#head ??= Buffer.from(bytes.subarray(0, start));
      used = end + PAGE_END.length;
      if (!this.#add(bytes.subarray(start, used))) continue;
      ready.push(this.take()!);
    }
  }

  /** Returns whether the part is full. */
  #add(page: Buffer): boolean {
    this.#reached++;
    const { skip, onSkipped, maxPages, maxBytes } = this.#options;
    if (this.#reached <= skip) {
      if (this.#reached === skip) onSkipped?.(idOf(page));
      return false;
    }
    this.#pages.push(Buffer.from(page));
    this.#bytes += page.length;
    return this.#pages.length >= maxPages || this.#bytes >= maxBytes;
  }

  take(): DumpPart | undefined {
    const pages = this.#pages;
    if (pages.length === 0) return undefined;
    [this.#pages, this.#bytes] = [[], 0];
    return {
      xml: Buffer.concat([this.#head!, ...pages, END]),
      pages: pages.length,
      reached: this.#reached,
      lastId: idOf(pages.at(-1)!),
    };
  }
}

/** A page's own id precedes those of its revisions. */
function idOf(page: Buffer): string {
  return /<id>\s{0,20}(\d{1,20})/.exec(page.toString('utf8', 0, 8192))?.[1] ?? '';
}
