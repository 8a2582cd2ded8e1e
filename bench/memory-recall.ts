// How often recall finds the evidence for a question among ten messages: dialogues of the Schema-Guided Dialogue data
// set with questions about what was arranged in them, and a sample of LongMemEval. Measured are the session that a
// question is about, and the turn that contains the answer. `keyword` needs no model; `hybrid` and `semantic` embed
// with the provider in SVC_EMBEDDING_*, or, if there is none, with a small sentence encoder that is included in the
// packages of this folder.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, clientOf } from './support/client.ts';
import { CORPUS_HINT, corpusFolder, linesOf } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { startQuire, startScript } from './support/server.ts';
import { missing, type Section } from './support/table.ts';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

interface Question {
  readonly text: string;
  /** The user whose memory is searched. */
  readonly userId: string;
  /** Turns that contain the answer, by session; turns are numbered from 0. */
  readonly evidence: ReadonlyMap<string, ReadonlySet<number>>;
}

interface DataSet {
  readonly name: string;
  readonly sessions: readonly { readonly id: string; readonly userId: string; readonly turns: readonly Turn[] }[];
  readonly questions: readonly Question[];
}

type Strategy = 'keyword' | 'semantic' | 'hybrid';

interface Recalled {
  readonly strategy: Strategy;
  readonly results: readonly { readonly sessionId: string; readonly document: { readonly key: string } }[];
}

const TITLE = 'Memory recall';
const TOP = 10;
const ENCODER = "Universal Sentence Encoder Lite (512 dimensions, TensorFlow.js), behind OpenAI's format";
/** Number of sessions that are written concurrently. */
const WRITERS = 16;

export async function benchMemoryRecall(folder: string): Promise<Section[]> {
  const corpus = corpusFolder('memory');
  if (corpus === undefined) return [missing(TITLE, `it needs the folder memory: ${CORPUS_HINT}`)];
  const own = process.env['SVC_EMBEDDING_PROVIDER'];
  const encoder = own === undefined ? await startScript(join(import.meta.dirname, 'encoder', 'serve.ts')) : undefined;
  const server = await startQuire(join(folder, 'memory-recall.db'), encoder && {
    SVC_EMBEDDING_PROVIDER: 'openai',
    SVC_EMBEDDING_API_URL: encoder.url,
    SVC_EMBEDDING_API_KEY: 'none-is-needed',
    SVC_EMBEDDING_MODEL: 'universal-sentence-encoder-lite',
    SVC_EMBEDDING_DIMENSIONS: '512',
  });
  const client = clientOf(server.url);
  const sections: Section[] = [];
  for (const data of [await dialogues(corpus), await longMemEval(corpus)])
    sections.push(await sectionOf(server.url, client, data, own ?? ENCODER));
  client.close();
  await server.stop();
  await encoder?.stop();
  return sections;
}

async function sectionOf(url: string, client: Client, data: DataSet, provider: string): Promise<Section> {
  progress(`${data.name}: writing`);
  const ids = await write(client, data);
  await embedded(url);
  const rows: string[][] = [];
  const notes: string[] = [];
  for (const strategy of ['keyword', 'semantic', 'hybrid'] as const) {
    progress(`${data.name}: ${strategy}`);
    const measured = await measure(client, data, ids, strategy).catch((error: unknown) => (error as Error).message);
    if (typeof measured === 'string') notes.push(`${strategy}: ${measured}`);
    else rows.push([strategy, measured.session.toFixed(3), measured.turn.toFixed(3)]);
  }
  notes.push(`Embedding provider: ${provider}.`);
  const turns = data.sessions.reduce((sum, { turns: { length } }) => sum + length, 0);
  return {
    title:
      `${TITLE}, ${data.name}: ${data.questions.length} questions, ${data.sessions.length} sessions, ${turns} messages`,
    header: ['', `recall@${TOP} of the session`, `recall@${TOP} of the turn`],
    rows,
    notes,
  };
}

