import { type Agent, type Dispatcher, request } from 'undici';
import type { AiTextPlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { retryAfter } from '../../../lib/headers.ts';
import { errorText } from './chat-answer.ts';
import { endpointUrl } from './endpoint-url.ts';

const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_CHARS = 500;

export interface ChatRequest {
  readonly plan: AiTextPlan;
  readonly prompt: string;
  /** Whether to request token counts; some servers refuse this option. */
  readonly wantsUsage: boolean;
  readonly key: string | undefined;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** A response with an error status. */
export interface Refusal {
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
