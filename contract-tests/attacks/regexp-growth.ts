import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

/**
 * How the time of a search with a backtracking matcher grows with the length of the text: linearly, polynomially, or
 * exponentially.
 */
export type Growth = 'linear' | 'polynomial' | 'exponential';

/**
 * The growth of a regular expression's search time, by the ambiguity of its automaton (Weber and Seidl, "On the degree
 * of ambiguity of finite automata", 1991; Weideman and others, "Analyzing Matching Time Behavior of Backtracking
 * Regular Expression Matchers by Using Ambiguity of NFA", 2016). If a loop can read the same text in two ways, the time
 * is exponential. If a text that repeats one loop can also lead to a second loop and repeat that, the time is
 * polynomial. A search that is not anchored begins with a loop of its own.
 *
 * Overestimates the growth: look-around counts as matching nothing, back references as matching anything, and counted
 * repetitions beyond four as unlimited. Look-around is also analysed separately, as an expression of its own.
 */
export function growthOf(literal: string): Growth {
  const { pattern, flags } = parseRegExpLiteral(literal);
  const whole = new Automaton(literal, flags, !flags.sticky, pattern.alternatives).growth();
  return lookArounds(pattern).map(({ alternatives, kind }) =>
    new Automaton(literal, flags, kind === 'lookahead' && !flags.sticky, alternatives).growth()
  ).reduce((worst, growth) => (rank(growth) > rank(worst) ? growth : worst), whole);
}

const rank = (growth: Growth): number => ['linear', 'polynomial', 'exponential'].indexOf(growth);

/** Characters that distinguish the character classes of real expressions. */
const ALPHABET: readonly string[] = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u0085\u00a0\u00ad\u00b7ßéŠſİфىתֵाதกກ漢ひカ한՞؟م\u0301\u0306\u0483\u0660२①²\u200b\u200d\u2028\u3000’–“«»⁇\ufeff\udc80',
  '😀', '𝒜', '𠀀'];

/** More copies of a counted repetition do not change the result. */
const MOST_COPIES = 4;

interface Node {
  /** Undefined for a state that reads nothing. */
  readonly reads: ReadonlySet<string> | undefined;
  /**
   * A condition on the position: `start` can hold only where nothing was read yet, `other` anywhere; both can fail
   * anywhere.
   */
  readonly condition: 'start' | 'other' | undefined;
  readonly next: number[];
}

class Automaton {
  readonly #flags: AST.Flags;
  readonly #source: string;
  readonly #nodes: Node[] = [];
  readonly #accept: number;
  readonly #reading: readonly number[];
  readonly #follow: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** States from which a match is certain without reading further: a search never backtracks over what follows them. */
  readonly #done = new Set<number>();

  constructor(source: string, flags: AST.Flags, searches: boolean, alternatives: readonly AST.Alternative[]) {
    this.#source = source;
    this.#flags = flags;
    this.#accept = this.#add();
    const start = this.#choice(alternatives, this.#accept);
    const any = this.#add(new Set(ALPHABET));
    this.#nodes[any]!.next.push(...(searches ? [any, start] : []));
    const first = this.#waysFrom([start], true);
    const follow = new Map<number, Map<number, number>>();
    const pending = [...first.keys(), ...(searches ? [any] : [])];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (follow.has(node)) continue;
      const ways = this.#waysFrom(this.#nodes[node]!.next, false);
      if (ways.delete(this.#accept)) this.#done.add(node);
      follow.set(node, ways);
      pending.push(...ways.keys());
    }
    this.#follow = follow;
    this.#reading = [...follow.keys()];
  }

  growth(): Growth {
    const loops = this.#loops();
    if (loops.some((loop) => this.#isDoubled(loop))) return 'exponential';
    return this.#hasChain(loops) ? 'polynomial' : 'linear';
  }

  #add(reads?: ReadonlySet<string>, next: number[] = [], condition?: Node['condition']): number {
    return this.#nodes.push({ reads, condition, next }) - 1;
  }

  #choice(alternatives: readonly AST.Alternative[], next: number): number {
    return this.#add(undefined,
      alternatives.map(({ elements }) =>
        elements.reduceRight((following, element) => this.#element(element, following), next)
      ));
  }

  #element(element: AST.Element, next: number): number {
    switch (element.type) {
      case 'CapturingGroup':
      case 'Group':
        return this.#choice(element.alternatives, next);
      case 'Quantifier':
        return this.#repeat(element, next);
      case 'Assertion':
        return this.#add(undefined, [next], element.kind === 'start' && !this.#flags.multiline ? 'start' : 'other');
      case 'Backreference':
        return this.#loop((entry) => this.#add(new Set(ALPHABET), [entry]), next);
      default:
        return this.#add(new Set(ALPHABET.filter((character) => this.#testOf(element.raw).test(character))), [next]);
    }
  }

