import type { MessageRole } from '../../../../generated/docs/sdk/types.gen.ts';
import { shorten } from '../title.ts';

export interface SummaryParts {
  readonly title: string;
  readonly points: readonly string[];
  readonly openQuestions: readonly string[];
  readonly counts: ReadonlyMap<MessageRole, number>;
}

/** Maximum number of characters shown of a sentence. */
const MAX_SHOWN = 400;
const ROLES: readonly MessageRole[] = ['user', 'assistant', 'system', 'tool'];

/** The summary as it is stored and returned (decisions section 4.7). */
export function toMarkdown({ title, points, openQuestions, counts }: SummaryParts): string {
  return [`# ${title.replace(/\s+/g, ' ').trim()}`, '## Key points', toList(points), '## Open questions',
    toList(openQuestions), countsLine(counts)].join('\n\n');
}

function toList(items: readonly string[]): string {
  return items.length === 0 ? 'None.' : items.map((item) => `- ${shorten(item, MAX_SHOWN)}`).join('\n');
}

/** `3 messages: 2 user, 1 assistant`. */
function countsLine(counts: ReadonlyMap<MessageRole, number>): string {
  const present = ROLES.filter((role) => counts.has(role));
  const total = present.reduce((sum, role) => sum + counts.get(role)!, 0);
  return `${total} ${total === 1 ? 'message' : 'messages'}: ${
    present.map((role) => `${counts.get(role)} ${role}`).join(', ')
  }`;
}
