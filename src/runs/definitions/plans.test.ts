import { expect, it } from 'vitest';
import type { PipelinePlan } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { parseRunsConfig } from '../config/index.ts';
import { pipelinePlan } from './plans.ts';

it('tells ships which steps are for failures, and which run in any case', () => {
  const [pipeline] = parseRunsConfig(`
pipelines:
  - name: told
    steps:
      - {name: work, run: x}
      - {name: alarm, run: x, when: {status: failure}}
      - {name: report, run: x, when: {status: [success, failure]}}
      - {name: clean, run: x, always: true}
`).pipelines;
  const { steps } = pipelinePlan(pipeline!, '', {}, '').value as PipelinePlan;
  expect(steps.map(({ name, runIf, always }) => [name, runIf, always])).toEqual([['work', '', false], ['alarm',
    'failure', false], ['report', '', true], ['clean', '', true]]);
});
