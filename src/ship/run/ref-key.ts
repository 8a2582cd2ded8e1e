import type { RunRef } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** Names an attempt as it was handed out; fit for a file name. */
export const refKey = ({ runId, attempt, fencingToken }: RunRef): string => `${runId}.${attempt}.${fencingToken}`;
