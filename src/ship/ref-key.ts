import type { RunRef } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** Identifies an attempt as assigned; usable as a file name. */
export const refKey = ({ runId, attempt, fencingToken }: RunRef): string => `${runId}.${attempt}.${fencingToken}`;
