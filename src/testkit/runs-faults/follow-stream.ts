import type { LogEvent } from '../../../generated/runs/sdk/types.gen.ts';
import { TOKEN } from './client.ts';

/** One event as it arrived, with its offset. */
export interface Followed {
  readonly id: number;
  readonly event: LogEvent;
}

export interface FollowOptions {
  readonly attempt?: number;
  /** Called with each event; returning true breaks the connection. */
  readonly breaks?: (count: number) => boolean;
}

/**
 * Reads a run's log as server-sent events until it ends, over connections that break, with `Last-Event-ID` as browsers
 * do.
 */
export async function followStream(url: string, id: string,
  { attempt = 1, breaks = () => false }: FollowOptions = {}): Promise<Followed[]>
{
  const events: Followed[] = [];
  for (;;) {
    try {
      if (await readOnce(`${url}/api/v1/runs/${id}/logs/stream?attempt=${attempt}`, events, breaks)) return events;
    } catch {
      // The connection broke, or nothing is listening: continue from the last event.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** One connection; returns whether the log has ended. */
async function readOnce(url: string, events: Followed[], breaks: (count: number) => boolean): Promise<boolean> {
  const broken = new AbortController();
  const last = events.at(-1);
  const response = await fetch(url, {
    signal: broken.signal,
    headers: { authorization: `Bearer ${TOKEN}`, ...(last && { 'last-event-id': `${last.event.attempt}-${last.id}` }) },
  });
  if (response.status >= 500) return false;
  if (response.status !== 200) throw new Error(`the stream answers ${response.status}`);
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const messages = text.split('\n\n');
    text = messages.pop()!;
    for (const message of messages) {
      const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1];
      if (field('event') === 'end') return true;
      if (field('event') !== 'log') continue;
      const eventId = field('id')!;
      events.push({ id: Number(eventId.split('-')[1]), event: JSON.parse(field('data')!) as LogEvent });
      if (breaks(events.length)) {
        broken.abort();
        return false;
      }
    }
  }
  return false;
}
