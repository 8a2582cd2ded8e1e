import type { Receiver } from '../port.ts';
import { parseGithubForm } from './github-form.ts';
import { isNamedHmac } from './payload.ts';

/** Webhooks of GitHub (docs.github.com, "Webhook events and payloads", "Validating webhook deliveries"). */
export const github: Receiver = {
  isAuthentic: ({ headers, body }, secret) => isNamedHmac(headers['x-hub-signature-256'], body, secret),
  idOf: (headers) => headers['x-github-delivery'] ?? '',
  nameOf: (headers) => headers['x-github-event'] ?? '',
  parse: (headers, payload) => parseGithubForm(headers['x-github-event'] ?? '', payload),
};
