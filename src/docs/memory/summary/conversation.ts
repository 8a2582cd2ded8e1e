import type { HistoryMessage, MessageRole } from '../../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../../lib/pace.ts';
import type { Sentence } from './key-points.ts';
import { isQuestion, proseOf, sentencesOf } from './sentences.ts';

/** The input of a summary. */
interface Conversation {
  /** Sentences of user and assistant, in order; verbatim repetitions are left out. */
  readonly sentences: readonly Sentence[];
  /** Questions of the user after the last answer, in order. */
  readonly openQuestions: readonly string[];
  /** Number of messages by role. */
  readonly counts: ReadonlyMap<MessageRole, number>;
}

/**
 * Maximum number of sentences that are compared. With very many messages each contributes its first ones, so that the
 * whole conversation counts.
 */
const MAX_SENTENCES = 100_000;
/** Maximum number of sentences from one message: a longer one is a document rather than a turn. */
const MAX_OF_MESSAGE = 100;
/** Maximum number of sentences of a message that are checked for questions. */
const LOOKED_AT = 1000;
const MAX_OPEN_QUESTIONS = 5;

/** Reads the messages of a session, of which there are `total`. */
export async function readConversation(batches: AsyncIterable<readonly HistoryMessage[]>, total: number,
  signal?: AbortSignal): Promise<Conversation>
{
  const reader = new ConversationReader(Math.min(MAX_OF_MESSAGE, Math.max(1, Math.floor(MAX_SENTENCES / total))));
  for await (const messages of batches) {
    for (const message of messages) {
      signal?.throwIfAborted();
      await reader.read(message);
    }
  }
  return reader;
}

class ConversationReader implements Conversation {
  readonly sentences: Sentence[] = [];
  readonly counts = new Map<MessageRole, number>();
  openQuestions: readonly string[] = [];
  readonly #ofMessage: number;
  readonly #seen = new Set<string>();
  readonly #pace = new Pace();

  constructor(ofMessage: number) {
    this.#ofMessage = ofMessage;
  }

  async read({ meta, contentMd }: HistoryMessage): Promise<void> {
    const role = meta['role']![0] as MessageRole;
    this.counts.set(role, (this.counts.get(role) ?? 0) + 1);
    if (role !== 'user' && role !== 'assistant') return;
    const first = this.sentences.length === 0;
    const questions = role === 'user' ? [...this.openQuestions] : [];
    let looked = 0;
    const prose = proseOf(contentMd);
    await this.#pace.rest();
    for (const text of sentencesOf(prose)) {
      if (looked++ < this.#ofMessage) this.#add(text, first);
      if (role === 'user' && isQuestion(text)) questions.push(text);
      // Of the assistant's messages, only the sentences that are compared are needed.
      if (looked >= (role === 'user' ? LOOKED_AT : this.#ofMessage)) break;
      await this.#pace.rest();
    }
    this.openQuestions = [...new Set(questions)].slice(-MAX_OPEN_QUESTIONS);
    await this.#pace.rest();
  }

  #add(text: string, first: boolean): void {
    if (this.#seen.size < this.#seen.add(text).size) this.sentences.push({ text, first });
  }
}
