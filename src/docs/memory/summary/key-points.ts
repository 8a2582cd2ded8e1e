import { Pace } from '../../../lib/pace.ts';
import { formsOf } from '../../../text/tokenize.ts';

/** A sentence of the conversation. */
export interface Sentence {
  readonly text: string;
  /** Whether it belongs to the first turn of user or assistant. */
  readonly first: boolean;
}

/** Decisions section 4.7. */
const FIRST_TURN = 1.1;
const NUMBER_OR_DECISION = 1.15;
const SHARE = 0.1;
const LEAST = 3;
const MOST = 7;

const HAS_NUMBER = /\p{N}/u;

/**
 * The sentences that represent the conversation, in their order: the most central, with a bonus for the first turn and
 * for those that contain a number or decide something. The same sentences always result in the same selection.
 */
export async function keyPoints(sentences: readonly Sentence[], signal?: AbortSignal): Promise<Sentence[]> {
  const vocabulary = new Vocabulary();
  const bags: Bag[] = [];
  const factors: number[] = [];
  const pace = new Pace();
  for (const { text, first } of sentences) {
    const forms = formsOf(text);
    const isMarked = forms.some((form) => HAS_NUMBER.test(form) || isDecisionWord(form));
    bags.push(vocabulary.add(forms));
    factors.push((first ? FIRST_TURN : 1) * (isMarked ? NUMBER_OR_DECISION : 1));
    await pace.rest();
    signal?.throwIfAborted();
  }
  const scores = (await centralities(bags, vocabulary, signal)).map((score, i) => score * factors[i]!);
  const wanted = Math.min(MOST, Math.max(LEAST, Math.ceil(sentences.length * SHARE)));
  const chosen = await selectBest(bags, scores, wanted);
  return chosen.sort((a, b) => a - b).map((i) => sentences[i]!);
}

/**
 * How central each sentence is: the mean cosine of its TF-IDF vector with those of all sentences (Erkan and Radev,
 * "LexRank", 2004, degree centrality without a threshold). The sum of cosines of unit vectors is one product with the
 * sum of the vectors, so the work grows with the number of words and not of pairs.
 */
export async function centralities(bags: readonly Bag[], vocabulary: Vocabulary,
  signal?: AbortSignal): Promise<Float64Array>
{
  const weights = vocabulary.weights(bags.length);
  const sum = new Float64Array(vocabulary.size);
  const lengths = new Float64Array(bags.length);
  const pace = new Pace();
  for (const [i, { terms, counts }] of bags.entries()) {
    let square = 0;
    for (let j = 0; j < terms.length; j++) square += (counts[j]! * weights[terms[j]!]!) ** 2;
    const length = lengths[i] = Math.sqrt(square);
    for (let j = 0; j < terms.length; j++) sum[terms[j]!]! += (counts[j]! * weights[terms[j]!]!) / length;
    if ((i & 63) === 0) await pace.rest();
    signal?.throwIfAborted();
  }
  const scores = new Float64Array(bags.length);
  for (const [i, { terms, counts }] of bags.entries()) {
    let product = 0;
    for (let j = 0; j < terms.length; j++) product += counts[j]! * weights[terms[j]!]! * sum[terms[j]!]!;
    scores[i] = lengths[i] === 0 ? 0 : product / lengths[i]! / bags.length;
    if ((i & 63) === 0) await pace.rest();
  }
  return scores;
}

/**
 * Words that indicate that a sentence decides or plans something, in the languages that the service stems. A short list
 * for each, of words that are rarely used otherwise: one common word would mark half of a conversation.
 */
const WORDS = `
decide decided decision agree agreed agreement confirm confirmed confirmation choose chose chosen plan planned deadline schedule scheduled
booked reserved cancelled canceled approved rejected must will should
entschieden entscheidung beschlossen vereinbart bestätigt bestätigen geplant gebucht abgelehnt muss müssen soll sollen werden
décidé décision convenu accord confirmé confirmer choisi prévu réservé annulé doit devons faut
decidido decisión acordado acuerdo confirmado confirmar elegido planeado reservado cancelado debe debemos
deciso decisione concordato accordo confermato confermare scelto prenotato annullato deve dobbiamo
decisão decidimos combinado confirmada escolhido agendado deve devemos
besloten beslissing afgesproken akkoord bevestigd bevestigen gekozen gepland geboekt geannuleerd moet moeten
zdecydowano decyzja uzgodniono potwierdzam potwierdzone wybrano zaplanowano zarezerwowano odwołano musimy należy
решено решили решение согласовано договорились подтверждаю подтверждено выбрали запланировано отменено нужно должны
beslutat beslut överens bekräftat bekräfta valt planerat bokat avbokat måste bör ska
besluttet beslutning enige bekreftet bekræftet valgt planlagt bestilt avtalt aftalt må skal
päätetty päätös sovittu vahvistettu vahvistan valittu suunniteltu varattu peruttu pitää täytyy
döntöttünk döntés megállapodtunk megerősítem választottuk tervezett lefoglalva kell
decis decizie hotărât convenit confirmat ales planificat rezervat anulat trebuie
karar kararlaştırıldı anlaştık onaylandı onaylıyorum seçtik planlandı iptal gerekiyor
قررنا القرار اتفقنا تأكيد أكد اخترنا يجب سوف
முடிவு ஒப்புக்கொண்டோம் உறுதி வேண்டும்
`;

