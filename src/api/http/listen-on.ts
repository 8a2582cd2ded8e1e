import { formatAddress, type Address } from '../../lib/address.ts';

/** Where a server listens, as Node's servers take it: on a port, or on a unix socket. */
export type Listen = { readonly host?: string; readonly port: number } | { readonly path: string };

export function listenOn(address: Address): Listen {
  if (address.kind === 'unix') return { path: address.path };
  return { port: address.port, ...(address.host !== undefined && { host: address.host }) };
}

/** As a person writes it. */
export function shownListen(listen: Listen): string {
  return 'path' in listen ? formatAddress({ kind: 'unix', path: listen.path }) : `${listen.host ?? ''}:${listen.port}`;
}
