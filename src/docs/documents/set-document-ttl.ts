import { unixSeconds } from '../../lib/clock.ts';
import { CHANGE_FLAGS, isReference } from '../../storage/index.ts';
import { putChange } from './changes.ts';
import { type Deps, type DocumentHandlers, transact } from './deps.ts';
import { CURRENT, type CurrentRow, decodeVersion, findDocument, SHOWN, type WithBody } from './document-rows.ts';
import { requireExpected } from './expectation.ts';
import { identify } from './identity.ts';
import { notFound } from './item-rules.ts';
import { expiryAfter } from './version.ts';

/**
 * `POST /v1/set-ttl`: sets the expiry of a document to `ttl` seconds from now; 0 removes the expiry.
 *
 * No version of the document is written, so `updatedAt` stays and there is no revision. Views read the new expiry from
 * the feed; no event is emitted, because section 6 of the contract names none.
 */
export function setDocumentTtl(deps: Deps): DocumentHandlers['setDocumentTtl'] {
  return async ({ collection, key, lang, ttl, ...expected }, context) => {
    const identity = identify(collection, key, lang);
    // A body that is stored elsewhere is read before the write: a failure then leaves the document unchanged.
    const before = await findDocument<WithBody>(deps.sql, `${SHOWN}, d.body`, identity, unixSeconds(deps.clock));
    if (before !== undefined && isReference(before.body)) await deps.codec.decodeAsync(before.body);
    const row = await transact(deps, async (work) => {
      const current = await findDocument<CurrentRow & WithBody>(work.tx, `${CURRENT}, d.body`, identity, work.now);
      if (current === undefined) throw notFound();
      requireExpected(deps.checksums, current, expected);
      const expiresAt = expiryAfter(ttl, work.now, null);
      await work.tx.run('UPDATE documents SET expires_at = ? WHERE ord = ?', [expiresAt, current.ord]);
      await work.feed.append(work.tx, [putChange(current, CHANGE_FLAGS.SKIP_WEBHOOKS | CHANGE_FLAGS.BODY_KEPT)]);
      return { ...current, expires_at: expiresAt };
    }, context);
    return decodeVersion(deps, row);
  };
}
