export interface GitHost {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Whether it is reached over HTTP, possibly through a proxy. */
  readonly web: boolean;
}

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'ssh:': 22, 'git:': 9418 };

/** The host of a git address: a URL, or `user@host:path`, which means SSH. Undefined for a local path. */
export function gitHost(address: string): GitHost | undefined {
  const short = /^(?:[\w.-]+@)([\w.-]+|\[[0-9a-f:]+\]):(?!\/\/)/i.exec(address);
  if (short !== null) return { host: unbracketed(short[1]!), port: 22, tls: false, web: false };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const port = PORTS[url?.protocol ?? ''];
  if (url === undefined || port === undefined || url.hostname === '') return undefined;
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return {
    host: unbracketed(url.hostname),
    port: url.port === '' ? port : Number(url.port),
    tls: url.protocol === 'https:',
    web,
  };
}

function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
