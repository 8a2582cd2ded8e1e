import { Agent } from 'undici';
import { type AiTextPlan, Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { backoffDelay } from '../../../lib/clock.ts';
import { formatDuration } from '../../../lib/duration.ts';
import type { ExecutorContext, Work } from '../context.ts';
import { failed, type Failure } from '../failure.ts';
import type { MaskStream } from '../mask/masker.ts';
import type { OutputWriter } from '../output/run-output.ts';
import type { WorkResult } from '../port.ts';
import { fitResult, MAX_RESULT_BYTES, RESULT_TYPE } from '../result.ts';
import { alarm } from '../work-limits.ts';
import { AnswerError, chatAnswer, sendChat, type Sent } from './send-chat.ts';

/** How long an incomplete line is held back. */
const FLUSH_MS = 1_000;

/** Logs text that arrives in small pieces, by the line or by the second, and keeps it as a result. */
class TextLog {
  truncated = false;
  readonly #writer: OutputWriter;
  readonly #mask: MaskStream;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  /** Serialises writes, because both new text and the timer trigger them. */
  #writing: Promise<void> = Promise.resolve();
  readonly #ticker: NodeJS.Timeout;

  constructor(writer: OutputWriter, mask: MaskStream) {
    this.#writer = writer;
    this.#mask = mask;
    this.#ticker = setInterval(() => void this.#next(() => writer.flush()), FLUSH_MS);
  }

  /** The text so far as a result: masked, at most 1 MiB. Complete after `end`. */
  get content(): string {
    return Buffer.concat(this.#kept).toString();
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.#keep(this.#mask.push(bytes));
    await this.#next(() => this.#writer.write(bytes));
  }

  async end(): Promise<void> {
    clearInterval(this.#ticker);
    this.#keep(this.#mask.end());
    await this.#next(() => this.#writer.end());
  }

  #next(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write);
    return this.#writing;
  }

  #keep(bytes: Buffer): void {
    if (this.truncated || bytes.length === 0) return;
    const room = MAX_RESULT_BYTES - this.#bytes;
    this.truncated = bytes.length > room;
    const kept = this.truncated ? Buffer.from(wholeCharacters(bytes, room)) : bytes;
    this.#kept.push(kept);
    this.#bytes += kept.length;
  }
}

/** As many characters as fit. */
function wholeCharacters(bytes: Buffer, room: number): string {
  let end = room;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

const RETRIES = 2;
const MAX_RETRY_AFTER_MS = 60_000;
/** Most characters of a name that the server sends: of its model, and of why the text has ended. */
const MAX_NAME = 200;
const BACKOFF = { initial: 1_000, max: 10_000 };

type Attempt = { readonly result: WorkResult } | { readonly failure: Failure; readonly again?: boolean;
  readonly afterMs?: number | undefined; readonly withoutUsage?: boolean };

/**
 * One chat completion (decisions, section 5, "ai_text"): its text is logged while it arrives, and becomes the result.
 */
export async function runAiText(context: ExecutorContext, work: Work, plan: AiTextPlan): Promise<WorkResult> {
  const { masker } = work;
  const key = plan.apiKeyEnv === '' ? undefined : context.env[plan.apiKeyEnv];
  if (key === '')
    return failed({ code: 'model_error', message: `the variable ${plan.apiKeyEnv} is not set on this ship` }, masker);
  if (!URL.canParse(plan.endpoint))
    return failed({ code: 'model_error', message: `the endpoint ${plan.endpoint} is no URL` }, masker);
  // The default time limits of fetch are shorter than the thinking time of some models.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  work.started();
  try {
    return await askUntilAnswered(context, work, plan, (wantsUsage) => ask(work, plan, { key, agent, wantsUsage }));
  } finally {
    await agent.destroy();
  }
}

/** Repeats failures that may be temporary, as long as no part of an answer has arrived. */
async function askUntilAnswered(context: ExecutorContext, work: Work, plan: AiTextPlan,
  ask: (wantsUsage: boolean) => Promise<Attempt>): Promise<WorkResult>
{
  const { limits, masker, output, assignment } = work;
  let wantsUsage = true;
  for (let failures = 0;;) {
    const attempt = await ask(wantsUsage);
    if ('result' in attempt) return attempt.result;
    if (limits.reason === 'stop') return { outcome: Outcome.CANCELLED };
    if (limits.reason === 'timeout')
      return failed({
        code: 'model_timeout',
        message: `the model at ${plan.endpoint} took longer than ${formatDuration(Number(assignment.timeoutMs))}`,
      }, masker);
    if (attempt.withoutUsage && wantsUsage) {
      wantsUsage = false;
      continue;
    }
    if (!attempt.again || failures >= RETRIES) return failed(attempt.failure, masker);
    failures++;
    const wait = attempt.afterMs ?? backoffDelay(failures, BACKOFF);
    if (wait > MAX_RETRY_AFTER_MS)
      return failed({
        ...attempt.failure,
        message: `${attempt.failure.message}; it asks to wait ${formatDuration(Math.round(wait))}`,
      }, masker);
    await output.note('warn', `${attempt.failure.message}; trying again in ${formatDuration(Math.round(wait))}`);
    await context.timer.sleep(wait, limits.ended);
  }
}

async function ask(work: Work, plan: AiTextPlan,
  { key, agent, wantsUsage }: { key: string | undefined; agent: Agent; wantsUsage: boolean }): Promise<Attempt>
{
  const { limits, assignment } = work;
  const silence = alarm(Number(plan.firstByteTimeoutMs));
  const signal = AbortSignal.any([limits.ended, silence.signal]);
  let begun = false;
  try {
    const sent = await sendChat({
      plan,
      prompt: Buffer.from(assignment.input).toString(),
      wantsUsage,
      key,
      agent,
      signal,
    });
    if ('status' in sent) return refused(sent, wantsUsage);
    return {
      result: await readAnswer(work, plan, sent, () => {
        begun = true;
        silence.clear();
      }),
    };
  } catch (error) {
    const message = error instanceof Error
      ? error.message || String((error as NodeJS.ErrnoException).code ?? error.name)
      : String(error);
    if (error instanceof AnswerError)
      return { failure: { code: 'model_error', message: `the model at ${plan.endpoint}: ${message}` } };
    if (silence.signal.aborted)
      return {
        failure: {
          code: 'model_timeout',
          message: `the model at ${plan.endpoint} did not begin to respond within ${
            formatDuration(Number(plan.firstByteTimeoutMs))
          }`,
        },
      };
    if (begun)
      return {
        failure: {
          code: 'model_error',
          message: `the response of the model at ${plan.endpoint} broke off: ${message}`,
        },
      };
    return {
      failure: { code: 'model_error', message: `the model at ${plan.endpoint} can't be reached: ${message}` },
      again: true,
    };
  } finally {
    silence.clear();
  }
}

function refused({ status, message, retryAfterMs }: Extract<Sent, { status: number }>, wantsUsage: boolean): Attempt {
  return {
    failure: { code: 'model_error', message },
    again: status === 429 || status >= 500,
    afterMs: retryAfterMs,
    withoutUsage: status === 400 && wantsUsage,
  };
}

async function readAnswer({ output, masker }: Work, plan: AiTextPlan,
  { body, contentType }: Exclude<Sent, { status: number }>, begins: () => void): Promise<WorkResult>
{
  const answer = chatAnswer(contentType);
  const text = new TextLog(output.writer('stdout', null), masker.stream());
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      begins();
      await text.write(answer.read(chunk));
    }
    await text.write(answer.end());
  } finally {
    await text.end();
  }
  const { finish_reason, usage, model } = answer.facts;
  const shown = (name: string): string => masker.text(name).slice(0, MAX_NAME).toWellFormed();
  const result = {
    content: text.content,
    content_type: 'text/plain',
    model: shown(model ?? plan.model),
    finish_reason: finish_reason === null ? null : shown(finish_reason),
    usage,
    truncated: text.truncated,
  };
  return { outcome: Outcome.SUCCEEDED, result: { type: RESULT_TYPE, body: fitResult(result) } };
}
