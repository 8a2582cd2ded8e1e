import { type Address, formatAddress } from '../../lib/address.ts';

/** Where a server listens, in the form that Node's servers accept: a port or a unix socket. */
export type Listen = { readonly host?: string; readonly port: number } | { readonly path: string };

export function listenOn(address: Address): Listen {
  if (address.kind === 'unix') return { path: address.path };
  return { port: address.port, ...(address.host !== undefined && { host: address.host }) };
}

/** The address in the form that a user writes. */
export function shownListen(listen: Listen): string {
  return 'path' in listen ? formatAddress({ kind: 'unix', path: listen.path }) : `${listen.host ?? ''}:${listen.port}`;
}
