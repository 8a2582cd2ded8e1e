import type { ComplianceStatus } from '../../../generated/docs/sdk/types.gen.ts';
import type { ServerDescription } from '../environment.ts';

/** The hardening controls that are off according to the settings at the server's start. */
export function describeCompliance({ production, missing }: ServerDescription['compliance']): ComplianceStatus {
  return { production, compliant: missing.length === 0, missing: [...missing], missingCount: missing.length };
}
