import type { ForgeEvent, Receiver } from '../port.ts';
import { commitAt, firstLine, isNamedHmac, malformed, namesOf, refAt, textAt } from './payload.ts';

/**
 * Pushes that a hook of a bare repository sends (docs/run-queue-forge.md): `repository` as the project has it, `ref`,
 * `before`, `after`, `author` and `title`.
 */
export const git: Receiver = {
  isAuthentic: ({ headers, body }, secret) => isNamedHmac(headers['x-quire-signature'], body, secret),
  idOf: (headers) => headers['x-quire-delivery'] ?? '',
  nameOf: () => 'push',
  parse(_headers, payload) {
    const [ref, repository] = [refAt(payload, 'ref'), textAt(payload, 'repository')];
    if (ref === '' || repository === '') throw malformed('expected repository, ref, before and after');
    const [names, commit] = [namesOf(ref), commitAt(payload, 'after')];
    if (names === undefined || commit === '') return [];
    const event: ForgeEvent = {
      ...names,
      action: 'pushed',
      repository: '',
      addresses: [repository],
      ref,
      commit,
      before: commitAt(payload, 'before'),
      title: firstLine(textAt(payload, 'title')),
      author: textAt(payload, 'author'),
      url: '',
    };
    return [event];
  },
};
