import { type DescMessage, type DescMethod, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type ChannelCredentials, Client, type ClientOptions, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { formatAddress } from '../../lib/address.ts';

/** The library's definition of a method whose messages it serialises itself. */
export function definitionOf<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethod & { readonly input: Input; readonly output: Output },
): MethodDefinition<MessageShape<Input>, MessageShape<Output>> {
  const { input, output, methodKind, name, parent } = method;
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
    responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
    requestSerialize: (message) => Buffer.from(toBinary(input, message)),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: (message) => Buffer.from(toBinary(output, message)),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
  };
}

/** Messages in both directions are far smaller; an assignment contains an input of up to 256 KiB. */
const MAX_MESSAGE_BYTES = 4 << 20;

/** The ship's own pauses decide when to reconnect, not the library's. */
const CHANNEL: ClientOptions = {
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.min_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
};

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Certificates that identify the server and, with a certificate of its own, the ship; PEM. */
export interface ClientTls {
  /** Trusted roots. */
  readonly roots: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** A client of a server that must have a certificate for its address. Connects with the first call. */
export function openClient({ host, port }: ServerAddress, tls: ClientTls): Client {
  const target = formatAddress({ kind: 'tcp', host, port });
  if (isIP(host) === 0) return new Client(target, credentialsOf(tls), CHANNEL);
  // The library would send the server's IP address as its TLS name, which TLS does not allow; the address in the
  // certificate is checked nevertheless.
  const isOfAddress: typeof checkServerIdentity = (_name, certificate) => checkServerIdentity(host, certificate);
  return new Client(target, credentialsOf(tls, isOfAddress), {
    ...CHANNEL,
    'grpc.ssl_target_name_override': 'fleet.invalid',
  });
}

function credentialsOf({ roots, certificate, key }: ClientTls,
  isOfServer?: typeof checkServerIdentity): ChannelCredentials
{
  const bytes = (pem: string | undefined): Buffer | null => (pem === undefined ? null : Buffer.from(pem));
  return credentials.createSsl(bytes(roots), bytes(key), bytes(certificate),
    isOfServer && { checkServerIdentity: isOfServer });
}