/** Session ids, by those of the data set. */
async function write(client: Client, { sessions }: DataSet): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const queue = [...sessions];
  await Promise.all(Array.from({ length: WRITERS }, async () => {
    for (let session = queue.shift(); session !== undefined; session = queue.shift()) {
      const { sessionId } = await client.post<{ sessionId: string }>('/v1/memory/session', { userId: session.userId });
      ids.set(session.id, sessionId);
      for (const turn of session.turns) await client.post('/v1/memory/message', { sessionId, ...turn });
    }
  }));
  return ids;
}

/** Waits until no text is queued for embedding. */
async function embedded(url: string): Promise<void> {
  for (;;) {
    const { queue } = (await (await fetch(`${url}/v1/vector-stats`)).json()) as { queue: { depth: number } };
    if (queue.depth === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Fractions of the questions. Throws if the server uses another strategy. */
async function measure(client: Client, { questions }: DataSet, ids: ReadonlyMap<string, string>,
  strategy: Strategy): Promise<{ session: number; turn: number }>
{
  let [session, turn] = [0, 0];
  for (const { text, userId, evidence } of questions) {
    const recalled = await client.post<Recalled>('/v1/memory/recall', { query: text, userId, strategy, topK: TOP });
    if (recalled.strategy !== strategy) throw new Error(`the server fell back to ${recalled.strategy}`);
    const turns = new Map([...evidence].map(([id, numbers]) => [ids.get(id)!, numbers]));
    const hits = recalled.results.filter(({ sessionId }) => turns.has(sessionId));
    if (hits.length > 0) session++;
    // Messages are numbered from 1.
    if (hits.some(({ sessionId, document: { key } }) =>
      turns.get(sessionId)!.has(Number(key.slice(key.lastIndexOf('/') + 1)) - 1)
    )) turn++;
  }
  return { session: session / questions.length, turn: turn / questions.length };
}

async function dialogues(folder: string): Promise<DataSet> {
  const userId = 'sgd';
  const sessions = [];
  for await (const line of linesOf(join(folder, 'sgd-sessions.ndjson.gz'))) {
    const { session_id: id, turns } = JSON.parse(line) as { session_id: string;
      turns: { speaker: string; text: string }[] };
    sessions.push({
      id,
      userId,
      turns: turns.map(({ speaker, text }) => ({
        role: speaker === 'user' ? 'user' as const : 'assistant' as const,
        content: text,
      })),
    });
  }
  const questions = [];
  for await (const line of linesOf(join(folder, 'sgd-questions.ndjson'))) {
    const { text, session_id: id, turn } = JSON.parse(line) as { text: string; session_id: string; turn: number };
    questions.push({ text, userId, evidence: new Map([[id, new Set([turn])]]) });
  }
  return { name: 'Schema-Guided Dialogue', sessions, questions };
}

interface LongMemQuestion {
  readonly question: string;
  readonly question_id: string;
  readonly haystack_session_ids: readonly string[];
  readonly haystack_sessions: readonly (readonly (Turn & { readonly has_answer?: boolean })[])[];
}

/** Each question has a separate memory. */
async function longMemEval(folder: string): Promise<DataSet> {
  const all = JSON.parse(await readFile(join(folder, 'longmemeval-sample.json'), 'utf8')) as LongMemQuestion[];
  const sessions = all.flatMap(({ question_id: userId, haystack_session_ids: ids, haystack_sessions: talks }) =>
    talks.map((turns, i) => ({
      id: `${userId} ${ids[i]}`,
      userId,
      turns: turns.map(({ role, content }) => ({ role, content })),
    }))
  );
  const questions = all.map((
    { question: text, question_id: userId, haystack_session_ids: ids, haystack_sessions: talks },
  ) => ({
    text,
    userId,
    evidence: new Map(
      talks.map((turns, i) =>
        [`${userId} ${ids[i]}`, new Set(turns.flatMap(({ has_answer: has }, n) => (has ? [n] : [])))] as const
      ).filter(([, numbers]) => numbers.size > 0),
    ),
  }));
  return { name: 'LongMemEval sample', sessions, questions };
}
