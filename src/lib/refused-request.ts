/** Which rule an outgoing request broke. */
export type RefusalRule = 'scheme' | 'credentials' | 'address' | 'header' | 'redirect' | 'size' | 'time';

/**
 * An outgoing request that this server does not make, or gave up, by its own rules: trying again changes
 * nothing, but for `time`. The message is fit for users: it names the rule and the host that was asked
 * for, never an address that a name was resolved to.
 */
export class RefusedRequest extends Error {
  readonly rule: RefusalRule;

  constructor(rule: RefusalRule, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.rule = rule;
  }
}
