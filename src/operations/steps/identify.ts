import type { Step } from '../call.ts';

/** The first decision on the caller's rights: origin, access mode, credential. */
export const identify: Step = {
  async run(call, next) {
    await call.rights.identify();
    call.isKnown = true;
    return next(call);
  },
};
