import { importCandidates, importSpellings } from './import-paths.ts';

/** A document in the walk: its identity, and the three meta keys that contain its symbols. */
export interface CodeDocument {
  readonly docId: string;
  readonly key: string;
  readonly lang: string;
  /** Programming language, see `codeLanguage`; empty when unknown. */
  readonly language: string;
  readonly defines: readonly string[];
  readonly uses: readonly string[];
  readonly imports: readonly string[];
}

/**
 * The lookups of the walk, all within one collection. Each returns at most `limit` distinct documents, the first by
 * key, then lang, in code point order (SQLite's BINARY collation), so that a limit always selects the same documents.
 * Documents with the key `exceptKey` are never returned. The list of values is never empty; that of `byKeys` may have
 * some thousands of entries.
 */
export interface CodeLookups {
  /** Documents whose `defines` contains any of the symbols. */
  byDefines(symbols: readonly string[], exceptKey: string, limit: number): Promise<readonly CodeDocument[]>;
  /** Documents whose `uses` contains any of the symbols. */
  byUses(symbols: readonly string[], exceptKey: string, limit: number): Promise<readonly CodeDocument[]>;
  /** Documents whose `imports` contains any of the paths. */
  byImports(paths: readonly string[], exceptKey: string, limit: number): Promise<readonly CodeDocument[]>;
  /** Documents with one of these keys, exactly as written. */
  byKeys(keys: readonly string[], exceptKey: string, limit: number): Promise<readonly CodeDocument[]>;
}

type CodeGraphDirection = 'in' | 'out' | 'both';

interface CodeGraphOptions {
  /** Default `both`. */
  readonly direction?: CodeGraphDirection;
  /** Steps from the root, default 1, clamped to 1 to 3. */
  readonly depth?: number;
  /** Maximum number of neighbours of a node that are followed, default 100, clamped to 1 to 100. */
  readonly maxDegree?: number;
  /** Aborts the walk when its result is no longer needed. */
  readonly signal?: AbortSignal;
}

export interface CodeGraphNode {
  readonly document: CodeDocument;
  /** Steps from the root; 0 for the root. */
  readonly depth: number;
}

export interface CodeGraphEdge {
  /** The document that depends. */
  readonly from: CodeDocument;
  /** The document that it depends on. */
  readonly to: CodeDocument;
  readonly kind: 'uses-selector' | 'imports';
  /** The name used, or the import path as stored in `from`. */
  readonly symbol: string;
  /** The direction in which the walk first crossed the edge: `out` is from `from` to `to`. */
  readonly direction: 'in' | 'out';
}

interface CodeGraph {
  readonly direction: CodeGraphDirection;
  /** After clamping. */
  readonly depth: number;
  /** Including the root; sorted by key, then lang. */
  readonly nodes: CodeGraphNode[];
  /** Sorted by `from`, `to`, `kind` and `symbol`. */
  readonly edges: CodeGraphEdge[];
  readonly truncated: boolean;
}

const MAX_DEPTH = 3;
const MAX_DEGREE = 100;
/**
 * A walk of three steps with a hundred neighbours each could visit a million documents; these limits bound the result.
 */
const MAX_NODES = 1000;
const MAX_EDGES = 20_000;

/**
 * Walks breadth-first from a document to the documents that it depends on (`out`), the documents that depend on it
 * (`in`), or both (contract, "Code graph"). Two kinds of edges are derived from the meta keys: `uses-selector` if one
 * document uses a name that another defines, `imports` if an import path refers to the key of another document. The
 * result depends only on the documents, never on the order in which the lookups return them. A document is not a
 * neighbour of its own translations.
 */
export async function walkCodeGraph(root: CodeDocument, lookups: CodeLookups,
  options: CodeGraphOptions = {}): Promise<CodeGraph>
{
  const direction = options.direction ?? 'both';
  const depth = clamp(options.depth ?? 1, MAX_DEPTH);
  const maxDegree = clamp(options.maxDegree ?? MAX_DEGREE, MAX_DEGREE);
  const walk = new Walk(root);
  let frontier = [root];
  for (let step = 1; step <= depth && frontier.length > 0; step++) {
    for (const document of frontier) {
      options.signal?.throwIfAborted();
      const { found, cut } = await neighboursOf(document, lookups, direction, maxDegree);
      walk.add(found, step);
      if (cut) walk.truncated = true;
    }
    frontier = walk.at(step);
  }
  return { direction, depth, nodes: walk.nodes(), edges: walk.edges(), truncated: walk.truncated };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(Math.trunc(value), 1), most);
}

/** The nodes and edges that the walk has found so far. */
class Walk {
  truncated = false;
  readonly #nodes = new Map<string, CodeGraphNode>();
  readonly #edges = new Map<string, CodeGraphEdge>();

  constructor(root: CodeDocument) {
    this.#nodes.set(root.docId, { document: root, depth: 0 });
  }

