import type { AuditEvent } from '../../../../generated/docs/sdk/types.gen.ts';
import { Refused, type Sink } from './exporter.ts';

export interface WebhookSinkOptions {
  readonly url: string;
  readonly header?: { readonly name: string; readonly value: string } | undefined;
  /** Version of this build, for `User-Agent`. */
  readonly version: string;
}

/** Client error statuses after which a retry may succeed. */
const PASSING = new Set([408, 425, 429]);

/**
 * Posts each event to a URL (decisions, section 4.9). The operator configures it, so private addresses are allowed;
 * redirects are not followed.
 */
export function webhookSink({ url, header, version }: WebhookSinkOptions): Sink {
  const { username, password, ...target } = partsOf(url);
  // `fetch` refuses URLs with credentials.
  const basic: Record<string, string> = username === ''
    ? {}
    : { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': `svc-webhook/${version}`,
    ...basic,
    ...(header && { [header.name]: header.value }),
  };
  return {
    name: 'webhook',
    target: target.shown,
    async send(event: AuditEvent, signal: AbortSignal) {
      const response = await fetch(target.url, {
        method: 'POST',
        headers,
        body: JSON.stringify(event),
        redirect: 'manual',
        signal,
      });
      await response.body?.cancel();
      if (response.ok) return;
      const problem = `HTTP status ${response.status}`;
      throw response.status >= 500 || PASSING.has(response.status) ? new Error(problem) : new Refused(problem);
    },
    close: async () => undefined,
  };
}

function partsOf(text: string): { url: string; shown: string; username: string; password: string } {
  const url = new URL(text);
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = url.password = '';
  const shown = new URL(url);
  // The query may contain a token; the path is needed to identify the target.
  shown.search = shown.hash = '';
  return { url: url.href, shown: shown.href, username, password };
}
