import { parseAddress } from './address.ts';

/** A syslog server; UDP unless the text says otherwise. */
export interface SyslogAddress {
  readonly protocol: 'udp' | 'tcp';
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, `udp://host:port` or `tcp://host:port`; undefined for everything else. */
export function parseSyslogAddress(text: string): SyslogAddress | undefined {
  const [, scheme = 'udp', rest] = /^(?:(udp|tcp):\/\/)?([^/]*)$/.exec(text) ?? [];
  const address = rest === undefined ? undefined : parseAddress(rest);
  if (address?.kind !== 'tcp' || address.host === undefined || address.port === 0) return undefined;
  return { protocol: scheme as 'udp' | 'tcp', host: address.host, port: address.port };
}

export function formatSyslogAddress({ protocol, host, port }: SyslogAddress): string {
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
