import type { ComplianceStatus } from '../../../generated/docs/sdk/types.gen.ts';
import type { ServerDescription } from '../environment.ts';

/** Which hardening controls are off, by the settings that the server was started with. */
export function describeCompliance({ production, missing }: ServerDescription['compliance']): ComplianceStatus {
  return { production, compliant: missing.length === 0, missing: [...missing], missingCount: missing.length };
}
