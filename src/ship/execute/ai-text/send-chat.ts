import { createParser } from 'eventsource-parser';
import { type Agent, type Dispatcher, request } from 'undici';
import type { AiTextPlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { retryAfter } from '../../../lib/headers.ts';
import type { ResultContent } from '../result.ts';

/** Most characters of one event, and of an answer that is not a stream; valid ones are far shorter. */
const MAX_PIECE = 8 * 1024 * 1024;

/** The answer cannot be used; the message is for people. */
export class AnswerError extends Error {}

/** Reads the answer of a chat completion while it arrives: a stream of events, or one JSON object. */
interface ChatAnswer {
  /** Returns the text of this chunk. Throws AnswerError. */
  read(chunk: Uint8Array): string;
  /** Returns the rest of the text. Throws AnswerError if the answer is incomplete. */
  end(): string;
  /** Model and token counts that the server has sent so far. */
  readonly facts: Pick<ResultContent, 'model' | 'finish_reason' | 'usage'>;
}

export function chatAnswer(contentType: string): ChatAnswer {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType) ? new WholeAnswer() : new StreamedAnswer();
}

interface Facts {
  model: string | null;
  finish_reason: string | null;
  usage: ResultContent['usage'];
}

/** Chunks as OpenAI's API streams them, one per event; the last event is `[DONE]`. */
class StreamedAnswer implements ChatAnswer {
  readonly facts: Facts = { model: null, finish_reason: null, usage: null };
  readonly #decoder = new TextDecoder();
  #text = '';
  #done = false;
  readonly #parser = createParser({
    maxBufferSize: MAX_PIECE,
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new AnswerError('an event of the response has no end');
    },
    onEvent: ({ data }) => {
      if (data.trim() === '[DONE]') this.#done = true;
      else if (data !== '') this.#text += take(parse(data), this.facts);
    },
  });

  read(chunk: Uint8Array): string {
    return this.#feed(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string {
    // The last event without its empty line is invalid by the standard, but some servers omit that line.
    const rest = this.#feed(`${this.#decoder.decode()}\n\n`, !this.#done && this.facts.finish_reason === null);
    if (!this.#done && this.facts.finish_reason === null)
      throw new AnswerError('the response broke off before its end');
    return rest;
  }

  #feed(text: string, mayBeBroken = false): string {
    this.#text = '';
    try {
      this.#parser.feed(text);
    } catch (error) {
      if (mayBeBroken && error instanceof AnswerError) throw new AnswerError('the response broke off before its end');
      throw error;
    }
    return this.#text;
  }
}

/** The answer of a server that does not support streams. */
class WholeAnswer implements ChatAnswer {
  readonly facts: Facts = { model: null, finish_reason: null, usage: null };
  readonly #decoder = new TextDecoder();
  #json = '';

  read(chunk: Uint8Array): string {
    this.#json += this.#decoder.decode(chunk, { stream: true });
    if (this.#json.length > MAX_PIECE) throw new AnswerError('the response is too long');
    return '';
  }

  end(): string {
    return take(parse(this.#json + this.#decoder.decode()), this.facts);
  }
}

interface Chunk {
  readonly model?: unknown;
  readonly error?: unknown;
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown } | null;
    readonly message?: { readonly content?: unknown } | null; readonly finish_reason?: unknown }[];
}

function parse(json: string): Chunk {
  try {
    const chunk: unknown = JSON.parse(json);
    if (typeof chunk === 'object' && chunk !== null) return chunk;
  } catch {
    // reported below
  }
  throw new AnswerError('the response is not JSON of a chat completion');
}

function take({ error, model, usage, choices }: Chunk, facts: Facts): string {
  if (error != null) throw new AnswerError(`the model failed: ${errorText(error)}`);
  if (typeof model === 'string' && model !== '') facts.model = model;
  if (usage != null) facts.usage = usageOf(usage);
  const choice = Array.isArray(choices) ? choices[0] as NonNullable<Chunk['choices']>[number] | undefined : undefined;
  if (typeof choice?.finish_reason === 'string') facts.finish_reason = choice.finish_reason;
  const content = choice?.delta?.content ?? choice?.message?.content;
  return typeof content === 'string' ? content : '';
}

function usageOf(usage: Readonly<Record<string, unknown>>): ResultContent['usage'] {
  const count = (
    value: unknown,
  ): number => (typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0);
  const [prompt, completion] = [count(usage['prompt_tokens']), count(usage['completion_tokens'])];
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: count(usage['total_tokens']) || prompt + completion,
  };
}

/** The text of an error object, of which servers use different forms. */
function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, error: inner, detail } = (error ?? {}) as { message?: unknown; error?: unknown; detail?: unknown };
  if (typeof message === 'string') return message;
  if (inner !== undefined && inner !== error) return errorText(inner);
  return typeof detail === 'string' ? detail : JSON.stringify(error);
}

/** The URL of a path under a role's base URL; a query string is kept. */
export function endpointUrl(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  url.hash = '';
  return url.href;
}

const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_CHARS = 500;

interface ChatRequest {
  readonly plan: AiTextPlan;
  readonly prompt: string;
  /** Whether to request token counts; some servers refuse this option. */
  readonly wantsUsage: boolean;
  readonly key: string | undefined;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** A response with an error status. */
interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

export type Sent = { readonly body: Dispatcher.ResponseData['body']; readonly contentType: string } | Refusal;

/** Requests a chat completion once. Rejects if there is no response at all. */
export async function sendChat({ plan, prompt, wantsUsage, key, agent, signal }: ChatRequest): Promise<Sent> {
  const { statusCode, headers, body } = await request(endpointUrl(plan.endpoint, '/chat/completions'), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'text/event-stream, application/json',
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(chatBody(plan, prompt, wantsUsage)),
    dispatcher: agent,
    signal,
  });
  if (statusCode >= 200 && statusCode < 300) return { body, contentType: String(headers['content-type'] ?? '') };
  const location = headers['location'] === undefined
    ? ''
    : ` (it redirects to ${String(headers['location'])}; set the endpoint to where the model is)`;
  const said = await readStart(body);
  return {
    status: statusCode,
    message: `the model at ${plan.endpoint} answered ${statusCode}${said === '' ? '' : `: ${said}`}${location}`,
    retryAfterMs: retryAfter(headers),
  };
}

function chatBody({ model, systemPrompt, maxTokens, temperature }: AiTextPlan, prompt: string,
  wantsUsage: boolean): object
{
  return {
    model,
    messages: [...(systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }]), {
      role: 'user',
      content: prompt,
    }],
    stream: true,
    ...(wantsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(maxTokens === 0 ? {} : { max_tokens: maxTokens }),
    temperature,
  };
}

/** The text in the body of an error response, if it is short and readable. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The part that has arrived is enough.
  }
  return oneLine(Buffer.concat(chunks).toString());
}

function oneLine(text: string): string {
  let said = text;
  try {
    said = errorText(JSON.parse(text));
  } catch {
    // not JSON: used as it is
  }
  return said.replace(/\s+/g, ' ').trim().slice(0, MAX_ERROR_CHARS);
}
