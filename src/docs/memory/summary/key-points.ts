import { Pace } from '../../../lib/pace.ts';
import { formsOf } from '../../../text/tokenize.ts';
import { type Bag, Vocabulary } from './bags.ts';
import { centralities } from './centrality.ts';
import { isDecisionWord } from './decision-words.ts';
import { selectBest } from './select.ts';

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