  add(neighbours: readonly Neighbour[], depth: number): void {
    for (const { document, edges } of neighbours) {
      if (this.#nodes.size >= MAX_NODES && !this.#nodes.has(document.docId)) {
        this.truncated = true;
        continue;
      }
      if (!this.#nodes.has(document.docId)) this.#nodes.set(document.docId, { document, depth });
      for (const edge of edges) this.#connect(edge);
    }
  }

  /** Edges are identified by keys, so translations of a document share them. */
  #connect(edge: CodeGraphEdge): void {
    const name = JSON.stringify([edge.from.key, edge.to.key, edge.kind, edge.symbol]);
    if (this.#edges.has(name)) return;
    if (this.#edges.size >= MAX_EDGES) this.truncated = true;
    else this.#edges.set(name, edge);
  }

  at(depth: number): CodeDocument[] {
    return this.nodes().filter((node) => node.depth === depth).map(({ document }) => document);
  }

  nodes(): CodeGraphNode[] {
    return [...this.#nodes.values()].sort((a, b) => byName(a.document, b.document));
  }

  edges(): CodeGraphEdge[] {
    return [...this.#edges.values()].sort((a, b) =>
      inCodePoints(a.from.key, b.from.key) || inCodePoints(a.to.key, b.to.key)
      || inCodePoints(a.kind, b.kind) || inCodePoints(a.symbol, b.symbol)
    );
  }
}

interface Neighbour {
  readonly document: CodeDocument;
  readonly edges: readonly CodeGraphEdge[];
}

/** The first neighbours of a document by key and lang, over both directions and kinds, and whether there are more. */
async function neighboursOf(document: CodeDocument, lookups: CodeLookups, direction: CodeGraphDirection,
  maxDegree: number): Promise<{ found: Neighbour[]; cut: boolean }>
{
  const limit = maxDegree + 1; // one more than the maximum, to detect that there are more
  const edges =
    (await Promise.all([direction === 'in' ? [] : usesOf(document, lookups, limit),
      direction === 'in' ? [] : importsOf(document, lookups),
      direction === 'out' ? [] : usersOf(document, lookups, limit),
      direction === 'out' ? [] : importersOf(document, lookups, limit)])).flat();
  const byDocument = Map.groupBy(edges, ({ from, to, direction: way }) => (way === 'out' ? to : from).docId);
  const neighbours = [...byDocument.values()].map((own): Neighbour => ({
    document: own[0]!.direction === 'out' ? own[0]!.to : own[0]!.from,
    edges: own,
  }));
  neighbours.sort((a, b) => byName(a.document, b.document));
  return { found: neighbours.slice(0, maxDegree), cut: neighbours.length > maxDegree };
}

async function usesOf(from: CodeDocument, lookups: CodeLookups, limit: number): Promise<CodeGraphEdge[]> {
  if (from.uses.length === 0) return [];
  const definers = await lookups.byDefines(from.uses, from.key, limit);
  return definers.flatMap((to) =>
    shared(from.uses, to.defines).map((symbol) => ({ from, to, kind: 'uses-selector', symbol, direction: 'out' }))
  );
}

async function usersOf(to: CodeDocument, lookups: CodeLookups, limit: number): Promise<CodeGraphEdge[]> {
  if (to.defines.length === 0) return [];
  const users = await lookups.byUses(to.defines, to.key, limit);
  return users.flatMap((from) =>
    shared(from.uses, to.defines).map((symbol) => ({ from, to, kind: 'uses-selector', symbol, direction: 'in' }))
  );
}

/** Each import refers to the first of its candidates that exists. */
async function importsOf(from: CodeDocument, lookups: CodeLookups): Promise<CodeGraphEdge[]> {
  const candidates = new Map(from.imports.map((path) => [path, importCandidates(path, from.language)]));
  const existing = await byKey([...candidates.values()].flat(), from.key, lookups);
  return [...candidates].flatMap(([symbol, keys]) => {
    const key = keys.find((candidate) => candidate === from.key || existing.has(candidate));
    return (existing.get(key ?? '') ?? []).map((to): CodeGraphEdge => ({
      from,
      to,
      kind: 'imports',
      symbol,
      direction: 'out',
    }));
  });
}

/**
 * The documents that import the key, except where their import path refers to another document that takes precedence.
 */
async function importersOf(to: CodeDocument, lookups: CodeLookups, limit: number): Promise<CodeGraphEdge[]> {
  const spellings = importSpellings(to.key);
  const importers = await lookups.byImports(spellings, to.key, limit);
  const links = importers.flatMap((from) =>
    shared(spellings, from.imports).flatMap((symbol) => {
      const candidates = importCandidates(symbol, from.language);
      const rank = candidates.indexOf(to.key);
      return rank < 0 ? [] : [{ from, symbol, preferred: candidates.slice(0, rank) }];
    })
  );
  const existing = await byKey(links.flatMap(({ preferred }) => preferred), to.key, lookups);
  return links.filter(({ from, preferred }) => !preferred.some((key) => key === from.key || existing.has(key))).map((
    { from, symbol },
  ) => ({ from, to, kind: 'imports', symbol, direction: 'in' }));
}

/** The documents with these keys; the limit allows several languages of each. */
async function byKey(keys: readonly string[], exceptKey: string,
  lookups: CodeLookups): Promise<Map<string, CodeDocument[]>>
{
  if (keys.length === 0) return new Map();
  const distinct = [...new Set(keys)];
  return Map.groupBy(await lookups.byKeys(distinct, exceptKey, distinct.length * 8), ({ key }) => key);
}

function shared(wanted: readonly string[], present: readonly string[]): string[] {
  const set = new Set(present);
  return wanted.filter((value) => set.has(value));
}

function byName(a: CodeDocument, b: CodeDocument): number {
  return inCodePoints(a.key, b.key) || inCodePoints(a.lang, b.lang);
}

/** Code point order, which is the order of UTF-8 bytes; the order of UTF-16 units differs above U+FFFF. */
function inCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
