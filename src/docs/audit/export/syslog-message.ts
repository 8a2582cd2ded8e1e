import type { AuditEvent } from '../../../../generated/docs/sdk/types.gen.ts';

export interface SyslogOrigin {
  readonly hostname: string;
  readonly processId: number;
}

/** Facility `local0` (decisions, section 4.9). */
const FACILITY = 16;
const INFORMATIONAL = 6;
const WARNING = 4;

/** 32473 is the enterprise number for examples (RFC 5612): this program has no number of its own. */
const STRUCTURE = 'audit@32473';

/**
 * An event as a syslog message (RFC 5424): its fields as structured data, and the whole event as JSON, written in ASCII
 * so that every receiver can read it.
 */
export function syslogMessage(event: AuditEvent, { hostname, processId }: SyslogOrigin): string {
  const priority = FACILITY * 8 + (event.result === 'ok' ? INFORMATIONAL : WARNING);
  const timestamp = new Date(event.ts / 1e6).toISOString();
  const fields = Object.entries({
    actor: event.actor,
    action: event.action,
    resource: event.resource,
    result: event.result,
    ip: event.ip,
    userAgent: event.userAgent,
    collection: event.collection,
    key: event.key,
    lang: event.lang,
  });
  const data = fields.filter((field): field is [string, string] => field[1] !== undefined).map(([name, value]) =>
    `${name}="${escaped(value)}"`
  ).join(' ');
  return `<${priority}>1 ${timestamp} ${printable(hostname, 255)} quire ${processId} audit [${STRUCTURE} ${data}] ${
    ascii(JSON.stringify(event))
  }`;
}

/** Section 6.3.3: in a value, `"`, `\` and `]` are escaped. Control characters would break the lines of receivers. */
function escaped(value: string): string {
  return value.replace(/["\\\]]/g, '\\$&').replace(/\p{Cc}/gu, ' ');
}

function printable(text: string, length: number): string {
  return text.replace(/[^\x21-\x7e]/g, '').slice(0, length) || '-';
}

function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
