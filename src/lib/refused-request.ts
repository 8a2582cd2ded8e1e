/** The rule that an outgoing request broke. */
export type RefusalRule = 'scheme' | 'credentials' | 'address' | 'header' | 'redirect' | 'size' | 'time';

/**
 * An outgoing request that this server refused or aborted by its own rules. Another attempt changes nothing, except for
 * `time`. The message may be shown to users: it names the rule and the host that was requested, never an address to
 * which a name was resolved.
 */
export class RefusedRequest extends Error {
  readonly rule: RefusalRule;

  constructor(rule: RefusalRule, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.rule = rule;
  }
}
