import { API_VERSION as documents } from '../../generated/docs/version.ts';
import { API_VERSION as runs } from '../../generated/runs/version.ts';

/** Version of this build; a test keeps it equal to package.json's. */
export const BUILD_VERSION = '0.1.0';

/**
 * What `quire --version` prints: the version of the program, and those of the interfaces, which change for other
 * reasons.
 */
export const VERSION_LINE = `quire ${BUILD_VERSION} (document API ${documents}, run queue API ${runs})`;
