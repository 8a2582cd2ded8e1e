import { Pace } from '../../../lib/pace.ts';
import { formsOf } from '../../../text/tokenize.ts';
import { type Bag, Vocabulary } from './bags.ts';
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