/** In the form of tokens. */
const FORMS: ReadonlySet<string> = new Set(formsOf(WORDS));

export function isDecisionWord(form: string): boolean {
  return FORMS.has(form);
}

/** Sentences as the bags of words that centrality compares. */
export interface Bag {
  /** Numbers of the distinct terms, ascending, and how often each occurs. */
  readonly terms: Uint32Array;
  readonly counts: Uint32Array;
}

/** Numbers terms in the order of their first occurrence, and counts the sentences that contain each. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #frequencies: number[] = [];

  get size(): number {
    return this.#frequencies.length;
  }

  /** Returns the bag of a sentence's forms, and adds it to the counts. */
  add(forms: readonly string[]): Bag {
    const counts = new Map<number, number>();
    for (const form of forms) {
      const term = this.#numberOf(form);
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    const terms = Uint32Array.from(counts.keys()).sort();
    for (const term of terms) this.#frequencies[term]!++;
    return { terms, counts: terms.map((term) => counts.get(term)!) };
  }

  /** ln(1 + N / df) of each term, where N is the number of sentences. */
  weights(sentences: number): Float64Array {
    return Float64Array.from(this.#frequencies, (frequency) => Math.log(1 + sentences / frequency));
  }

  #numberOf(form: string): number {
    let number = this.#numbers.get(form);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(form, number);
      this.#frequencies.push(0);
    }
    return number;
  }
}

/** Share of the terms of two sentences that both contain (Jaccard). */
export function overlap(a: Bag, b: Bag): number {
  let both = 0;
  for (let i = 0, j = 0; i < a.terms.length && j < b.terms.length;) {
    const difference = a.terms[i]! - b.terms[j]!;
    if (difference === 0) both++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  const either = a.terms.length + b.terms.length - both;
  return either === 0 ? 0 : both / either;
}

/** Decisions section 4.7: the score of a near-duplicate of a better sentence is halved. */
const NEAR_DUPLICATE = 0.5;
const DUPLICATE_FROM = 0.6;

/**
 * The numbers of the best sentences, best first; of equal ones the earlier is first. The score of a near-duplicate of a
 * selected sentence is halved once.
 */
export async function selectBest(bags: readonly Bag[], scores: Float64Array, wanted: number): Promise<number[]> {
  const heap = new ScoreHeap(scores);
  const halved = new Set<number>();
  const chosen: number[] = [];
  const pace = new Pace();
  for (let best = heap.pop(); best !== undefined && chosen.length < wanted; best = heap.pop()) {
    const bag = bags[best]!;
    if (!halved.has(best) && chosen.some((other) => overlap(bag, bags[other]!) > DUPLICATE_FROM)) {
      halved.add(best);
      scores[best]! *= NEAR_DUPLICATE;
      heap.push(best);
    } else {
      chosen.push(best);
    }
    await pace.rest();
  }
  return chosen;
}

/** A binary heap of numbers by their scores (Williams, 1964); equal scores by number, the smallest first. */
class ScoreHeap {
  readonly #scores: Float64Array;
  readonly #heap: Uint32Array;
  #size = 0;

  constructor(scores: Float64Array) {
    this.#scores = scores;
    this.#heap = new Uint32Array(scores.length);
    for (let i = 0; i < scores.length; i++) this.push(i);
  }

  /** The heap holds at most as many numbers as there are scores. */
  push(number: number): void {
    let at = this.#size++;
    for (let above = (at - 1) >> 1; at > 0 && this.#precedes(number, this.#heap[above]!); above = (at - 1) >> 1) {
      this.#heap[at] = this.#heap[above]!;
      at = above;
    }
    this.#heap[at] = number;
  }

  pop(): number | undefined {
    if (this.#size === 0) return undefined;
    const top = this.#heap[0]!;
    const last = this.#heap[--this.#size]!;
    let at = 0;
    for (let below = this.#betterOf(1); below < this.#size && this.#precedes(this.#heap[below]!, last);
      below = this.#betterOf(2 * at + 1))
    {
      this.#heap[at] = this.#heap[below]!;
      at = below;
    }
    this.#heap[at] = last;
    return top;
  }

  /** Of two neighbours, the index of the one that comes first. */
  #betterOf(left: number): number {
    const right = left + 1;
    return right < this.#size && this.#precedes(this.#heap[right]!, this.#heap[left]!) ? right : left;
  }

  #precedes(a: number, b: number): boolean {
    const difference = this.#scores[a]! - this.#scores[b]!;
    return difference > 0 || (difference === 0 && a < b);
  }
}
