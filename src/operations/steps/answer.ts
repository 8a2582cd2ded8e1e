// The steps between an operation's result and its response.
import { pageOf, unreadFields, withoutFields, withWarnings } from '../answers.ts';
import { mayRead } from '../authorize.ts';
import { piecesWhileAllowed } from '../call-rights.ts';
import type { Step } from '../call.ts';
import { type Context, type Download, Reply } from '../handler.ts';

const isDownload = ({ produces }: { readonly produces: readonly string[] }): boolean =>
  produces.some((type) => type !== 'application/json');

export const warn: Step = {
  async run(call, next) {
    const reply = (await next(call)) as Reply<unknown>;
    return withWarnings(reply, call.warnings);
  },
};

/** A file that is produced while it is sent ends with the permission of the caller. */
export const supervise: Step = {
  appliesTo: isDownload,
  async run(call, next) {
    const reply = (await next(call)) as Reply<Partial<Download> | undefined>;
    const { content } = reply.value ?? {};
    if (typeof content !== 'object' || !(Symbol.asyncIterator in content)) return reply;
    const allowed = call.long?.pieces(content) ?? piecesWhileAllowed(content, call.rights);
    return new Reply({ ...reply.value, content: allowed }, reply.headers, reply.status);
  },
};

/** Where answers of searches have bodies of documents: in a bare list of them, and in a list of results. */
const BODIES = ['contentMd', 'results.document.contentMd'];

/**
 * The answer without what shows stored content, for callers who may write but not read (decision D-139), or who may
 * only search.
 */
export const withhold: Step = {
  appliesTo: ({ access }) => access !== 'public',
  async run(call, next) {
    const reply = (await next(call)) as Reply<unknown>;
    const { spec, rights: { identity } } = call;
    const { readFields, unread } = spec;
    let value = identity.withoutBodies === true ? withoutFields(reply.value, BODIES) : reply.value;
    if ((readFields !== undefined || unread !== undefined) && !mayRead(spec, identity, call.input!)) {
      value = unreadFields(withoutFields(value, readFields ?? []), unread ?? {});
    }
    return value === reply.value ? reply : new Reply(value, reply.headers, reply.status);
  },
};

export const page: Step = {
  async run(call, next) {
    const result = await next(call);
    const reply = result instanceof Reply ? (result as Reply<unknown>) : new Reply(result);
    return call.spec.pages === undefined ? reply : pageOf(call.spec.pages, reply, call.input!, call.budget);
  },
};

/** A read returns nothing to somebody who has lost the permission meanwhile. */
export const confirm: Step = {
  appliesTo: ({ effect }) => effect === 'read',
  async run(call, next) {
    const result = await next(call);
    if (!call.rights.isAllowed) await call.rights.require();
    return result;
  },
};

/** Notes who has read a document (`x-noted`). */
export function note(read: (document: { readonly id: string }, context: Context) => void): Step {
  return {
    appliesTo: ({ noted }) => noted === true,
    async run(call, next) {
      const result = await next(call);
      read((result instanceof Reply ? result.value : result) as { id: string }, call.context);
      return result;
    },
  };
}
