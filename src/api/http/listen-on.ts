import type { Address } from '../../lib/address.ts';

/** A TCP address as Node's servers take it. */
export function listenOn(address: Address): { host?: string; port: number } {
  if (address.kind === 'unix') throw new Error('unix sockets are refused by the settings');
  return { port: address.port, ...(address.host !== undefined && { host: address.host }) };
}