  #repeat({ element, min, max }: AST.Quantifier, next: number): number {
    const body = (following: number) => this.#element(element, following);
    const endless = max > MOST_COPIES;
    let entry = endless ? this.#loop(body, next) : next;
    for (let i = min; i < max && !endless; i++) entry = this.#add(undefined, [body(entry), next]);
    for (let i = 0; i < Math.min(min, MOST_COPIES); i++) entry = body(entry);
    return entry;
  }

  #loop(body: (entry: number) => number, next: number): number {
    const entry = this.#add();
    this.#nodes[entry]!.next.push(body(entry), next);
    return entry;
  }

  #testOf(raw: string): RegExp {
    return new RegExp(`^(?:${raw})$`,
      [...'ivu'].filter((flag) => this.#source.slice(this.#source.lastIndexOf('/')).includes(flag)).join('') +
        's'.repeat(Number(raw !== '.' || this.#flags.dotAll)));
  }

  /**
   * The reading states, and the end, that are reached without reading, with the number of ways; two ways are enough.
   */
  #waysFrom(from: readonly number[], isStart: boolean): Map<number, number> {
    const ways = new Map<number, number>();
    const onWay = new Map<number, number>(); // at most twice: a loop around a loop leads to the inner one again
    const visit = (index: number, isSure: boolean): void => {
      const { reads, condition, next } = this.#nodes[index]!;
      if (reads !== undefined || index === this.#accept) {
        if (reads !== undefined || isSure) ways.set(index, Math.min(2, (ways.get(index) ?? 0) + 1));
        return;
      }
      const passed = onWay.get(index) ?? 0;
      if (passed > 1 || (condition === 'start' && !isStart)) return;
      onWay.set(index, passed + 1);
      for (const each of next) visit(each, isSure && condition === undefined);
      onWay.set(index, passed);
    };
    for (const each of from) visit(each, true);
    return ways;
  }

  /** The strongly connected components that have an edge. */
  #loops(): number[][] {
    const reach = new Map(this.#reading.map((node) => [node, this.#reachable(node)]));
    const seen = new Set<number>();
    return this.#reading.flatMap((node) => {
      if (seen.has(node) || !reach.get(node)!.has(node)) return [];
      const loop = this.#reading.filter((other) => reach.get(node)!.has(other) && reach.get(other)!.has(node));
      for (const member of loop) seen.add(member);
      return [loop];
    });
  }

  #reachable(from: number): Set<number> {
    const seen = new Set<number>();
    const pending = [from];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      for (const next of this.#follow.get(node)!.keys()) {
        if (seen.has(next)) continue;
        seen.add(next);
        pending.push(next);
      }
    }
    return seen;
  }

  /** Whether two paths through a loop read the same text. */
  #isDoubled(loop: readonly number[]): boolean {
    const members = new Set(loop.filter((node) => !this.#done.has(node)));
    const inside = (node: number) => [...this.#follow.get(node)!.keys()].filter((next) => members.has(next));
    const isTwice = (node: number) =>
      inside(node).some((next) =>
        this.#follow.get(node)!.get(next)! > 1 &&
        walk([next], ([at]) => inside(at!).map((each) => [each])).some(([at]) => at === node || next === node)
      );
    if ([...members].some(isTwice)) return true;
    const step = ([a, b]: readonly number[]) =>
      inside(a!).flatMap((x) => inside(b!).filter((y) => this.#share(x, y)).map((y) => [x, y]));
    return [...members].some((node) => {
      const apart = walk([node, node], step).filter(([a, b]) => a !== b);
      return apart.some((pair) => walk(pair, step).some(([a, b]) => a === node && b === node));
    });
  }

  /** Whether a text that leads through one loop also leads from it to another loop, and through that. */
  #hasChain(loops: readonly number[][]): boolean {
    return loops.some((first) =>
      loops.some((second) =>
        first !== second && this.#reachable(first[0]!).has(second[0]!)
        && first.some((p) => second.some((q) => this.#isChain(p, q, first, second)))
      )
    );
  }

  #isChain(p: number, q: number, first: readonly number[], second: readonly number[]): boolean {
    const nexts = (node: number) => [...this.#follow.get(node)!.keys()].filter((next) => !this.#done.has(next));
    if (this.#done.has(p) || this.#done.has(q)) return false;
    const [before, after] = [new Set(first), new Set(second)];
    const step = ([a, b, c]: readonly number[]) =>
      nexts(a!).filter((x) => before.has(x)).flatMap((x) =>
        nexts(c!).filter((z) => after.has(z) && this.#share(x, z)).flatMap((z) =>
          nexts(b!).filter((y) => this.#share(x, y) && this.#share(y, z) && this.#share(x, y, z)).map((y) => [x, y, z])
        )
      );
    return walk([p, p, q], step).some(([a, b, c]) => a === p && b === q && c === q);
  }

  readonly #shared = new Map<string, boolean>();

  #share(...nodes: readonly number[]): boolean {
    const key = nodes.join();
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const [first, ...rest] = nodes.map((node) => this.#nodes[node]!.reads!);
    const shared = [...first!].some((character) => rest.every((reads) => reads.has(character)));
    this.#shared.set(key, shared);
    return shared;
  }
}

/** Everything that can be reached in one step or more. */
function walk(from: readonly number[], step: (at: readonly number[]) => number[][]): number[][] {
  const seen = new Map<string, number[]>();
  const pending: (readonly number[])[] = [from];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const next of step(at)) {
      const key = next.join();
      if (seen.has(key)) continue;
      seen.set(key, next);
      pending.push(next);
    }
  }
  return [...seen.values()];
}

function lookArounds(node: AST.Node): AST.LookaroundAssertion[] {
  const own = node.type === 'Assertion' && (node.kind === 'lookahead' || node.kind === 'lookbehind') ? [node] : [];
  const below: readonly AST.Node[] = 'alternatives' in node
    ? node.alternatives as readonly AST.Node[]
    : node.type === 'Quantifier'
    ? [node.element]
    : node.type === 'Alternative'
    ? node.elements
    : [];
  return [...own, ...below.flatMap(lookArounds)];
}
