import { parseClaimEntry } from '../../../lib/setting-values.ts';

/** The rights that claims of an issuer stand for: names of roles and groups, in order, each once. */
export interface ClaimedRights {
  readonly roles: readonly string[];
  readonly groups: readonly string[];
}

const NOTHING: ClaimedRights = { roles: [], groups: [] };

/** Maximum number of values of a claim that are read. */
const MAX_VALUES = 1000;

const GROUP = 'group:';

/**
 * Reads the rights out of claims. `mapping` has entries such as `staff=reader` and `writers=group:editors`: a value of
 * the claim, and the role or group that it stands for. Values that the mapping does not name are ignored.
 */
export class ClaimMapping {
  readonly #claim: string;
  readonly #meanings = new Map<string, readonly string[]>();

  constructor(claim: string, mapping: readonly string[]) {
    this.#claim = claim;
    for (const entry of mapping) {
      const [value, meaning] = parseClaimEntry(entry) ?? [];
      if (value !== undefined && meaning !== undefined)
        this.#meanings.set(value, [...(this.#meanings.get(value) ?? []), meaning]);
    }
  }

  rightsIn(claims: Readonly<Record<string, unknown>>): ClaimedRights {
    const claim = claims[this.#claim];
    if (this.#meanings.size === 0 || claim === undefined) return NOTHING;
    const values: unknown[] = (Array.isArray(claim) ? claim : [claim]).slice(0, MAX_VALUES);
    const meanings = new Set(
      values.flatMap((value) => (typeof value === 'string' ? this.#meanings.get(value) ?? [] : [])),
    );
    const groups = [...meanings].filter((meaning) => meaning.startsWith(GROUP)).map((meaning) =>
      meaning.slice(GROUP.length)
    );
    return { roles: [...meanings].filter((meaning) => !meaning.startsWith(GROUP)).sort(), groups: groups.sort() };
  }
}
